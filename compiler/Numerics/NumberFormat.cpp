//===- NumberFormat.cpp - Value of every code of every element type -------===//
//
// A float code is sign, exponent and fraction; all formats but e8m0 differ in
// the widths and the bias only, so one routine decodes them into the bits of a
// double, and one encodes them from there.
//
//===----------------------------------------------------------------------===//
#include "compiler/Numerics/NumberFormat.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

using namespace tilec;

namespace {
enum class Kind : uint8_t { Bool, Signed, Unsigned, Float };

struct Row {
  std::string_view name;
  Kind kind;
  unsigned storageBits;
};

/// Widths of a float code; `spareBits` lie below the fraction and are ignored.
struct CodeWidths {
  int exponentBits;
  int fractionBits;
  int bias;
  int spareBits;
};
} // namespace

// In the order of the enumeration.
static constexpr Row table[] = {
    {"bool", Kind::Bool, 8},        {"int4", Kind::Signed, 4},
    {"int8", Kind::Signed, 8},      {"int16", Kind::Signed, 16},
    {"int32", Kind::Signed, 32},    {"int64", Kind::Signed, 64},
    {"uint4", Kind::Unsigned, 4},   {"uint8", Kind::Unsigned, 8},
    {"uint16", Kind::Unsigned, 16}, {"uint32", Kind::Unsigned, 32},
    {"uint64", Kind::Unsigned, 64}, {"f16", Kind::Float, 16},
    {"bf16", Kind::Float, 16},      {"tf32", Kind::Float, 32},
    {"f32", Kind::Float, 32},       {"f64", Kind::Float, 64},
    {"fp8_e4m3", Kind::Float, 8},   {"fp8_e5m2", Kind::Float, 8},
    {"fp4_e2m1", Kind::Float, 4},   {"e8m0", Kind::Float, 8},
};

static constexpr int doubleFractionBits = 52;
static constexpr int doubleBias = 1023;
static constexpr uint64_t doubleExponentMask = 0x7ff0000000000000u;
static constexpr uint64_t doubleFractionMask = (uint64_t(1) << 52) - 1;

static const Row &getRow(NumberFormat format) {
  return table[unsigned(format)];
}

std::optional<NumberFormat> tilec::findNumberFormat(std::string_view name) {
  for (unsigned i = 0; i < std::size(table); ++i)
    if (table[i].name == name)
      return static_cast<NumberFormat>(i);
  return std::nullopt;
}

std::string_view tilec::getSpelling(NumberFormat format) {
  return getRow(format).name;
}
unsigned tilec::getStorageBits(NumberFormat format) {
  return getRow(format).storageBits;
}
bool tilec::isFloat(NumberFormat format) {
  return getRow(format).kind == Kind::Float;
}
bool tilec::isSignedInteger(NumberFormat format) {
  return getRow(format).kind == Kind::Signed;
}
bool tilec::isUnsignedInteger(NumberFormat format) {
  return getRow(format).kind == Kind::Unsigned;
}

static CodeWidths getWidths(NumberFormat format) {
  switch (format) {
  case NumberFormat::F16:
    return {5, 10, 15, 0};
  case NumberFormat::BF16:
    return {8, 7, 127, 0};
  case NumberFormat::TF32:
    return {8, 10, 127, 13};
  case NumberFormat::F32:
    return {8, 23, 127, 0};
  case NumberFormat::FP8E4M3:
    return {4, 3, 7, 0};
  case NumberFormat::FP8E5M2:
    return {5, 2, 15, 0};
  case NumberFormat::FP4E2M1:
    return {2, 1, 1, 0};
  default:
    return {11, 52, 1023, 0};
  }
}

FloatShape tilec::getFloatShape(NumberFormat format) {
  CodeWidths widths = getWidths(format);
  int top = (1 << widths.exponentBits) - 1 - widths.bias;
  switch (format) {
  case NumberFormat::FP8E4M3:
    // The top exponent holds numbers, except for one NaN.
    return {widths.fractionBits, 1 - widths.bias, 448.0, false};
  case NumberFormat::FP4E2M1:
    return {widths.fractionBits, 1 - widths.bias, 6.0, false};
  default:
    // The top exponent holds infinity and NaN.
    return {widths.fractionBits, 1 - widths.bias,
            std::ldexp(2.0 - std::ldexp(1.0, -widths.fractionBits), top - 1),
            true};
  }
}

/// True if a code with all exponent bits set is infinity or NaN.
static bool topExponentIsSpecial(NumberFormat format) {
  return format != NumberFormat::FP8E4M3 && format != NumberFormat::FP4E2M1;
}

static double makeNaN(bool negative, uint64_t fraction) {
  return std::bit_cast<double>(uint64_t(negative) << 63 | doubleExponentMask |
                               fraction);
}

