//===- NumberFormats.h - Small floating-point formats -----------*- C++ -*-===//
//
// Conversions between double and the formats that GPUs compute with.  Every
// value of the small formats is exact in double, so a conversion to one of
// them rounds once, subnormals included.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_NUMBERFORMATS_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_NUMBERFORMATS_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>

namespace tilec::emulator {

/// A binary format of at most 32 bits with a sign.
struct FloatFormat {
  unsigned exponentBits;
  unsigned mantissaBits;
  /// What the largest exponent field stands for.
  enum Specials {
    IEEE,        ///< infinities and NaNs
    NaNOnly,     ///< ordinary numbers but for the all-ones code, a NaN
    NumbersOnly, ///< ordinary numbers
  } specials;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint32_t signBit() const {
    return 1u << (exponentBits + mantissaBits);
  }
  constexpr uint32_t infinity() const {
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  /// Code of the largest finite magnitude.
  constexpr uint32_t largest() const {
    return specials == IEEE      ? infinity() - 1
           : specials == NaNOnly ? signBit() - 2
                                 : signBit() - 1;
  }
  /// The NaN that conversions give on NVIDIA hardware.
  constexpr uint32_t nan() const {
    return specials == NumbersOnly ? largest() : signBit() - 1;
  }
};

constexpr FloatFormat formatF16{5, 10, FloatFormat::IEEE};
constexpr FloatFormat formatBF16{8, 7, FloatFormat::IEEE};
constexpr FloatFormat formatF32{8, 23, FloatFormat::IEEE};
constexpr FloatFormat formatE4M3{4, 3, FloatFormat::NaNOnly};
constexpr FloatFormat formatE5M2{5, 2, FloatFormat::IEEE};
constexpr FloatFormat formatE2M1{2, 1, FloatFormat::NumbersOnly};

enum class Rounding { NearestEven, TowardZero, NearestAway };

/// What happens to magnitudes beyond the largest.
enum class Overflow {
  ToInfinity, ///< as in IEEE (to NaN where there is no infinity)
  Saturate,   ///< to the largest magnitude, also from infinity
};

/// The value of a code.
double decodeFloat(const FloatFormat &format, uint32_t code);

/// The code nearest to a value.
uint32_t encodeFloat(const FloatFormat &format, double value,
                     Rounding rounding = Rounding::NearestEven,
                     Overflow overflow = Overflow::ToInfinity);

/// a * b + c rounded so that rounding it again to `format` (at most 16 bits)
/// gives the correctly rounded result.
double fuseMultiplyAddToOdd(double a, double b, double c);

inline float decodeBF16(uint16_t code) {
  return llvm::bit_cast<float>(uint32_t(code) << 16);
}

/// Exact, through the float with the same bits scaled by a power of two.
inline float decodeF16(uint16_t code) {
  uint32_t sign = uint32_t(code & 0x8000) << 16;
  uint32_t magnitude = uint32_t(code & 0x7FFF) << 13;
  constexpr uint32_t specials = 0x7C00 << 13;
  if (magnitude >= specials)
    return llvm::bit_cast<float>(sign | 0x7F800000 | (magnitude - specials));
  float scaled = llvm::bit_cast<float>(magnitude) * 0x1p112f;
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(scaled) | sign);
}

inline uint16_t encodeF16(double value) {
  return static_cast<uint16_t>(encodeFloat(formatF16, value));
}
inline uint16_t encodeBF16(double value) {
  return static_cast<uint16_t>(encodeFloat(formatBF16, value));
}

/// Values of all codes of an 8-bit format.
const float *decodeTable(const FloatFormat &format);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_NUMBERFORMATS_H
