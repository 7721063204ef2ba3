//===-- WorkspaceTest.cpp - Memory that launches lend kernels -------------===//

#include "LaunchFixture.h"

using namespace tilert;
using namespace tilert::test;

namespace {

/// `scale` with a workspace of 16 bytes for each of n elements, as its last
/// parameter.
class Workspace : public LaunchFixture {
protected:
  void SetUp() override {
    LaunchFixture::SetUp();
    state.parameterBytes["scale__general"] = {8, 8, 8, 4, 8};
  }

  Module loadWithWorkspace(const Json &bytes = {"*", 16, "N"}) {
    Json json = makeScaleKernel();
    Json &variant = json["variants"][0];
    variant["requires"] = {"workspace"};
    variant["workspace"] = bytes;
    variant["arguments"].push_back({{"kind", "workspace"}});
    return load(json);
  }

  std::string reserve(const Kernel &kernel, tilert_stream stream,
                      int64_t count) {
    Tensor x(memoryAt(0), TILERT_F32, {count});
    Tensor y(memoryAt(0x10000), TILERT_F32, {count});
    try {
      kernel.reserve(stream, x, y, int32_t(3));
      return "reserved";
    } catch (const Error &error) {
      return error.what();
    }
  }

  fakecuda::Stream stream{&state.devices[0].primary};
};

TEST_F(Workspace, IsMadeAheadOrALaunchFails) {
  Module module = loadWithWorkspace();
  Kernel kernel = module.kernel();
  EXPECT_EQ(launch(kernel, &stream),
            "kernel 'scale': the launch needs a workspace of 16000 bytes: give "
            "it to tilert_launch_with, or call tilert_reserve ahead (the "
            "stream has 0)");
  EXPECT_EQ(code, TILERT_INVALID_ARGUMENT);
  EXPECT_TRUE(state.launches.empty());
  EXPECT_EQ(reserve(kernel, &stream, 1000), "reserved");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 1);
  EXPECT_EQ(state.count("cuMemsetD8Async"), 1);
  forgetCalls();
  EXPECT_EQ(launch(kernel, &stream), "launched");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 0);
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_NE(state.launches[0].parameters[4], 0u);
}

TEST_F(Workspace, IsMadeWhileAnotherStreamIsCaptured) {
  Module module = loadWithWorkspace();
  state.captureMode = 0;
  EXPECT_EQ(reserve(module.kernel(), &stream, 1000), "reserved");
  EXPECT_EQ(state.captureModeWhileAllocating, 2);
  EXPECT_EQ(state.captureMode, 0);
}

TEST_F(Workspace, GrowsAndIsOfOneStream) {
  Module module = loadWithWorkspace();
  Kernel kernel = module.kernel();
  EXPECT_EQ(reserve(kernel, &stream, 1000), "reserved");
  EXPECT_EQ(reserve(kernel, &stream, 500), "reserved");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 1);
  EXPECT_EQ(launch(kernel, &stream, TILERT_DEVICE_ANY, 1001),
            "kernel 'scale': the launch needs a workspace of 16016 bytes: give "
            "it to tilert_launch_with, or call tilert_reserve ahead (the "
            "stream has 16000)");
  EXPECT_EQ(reserve(kernel, &stream, 1001), "reserved");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 2);
  // Another thread may be launching with the one before.
  EXPECT_EQ(state.count("cuMemFree_v2"), 0);
  EXPECT_EQ(launch(kernel, &stream, TILERT_DEVICE_ANY, 1001), "launched");
  fakecuda::Stream other{&state.devices[0].primary};
  EXPECT_NE(launch(kernel, &other), "launched");
  EXPECT_EQ(reserve(kernel, &other, 1000), "reserved");
  EXPECT_EQ(launch(kernel, &other), "launched");
  ASSERT_EQ(state.launches.size(), 2u);
  EXPECT_NE(state.launches[0].parameters[4], state.launches[1].parameters[4]);
}

TEST_F(Workspace, IsFreedWithTheModule) {
  {
    Module module = loadWithWorkspace();
    EXPECT_EQ(reserve(module.kernel(), &stream, 1000), "reserved");
    EXPECT_EQ(reserve(module.kernel(), &stream, 2000), "reserved");
  }
  EXPECT_EQ(state.count("cuMemFree_v2"), 2);
}

// A handle that is used again, or names another stream in each thread.
TEST_F(Workspace, IsOfAStreamNotOfItsHandle) {
  Module module = loadWithWorkspace();
  stream.id = 7;
  EXPECT_EQ(reserve(module.kernel(), &stream, 1000), "reserved");
  stream.id = 8;
  EXPECT_NE(launch(module.kernel(), &stream), "launched");
}

TEST_F(Workspace, IsNotForGraphs) {
  Module module = loadWithWorkspace();
  Kernel kernel = module.kernel();
  EXPECT_EQ(reserve(kernel, &stream, 1000), "reserved");
  stream.captures = true;
  const char *refusal =
      "kernel 'scale': the stream is being captured, and a graph may run "
      "beside "
      "other launches: give it a workspace of its own by tilert_launch_with";
  EXPECT_EQ(launch(kernel, &stream), refusal);
  EXPECT_EQ(reserve(kernel, &stream, 2000), refusal);
  EXPECT_TRUE(state.launches.empty());
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 1);
}

