//===-- LaunchTest.cpp - Launches on a driver that only keeps books -------===//

#include "LaunchFixture.h"

#include <algorithm>
#include <thread>

using namespace tilert;
using namespace tilert::test;
using Strings = std::vector<std::string>;

namespace {

using Launch = LaunchFixture;

TEST_F(Launch, PassesEverythingToTheDriver) {
  Module module = load();
  fakecuda::Stream stream{&state.devices[0].primary};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  ASSERT_EQ(state.launches.size(), 1u);
  const fakecuda::Launch &launch = state.launches[0];
  EXPECT_EQ(launch.function, "scale__general");
  EXPECT_EQ(launch.stream, &stream);
  EXPECT_EQ(launch.context, &state.devices[0].primary);
  EXPECT_EQ(launch.grid[0], 8u);
  EXPECT_EQ(launch.grid[1], 1u);
  EXPECT_EQ(launch.grid[2], 1u);
  EXPECT_EQ(launch.block[0], 128u);
  EXPECT_EQ(launch.block[1], 1u);
  EXPECT_EQ(launch.sharedBytes, 0u);
  EXPECT_EQ(launch.parameters,
            (std::vector<uint64_t>{0x100000, 0x110000, 1000, 3}));
  ASSERT_EQ(state.modules.size(), 1u);
  EXPECT_EQ(memcmp(state.modules[0]->image, cubin, sizeof cubin), 0);
}

TEST_F(Launch, OverlapsWhereTheVariantWaitsItself) {
  Json kernel = makeScaleKernel();
  kernel["variants"][0]["overlaps"] = true;
  Module module = load(kernel);
  fakecuda::Stream stream{&state.devices[0].primary};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  ASSERT_EQ(state.launches.size(), 1u);
  const fakecuda::Launch &overlapping = state.launches[0];
  EXPECT_TRUE(overlapping.overlaps);
  EXPECT_EQ(
      std::count(state.calls.begin(), state.calls.end(), "cuLaunchKernelEx"),
      1);
  EXPECT_EQ(overlapping.stream, &stream);
  EXPECT_EQ(overlapping.grid[0], 8u);
  EXPECT_EQ(overlapping.block[0], 128u);
  EXPECT_EQ(overlapping.parameters,
            (std::vector<uint64_t>{0x100000, 0x110000, 1000, 3}));
  EXPECT_EQ(launch(load().kernel(), &stream), "launched");
  EXPECT_FALSE(state.launches[1].overlaps);
}

TEST_F(Launch, NeitherWaitsNorAllocates) {
  Module module = load();
  fakecuda::Stream stream{&state.devices[0].primary};
  Current current(&state.devices[0].primary);
  launch(module.kernel(), &stream);
  forgetCalls();
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(state.calls, (Strings{"cuCtxGetCurrent", "cuStreamGetCtx",
                                  "cuCtxGetId", "cuLaunchKernel"}));
  forgetCalls();
  EXPECT_EQ(launch(module.kernel(), nullptr), "launched");
  EXPECT_EQ(state.calls,
            (Strings{"cuCtxGetCurrent", "cuCtxGetId", "cuLaunchKernel"}));
}

TEST_F(Launch, TakesTheStreamOfEachCall) {
  Module module = load();
  fakecuda::Stream first{&state.devices[0].primary},
      second{&state.devices[0].primary};
  launch(module.kernel(), &first);
  launch(module.kernel(), &second);
  launch(module.kernel(), &first);
  ASSERT_EQ(state.launches.size(), 3u);
  EXPECT_EQ(state.launches[0].stream, &first);
  EXPECT_EQ(state.launches[1].stream, &second);
  EXPECT_EQ(state.launches[2].stream, &first);
  EXPECT_EQ(state.count("cuModuleLoadData"), 1);
}

TEST_F(Launch, FollowsTheContextOfTheStream) {
  Module module = load();
  fakecuda::Stream on1{&state.devices[1].primary};
  Current current(&state.devices[0].primary);
  EXPECT_EQ(launch(module.kernel(), &on1, /*device=*/1), "launched");
  EXPECT_EQ(state.launches[0].context, &state.devices[1].primary);
  fakecuda::Context *after = nullptr;
  cuda.getCurrent(&after);
  EXPECT_EQ(after, &state.devices[0].primary);
}

TEST_F(Launch, UsesThePrimaryContextOfTheTensors) {
  {
    Module module = load();
    EXPECT_EQ(launch(module.kernel(), nullptr, 1), "launched");
    EXPECT_EQ(launch(module.kernel(), nullptr, 1), "launched");
    EXPECT_EQ(state.launches[0].context, &state.devices[1].primary);
    EXPECT_EQ(state.devices[1].retained, 1);
    Current current(&state.devices[0].primary);
    EXPECT_EQ(launch(module.kernel(), nullptr, 1), "launched");
    EXPECT_EQ(state.launches[2].context, &state.devices[1].primary);
  }
  EXPECT_EQ(state.devices[1].retained, 0);
}

TEST_F(Launch, PrefersTheCurrentContextOnTheDevice) {
  Module module = load();
  fakecuda::Context *own = cuda.createContext(1);
  Current current(own);
  EXPECT_EQ(launch(module.kernel(), nullptr, 1), "launched");
  EXPECT_EQ(state.launches[0].context, own);
  EXPECT_EQ(state.devices[1].retained, 0);
}

TEST_F(Launch, NeedsAContextForTheDefaultStream) {
  Module module = load();
  EXPECT_EQ(
      launch(module.kernel(), nullptr),
      "kernel 'scale': no CUDA context is current, and no argument tells its "
      "device");
  EXPECT_EQ(
      launch(module.kernel(), reinterpret_cast<void *>(2)),
      "kernel 'scale': no CUDA context is current, and no argument tells its "
      "device");
  Current current(&state.devices[0].primary);
  EXPECT_EQ(launch(module.kernel(), reinterpret_cast<void *>(2)), "launched");
  EXPECT_EQ(state.launches[0].stream, reinterpret_cast<void *>(2));
}

TEST_F(Launch, RefusesAnotherDevice) {
  Module module = load();
  fakecuda::Stream on0{&state.devices[0].primary};
  EXPECT_EQ(
      launch(module.kernel(), &on0, 1),
      "kernel 'scale': argument 'x' is on device 1, the stream on device 0");
  EXPECT_EQ(launch(module.kernel(), &on0, TILERT_DEVICE_HOST),
            "kernel 'scale': argument 'x' is in host memory");
  EXPECT_EQ(
      launch(module.kernel(), nullptr, 5),
      "kernel 'scale': cuDeviceGet failed: an error without a name (101)");
  EXPECT_TRUE(state.launches.empty());
}

TEST_F(Launch, LoadsOncePerContext) {
  Module module = load();
  fakecuda::Stream on0{&state.devices[0].primary},
      on1{&state.devices[1].primary};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(launch(module.kernel(), &on0, 0), "launched");
    EXPECT_EQ(launch(module.kernel(), &on1, 1), "launched");
  }
  EXPECT_EQ(state.count("cuModuleLoadData"), 2);
  EXPECT_EQ(state.count("cuModuleGetFunction"), 2);
}

