//===- NumberCast.cpp - Conversion of numbers between element types -------===//
//
// Rounding to a short float works on the double that holds the number: in the
// normal range of the target its low fraction bits are rounded away, a carry
// running into the exponent as it should; below that range, adding and
// subtracting a constant whose last place is the target's smallest value leaves
// a multiple of it.  What does not fit a double (64-bit integers, the inner sum
// of a fused multiply-add) is first rounded to odd, which a second rounding
// cannot tell from the exact number (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd").
//
//===----------------------------------------------------------------------===//
#include "compiler/Numerics/NumberCast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace tilec;

static constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<CastMode> tilec::findCastMode(std::string_view name) {
  if (name.empty())
    return CastMode::Default;
  if (name == "sat")
    return CastMode::Saturate;
  if (name == "nosat")
    return CastMode::NoSaturate;
  if (name == "up")
    return CastMode::Up;
  return std::nullopt;
}

static double getCanonicalNaN() {
  return std::bit_cast<double>(uint64_t(0x7fffffffffffffff));
}

/// Rounds a finite number to the fraction of the format, with an exponent that
/// has no upper end.
static double roundFraction(double value, const FloatShape &shape) {
  double magnitude = std::fabs(value), rounded;
  if (magnitude < std::ldexp(1.0, shape.minExponent)) {
    double magic = std::ldexp(1.5, 52 + shape.minExponent - shape.fractionBits);
    rounded = (magnitude + magic) - magic;
  } else {
    int dropped = 52 - shape.fractionBits;
    uint64_t bits = std::bit_cast<uint64_t>(magnitude);
    uint64_t isOdd = bits >> dropped & 1;
    bits += (uint64_t(1) << (dropped - 1)) - 1 + isOdd;
    rounded = std::bit_cast<double>(bits >> dropped << dropped);
  }
  return std::copysign(rounded, value);
}

/// Power of two at or below, or at or above, within the range of e8m0.
static double castToE8M0(double value, bool up) {
  constexpr int smallest = -127, largest = 127;
  if (std::isnan(value))
    return getCanonicalNaN();
  if (value <= std::ldexp(1.0, smallest))
    return std::ldexp(1.0, smallest);
  if (value >= std::ldexp(1.0, largest))
    return std::ldexp(1.0, largest);
  int exponent = std::ilogb(value);
  if (up && value > std::ldexp(1.0, exponent))
    ++exponent;
  return std::ldexp(1.0, exponent);
}

/// True if numbers past the range become the largest finite value.
static bool saturates(NumberFormat to, CastMode mode) {
  switch (to) {
  case NumberFormat::FP4E2M1:
    return true;
  case NumberFormat::FP8E4M3:
  case NumberFormat::FP8E5M2:
    return mode != CastMode::NoSaturate;
  default:
    return mode == CastMode::Saturate;
  }
}

double tilec::castToFloat(double value, NumberFormat to, CastMode mode) {
  if (to == NumberFormat::E8M0)
    return castToE8M0(value, mode == CastMode::Up);
  if (std::isnan(value))
    return to == NumberFormat::FP4E2M1 ? 6.0 : getCanonicalNaN();
  double rounded = value;
  if (to == NumberFormat::F32) {
    rounded = static_cast<float>(value);
    if (mode != CastMode::Saturate)
      return rounded;
  }
  FloatShape shape = getFloatShape(to);
  if (to != NumberFormat::F64 && std::isfinite(rounded))
    rounded = roundFraction(value, shape);
  if (std::fabs(rounded) <= shape.largest)
    return rounded;
  if (saturates(to, mode))
    return std::copysign(shape.largest, value);
  double beyond = shape.hasInfinity ? infinity : getCanonicalNaN();
  // The NaN that e4m3 has in place of infinity keeps the sign.
  return std::copysign(beyond, value);
}