static double decodeE8M0(uint64_t code) {
  code &= 0xff;
  if (code == 0xff)
    return makeNaN(false, doubleFractionMask);
  return std::ldexp(1.0, int(code) - 127);
}

double tilec::decodeFloat(NumberFormat format, uint64_t code) {
  if (format == NumberFormat::F64)
    return std::bit_cast<double>(code);
  if (format == NumberFormat::E8M0)
    return decodeE8M0(code);
  CodeWidths widths = getWidths(format);
  code >>= widths.spareBits;
  uint64_t fraction = code & ((uint64_t(1) << widths.fractionBits) - 1);
  uint64_t topExponent = (uint64_t(1) << widths.exponentBits) - 1;
  uint64_t exponent = code >> widths.fractionBits & topExponent;
  bool negative = code >> (widths.fractionBits + widths.exponentBits) & 1;
  uint64_t aligned = fraction << (doubleFractionBits - widths.fractionBits);

  if (exponent == topExponent && topExponentIsSpecial(format))
    return makeNaN(negative, aligned); // infinity if the fraction is 0
  if (format == NumberFormat::FP8E4M3 && (code & 0x7f) == 0x7f)
    return makeNaN(negative, doubleFractionMask);
  if (exponent == 0) {
    double magnitude =
        std::ldexp(double(fraction), 1 - widths.bias - widths.fractionBits);
    return negative ? -magnitude : magnitude;
  }
  uint64_t doubleExponent = exponent - widths.bias + doubleBias;
  return std::bit_cast<double>(uint64_t(negative) << 63 |
                               doubleExponent << doubleFractionBits | aligned);
}

static uint64_t encodeE8M0(double value) {
  if (std::isnan(value))
    return 0xff;
  return uint64_t(std::ilogb(value) + 127) & 0xff;
}

/// Code of a NaN, without its sign.
static uint64_t encodeNaN(NumberFormat format, CodeWidths widths,
                          uint64_t bits) {
  if (format == NumberFormat::FP4E2M1)
    return 0x7;
  uint64_t topExponent = (uint64_t(1) << widths.exponentBits) - 1;
  uint64_t payload =
      (bits & doubleFractionMask) >> (doubleFractionBits - widths.fractionBits);
  // A payload of zero would be infinity; e4m3 has one payload only.
  if (payload == 0 || format == NumberFormat::FP8E4M3)
    payload = (uint64_t(1) << widths.fractionBits) - 1;
  return topExponent << widths.fractionBits | payload;
}

/// Code of a finite value, without its sign.
static uint64_t encodeMagnitude(CodeWidths widths, double magnitude) {
  if (magnitude < std::ldexp(1.0, 1 - widths.bias))
    return uint64_t(
        std::ldexp(magnitude, widths.bias + widths.fractionBits - 1));
  uint64_t bits = std::bit_cast<uint64_t>(magnitude);
  uint64_t exponent = (bits >> doubleFractionBits) - doubleBias + widths.bias;
  uint64_t fraction =
      (bits & doubleFractionMask) >> (doubleFractionBits - widths.fractionBits);
  return exponent << widths.fractionBits | fraction;
}

uint64_t tilec::encodeFloat(NumberFormat format, double value) {
  if (format == NumberFormat::F64)
    return std::bit_cast<uint64_t>(value);
  if (format == NumberFormat::E8M0)
    return encodeE8M0(value);
  CodeWidths widths = getWidths(format);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t sign = bits >> 63;
  uint64_t topExponent = (uint64_t(1) << widths.exponentBits) - 1;
  uint64_t code;
  if (std::isnan(value)) {
    code = encodeNaN(format, widths, bits);
    if (format == NumberFormat::FP4E2M1)
      sign = 0;
  } else if (std::isinf(value)) {
    code = topExponent << widths.fractionBits;
  } else {
    code = encodeMagnitude(widths, std::fabs(value));
  }
  code |= sign << (widths.fractionBits + widths.exponentBits);
  return code << widths.spareBits;
}

int64_t tilec::decodeInteger(NumberFormat format, uint64_t code) {
  if (format == NumberFormat::Bool)
    return (code & 0xff) != 0;
  unsigned shift = 64 - getStorageBits(format);
  if (isSignedInteger(format))
    return int64_t(code << shift) >> shift;
  return int64_t(code << shift >> shift);
}

uint64_t tilec::encodeInteger(NumberFormat format, int64_t value) {
  if (format == NumberFormat::Bool)
    return value != 0;
  unsigned shift = 64 - getStorageBits(format);
  return uint64_t(value) << shift >> shift;
}

uint64_t tilec::readCode(NumberFormat format, const uint8_t *address) {
  uint64_t code = 0;
  std::memcpy(&code, address, getStorageBits(format) / 8);
  return code;
}

void tilec::writeCode(NumberFormat format, uint8_t *address, uint64_t code) {
  std::memcpy(address, &code, getStorageBits(format) / 8);
}
