//===- WgmmaKernel.h - Kernels of wgmma -------------------------*- C++ -*-===//
//
// IR text for wgmma, and a kernel that puts an image into shared memory, makes
// products of it and gives the registers back.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_COMPILER_EMULATOR_WGMMAKERNEL_H
#define TILE_TEST_COMPILER_EMULATOR_WGMMAKERNEL_H

#include "AsyncKernel.h"

namespace tilec::test {

/// One kind of wgmma: "m64n16k16.f32.bf16.bf16".
struct Wgmma {
  std::string name;
  unsigned columns;
  /// "f32", "f16" or "s32".
  std::string accumulator = "f32";
  /// What stands behind scale-d.
  std::string tail = ", 1, 1, 0, 0";
  bool hasRegisterA = false;

  unsigned registers() const {
    return accumulator == "f16" ? columns / 4 : columns / 2;
  }
  bool isFloat() const { return accumulator == "f32"; }
  std::string type() const { return isFloat() ? "float" : "i32"; }

  /// Values of the registers: "%name.0", ... of a struct `%name`.
  std::vector<std::string> values(const std::string &name) const;
  std::vector<std::string> constants(const std::string &value) const;

  /// `%result` = a product; `a` holds an i64 value or four i32 values,
  /// `scale` is "0", "1" or an i1 value.
  std::string product(const std::string &result,
                      const std::vector<std::string> &accumulators,
                      const std::vector<std::string> &a, const std::string &b,
                      const std::string &scale) const;
  /// `%result` = the registers tied through a statement.
  std::string tie(const std::string &statement, const std::string &result,
                  const std::vector<std::string> &registers) const;

private:
  std::string structure() const;
  std::string extract(const std::string &name) const;
};

std::string waitProducts(unsigned groups);
extern const std::string wgmmaFence;
extern const std::string commitProducts;

/// What is needed to run products on an image.
struct WgmmaRun {
  Wgmma kind;
  std::vector<uint8_t> image;
  uint64_t descriptorA = 0;
  uint64_t descriptorB = 0;
  /// Added to the descriptors for each product.
  uint64_t stepA = 2;
  uint64_t stepB = 2;
  unsigned steps = 1;
  /// Four words of A for each step, thread and register.
  std::vector<uint32_t> fragments;
  std::string initial;
  std::string firstScale = "0";

  // Parts of the kernel, for tests that leave one out.
  std::string fence = wgmmaFence;
  std::string imageFence = proxyFence;
  std::string commit = commitProducts;
  std::string beforeWait;
  std::string wait = waitProducts(0);
  /// Name of the registers that are given back, those behind the wait when
  /// empty.
  std::string given;
  bool strict = true;

  /// Element number of D in out, by thread and register.
  std::vector<uint32_t> out;

  TestKernel make();
  /// Registers of all threads.
  const std::vector<uint32_t> &run();
  EmulationReport fail();
};

/// A descriptor for a matrix at `offset` of shared memory.
uint64_t describe(unsigned offset, unsigned leading, unsigned stride,
                  unsigned swizzle);

} // namespace tilec::test

#endif // TILE_TEST_COMPILER_EMULATOR_WGMMAKERNEL_H
