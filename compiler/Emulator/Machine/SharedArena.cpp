//===- SharedArena.cpp - Shared memory of one block -----------------------===//
//
// Tries the multiples of 256 KiB from 512 MiB on: position-independent
// executables and their libraries lie far above.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/SharedArena.h"

#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

using namespace tilec::emulator;

SharedArena::~SharedArena() {
  if (memory)
    munmap(memory, size_t(capacity) * blocks);
}

llvm::Error SharedArena::map(uint32_t count) {
  if (count <= blocks)
    return llvm::Error::success();
  if (memory)
    munmap(memory, size_t(capacity) * blocks);
  memory = nullptr;
  blocks = 0;
  size_t bytes = size_t(capacity) * count;
  constexpr uint64_t first = 0x20000000, last = 0xC0000000;
  for (uint64_t address = first; address < last; address += capacity) {
    void *wanted = reinterpret_cast<void *>(address);
    void *mapped =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped == MAP_FAILED)
      continue;
    // Kernels before 4.17 take the flag for a hint only.
    if (mapped == wanted) {
      memory = static_cast<uint8_t *>(mapped);
      blocks = count;
      return llvm::Error::success();
    }
    munmap(mapped, bytes);
  }
  return llvm::createStringError(
      "no room below 4 GiB for the shared memory of a block");
}
