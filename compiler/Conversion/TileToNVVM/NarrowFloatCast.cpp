//===- NarrowFloatCast.cpp - One fp8, fp4, e8m0 or tf32 number ------------===//
//
// A code of sign, exponent and fraction becomes an f32 by moving its magnitude
// under the exponent of f32, where it is the number times a power of two that
// makes up for the different biases; one exact product corrects that, for
// subnormals too.
//
// The other way the magnitude is rounded to nearest even as an integer, and
// the bias subtracted from the exponent.  Below the normal range an f32 whose
// last bit is worth the smallest subnormal is added, which rounds likewise.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ElementCast.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A float format with sign and fraction whose codes are smaller than f32's.
struct Format {
  int bits, fractionBits, bias;
  /// Magnitudes of codes: the largest finite one, what an overflow gives where
  /// it does not saturate, and NaN.
  int largest, beyond, nan;

  int getSpareBits() const { return 23 - fractionBits; }
};
} // namespace

static std::optional<Format> getFormat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return Format{8, 3, 7, 0x7E, 0x7F, 0x7F};
  if (isa<Float8E5M2Type>(type))
    return Format{8, 2, 15, 0x7B, 0x7C, 0x7F};
  if (isa<Float4E2M1FNType>(type)) // saturates always, and has no NaN
    return Format{4, 1, 1, 0x7, 0x7, 0x7};
  return std::nullopt;
}

bool tile::isNarrowFloat(Type type) {
  return getFormat(type) || isa<Float8E8M0FNUType, FloatTF32Type>(type);
}

static constexpr int64_t infinityBits = 0x7F800000, nanBits = 0x7FFFFFFF,
                         magnitudeMask = 0x7FFFFFFF;

static Value toBits(KernelEmitter &e, Value number) {
  return LLVM::BitcastOp::create(e.builder, e.loc, e.builder.getI32Type(),
                                 number);
}
static Value toFloat(KernelEmitter &e, Value bits) {
  return LLVM::BitcastOp::create(e.builder, e.loc, e.builder.getF32Type(),
                                 bits);
}
static Value getFloat(KernelEmitter &e, double value) {
  return arith::ConstantOp::create(e.builder, e.loc,
                                   e.builder.getF32FloatAttr(value));
}
static Value isEqual(KernelEmitter &e, Value a, int64_t b) {
  return e.compare(arith::CmpIPredicate::eq, a, e.i32(b));
}
static Value isAbove(KernelEmitter &e, Value a, int64_t b) {
  return e.compare(arith::CmpIPredicate::ugt, a, e.i32(b));
}
static Value truncate(KernelEmitter &e, Value bits, int width) {
  return e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getIntegerType(width), bits);
}

//===----------------------------------------------------------------------===//
// To f32
//===----------------------------------------------------------------------===//

static Value decodeE8M0(KernelEmitter &e, Value code) {
  // The code is the exponent of f32, but for 2^-127, a subnormal, and NaN.
  Value bits = e.select(isEqual(e, code, 0), e.i32(1 << 22), e.shl(code, 23));
  return toFloat(e, e.select(isEqual(e, code, 0xFF), e.i32(nanBits), bits));
}

static Value decodeFormat(KernelEmitter &e, Value code, Format format) {
  int signBit = format.bits - 1;
  Value magnitude = e.andi(code, e.i32((1 << signBit) - 1));
  Value sign = e.shl(e.andi(code, e.i32(1 << signBit)), 31 - signBit);
  Value scaled = toFloat(e, e.shl(magnitude, format.getSpareBits()));
  double scale = std::ldexp(1.0, 127 - format.bias);
  Value bits = toBits(e, e.builder.createOrFold<arith::MulFOp>(
                             e.loc, scaled, getFloat(e, scale)));
  if (format.beyond > format.largest) {
    // Codes past the largest: infinity, if there is one, and NaN.
    Value special = e.i32(nanBits);
    if (format.beyond != format.nan)
      special = e.select(isEqual(e, magnitude, format.beyond),
                         e.i32(infinityBits), special);
    bits = e.select(isAbove(e, magnitude, format.largest), special, bits);
  }
  return toFloat(e, e.ori(bits, sign));
}

Value tile::decodeNarrowFloat(KernelEmitter &e, Value code, Type from) {
  if (isa<FloatTF32Type>(from)) // f32, low bits ignored
    return toFloat(e, e.andi(toBits(e, code), e.i32(~int64_t(0x1FFF))));
  code = e.builder.createOrFold<arith::ExtUIOp>(e.loc, e.builder.getI32Type(),
                                                code);
  if (isa<Float8E8M0FNUType>(from))
    return decodeE8M0(e, code);
  return decodeFormat(e, code, *getFormat(from));
}

