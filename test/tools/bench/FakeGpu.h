//===-- FakeGpu.h - The fake driver and the fake cuBLASLt ------*- C++ -*-===//

#ifndef TILE_TEST_TOOLS_BENCH_FAKEGPU_H
#define TILE_TEST_TOOLS_BENCH_FAKEGPU_H

#include "FakeCublasLt.h"
#include "test/runtime/FakeCuda.h"

#include <cstdlib>
#include <dlfcn.h>

/// The library of both, loaded before the program loads it, so that tests reach
/// its state. Processes that a test forks inherit what it sets there.
struct FakeGpu {
  FakeGpu() {
    setenv("TILE_LIBCUDA", TILE_FAKE_GPU, 1);
    void *library = dlopen(TILE_FAKE_GPU, RTLD_NOW);
    if (!library)
      abort();
    cuda = reinterpret_cast<fakecuda::State *(*)()>(
        dlsym(library, "fakeCudaState"))();
    lt = reinterpret_cast<fakecublaslt::State *(*)()>(
        dlsym(library, "fakeCublasLtState"))();
  }

  static FakeGpu &get() {
    static FakeGpu gpu;
    return gpu;
  }

  fakecuda::State *cuda;
  fakecublaslt::State *lt;
};

#endif // TILE_TEST_TOOLS_BENCH_FAKEGPU_H
