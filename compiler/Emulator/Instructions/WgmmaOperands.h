//===- WgmmaOperands.h - Operands of wgmma ----------------------*- C++ -*-===//
//
// The shape of a wgmma, the matrix descriptors of its operands in shared
// memory, and the places of elements in registers.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H

#include "compiler/Emulator/Instructions/MmaElements.h"

namespace tilec::emulator {

/// Bytes along K that one instruction takes, and rows of A.
constexpr unsigned wgmmaDepthBytes = 32;
constexpr unsigned wgmmaRows = 64;
constexpr unsigned wgmmaMaxColumns = 256;
constexpr unsigned wgmmaMaxDepth = 32;

/// What the binder tells the handler, in this order.
struct WgmmaShape {
  uint32_t n = 0;
  Element a{}, b{};
  Element accumulator{};
  uint32_t saturates = 0;
  /// A comes in registers.
  uint32_t hasRegisterA = 0;

  unsigned depth() const { return wgmmaDepthBytes * 8 / countBits(a); }
  /// Registers of D in a thread.
  unsigned registers() const {
    return accumulator == Element::F16 ? n / 4 : n / 2;
  }
  bool hasScales() const { return !isInteger(a); }
  bool hasTransposes() const { return countBits(a) == 16; }

  // Arguments by position
  unsigned firstA() const { return registers(); }
  unsigned descriptorB() const { return firstA() + (hasRegisterA ? 4 : 1); }
  unsigned scaleD() const { return descriptorB() + 1; }
  unsigned scaleA() const { return scaleD() + 1; }
  unsigned transposeA() const { return scaleA() + 2; }
  unsigned transposeB() const { return transposeA() + !hasRegisterA; }
  unsigned arguments() const {
    return !hasScales()       ? scaleA()
           : !hasTransposes() ? transposeA()
                              : transposeB() + 1;
  }

  std::array<uint32_t, 8> pack() const {
    return {n,
            static_cast<uint32_t>(a),
            static_cast<uint32_t>(b),
            static_cast<uint32_t>(accumulator),
            saturates,
            hasRegisterA,
            0,
            0};
  }
  static WgmmaShape unpack(const std::array<uint32_t, 8> &words) {
    return {words[0],
            static_cast<Element>(words[1]),
            static_cast<Element>(words[2]),
            static_cast<Element>(words[3]),
            words[4],
            words[5]};
  }
};

/// A matrix in shared memory (PTX ISA, matrix-descriptor format).
struct MatrixDescriptor {
  uint32_t start = 0;
  uint32_t leadingOffset = 0;
  uint32_t strideOffset = 0;
  /// 0, 32, 64 or 128.
  unsigned swizzle = 0;

  explicit MatrixDescriptor(uint64_t word);

  /// What is wrong with the word; null when nothing is.
  static const char *findFault(uint64_t word);

  /// Offset of the 16 bytes with elements k... of a row, or of elements
  /// row... at one k when the matrix is transposed.
  uint32_t locate(unsigned row, unsigned k, unsigned elementBytes,
                  bool isTransposed) const;
};

/// Operands as numbers: A by rows, B by k.
template <typename Number> struct WgmmaTiles {
  Number a[wgmmaRows][wgmmaMaxDepth];
  Number b[wgmmaMaxDepth][wgmmaMaxColumns];
};

/// Elements of 16 bytes as numbers; their count is returned.
unsigned decodeChunk(Element element, const uint8_t *bytes, double *numbers);
unsigned decodeChunk(Element element, const uint8_t *bytes, int32_t *numbers);

/// Place of element (row, column) of D: thread of the warpgroup and number of
/// the element in it.
struct AccumulatorPlace {
  unsigned thread;
  unsigned element;
};
constexpr AccumulatorPlace placeOf(unsigned row, unsigned column) {
  return {row / 16 * lanesPerWarp + row % 8 * 4 + column % 8 / 2,
          column / 8 * 4 + row / 8 % 2 * 2 + column % 2};
}

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H
