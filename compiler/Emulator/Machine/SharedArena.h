//===- SharedArena.h - Shared memory of one block ---------------*- C++ -*-===//
//
// Kernels keep shared addresses in 32 bits, and matrix descriptors keep 18
// bits of them.  The arena therefore lies below 4 GiB and is aligned to 256
// KiB: an address survives a trip through i32, and its low 18 bits are the
// offset in the block's shared memory.  The blocks of a cluster lie one behind
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_SHAREDARENA_H
#define TILE_COMPILER_EMULATOR_MACHINE_SHAREDARENA_H

#include "llvm/Support/Error.h"

#include <cstdint>

namespace tilec::emulator {

class SharedArena {
public:
  /// Of each block.
  static constexpr uint32_t capacity = 256 * 1024;

  SharedArena() = default;
  SharedArena(const SharedArena &) = delete;
  SharedArena &operator=(const SharedArena &) = delete;
  ~SharedArena();

  /// Finds a place for the arenas of `count` blocks.  Fails when the low
  /// addresses are taken.
  llvm::Error map(uint32_t count);

  uint64_t getBase() const { return reinterpret_cast<uint64_t>(memory); }
  uint8_t *at(uint32_t offset) const { return memory + offset; }
  bool contains(uint64_t address) const {
    return address - getBase() < uint64_t(capacity) * blocks;
  }

private:
  uint8_t *memory = nullptr;
  uint32_t blocks = 0;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_SHAREDARENA_H