double tilec::roundToOdd(uint64_t magnitude) {
  int excess = 11 - std::countl_zero(magnitude);
  if (excess <= 0)
    return static_cast<double>(magnitude);
  uint64_t lost = magnitude & ((uint64_t(1) << excess) - 1);
  magnitude = magnitude >> excess | (lost != 0);
  return std::ldexp(static_cast<double>(magnitude), excess);
}

double tilec::castToFloat(int64_t value, bool isUnsigned, NumberFormat to,
                          CastMode mode) {
  if (to == NumberFormat::F64)
    return isUnsigned ? static_cast<double>(static_cast<uint64_t>(value))
                      : static_cast<double>(value);
  bool negative = !isUnsigned && value < 0;
  double odd = roundToOdd(negative ? 0 - uint64_t(value) : uint64_t(value));
  return castToFloat(negative ? -odd : odd, to, mode);
}

int64_t tilec::castToInteger(double value, NumberFormat to) {
  if (to == NumberFormat::Bool)
    return value != 0.0;
  if (std::isnan(value))
    return 0;
  unsigned bits = getStorageBits(to);
  double truncated = std::trunc(value);
  if (isUnsignedInteger(to)) {
    if (truncated <= 0.0)
      return 0;
    if (truncated >= std::ldexp(1.0, bits))
      return int64_t(~uint64_t(0) >> (64 - bits));
    return int64_t(static_cast<uint64_t>(truncated));
  }
  double end = std::ldexp(1.0, bits - 1);
  if (truncated >= end)
    return int64_t(~uint64_t(0) >> (65 - bits));
  if (truncated < -end)
    return int64_t(~uint64_t(0) << (bits - 1));
  return static_cast<int64_t>(truncated);
}

/// The nearest value of an integer format.
static int64_t clampInteger(int64_t value, bool isUnsigned, NumberFormat to) {
  unsigned bits = getStorageBits(to);
  bool hugeUnsigned = isUnsigned && value < 0;
  bool negative = !isUnsigned && value < 0;
  if (isUnsignedInteger(to)) {
    uint64_t largest = ~uint64_t(0) >> (64 - bits);
    return negative ? 0 : int64_t(std::min(uint64_t(value), largest));
  }
  int64_t largest = int64_t(~uint64_t(0) >> (65 - bits));
  if (hugeUnsigned)
    return largest;
  return std::max(std::min(value, largest), -largest - 1);
}

int64_t tilec::castToInteger(int64_t value, bool isUnsigned, NumberFormat to,
                             CastMode mode) {
  if (to != NumberFormat::Bool && mode == CastMode::Saturate)
    return clampInteger(value, isUnsigned, to);
  return decodeInteger(to, encodeInteger(to, value));
}

uint64_t tilec::castCode(NumberFormat from, uint64_t code, NumberFormat to,
                         CastMode mode) {
  if (isFloat(from)) {
    double value = decodeFloat(from, code);
    return isFloat(to) ? encodeFloat(to, castToFloat(value, to, mode))
                       : encodeInteger(to, castToInteger(value, to));
  }
  int64_t value = decodeInteger(from, code);
  bool isUnsigned = !isSignedInteger(from);
  return isFloat(to)
             ? encodeFloat(to, castToFloat(value, isUnsigned, to, mode))
             : encodeInteger(to, castToInteger(value, isUnsigned, to, mode));
}

double tilec::fuseMultiplyAdd(double a, double b, double c,
                              NumberFormat format) {
  // Exact: operands have at most 24 bits and exponents far from a double's
  // ends.
  double product = a * b;
  double sum = product + c;
  if (!std::isfinite(sum))
    return castToFloat(sum, format);
  // The error of the sum (Knuth's two-sum), by which it is rounded to odd.
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  if (error != 0.0 && (std::bit_cast<uint64_t>(sum) & 1) == 0)
    sum = std::nextafter(sum, error > 0 ? infinity : -infinity);
  return castToFloat(sum, format);
}
