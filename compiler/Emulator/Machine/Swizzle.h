//===- Swizzle.h - Swizzled addresses of shared memory ----------*- C++ -*-===//
//
// Tensor copies and matrix descriptors permute the 16-byte chunks of aligned
// lines of 32, 64 or 128 bytes by bits of the absolute shared address.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_SWIZZLE_H
#define TILE_COMPILER_EMULATOR_MACHINE_SWIZZLE_H

#include <cstdint>

namespace tilec::emulator {

/// Where a byte lies when the lines have `lineBytes` bytes; 0 for no swizzle.
constexpr uint32_t swizzleAddress(uint32_t address, unsigned lineBytes) {
  uint32_t chunkBits = lineBytes == 0 ? 0 : lineBytes - 16;
  return address ^ (address >> 3 & chunkBits);
}

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_SWIZZLE_H
