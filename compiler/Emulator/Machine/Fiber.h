//===- Fiber.h - Stacks and switching between them --------------*- C++ -*-===//
//
// Each GPU thread runs as a fiber: a stack of its own and a saved stack
// pointer.  A switch saves the callee-saved registers and changes the stack
// pointer, about ten nanoseconds; the ucontext functions take ten times that
// because they ask the kernel for the signal mask.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_FIBER_H
#define TILE_COMPILER_EMULATOR_MACHINE_FIBER_H

#include "llvm/Support/Error.h"

#include <cstddef>
#include <cstdint>

namespace tilec::emulator {

/// Saves the current context in `*from` and continues at `to`, which is either
/// a context saved here or one that FiberStacks prepared.
extern "C" void tileEmulatorSwitchFiber(void **from, void *to);

/// The stacks of all fibers of one host thread, with a guard page below each.
class FiberStacks {
public:
  FiberStacks() = default;
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  ~FiberStacks();

  /// Makes room for `count` stacks.  Fails when the host has no memory.
  llvm::Error reserve(unsigned count);

  /// Returns a context that starts `entry` on stack `index`.  `entry` must
  /// never return.
  void *prepare(unsigned index, void (*entry)());

  /// Whether the bytes lie on one of the stacks.
  bool contains(uint64_t address, uint64_t bytes) const {
    uint64_t offset = address - reinterpret_cast<uint64_t>(memory);
    return offset < mappedBytes && bytes <= mappedBytes - offset;
  }

  /// Usable bytes of a stack; kernels with more local memory are refused when
  /// they are loaded.
  static constexpr size_t stackBytes = 1024 * 1024;

private:
  static constexpr size_t guardBytes = 64 * 1024;
  /// Thirteen cache lines.
  static constexpr size_t colorBytes = 832;
  static constexpr size_t slotBytes = stackBytes + guardBytes + 128 * 1024;

  char *memory = nullptr;
  size_t mappedBytes = 0;
  unsigned capacity = 0;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_FIBER_H