TEST_F(Launch, TellsAContextFromAnEarlierOneAtItsAddress) {
  Module module = load();
  fakecuda::Context *context = cuda.createContext(0);
  fakecuda::Stream stream{context};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  context->id = 77;
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(state.count("cuModuleLoadData"), 2);
}

TEST_F(Launch, UnloadsWithTheModule) {
  {
    Module module = load();
    fakecuda::Stream on0{&state.devices[0].primary},
        on1{&state.devices[1].primary};
    launch(module.kernel(), &on0);
    launch(module.kernel(), &on1);
    ASSERT_EQ(state.modules.size(), 2u);
  }
  EXPECT_FALSE(state.modules[0]->isLoaded);
  EXPECT_FALSE(state.modules[1]->isLoaded);
}

TEST_F(Launch, KernelsAndPlansKeepTheirModule) {
  fakecuda::Stream stream{&state.devices[0].primary};
  Kernel kernel = load().kernel();
  EXPECT_EQ(launch(kernel, &stream), "launched");
  Tensor x(memoryAt(0), TILERT_F32, {1000}),
      y(memoryAt(0x10000), TILERT_F32, {1000});
  Plan plan = load().kernel().plan(nullptr, x, y, int32_t(3));
  EXPECT_STREQ(plan.variant(), "general");
  plan.launch(&stream);
  plan.launch(&stream);
  EXPECT_EQ(state.launches.size(), 3u);
  EXPECT_EQ(state.launches[2].parameters,
            (std::vector<uint64_t>{0x100000, 0x110000, 1000, 3}));
}

TEST_F(Launch, LaunchesNothingForAnEmptyGrid) {
  Module module = load();
  EXPECT_EQ(launch(module.kernel(), nullptr, TILERT_DEVICE_ANY, 0), "launched");
  EXPECT_TRUE(state.calls.empty());
  // Before and after an ordinary launch.
  fakecuda::Stream stream{&state.devices[0].primary};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(launch(module.kernel(), &stream, TILERT_DEVICE_ANY, 0), "launched");
  EXPECT_EQ(state.launches.size(), 1u);
}