//===----------------------------------------------------------------------===//
// From f32
//===----------------------------------------------------------------------===//

/// Rounds the bits of a magnitude to nearest even at bit `dropped`, and moves
/// that bit to place 0.
static Value roundBits(KernelEmitter &e, Value magnitude, int dropped) {
  Value isOdd = e.andi(e.shr(magnitude, dropped), e.i32(1));
  Value half = e.i32((int64_t(1) << (dropped - 1)) - 1);
  return e.shr(e.add(magnitude, e.add(half, isOdd)), dropped);
}

static Value encodeTF32(KernelEmitter &e, Value number, bool saturates) {
  Value bits = toBits(e, number);
  Value magnitude = e.andi(bits, e.i32(magnitudeMask));
  Value rounded = e.shl(roundBits(e, magnitude, 13), 13);
  if (saturates)
    rounded = e.builder.createOrFold<arith::MinUIOp>(e.loc, rounded,
                                                     e.i32(0x7F7FE000));
  Value isNaN = isAbove(e, magnitude, infinityBits);
  rounded = e.select(isNaN, e.i32(0x7FFFE000), rounded);
  return toFloat(e, e.ori(rounded, e.andi(bits, e.i32(~magnitudeMask))));
}

/// The power of two at or below a number, or at or above it.
static Value encodeE8M0(KernelEmitter &e, Value number, bool roundsUp) {
  OpBuilder &b = e.builder;
  Value bits = toBits(e, number);
  // What is negative, or 0, counts as the smallest number.
  Value positive = b.createOrFold<arith::MaxSIOp>(e.loc, bits, e.i32(0));
  Value code;
  if (roundsUp) {
    // One exponent up unless all of the fraction is 0; 2^-127 is subnormal.
    code = e.shr(e.add(positive, e.i32(0x7FFFFF)), 23);
    code = e.select(isAbove(e, positive, 1 << 22), code, e.i32(0));
  } else {
    code = e.shr(positive, 23);
  }
  code = b.createOrFold<arith::MinUIOp>(e.loc, code, e.i32(0xFE));
  Value isNaN = b.createOrFold<arith::CmpFOp>(e.loc, arith::CmpFPredicate::UNO,
                                              number, number);
  return truncate(e, e.select(isNaN, e.i32(0xFF), code), 8);
}

static Value encodeFormat(KernelEmitter &e, Value number, Format format,
                          bool overflows) {
  OpBuilder &b = e.builder;
  Value bits = toBits(e, number);
  Value magnitude = e.andi(bits, e.i32(magnitudeMask));
  int spare = format.getSpareBits(), rebias = 127 - format.bias;
  Value normal = e.sub(roundBits(e, magnitude, spare),
                       e.i32(int64_t(rebias) << format.fractionBits));
  // 2^m, whose last bit is worth the smallest subnormal.
  int m = 23 + 1 - format.bias - format.fractionBits;
  Value sum = b.createOrFold<arith::AddFOp>(e.loc, toFloat(e, magnitude),
                                            getFloat(e, std::ldexp(1.0, m)));
  Value subnormal = e.sub(toBits(e, sum), e.i32(int64_t(127 + m) << 23));
  Value isNormal = e.compare(arith::CmpIPredicate::uge, magnitude,
                             e.i32(int64_t(rebias + 1) << 23));
  Value code = e.select(isNormal, normal, subnormal);
  code = b.createOrFold<arith::MinUIOp>(
      e.loc, code, e.i32(overflows ? format.beyond : format.largest));
  int signBit = format.bits - 1;
  Value sign = e.andi(e.shr(bits, 31 - signBit), e.i32(1 << signBit));
  Value isNaN = isAbove(e, magnitude, infinityBits);
  code = e.select(isNaN, e.i32(format.nan), e.ori(code, sign));
  return truncate(e, code, format.bits);
}

Value tile::encodeNarrowFloat(KernelEmitter &e, const ElementCast &cast,
                              Value number) {
  if (isa<FloatTF32Type>(cast.to))
    return encodeTF32(e, number, cast.saturates);
  if (isa<Float8E8M0FNUType>(cast.to))
    return encodeE8M0(e, number, cast.roundsUp);
  return encodeFormat(e, number, *getFormat(cast.to), cast.overflows);
}