TEST_F(Workspace, TellsWhatTheDriverRefused) {
  Module module = loadWithWorkspace();
  Kernel kernel = module.kernel();
  for (const char *name : {"cuStreamIsCapturing", "cuStreamGetId",
                           "cuMemAlloc_v2", "cuMemsetD8Async"}) {
    state.failures[name] = 1;
    EXPECT_EQ(reserve(kernel, &stream, 1000),
              std::string("kernel 'scale': ") + name +
                  " failed: CUDA_ERROR_INVALID_VALUE (1)");
    state.failures.clear();
  }
  // What could not be zeroed is no workspace.
  EXPECT_EQ(state.count("cuMemFree_v2"), 1);
  EXPECT_NE(launch(kernel, &stream), "launched");
}

/// Launches of a plan in the caller's memory.
class OwnWorkspace : public Workspace {
protected:
  std::string launchIn(void *data, size_t bytes) {
    Module module = loadWithWorkspace();
    Tensor x(memoryAt(0), TILERT_F32, {1000}),
        y(memoryAt(0x10000), TILERT_F32, {1000});
    Plan plan = module.kernel().plan(nullptr, x, y, int32_t(3));
    try {
      plan.launch(&stream, {data, bytes});
      return "launched";
    } catch (const Error &error) {
      return error.what();
    }
  }
};

TEST_F(OwnWorkspace, IsTaken) {
  EXPECT_EQ(launchIn(memoryAt(0x20000), 16000), "launched");
  EXPECT_EQ(state.launches[0].parameters[4],
            reinterpret_cast<uintptr_t>(memoryAt(0x20000)));
  // The caller knows what it does.
  stream.captures = true;
  EXPECT_EQ(launchIn(memoryAt(0x20000), 16000), "launched");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 0);
}

TEST_F(OwnWorkspace, IsChecked) {
  EXPECT_EQ(launchIn(nullptr, 16000),
            "kernel 'scale': the workspace is NULL, and the launch needs 16000 "
            "bytes");
  EXPECT_EQ(launchIn(memoryAt(0x20000), 15999),
            "kernel 'scale': the workspace has 15999 bytes, and the launch "
            "needs 16000");
  EXPECT_EQ(launchIn(memoryAt(0x20010), 16000),
            "kernel 'scale': the workspace is at 0x120010, which is no "
            "multiple of 256 bytes");
  EXPECT_EQ(launchIn(memoryAt(0x10f00), 16000),
            "kernel 'scale': the workspace overlaps argument 'y'");
  EXPECT_TRUE(state.launches.empty());
}

TEST_F(OwnWorkspace, IsTakenByALaunchWithArguments) {
  Module module = loadWithWorkspace();
  Tensor x(memoryAt(0), TILERT_F32, {1000}),
      y(memoryAt(0x10000), TILERT_F32, {1000});
  const tilert_argument arguments[] = {toArgument(x), toArgument(y),
                                       toArgument(int32_t(3))};
  tilert_workspace workspace = {memoryAt(0x20000), 16000};
  EXPECT_EQ(tilert_launch_with(module.kernel().get(), arguments, 3, &workspace,
                               &stream, nullptr),
            TILERT_OK);
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(tilert_launch_with(module.kernel().get(), arguments, 3, nullptr,
                               &stream, nullptr),
            TILERT_INVALID_ARGUMENT);
}

TEST_F(Workspace, IsPlanned) {
  Module module = loadWithWorkspace();
  Tensor x(memoryAt(0), TILERT_F32, {1000}),
      y(memoryAt(0x10000), TILERT_F32, {1000});
  Plan plan = module.kernel().plan(nullptr, x, y, int32_t(3));
  EXPECT_EQ(plan.workspaceBytes(), 16000);
  EXPECT_NE(std::string(plan.text()).find("16000 bytes of workspace"),
            std::string::npos);
  EXPECT_EQ(tilert_plan_workspace(nullptr), 0);
}

TEST_F(Workspace, HasAKnownSize) {
  Module module = loadWithWorkspace({"-", "N", 1000});
  EXPECT_EQ(launch(module.kernel(), &stream),
            "kernel 'scale': workspace of variant 'general': 'N - 1000' is 0: "
            "N = 1000");
  Module large = loadWithWorkspace({"*", INT64_MAX, "N"});
  EXPECT_EQ(reserve(large.kernel(), &stream, 1000),
            "kernel 'scale': workspace of variant 'general': "
            "'9223372036854775807 * N' overflows int64: N = 1000");
}

TEST_F(Workspace, IsNotMadeWhereNoneIsNeeded) {
  Module module = load();
  state.parameterBytes["scale__general"] = {8, 8, 8, 4};
  EXPECT_EQ(reserve(module.kernel(), &stream, 1000), "reserved");
  EXPECT_EQ(state.count("cuMemAlloc_v2"), 0);
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
}

TEST_F(Workspace, IsOfAVariantThatHasOne) {
  Json json = makeScaleKernel();
  json["variants"][0]["arguments"].push_back({{"kind", "workspace"}});
  try {
    load(json);
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("the variant has no workspace"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
