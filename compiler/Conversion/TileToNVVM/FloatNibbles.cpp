//===- FloatNibbles.cpp - 4-bit floats as bf16, unscaled and scaled -------===//
//
// Sign and magnitude of a nibble, moved to where bf16 has them, are its number
// times 2^-126, that of magnitude 1/2 as a subnormal.  One multiplication moves
// both:
//
//     seem * (2^12 + 2^6) = seem 00s eem 000000     & 0x81C0
//
// A scale 2^(s - 127) (e8m0) is one more multiplication, exact but for what it
// leaves below the subnormals.  (Both in one, by 2^(s - 1), are a number of
// bf16 for s <= 128 only: a branch for the others in each step costs the time
// of the multiplications several times.)
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"

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

/// A scale as bf16: the code is the exponent of f32, but 0, which is 2^-127, a
/// subnormal number, and 255, NaN.  The code itself, in the lowest bits, makes
/// that of infinity, and is rounded away from the others.
static Value emitScale(KernelEmitter &e, Value code) {
  Value wide = e.builder.createOrFold<arith::ExtUIOp>(
      e.loc, e.builder.getI32Type(), code);
  Value bits = e.builder.createOrFold<arith::MaxUIOp>(
      e.loc, e.mul(wide, e.i32(0x00800001)), e.i32(0x00400000));
  Value number =
      LLVM::BitcastOp::create(e.builder, e.loc, e.builder.getF32Type(), bits);
  return LLVM::FPTruncOp::create(e.builder, e.loc, e.builder.getBF16Type(),
                                 number);
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

  Type bf16 = e.builder.getBF16Type();
  llvm::DenseMap<Value, Value> known;
  SmallVector<Value> scales;
  for (Value code :
       takeElements(e, e.getFragment(parts->scales.getSource()), *scaleFrom)) {
    Value &scale = known[code];
    if (!scale)
      scale = emitScale(e, code);
    scales.push_back(scale);
  }
  SmallVector<Value> words =
      FragmentValue::ofElements(bf16, scales).getWords(e.builder, e.loc);
  Value zero = splatPair(e, bf16, -0.0);
  for (auto [word, small] : llvm::zip_equal(words, spreadAll(e, *source)))
    word = multiplyPairs(
        e, bf16, fusePair(e, bf16, small, std::ldexp(1.0, 126), zero), word);
  return FragmentValue::ofWords(bf16, source->count(), words);
}
