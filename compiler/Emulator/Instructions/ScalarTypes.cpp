//===- ScalarTypes.cpp - Operand types of instructions --------------------===//
//
// Parsing of type words, and elements as numbers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/ScalarTypes.h"

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec::emulator;

std::optional<ScalarType>
tilec::emulator::parseScalarType(llvm::StringRef word) {
  using T = ScalarType;
  auto type = llvm::StringSwitch<std::optional<T>>(word)
                  .Case("pred", T{Scalar::Unsigned, 1})
                  .Cases({"b8", "u8"}, T{Scalar::Unsigned, 8})
                  .Cases({"b16", "u16"}, T{Scalar::Unsigned, 16})
                  .Cases({"b32", "u32", "ui"}, T{Scalar::Unsigned, 32})
                  .Cases({"b64", "u64", "ull"}, T{Scalar::Unsigned, 64})
                  .Case("s8", T{Scalar::Signed, 8})
                  .Case("s16", T{Scalar::Signed, 16})
                  .Cases({"s32", "i"}, T{Scalar::Signed, 32})
                  .Cases({"s64", "ll"}, T{Scalar::Signed, 64})
                  .Case("f16", T{Scalar::F16, 16})
                  .Case("bf16", T{Scalar::BF16, 16})
                  .Cases({"f16x2", "v2f16"}, T{Scalar::F16, 16, 2})
                  .Cases({"bf16x2", "v2bf16"}, T{Scalar::BF16, 16, 2})
                  .Case("tf32", T{Scalar::TF32, 32})
                  .Cases({"f32", "f"}, T{Scalar::F32, 32})
                  .Cases({"f64", "d"}, T{Scalar::F64, 64})
                  .Case("e4m3x2", T{Scalar::E4M3, 8, 2})
                  .Case("e5m2x2", T{Scalar::E5M2, 8, 2})
                  .Case("e2m1x2", T{Scalar::E2M1, 4, 2})
                  .Default(std::nullopt);
  return type;
}

const FloatFormat &tilec::emulator::formatOf(Scalar scalar) {
  // What is left of a float when its low 13 bits are ignored.
  static constexpr FloatFormat tf32{8, 10, FloatFormat::IEEE};
  switch (scalar) {
  case Scalar::F16:
    return formatF16;
  case Scalar::BF16:
    return formatBF16;
  case Scalar::TF32:
    return tf32;
  case Scalar::E4M3:
    return formatE4M3;
  case Scalar::E5M2:
    return formatE5M2;
  case Scalar::E2M1:
    return formatE2M1;
  default:
    return formatF32;
  }
}

double tilec::emulator::decodeScalar(const ScalarType &type, uint64_t code) {
  code &= type.mask();
  switch (type.scalar) {
  case Scalar::Unsigned:
    return static_cast<double>(code);
  case Scalar::Signed:
    return static_cast<double>(extendInteger(type, code));
  case Scalar::F16:
    return decodeF16(static_cast<uint16_t>(code));
  case Scalar::BF16:
    return decodeBF16(static_cast<uint16_t>(code));
  case Scalar::TF32:
  case Scalar::F32:
    return asFloat(code);
  case Scalar::F64:
    return asDouble(code);
  default:
    return decodeFloat(formatOf(type.scalar), static_cast<uint32_t>(code));
  }
}

uint64_t tilec::emulator::encodeScalar(const ScalarType &type, double value,
                                       Rounding rounding, Overflow overflow) {
  if (type.scalar == Scalar::F64)
    return toSlot(value);
  if (type.scalar == Scalar::F32 && rounding == Rounding::NearestEven &&
      overflow == Overflow::ToInfinity && !std::isnan(value))
    return toSlot(static_cast<float>(value));
  uint64_t code = encodeFloat(formatOf(type.scalar), value, rounding, overflow);
  return type.scalar == Scalar::TF32 ? code << 13 : code;
}

double tilec::emulator::flushSubnormal(const FloatFormat &format,
                                       double value) {
  bool isSubnormal = std::fabs(value) < std::ldexp(1.0, 1 - format.bias());
  return isSubnormal ? std::copysign(0.0, value) : value;
}
