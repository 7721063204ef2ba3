//===-- LaunchFixture.h - Launches on the fake driver ----------*- C++ -*-===//

#ifndef TILE_TEST_RUNTIME_LAUNCHFIXTURE_H
#define TILE_TEST_RUNTIME_LAUNCHFIXTURE_H

#include "FakeCuda.h"
#include "TestManifest.h"
#include "runtime/lib/Sha256.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tilert::test {

/// The fake library, loaded before the runtime loads it.
struct Library {
  Library() {
    setenv("TILE_LIBCUDA", TILE_FAKE_CUDA, 1);
    void *library = dlopen(TILE_FAKE_CUDA, RTLD_NOW);
    if (!library)
      abort();
    state = reinterpret_cast<fakecuda::State *(*)()>(
        dlsym(library, "fakeCudaState"))();
    createContext = reinterpret_cast<fakecuda::Context *(*)(int)>(
        dlsym(library, "fakeCudaCreateContext"));
    push = reinterpret_cast<int (*)(fakecuda::Context *)>(
        dlsym(library, "cuCtxPushCurrent_v2"));
    pop = reinterpret_cast<int (*)(fakecuda::Context **)>(
        dlsym(library, "cuCtxPopCurrent_v2"));
    getCurrent = reinterpret_cast<int (*)(fakecuda::Context **)>(
        dlsym(library, "cuCtxGetCurrent"));
  }
  fakecuda::State *state;
  fakecuda::Context *(*createContext)(int);
  int (*push)(fakecuda::Context *);
  int (*pop)(fakecuda::Context **);
  int (*getCurrent)(fakecuda::Context **);
};
inline Library cuda;

inline const char cubin[] = "these bytes stand for a cubin";

class LaunchFixture : public testing::Test {
protected:
  void SetUp() override {
    // The driver is initialised, so that tests see the calls of launches only.
    int32_t devices = 0;
    ASSERT_EQ(tilert_device_count(&devices, nullptr), TILERT_OK);
    ASSERT_EQ(devices, 2);
    state.failures.clear();
    state.launches.clear();
    state.modules.clear();
    state.maxThreads = 1024;
    state.staticShared = 0;
    state.devices[0].major = state.devices[1].major = 9;
    state.parameterBytes = {{"scale__general", {8, 8, 8, 4}},
                            {"scale__fast", {8, 8, 8, 4}}};
    forgetCalls();
  }

  void TearDown() override {
    fakecuda::Context *left = nullptr;
    cuda.getCurrent(&left);
    EXPECT_EQ(left, nullptr) << "a context was left current";
  }

  void forgetCalls() {
    std::lock_guard<std::mutex> lock(state.mutex);
    state.calls.clear();
  }

  Module load(Json kernel = makeScaleKernel(), const char *target = "sm_90a") {
    Json manifest = makeManifest(kernel);
    manifest["target"] = target;
    manifest["hashes"]["cubin"] =
        "sha256:" + detail::hashSha256({cubin, sizeof cubin});
    return Module(manifest.dump(), cubin, sizeof cubin);
  }

  /// Launches `scale` for 1000 elements; "launched", or the failure.
  std::string launch(const Kernel &kernel, tilert_stream stream,
                     int32_t device = TILERT_DEVICE_ANY, int64_t count = 1000) {
    Tensor x(memoryAt(0), TILERT_F32, {count}, device);
    Tensor y(memoryAt(0x10000), TILERT_F32, {count}, device);
    try {
      kernel.launch(stream, x, y, int32_t(3));
      return "launched";
    } catch (const Error &error) {
      code = error.code();
      driverError = error.driverError();
      call = error.call();
      return error.what();
    }
  }

  fakecuda::State &state = *cuda.state;
  tilert_code code = TILERT_OK;
  std::string driverError, call;
};

/// Makes a context current for a scope.
struct Current {
  explicit Current(fakecuda::Context *context) { cuda.push(context); }
  ~Current() {
    fakecuda::Context *context;
    cuda.pop(&context);
  }
};

} // namespace tilert::test

#endif // TILE_TEST_RUNTIME_LAUNCHFIXTURE_H
