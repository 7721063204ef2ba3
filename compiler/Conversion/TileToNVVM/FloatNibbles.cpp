//===- FloatNibbles.cpp - 4-bit floats as bf16, unscaled and scaled -------===//
//
// Sign and magnitude of a nibble, moved to where bf16 has them, are its number
// times 2^-126, that of magnitude 1/2 as a subnormal.  One multiplication moves
// both:
//
//     seem * (2^12 + 2^6) = seem 00s eem 000000     & 0x81C0
//
// A scale 2^(s - 127) (e8m0) makes good for the 2^126 by itself: 2^(s - 1) is
// a number of bf16 for s <= 128, so that one more multiplication, exact but for
// what it leaves below the subnormals, gives the scaled number.  Where a warp
// meets a larger scale, or NaN, it takes the two factors one after the other.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Two numbers in the low nibbles of the halves of a word, or in the ones above
/// them.
static Value spreadPair(KernelEmitter &e, Value word, bool above) {
  Value pair = e.andi(word, e.i32(above ? 0x00F000F0 : 0x000F000F));
  Value moved = e.mul(pair, e.i32(above ? 0x0104 : 0x1040));
  return e.andi(moved, e.i32(0x81C081C0));
}

Value tile::spreadFloatNibbles(KernelEmitter &e, Value word, int nibble) {
  return spreadPair(e, e.shr(word, nibble / 2 * 8), nibble % 2 != 0);
}

/// Every word of bf16 of the result, 2^126 too small.
static SmallVector<Value> spreadAll(KernelEmitter &e, PackedSource &source) {
  SmallVector<Value> words;
  for (int at = 0; at < source.count(); at += 2) {
    if (auto apart = source.findApart(at, at + 1)) {
      words.push_back(spreadFloatNibbles(e, apart->word, apart->first));
      continue;
    }
    if (at + 4 <= source.count() && source.isByte(at) &&
        source.isByte(at + 2)) {
      // Two bytes in the halves of a word: their low nibbles, their high ones,
      // and low and high of each.
      Value bytes = source.gatherPair(at, at + 2);
      Value low = spreadPair(e, bytes, false),
            high = spreadPair(e, bytes, true);
      for (int64_t selector : {0x5410, 0x7632})
        words.push_back(e.callIntrinsic("llvm.nvvm.prmt",
                                        e.builder.getI32Type(),
                                        {low, high, e.i32(selector)}));
      at += 2;
      continue;
    }
    words.push_back(spreadPair(e, source.gatherPair(at, at + 1), false));
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Scaled
//===----------------------------------------------------------------------===//

namespace {
/// A product of converted 4-bit floats and converted scales.
struct ScaledNibbles {
  CastOp numbers, scales;
};
} // namespace

static CastOp getCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && !cast.getMode() ? cast : CastOp();
}

static std::optional<ScaledNibbles> match(arith::MulFOp op) {
  if (!getTileElementType(op.getType()).isBF16())
    return std::nullopt;
  CastOp a = getCast(op.getLhs()), b = getCast(op.getRhs());
  if (!a || !b)
    return std::nullopt;
  auto is = [](CastOp cast, auto type) {
    return isa<decltype(type)>(getTileElementType(cast.getSource().getType()));
  };
  if (is(b, Float4E2M1FNType()))
    std::swap(a, b);
  if (!is(a, Float4E2M1FNType()) || !is(b, Float8E8M0FNUType()))
    return std::nullopt;
  return ScaledNibbles{a, b};
}

/// Two factors in a word.
static Value pairUp(KernelEmitter &e, Value low, Value high) {
  return low == high ? e.mul(low, e.i32(0x00010001))
                     : e.ori(low, e.shl(high, 16));
}

std::optional<FragmentValue> tile::emitScaledFloatNibbles(KernelEmitter &e,
                                                          arith::MulFOp op) {
  std::optional<ScaledNibbles> parts = match(op);
  if (!parts)
    return std::nullopt;
  auto findSource = [&](CastOp cast) {
    return findCastSource(e.getLayout(cast.getSource()),
                          e.getLayout(cast.getResult()));
  };
  std::optional<CastSource> from = findSource(parts->numbers),
                            scaleFrom = findSource(parts->scales);
  if (!from || !scaleFrom)
    return std::nullopt;
  std::optional<PackedSource> source =
      PackedSource::create(e, e.getFragment(parts->numbers.getSource()), *from);
  if (!source || source->count() % 2 != 0)
    return std::nullopt;

  Type i32 = e.builder.getI32Type(), bf16 = e.builder.getBF16Type();
  SmallVector<Value> codes;
  llvm::MapVector<Value, Value> wide;
  for (Value code :
       takeElements(e, e.getFragment(parts->scales.getSource()), *scaleFrom)) {
    Value &known = wide[code];
    if (!known)
      known = e.builder.createOrFold<arith::ExtUIOp>(e.loc, i32, code);
    codes.push_back(known);
  }
  Value all;
  for (auto &[code, extended] : wide)
    all = all ? e.ori(all, extended) : extended;
  // One of more than 127.
  Value isLarge = e.compare(arith::CmpIPredicate::ugt, all, e.i32(127));

  SmallVector<Value> small = spreadAll(e, *source);
  Value zero = splatPair(e, bf16, -0.0);
  auto branch = scf::IfOp::create(e.builder, e.loc,
                                  SmallVector<Type>(small.size(), i32), isLarge,
                                  /*withElseRegion=*/true);
  auto emitBranch = [&](Block *block,
                        function_ref<Value(size_t i, Value word)> scale) {
    OpBuilder::InsertionGuard guard(e.builder);
    e.builder.setInsertionPointToStart(block);
    SmallVector<Value> words;
    for (auto [i, word] : llvm::enumerate(small))
      words.push_back(scale(i, word));
    scf::YieldOp::create(e.builder, e.loc, words);
  };
  // Scales are converted where that is needed only; LLVM would do it for all.
  ElementCast convert(parts->scales);
  llvm::DenseMap<Value, Value> converted;
  auto getScale = [&](Value code) {
    Value &scale = converted[code];
    if (scale)
      return scale;
    Value pinned = e.callVolatileAsm("", "=r,0,", code, i32);
    scale = emitElementCast(e, convert,
                            e.builder.createOrFold<arith::TruncIOp>(
                                e.loc, e.builder.getI8Type(), pinned));
    return scale;
  };
  emitBranch(branch.thenBlock(), [&](size_t i, Value word) {
    Value numbers = fusePair(e, bf16, word, std::ldexp(1.0, 126), zero);
    Value scales = FragmentValue::ofElements(bf16, {getScale(codes[2 * i]),
                                                    getScale(codes[2 * i + 1])})
                       .getWords(e.builder, e.loc)[0];
    return multiplyPairs(e, bf16, numbers, scales);
  });
  emitBranch(branch.elseBlock(), [&](size_t i, Value word) {
    // 2^(s - 1): exponents of 0 to 127 and 126 more.
    Value pair = pairUp(e, codes[2 * i], codes[2 * i + 1]);
    Value factors = e.add(e.shl(pair, 7), e.i32(0x3F003F00));
    return multiplyPairs(e, bf16, word, factors);
  });
  SmallVector<Value> words(branch.getResults());
  return FragmentValue::ofWords(bf16, source->count(), words);
}
