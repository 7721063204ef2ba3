//===-- DriverTest.cpp - Drivers that are missing or do not start ---------===//
//
// The driver is looked for once a process, so each case runs in a child.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"
#include "TestManifest.h"
#include "runtime/lib/Sha256.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// Prints what counting devices gives with the library `name`, and exits.
[[noreturn]] void countDevices(const char *name) {
  setenv("TILE_LIBCUDA", name, 1);
  int32_t count = 0;
  tilert_status *status = nullptr;
  tilert_code code = tilert_device_count(&count, &status);
  fprintf(stderr, "%s %s|%s|%s\n", tilert_code_name(code),
          tilert_status_message(status), tilert_status_call(status),
          tilert_status_driver_error(status));
  exit(0);
}

TEST(DriverDeathTest, ReportsAMissingLibrary) {
  EXPECT_EXIT(
      countDevices("/nowhere/libcuda.so.1"), testing::ExitedWithCode(0),
      "TILERT_DRIVER_UNAVAILABLE no CUDA driver: /nowhere/libcuda.so.1.*"
      "\\|dlopen\\|");
}

TEST(DriverDeathTest, ReportsALibraryWithoutEntryPoints) {
  EXPECT_EXIT(countDevices("libm.so.6"), testing::ExitedWithCode(0),
              "TILERT_DRIVER_UNAVAILABLE the CUDA driver is too old: it has no "
              "cuInit\\|dlsym\\|");
}

TEST(DriverDeathTest, ReportsAMachineWithoutDevice) {
  auto start = [] {
    auto *state = reinterpret_cast<fakecuda::State *(*)()>(
        dlsym(dlopen(TILE_FAKE_CUDA, RTLD_NOW), "fakeCudaState"))();
    state->failures["cuInit"] = 100;
    countDevices(TILE_FAKE_CUDA);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0),
              "TILERT_DRIVER_UNAVAILABLE cuInit failed: CUDA_ERROR_NO_DEVICE "
              "\\(100\\)\\|cuInit\\|CUDA_ERROR_NO_DEVICE");
}

TEST(DriverDeathTest, FailsEveryLaunchAlike) {
  auto start = [] {
    setenv("TILE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    Json manifest = makeManifest(makeScaleKernel());
    manifest["hashes"]["cubin"] = "sha256:" + detail::hashSha256("cubin");
    Module module(manifest.dump(), "cubin", 5);
    Tensor x(memoryAt(0), TILERT_F32, {8}),
        y(memoryAt(0x1000), TILERT_F32, {8});
    Tensor none(nullptr, TILERT_F32, {0});
    // Nothing to launch needs no driver.
    module.kernel().launch(nullptr, none, none, int32_t(1));
    for (int i = 0; i < 2; ++i)
      try {
        module.kernel().launch(nullptr, x, y, int32_t(1));
      } catch (const Error &error) {
        fprintf(stderr, "%d %s\n", i, error.what());
      }
    exit(0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0),
              "0 kernel 'scale': no CUDA driver: .*\n"
              "1 kernel 'scale': no CUDA driver: ");
}

} // namespace
