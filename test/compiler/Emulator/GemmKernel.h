//===- GemmKernel.h - A whole matrix kernel as LLVM IR ----------*- C++ -*-===//
//
// Builds the text of a kernel that computes C = A * transpose(B) for bf16 A
// [M, K] and B [N, K] and float C [M, N]: 128 threads, tiles of 64 x 64 x 32,
// cp.async in a ring of stages, swizzled shared memory, ldmatrix, mma.sync.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_COMPILER_EMULATOR_GEMMKERNEL_H
#define TILE_TEST_COMPILER_EMULATOR_GEMMKERNEL_H

#include <string>

namespace tilec::test {

/// What to leave out or do wrong.
struct GemmOptions {
  unsigned stages = 3;
  bool swizzles = true;
  bool waits = true;
  bool hasBarrier = true;
};

/// The kernel's body and the declarations in front of it.
struct GemmText {
  std::string globals;
  std::string parameters;
  std::string body;
  unsigned sharedBytes;
};

GemmText makeGemm(const GemmOptions &options);

} // namespace tilec::test

#endif // TILE_TEST_COMPILER_EMULATOR_GEMMKERNEL_H
