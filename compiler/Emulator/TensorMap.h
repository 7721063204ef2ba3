//===- TensorMap.h - What stands for a CUtensorMap ------------------------===//
//
// The format of a real tensor map is the driver's secret.  Kernels only pass
// its address on, so the emulator takes this one in its place: a parameter of
// 128 bytes that begins with the struct below.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_EMULATOR_TENSORMAP_H
#define TILE_COMPILER_EMULATOR_TENSORMAP_H

#include <cstdint>

namespace tilec {

/// A tensor in global memory and the box of it that one instruction moves.
/// Dimensions are those of cuTensorMapEncodeTiled: the innermost one first.
struct EmulatedTensorMap {
  static constexpr uint64_t validSignature = 0x70616d20656c6974; // "tile map"
  static constexpr unsigned maxRank = 5;
  static constexpr unsigned parameterBytes = 128;

  uint64_t signature;
  /// Address of the first element on the host.
  uint64_t address;
  /// Extents in elements.
  uint64_t extents[maxRank];
  /// Bytes between neighbours along dimensions 1, 2, ...
  uint64_t strides[maxRank - 1];
  /// Extents of the box in elements.
  uint16_t box[maxRank];
  uint8_t rank;
  uint8_t elementBytes;
  /// Bytes of the shared-memory swizzle: 0, 32, 64 or 128.
  uint8_t swizzle;
};

static_assert(sizeof(EmulatedTensorMap) <= EmulatedTensorMap::parameterBytes);

} // namespace tilec

#endif // TILE_COMPILER_EMULATOR_TENSORMAP_H
