//===- Fiber.cpp - Stacks and switching between them ----------------------===//
//
// The switch keeps what the C calling convention says a call keeps, and
// nothing else: no signal mask, no floating-point control words (no kernel
// changes them).
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Fiber.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace tilec::emulator;

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl tileEmulatorSwitchFiber
.hidden tileEmulatorSwitchFiber
.type tileEmulatorSwitchFiber,@function
tileEmulatorSwitchFiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size tileEmulatorSwitchFiber, .-tileEmulatorSwitchFiber
)");

/// Six saved registers, the entry point as return address, and one word that
/// stands for the caller's return address: the stack pointer is then 8 modulo
/// 16 at the entry, as the convention wants.  With any other value vectorised
/// code faults.
static void *buildInitialFrame(char *top, void (*entry)()) {
  auto *words = reinterpret_cast<void **>(top) - 8;
  std::memset(words, 0, 8 * sizeof(void *));
  words[6] = reinterpret_cast<void *>(entry);
  return words;
}
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.globl tileEmulatorSwitchFiber
.hidden tileEmulatorSwitchFiber
.type tileEmulatorSwitchFiber,%function
tileEmulatorSwitchFiber:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size tileEmulatorSwitchFiber, .-tileEmulatorSwitchFiber
)");

static void *buildInitialFrame(char *top, void (*entry)()) {
  auto *words = reinterpret_cast<void **>(top) - 20;
  std::memset(words, 0, 20 * sizeof(void *));
  words[11] = reinterpret_cast<void *>(entry);
  return words;
}
#else
#error "the emulator's fiber switch is written for x86-64 and AArch64"
#endif

FiberStacks::~FiberStacks() {
  if (memory)
    munmap(memory, mappedBytes);
}

llvm::Error FiberStacks::reserve(unsigned count) {
  if (count <= capacity)
    return llvm::Error::success();
  if (memory)
    munmap(memory, mappedBytes);
  memory = nullptr;
  capacity = 0;
  mappedBytes = size_t(count) * slotBytes;
  // Pages are touched only as deep as a kernel goes, so the generous size
  // costs address space and no memory.
  void *mapped = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    mappedBytes = 0;
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()),
        "no memory for the stacks of %u threads", count);
  }
  memory = static_cast<char *>(mapped);
  for (unsigned i = 0; i < count; ++i)
    mprotect(memory + i * slotBytes, guardBytes, PROT_NONE);
  capacity = count;
  return llvm::Error::success();
}

void *FiberStacks::prepare(unsigned index, void (*entry)()) {
  // Stacks lie at multiples of a large power of two, so that the frames of all
  // threads would fall into the same few cache sets.  Different tops spread
  // them.
  size_t color = size_t(index % 128) * colorBytes;
  return buildInitialFrame(memory + (index + 1) * slotBytes - color, entry);
}
