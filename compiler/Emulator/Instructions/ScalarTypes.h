//===- ScalarTypes.h - Operand types of instructions ------------*- C++ -*-===//
//
// The types in the names of instructions: "s32", "bf16x2", "e4m3x2". A type is
// an integer or a float format, alone or as a pair packed into one register.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_SCALARTYPES_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_SCALARTYPES_H

#include "compiler/Emulator/Instructions/NumberFormats.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec::emulator {

enum class Scalar : uint8_t {
  Unsigned, ///< also untyped bits
  Signed,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  E2M1,
};

struct ScalarType {
  Scalar scalar = Scalar::Unsigned;
  uint8_t bits = 32;
  /// Elements in one register, the first in the low bits.
  uint8_t count = 1;

  bool isFloat() const { return scalar >= Scalar::F16; }
  bool isSigned() const { return scalar == Scalar::Signed; }
  unsigned registerBits() const { return unsigned(bits) * count; }
  uint64_t mask() const {
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  }

  /// To and from the words that an Operation carries.
  uint32_t pack() const {
    return static_cast<uint32_t>(scalar) | uint32_t(bits) << 8 |
           uint32_t(count) << 16;
  }
  static ScalarType unpack(uint32_t word) {
    return {static_cast<Scalar>(word & 0xFF), static_cast<uint8_t>(word >> 8),
            static_cast<uint8_t>(word >> 16)};
  }
};

/// Parses a type word of PTX ("f32", "b64", "f16x2", "pred") or of an intrinsic
/// ("f", "d", "v2bf16", "ull").
std::optional<ScalarType> parseScalarType(llvm::StringRef word);

/// Format of a float type of at most 32 bits.
const FloatFormat &formatOf(Scalar scalar);

/// Value of an element; integers of up to 53 bits are exact.
double decodeScalar(const ScalarType &type, uint64_t code);

/// Rounds to a float type.
uint64_t encodeScalar(const ScalarType &type, double value,
                      Rounding rounding = Rounding::NearestEven,
                      Overflow overflow = Overflow::ToInfinity);

/// An integer element, extended to 64 bits by its sign.
inline int64_t extendInteger(const ScalarType &type, uint64_t code) {
  if (type.bits == 64)
    return static_cast<int64_t>(code);
  code &= type.mask();
  if (type.isSigned() && (code >> (type.bits - 1) & 1))
    code |= ~type.mask();
  return static_cast<int64_t>(code);
}

/// Sets subnormal values of a format to zero, keeping the sign.
double flushSubnormal(const FloatFormat &format, double value);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_SCALARTYPES_H
