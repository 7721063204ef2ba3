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
#include "compiler/Numerics/NumberCast.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

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

static SmallVector<Value> emitWhole(KernelEmitter &e, PackedSource &source,
                                    ArrayRef<Value> codes) {
  Type bf16 = e.builder.getBF16Type();
  llvm::DenseMap<Value, Value> known;
  SmallVector<Value> scales;
  for (Value code : codes) {
    Value &scale = known[code];
    if (!scale)
      scale = emitScale(e, code);
    scales.push_back(scale);
  }
  SmallVector<Value> words =
      FragmentValue::ofElements(bf16, scales).getWords(e.builder, e.loc);
  Value zero = splatPair(e, bf16, -0.0);
  for (auto [word, small] : llvm::zip_equal(words, spreadAll(e, source)))
    word = multiplyPairs(
        e, bf16, fusePair(e, bf16, small, std::ldexp(1.0, 126), zero), word);
  return words;
}

//===----------------------------------------------------------------------===//
// A sixteenth of scaled ones
//===----------------------------------------------------------------------===//

/// The product of numbers and scales of which `op` takes a sixteenth.
static std::optional<ScaledNibbles> matchSixteenth(arith::MulFOp op) {
  auto whole = op.getLhs().getDefiningOp<arith::MulFOp>();
  DenseFPElementsAttr factor;
  if (!whole || !matchPattern(op.getRhs(), m_Constant(&factor)) ||
      !factor.isSplat() ||
      factor.getSplatValue<APFloat>().convertToDouble() != 1.0 / 16)
    return std::nullopt;
  return match(whole);
}

/// The low bytes of q / 16 - 1 as bf16, the high ones of which are 0xBF.
static ByteTable makeSixteenthTable() {
  ByteTable table;
  for (unsigned code = 0; code < table.size(); ++code) {
    auto number =
        float(tilec::decodeFloat(tilec::NumberFormat::FP4E2M1, code) / 16 - 1);
    auto bits = llvm::bit_cast<uint32_t>(number);
    assert(bits >> 24 == 0xBF && (bits & 0xFFFF) == 0 && "not so in bf16");
    table[code] = uint8_t(bits >> 16);
  }
  return table;
}

static Value permuteBytes(KernelEmitter &e, Value a, Value b,
                          int64_t selector) {
  return e.callIntrinsic("llvm.nvvm.prmt", e.builder.getI32Type(),
                         {a, b, e.i32(selector)});
}

/// The word that an element is a byte of, and which.
static std::optional<std::pair<Value, int64_t>> findByte(Value element) {
  auto truncated = element.getDefiningOp<arith::TruncIOp>();
  if (!truncated || !truncated.getIn().getType().isInteger(32))
    return std::nullopt;
  Value word = truncated.getIn();
  auto shifted = word.getDefiningOp<arith::ShRUIOp>();
  APInt amount;
  if (!shifted || !matchPattern(shifted.getRhs(), m_ConstantInt(&amount)) ||
      amount.urem(8) != 0)
    return std::pair(word, int64_t(0));
  return std::pair(shifted.getLhs(), int64_t(amount.getZExtValue() / 8));
}

/// Two codes in the low bytes of the halves of a word.
static Value joinCodes(KernelEmitter &e, Value low, Value high) {
  auto first = findByte(low), second = findByte(high);
  if (first && second && first->first == second->first)
    return permuteBytes(e, first->first, e.i32(0),
                        first->second | second->second << 8 | 0x4040);
  auto widen = [&](Value code) {
    return e.builder.createOrFold<arith::ExtUIOp>(e.loc, e.builder.getI32Type(),
                                                  code);
  };
  return e.ori(widen(low), e.shl(widen(high), 16));
}

/// The scales of two codes as bf16: the code is the exponent, but 0, which is
/// 2^-127, a subnormal number. Of 255, NaN, it makes infinity.
static SmallVector<Value> emitScalePair(KernelEmitter &e, Value low,
                                        Value high) {
  auto halves = VectorType::get(2, e.builder.getI16Type());
  auto split = [&](Value word) -> Value {
    return LLVM::BitcastOp::create(e.builder, e.loc, halves, word);
  };
  Value larger = LLVM::UMaxOp::create(e.builder, e.loc,
                                      split(e.shl(joinCodes(e, low, high), 7)),
                                      split(e.i32(0x00400040)));
  Value word =
      LLVM::BitcastOp::create(e.builder, e.loc, e.builder.getI32Type(), larger);
  // LLVM would take the halves apart before the comparison; of a permute that
  // moves nothing it does not know that, and ptxas drops it.
  word = permuteBytes(e, word, word, 0x3210);
  return FragmentValue::ofWords(e.builder.getBF16Type(), 2, word)
      .getElements(e.builder, e.loc);
}

/// By element, its scale as bf16: each code is converted once.
static SmallVector<Value> emitScales(KernelEmitter &e, ArrayRef<Value> codes) {
  llvm::SetVector<Value> distinct(codes.begin(), codes.end());
  llvm::DenseMap<Value, Value> scaleOf;
  for (size_t i = 0; i < distinct.size(); i += 2) {
    Value low = distinct[i],
          high = distinct[std::min(i + 1, distinct.size() - 1)];
    SmallVector<Value> pair = emitScalePair(e, low, high);
    scaleOf[high] = pair[1];
    scaleOf[low] = pair[0];
  }
  return llvm::map_to_vector(codes, [&](Value code) { return scaleOf[code]; });
}

/// (q / 16 - 1) * s + s, of NaN as infinity the difference of two.
static SmallVector<Value> emitSixteenths(KernelEmitter &e, PackedSource &source,
                                         ArrayRef<Value> codes) {
  Type bf16 = e.builder.getBF16Type();
  SmallVector<Value> scales =
      FragmentValue::ofElements(bf16, emitScales(e, codes))
          .getWords(e.builder, e.loc);
  SmallVector<Value> words = lookUpPairs(e, makeSixteenthTable(), 0xBF, source);
  for (auto [word, scale] : llvm::zip_equal(words, scales))
    word = fusePairs(e, bf16, word, scale, scale);
  return words;
}

//===----------------------------------------------------------------------===//
// Either
//===----------------------------------------------------------------------===//

std::optional<FragmentValue> tile::emitScaledFloatNibbles(KernelEmitter &e,
                                                          arith::MulFOp op) {
  std::optional<ScaledNibbles> parts = matchSixteenth(op);
  bool areSixteenths = parts.has_value();
  if (!parts)
    parts = match(op);
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

  SmallVector<Value> codes =
      takeElements(e, e.getFragment(parts->scales.getSource()), *scaleFrom);
  return FragmentValue::ofWords(e.builder.getBF16Type(), source->count(),
                                areSixteenths
                                    ? emitSixteenths(e, *source, codes)
                                    : emitWhole(e, *source, codes));
}
