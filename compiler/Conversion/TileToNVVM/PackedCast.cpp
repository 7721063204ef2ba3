//===- PackedCast.cpp - Conversion of packed registers --------------------===//
//
// Instructions for eight elements in order, as ptxas makes them (SASS counted
// in the loops of products, sm_80 and sm_90a); in brackets where two that
// become neighbours lie 16 bits apart in a word.  What a cast reorders adds
// permutes.
//
//   int4, uint4 -> bf16, f16      13 [11]  nibbles under an exponent
//   the same -> bf16 times 2^-e       [9]  nibbles as subnormal numbers
//   fp4 -> f16; bf16              15; 17       tables of bytes
//                                [19; 17]     bits
//   int4 -> int8; uint4 -> uint8   9; 5    7; 3 where every other one lies
//                                         together
//   int4 -> fp8_e4m3; fp8_e5m2     9; 11   tables of bytes
//   fp4; uint4 -> fp8              9; 11   tables of bytes
//   int8 -> bf16; f16             16 [14]; 12
//   uint8 -> bf16; f16            20 [18]; 8
//   fp8_e5m2 -> f16; bf16          4; 16
//   fp8_e4m3 -> f16; bf16         28; 28   from sm_89 on 4; 16
//   any of them -> f32            through bf16 or f16, and one each
//   f32 -> fp8                     6       from sm_89 on, else one by one
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/PackedCast.h"

using namespace mlir;
using namespace mlir::tile;

Value tile::maskAndFlip(KernelEmitter &e, Value word, int64_t mask,
                        int64_t flipped) {
  return e.callAsm("lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n",
                   {word, e.i32(mask), e.i32(flipped)});
}

static Value bitcast(KernelEmitter &e, Value value, Type type) {
  return e.builder.createOrFold<LLVM::BitcastOp>(e.loc, type, value);
}

Value tile::splatPair(KernelEmitter &e, Type type, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  assert(!losesInfo && "a factor that the type does not hold");
  return e.i32(number.bitcastToAPInt().getZExtValue() * 0x00010001);
}

Value tile::fusePairs(KernelEmitter &e, Type type, Value a, Value b, Value c) {
  Type pair = VectorType::get(2, type);
  Value result = LLVM::FMAOp::create(e.builder, e.loc, bitcast(e, a, pair),
                                     bitcast(e, b, pair), bitcast(e, c, pair));
  return bitcast(e, result, e.builder.getI32Type());
}

Value tile::fusePair(KernelEmitter &e, Type type, Value word, double factor,
                     Value addend) {
  return fusePairs(e, type, word, splatPair(e, type, factor), addend);
}

Value tile::multiplyPairs(KernelEmitter &e, Type type, Value a, Value b) {
  return fusePairs(e, type, a, b, splatPair(e, type, -0.0));
}

/// The 16-bit float that holds every number of a type of 4 or 8 bits; null for
/// other types.
static Type getHalfFor(Type from) {
  MLIRContext *context = from.getContext();
  if (isa<Float8E4M3FNType, Float8E5M2Type>(from))
    return Float16Type::get(context);
  if (isa<Float4E2M1FNType>(from) || from.isInteger(4) || from.isInteger(8))
    return BFloat16Type::get(context);
  return {};
}

/// The elements of packed 16-bit floats as f32.
static SmallVector<Value> widenHalves(KernelEmitter &e, Type type,
                                      ArrayRef<Value> words, unsigned count) {
  Type f32 = e.builder.getF32Type();
  SmallVector<Value> elements;
  for (Value element : FragmentValue::ofWords(type, words.size() * 2, words)
                           .getElements(e.builder, e.loc))
    elements.push_back(LLVM::FPExtOp::create(e.builder, e.loc, f32, element));
  elements.truncate(count);
  return elements;
}

/// A cast of 4 or 8 bits to 16 or f32.
static std::optional<FragmentValue>
castUp(KernelEmitter &e, const ElementCast &cast, PackedSource &source) {
  Type half = getHalfFor(cast.from);
  bool isToHalf = cast.to.isF16() || cast.to.isBF16();
  if (!half || (!isToHalf && !cast.to.isF32()))
    return std::nullopt;
  if (isToHalf)
    half = cast.to;
  bool fromNibbles = getElementBits(cast.from) == 4;
  SmallVector<Value> words =
      cast.exponent != 0
          ? castNibblesToScaled(e, cast, source)
          : (fromNibbles ? castNibblesToHalves : castBytesToHalves)(
                e, cast.from, cast.sourceUnsigned, half, source);
  unsigned count = source.count();
  if (isToHalf)
    return FragmentValue::ofWords(half, count, words);
  return FragmentValue::ofElements(cast.to, widenHalves(e, half, words, count));
}

std::optional<FragmentValue> tile::emitPackedCast(KernelEmitter &e,
                                                  const ElementCast &cast,
                                                  const FragmentValue &value,
                                                  const CastSource &source) {
  unsigned count = source.registers.size();
  FragmentValue shape(cast.to, count);
  unsigned bits = getElementBits(cast.to);
  // Types of less than 32 bits in words, or none of it.
  if (cast.saturates || cast.overflows || cast.roundsUp ||
      (bits < 32 && shape.elementsPerWord() * bits != 32))
    return std::nullopt;
  if (cast.exponent != 0 &&
      (!cast.from.isInteger(4) || !(cast.to.isBF16() || cast.to.isInteger(8))))
    return std::nullopt;
  bool isToByteFloat = isa<Float8E4M3FNType, Float8E5M2Type>(cast.to);
  if (isToByteFloat &&
      (cast.from.isF32() || cast.from.isF16() || cast.from.isBF16())) {
    SmallVector<Value> words =
        castToByteFloats(e, cast.to, takeElements(e, value, source));
    if (words.empty())
      return std::nullopt;
    return FragmentValue::ofWords(cast.to, count, words);
  }
  std::optional<PackedSource> packed = PackedSource::create(e, value, source);
  if (!packed)
    return std::nullopt;
  bool fromNibbles = getElementBits(cast.from) == 4;
  bool fromInteger = isa<IntegerType>(cast.from);
  if (fromNibbles && (isToByteFloat || (fromInteger && cast.to.isInteger(8))))
    return FragmentValue::ofWords(cast.to, count,
                                  castNibblesToBytes(e, cast, *packed));
  return castUp(e, cast, *packed);
}