TEST_F(Launch, AsksForSharedMemoryAbove48Kilobytes) {
  fakecuda::Stream stream{&state.devices[0].primary};
  auto requests = [&](int64_t bytes, int staticBytes) {
    Json kernel = makeScaleKernel();
    kernel["variants"][0]["shared_bytes"] = bytes;
    state.staticShared = staticBytes;
    Module module = load(kernel);
    forgetCalls();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(launch(module.kernel(), &stream), "launched") << bytes;
    EXPECT_EQ(state.launches.back().sharedBytes, bytes);
    return state.count("cuFuncSetAttribute");
  };
  EXPECT_EQ(requests(0, 0), 0);
  EXPECT_EQ(requests(49152, 0), 0);
  EXPECT_EQ(requests(49153, 0), 1);
  EXPECT_EQ(requests(232448, 0), 1);
  EXPECT_EQ(requests(49152 - 1024, 1024), 0);
}

TEST_F(Launch, ChecksTheBlockAgainstTheCode) {
  fakecuda::Stream stream{&state.devices[0].primary};
  Module module = load();
  state.maxThreads = 96;
  EXPECT_EQ(
      launch(module.kernel(), &stream),
      "kernel 'scale': variant 'general' is launched with 128 threads, its "
      "code runs with up to 96 (registers)");
  EXPECT_EQ(code, TILERT_LIMIT_EXCEEDED);
  Json kernel = makeScaleKernel();
  kernel["variants"][0]["shared_bytes"] = 232449;
  EXPECT_EQ(
      launch(load(kernel).kernel(), &stream),
      "kernel 'scale': variant 'general' needs 232449 bytes of shared memory a "
      "block, the limit of the device is 232448");
}

TEST_F(Launch, RefusesAnotherArchitecture) {
  fakecuda::Stream stream{&state.devices[0].primary};
  Module module = load();
  state.devices[0].major = 8;
  EXPECT_EQ(launch(module.kernel(), &stream),
            "kernel 'scale': built for sm_90a, device is sm_80");
  EXPECT_EQ(code, TILERT_WRONG_TARGET);
  EXPECT_EQ(state.count("cuModuleLoadData"), 0);
  EXPECT_EQ(launch(load(makeScaleKernel(), "sm_80").kernel(), &stream),
            "launched");
  state.devices[0].major = 9;
  EXPECT_EQ(launch(load(makeScaleKernel(), "sm_80").kernel(), &stream),
            "kernel 'scale': built for sm_80, device is sm_90");
}

TEST_F(Launch, ReportsEachDriverCallThatFails) {
  fakecuda::Stream stream{&state.devices[0].primary};
  Json json = makeScaleKernel();
  json["variants"][0]["shared_bytes"] = 100000;
  for (const char *name :
       {"cuCtxGetCurrent", "cuStreamGetCtx", "cuCtxPushCurrent_v2",
        "cuCtxGetDevice", "cuDeviceGetAttribute", "cuModuleLoadData",
        "cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncSetAttribute",
        "cuLaunchKernel"}) {
    Module module = load(json);
    state.launches.clear();
    state.failures = {{name, 700}};
    EXPECT_EQ(launch(module.kernel(), &stream, 0),
              "kernel 'scale': " + std::string(name) +
                  " failed: CUDA_ERROR_ILLEGAL_ADDRESS (700), what happened");
    EXPECT_EQ(code, TILERT_DRIVER_ERROR) << name;
    EXPECT_EQ(driverError, "CUDA_ERROR_ILLEGAL_ADDRESS") << name;
    EXPECT_EQ(call, name);
    EXPECT_TRUE(state.launches.empty());
    // The failure leaves nothing behind.
    state.failures.clear();
    EXPECT_EQ(launch(module.kernel(), &stream, 0), "launched") << name;
  }
  Module module = load();
  state.failures = {{"cuDevicePrimaryCtxRetain", 1}};
  EXPECT_EQ(launch(module.kernel(), nullptr, 0),
            "kernel 'scale': cuDevicePrimaryCtxRetain failed: "
            "CUDA_ERROR_INVALID_VALUE (1)");
  state.failures.clear();
  EXPECT_EQ(launch(module.kernel(), nullptr, 0), "launched");
}

TEST_F(Launch, ReportsAFunctionThatTheCubinLacks) {
  fakecuda::Stream stream{&state.devices[0].primary};
  state.parameterBytes.clear();
  EXPECT_EQ(
      launch(load().kernel(), &stream),
      "kernel 'scale': cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (500)");
}

TEST_F(Launch, WorksWithoutContextIds) {
  // Drivers before CUDA 12 know contexts by address.
  Module module = load();
  fakecuda::Stream stream{&state.devices[0].primary};
  state.failures = {{"cuCtxGetId", 1}};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(state.count("cuModuleLoadData"), 1);
}

TEST_F(Launch, LoadsUnderStreamCapture) {
  Module module = load();
  fakecuda::Stream stream{&state.devices[0].primary};
  state.captureMode = 0;
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(state.captureModeWhileLoading, 2);
  EXPECT_EQ(state.captureMode, 0);
}

