//===- MmaElements.h - Operand types of matrix products ---------*- C++ -*-===//
//
// The element types of mma and wgmma, and their values.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_MMAELEMENTS_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_MMAELEMENTS_H

#include "compiler/Emulator/Instructions/Instruction.h"
#include "compiler/Emulator/Instructions/NumberFormats.h"
#include "llvm/ADT/StringSwitch.h"

/// Inner loops run along columns, which fill whole vectors.
#if defined(__x86_64__)
#define TILE_EMULATOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TILE_EMULATOR_CLONES
#endif

namespace tilec::emulator {

enum class Element : uint32_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  S32,
};

inline unsigned countBits(Element element) {
  switch (element) {
  case Element::F64:
    return 64;
  case Element::TF32:
  case Element::F32:
  case Element::S32:
    return 32;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::E4M3:
  case Element::E5M2:
  case Element::S8:
  case Element::U8:
    return 8;
  case Element::S4:
  case Element::U4:
    return 4;
  }
  llvm_unreachable("all elements have a width");
}

inline bool isInteger(Element element) {
  return element == Element::S8 || element == Element::U8 ||
         element == Element::S4 || element == Element::U4;
}

inline int32_t signExtend(uint32_t value, unsigned bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

inline int32_t decodeInteger(Element element, uint32_t field) {
  switch (element) {
  case Element::S8:
    return signExtend(field, 8);
  case Element::S4:
    return signExtend(field, 4);
  default:
    return static_cast<int32_t>(field);
  }
}

template <Element element> double decodeElement(uint64_t field) {
  if constexpr (element == Element::F16)
    return decodeF16(static_cast<uint16_t>(field));
  else if constexpr (element == Element::BF16)
    return decodeBF16(static_cast<uint16_t>(field));
  else if constexpr (element == Element::TF32)
    // The hardware ignores the low 13 bits of the register.
    return asFloat(field & 0xFFFFE000);
  else if constexpr (element == Element::E4M3)
    return decodeTable(formatE4M3)[field];
  else if constexpr (element == Element::E5M2)
    return decodeTable(formatE5M2)[field];
  else
    return asDouble(field);
}

inline std::optional<Element> parseElement(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<Element>>(word)
      .Case("f16", Element::F16)
      .Case("bf16", Element::BF16)
      .Case("tf32", Element::TF32)
      .Case("f32", Element::F32)
      .Case("f64", Element::F64)
      .Case("e4m3", Element::E4M3)
      .Case("e5m2", Element::E5M2)
      .Case("s8", Element::S8)
      .Case("u8", Element::U8)
      .Case("s4", Element::S4)
      .Case("u4", Element::U4)
      .Case("s32", Element::S32)
      .Default(std::nullopt);
}

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_MMAELEMENTS_H
