//===- NumberFormat.h - Value of every code of every element type ---------===//
//
// The element types of the language (docs/language.md section 3) as number
// formats: how many bits a code has and which value it stands for.  Values of
// floats are doubles, which hold every one of them exactly; values of integers
// are int64_t, a uint64 above the largest int64 by its bit pattern.
//
// Exact arithmetic only; conversions that may round are in NumberCast.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_NUMERICS_NUMBERFORMAT_H
#define TILEC_NUMERICS_NUMBERFORMAT_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilec {

enum class NumberFormat : uint8_t {
  Bool,
  Int4,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt4,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  FP8E4M3,
  FP8E5M2,
  FP4E2M1,
  E8M0,
};

/// The format that the language spells `name` ("fp8_e4m3"), if there is one.
std::optional<NumberFormat> findNumberFormat(std::string_view name);
std::string_view getSpelling(NumberFormat format);

/// Bits that an element takes in memory: 8 for bool, 32 for tf32.
unsigned getStorageBits(NumberFormat format);
bool isFloat(NumberFormat format);
/// Signed and unsigned integers; bool is neither.
bool isSignedInteger(NumberFormat format);
bool isUnsignedInteger(NumberFormat format);
/// True for the types two of which share a byte.
inline bool isPacked(NumberFormat format) {
  return getStorageBits(format) == 4;
}

/// What decides how a float format rounds.  The smallest positive value is
/// 2^(minExponent - fractionBits).
struct FloatShape {
  int fractionBits;
  int minExponent; // of the smallest normal value
  double largest;  // finite
  bool hasInfinity;
};

/// Shape of a float format other than e8m0, which has no fraction.
FloatShape getFloatShape(NumberFormat format);

/// Value of a code of a float format.  The payload of a NaN is kept, in the top
/// bits of the fraction.  Bits of a tf32 below its fraction are ignored.
double decodeFloat(NumberFormat format, uint64_t code);

/// Code of a value that the float format has.  A NaN keeps as much of its
/// payload as fits and stays a NaN, so decoding and encoding give the same
/// code; in e2m1, which has none, it becomes 6.
uint64_t encodeFloat(NumberFormat format, double value);

/// Value of a code of an integer format or bool.
int64_t decodeInteger(NumberFormat format, uint64_t code);

/// Code of an integer: its low bits.  For bool, 1 unless the value is 0.
uint64_t encodeInteger(NumberFormat format, int64_t value);

/// An element in memory, which need not be aligned.  Not for 4-bit formats.
uint64_t readCode(NumberFormat format, const uint8_t *address);
void writeCode(NumberFormat format, uint8_t *address, uint64_t code);

} // namespace tilec

#endif // TILEC_NUMERICS_NUMBERFORMAT_H