TEST_F(Launch, PreparesAhead) {
  Json json = makeScaleKernel();
  json["variants"].push_back(json["variants"][0]);
  json["variants"][1]["name"] = "fast";
  json["variants"][1]["symbol"] = "scale__fast";
  Module module = load(json);
  module.kernel().prepare(1);
  EXPECT_EQ(state.count("cuModuleLoadData"), 1);
  EXPECT_EQ(state.count("cuModuleGetFunction"), 2);
  forgetCalls();
  EXPECT_EQ(launch(module.kernel(), nullptr, 1), "launched");
  EXPECT_EQ(state.count("cuModuleLoadData"), 0);
  EXPECT_EQ(state.count("cuModuleGetFunction"), 0);
  EXPECT_THROW(module.kernel().prepare(-1), Error);
}

TEST_F(Launch, ReadsTheNumberOfSmsOfTheDevice) {
  Json json = makeScaleKernel();
  json["axes"][0]["extent"] = {"min", "sm_count", {"ceildiv", "N", 128}};
  Module module = load(json);
  state.devices[1].smCount = 3;
  fakecuda::Stream on0{&state.devices[0].primary},
      on1{&state.devices[1].primary};
  EXPECT_EQ(launch(module.kernel(), &on0), "launched");
  EXPECT_EQ(launch(module.kernel(), &on1), "launched");
  EXPECT_EQ(state.launches[0].grid[0], 8u);
  EXPECT_EQ(state.launches[1].grid[0], 3u);
  EXPECT_EQ(launch(module.kernel(), &on1, TILERT_DEVICE_ANY, 0), "launched");
  EXPECT_EQ(state.launches.size(), 2u);
  state.devices[1].smCount = 132;
}

TEST_F(Launch, IsSafeFromManyThreads) {
  Module module = load();
  Kernel kernel = module.kernel();
  constexpr int threads = 8, rounds = 200;
  std::vector<std::thread> running;
  std::vector<int> launched(threads);
  std::vector<fakecuda::Stream> streams(threads);
  for (int t = 0; t < threads; ++t) {
    streams[size_t(t)].context = &state.devices[t % 2].primary;
    running.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        Tensor x(memoryAt(0), TILERT_F32, {t + 1});
        Tensor y(memoryAt(0x10000), TILERT_F32, {t + 1});
        kernel.launch(&streams[size_t(t)], x, y, int32_t(t));
        ++launched[size_t(t)];
      }
    });
  }
  for (std::thread &thread : running)
    thread.join();
  EXPECT_EQ(launched, std::vector<int>(threads, rounds));
  EXPECT_EQ(state.count("cuModuleLoadData"), 2);
  ASSERT_EQ(state.launches.size(), size_t(threads * rounds));
  for (const fakecuda::Launch &launch : state.launches) {
    uint64_t t = launch.parameters[3];
    EXPECT_EQ(launch.parameters[2], t + 1);
    EXPECT_EQ(launch.stream, &streams[t]);
    EXPECT_EQ(launch.context, streams[t].context);
  }
}

TEST_F(Launch, RefusesModulesWithoutCode) {
  auto module = loadManifest(makeManifest(makeScaleKernel()).dump());
  Tensor x(memoryAt(0), TILERT_F32, {8}), y(memoryAt(0x1000), TILERT_F32, {8});
  const tilert_argument arguments[] = {toArgument(x), toArgument(y),
                                       toArgument(1)};
  tilert_status *status = nullptr;
  EXPECT_EQ(tilert_launch(tilert_module_kernel(module.get(), 0), arguments, 3,
                          nullptr, &status),
            TILERT_INVALID_ARGUMENT);
  EXPECT_STREQ(
      tilert_status_message(status),
      "kernel 'scale': the module was made from a manifest without its "
      "cubin");
  tilert_status_destroy(status);
}

TEST_F(Launch, ChecksArgumentsBeforeTheDriver) {
  Module module = load();
  Tensor x(memoryAt(0), TILERT_F32, {8}), y(memoryAt(0x1000), TILERT_F32, {9});
  EXPECT_THROW(module.kernel().launch(nullptr, x, y, int32_t(1)), Error);
  EXPECT_TRUE(state.calls.empty());
}

TEST_F(Launch, AsksTheDriverForFacts) {
  tilert_device_facts facts{};
  ASSERT_EQ(tilert_device_facts_query(1, &facts, nullptr), TILERT_OK);
  EXPECT_EQ(facts.sm_major, 9);
  EXPECT_EQ(facts.sm_count, 132);
  EXPECT_EQ(facts.max_threads, 1024);
  EXPECT_EQ(facts.registers, 65536);
  EXPECT_EQ(facts.max_shared_bytes, 232448);
  EXPECT_EQ(tilert_device_facts_query(2, &facts, nullptr), TILERT_DRIVER_ERROR);
}

} // namespace
