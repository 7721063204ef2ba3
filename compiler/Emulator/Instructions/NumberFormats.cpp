//===- NumberFormats.cpp - Small floating-point formats -------------------===//
//
// One routine encodes to any format: the significand is cut to the bits that
// fit at the value's exponent (fewer below the smallest normal number), what
// is cut off decides the rounding, and a carry moves into the exponent field
// by itself because the code is built as one integer.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/NumberFormats.h"

#include <algorithm>
#include <array>

using namespace tilec::emulator;

double tilec::emulator::decodeFloat(const FloatFormat &format, uint32_t code) {
  double sign = code & format.signBit() ? -1.0 : 1.0;
  uint32_t magnitude = code & (format.signBit() - 1);
  if (format.specials == FloatFormat::IEEE && magnitude >= format.infinity())
    return magnitude == format.infinity() ? sign * HUGE_VAL : std::nan("");
  if (format.specials == FloatFormat::NaNOnly && magnitude == format.nan())
    return std::nan("");
  int exponent = static_cast<int>(magnitude >> format.mantissaBits);
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= 1u << format.mantissaBits;
  return sign * std::ldexp(mantissa, exponent - format.bias() -
                                         static_cast<int>(format.mantissaBits));
}

/// Drops the low `shift` bits of a significand.
static uint64_t roundSignificand(uint64_t significand, unsigned shift,
                                 Rounding rounding) {
  if (shift == 0)
    return significand;
  // Nothing of a 53-bit significand is left, not even its half.
  if (shift > 54)
    return 0;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  bool roundsUp = false;
  switch (rounding) {
  case Rounding::NearestEven:
    roundsUp = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::NearestAway:
    roundsUp = rest >= half;
    break;
  case Rounding::TowardZero:
    break;
  }
  return kept + roundsUp;
}

uint32_t tilec::emulator::encodeFloat(const FloatFormat &format, double value,
                                      Rounding rounding, Overflow overflow) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  uint32_t sign = bits >> 63 ? format.signBit() : 0;
  if (std::isnan(value))
    return format.nan();
  uint32_t beyond = format.largest();
  if (overflow == Overflow::ToInfinity &&
      format.specials != FloatFormat::NumbersOnly)
    beyond =
        format.specials == FloatFormat::IEEE ? format.infinity() : format.nan();
  if (std::isinf(value))
    return sign | beyond;
  int field = static_cast<int>(bits >> 52 & 0x7FF);
  uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
  // Subnormal doubles are far below every format and round to zero.
  if (field == 0)
    return sign;
  significand |= uint64_t(1) << 52;
  int exponent = field - 1023;
  int lowest = 1 - format.bias();
  unsigned shift = 52 - format.mantissaBits;
  if (exponent < lowest)
    shift += static_cast<unsigned>(std::min(lowest - exponent, 64));
  uint64_t kept = roundSignificand(significand, shift, rounding);
  // The implicit bit, if present, adds one to the exponent field below.
  uint64_t code = kept;
  if (exponent >= lowest)
    code += static_cast<uint64_t>(exponent - lowest) << format.mantissaBits;
  if (code > format.largest()) {
    // Rounding toward zero never leaves the range of finite numbers.
    if (rounding == Rounding::TowardZero)
      return sign | format.largest();
    return sign | beyond;
  }
  return sign | static_cast<uint32_t>(code);
}

double tilec::emulator::fuseMultiplyAddToOdd(double a, double b, double c) {
  // The product of two numbers of at most 24 significant bits is exact.
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  // What the addition lost (Knuth's TwoSum).
  double virtualC = sum - product;
  double error = (product - (sum - virtualC)) + (c - virtualC);
  if (error == 0)
    return sum;
  // Round to odd: an inexact result gets an odd last bit, on the side of the
  // exact value, so that a second rounding never meets a false tie.
  uint64_t bits = llvm::bit_cast<uint64_t>(sum);
  if (bits & 1)
    return sum;
  bool awayFromZero = (error > 0) == (sum > 0);
  return llvm::bit_cast<double>(awayFromZero ? bits + 1 : bits - 1);
}

template <const FloatFormat &format> static const float *buildDecodeTable() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values;
    for (unsigned code = 0; code < values.size(); ++code)
      values[code] = static_cast<float>(decodeFloat(format, code));
    return values;
  }();
  return table.data();
}

static constexpr FloatFormat tableE4M3 = formatE4M3;
static constexpr FloatFormat tableE5M2 = formatE5M2;

const float *tilec::emulator::decodeTable(const FloatFormat &format) {
  return format.exponentBits == 4 ? buildDecodeTable<tableE4M3>()
                                  : buildDecodeTable<tableE5M2>();
}
