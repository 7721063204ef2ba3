//===-- SizeClassesTest.cpp - Variants with a grid of their own -----------===//

#include "LaunchFixture.h"

using namespace tilert;
using namespace tilert::test;

namespace {

/// `scale` with tiles of 128 elements for up to 1000, which must be even in
/// number, and of 512 for any: BN is theirs.
Json makeClasses() {
  Json json = makeScaleKernel();
  json["axes"][0]["extent"] = {"ceildiv", "N", "BN"};
  json["config"] = {{"BN", 512}};
  Json few = json["variants"][0];
  few["name"] = "general_N1000";
  few["symbol"] = "scale__fast";
  few["requires"] = {"axes", "config"};
  few["guards"] = {
      {{"expr", {"<=", "N", 1000}}, {"text", "N <= 1000"}},
      {{"expr", {"==", {"%", "N", "TWO"}, 0}}, {"text", "N % TWO == 0"}}};
  few["config"] = {{"BN", 128}, {"TWO", 2}};
  few["axes"] = {{{"name", "b"}, {"extent", {"ceildiv", "N", "BN"}}}};
  json["variants"].insert(json["variants"].begin(), few);
  return json;
}

class SizeClasses : public LaunchFixture {
protected:
  const tilert_plan *planFor(int64_t n) {
    return kernel.plan(Tensor(memoryAt(0), TILERT_F32, {n}),
                       Tensor(memoryAt(0x100000), TILERT_F32, {n}), int32_t(3));
  }

  TestKernel kernel{makeClasses()};
};

TEST_F(SizeClasses, HaveGridsOfTheirOwn) {
  EXPECT_EQ(tilert_plan_axis_extent(planFor(1000), 0), 8);
  EXPECT_EQ(tilert_plan_grid(planFor(1000)), 8);
  EXPECT_EQ(tilert_plan_axis_extent(planFor(1002), 0), 2);
  EXPECT_EQ(tilert_plan_grid(planFor(1002)), 2);
}

TEST_F(SizeClasses, AreTakenInTheirOrder) {
  EXPECT_STREQ(tilert_plan_text(planFor(1000)),
               "kernel scale: variant general_N1000\n"
               "  grid 8 ('b' = 8), 128 threads, 0 bytes of shared memory\n"
               "  N = 1000\n");
  EXPECT_STREQ(tilert_plan_text(planFor(1001)),
               "kernel scale: variant general\n"
               "  not general_N1000: 'N <= 1000' does not hold: N = 1001\n"
               "  grid 2 ('b' = 2), 128 threads, 0 bytes of shared memory\n"
               "  N = 1001\n");
}

TEST_F(SizeClasses, GiveWayToThoseBehindThem) {
  EXPECT_STREQ(
      tilert_plan_text(planFor(999)),
      "kernel scale: variant general\n"
      "  not general_N1000: 'N % TWO == 0' does not hold: N = 999, TWO "
      "= 2\n"
      "  grid 2 ('b' = 2), 128 threads, 0 bytes of shared memory\n"
      "  N = 999\n");
}

TEST_F(SizeClasses, LaunchNothingForAnEmptyGrid) {
  const tilert_plan *plan = planFor(0);
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_grid(plan), 0);
  EXPECT_EQ(tilert_plan_axis_extent(plan, 0), 0);
}

TEST_F(SizeClasses, RefuseEmptyGridsThatNoneTakes) {
  Json json = makeClasses();
  for (Json &variant : json["variants"])
    variant["guards"] = {{{"expr", {">=", "N", 1}}, {"text", "N >= 1"}}};
  kernel = TestKernel(json);
  EXPECT_EQ(planFor(0), nullptr);
  EXPECT_NE(kernel.message.find("'N >= 1' does not hold: N = 0"),
            std::string::npos)
      << kernel.message;
}

TEST_F(SizeClasses, LaunchTheirOwnFunctions) {
  Module module = load(makeClasses());
  fakecuda::Stream stream{&state.devices[0].primary};
  EXPECT_EQ(launch(module.kernel(), &stream), "launched");
  EXPECT_EQ(launch(module.kernel(), &stream, TILERT_DEVICE_ANY, 2000),
            "launched");
  ASSERT_EQ(state.launches.size(), 2u);
  EXPECT_EQ(state.launches[0].function, "scale__fast");
  EXPECT_EQ(state.launches[0].grid[0], 8u);
  EXPECT_EQ(state.launches[1].function, "scale__general");
  EXPECT_EQ(state.launches[1].grid[0], 4u);
}

TEST_F(SizeClasses, HaveWorkspacesOfTheirOwn) {
  Json json = makeClasses();
  json["variants"][0]["requires"].push_back("workspace");
  json["variants"][0]["workspace"] = {"*", 16, "N"};
  json["variants"][0]["arguments"].push_back({{"kind", "workspace"}});
  kernel = TestKernel(json);
  EXPECT_EQ(tilert_plan_workspace(planFor(1000)), 16000);
  EXPECT_EQ(tilert_plan_workspace(planFor(2000)), 0);
}

TEST_F(SizeClasses, KeepTheirConstantsToThemselves) {
  Json json = makeClasses();
  json["variants"][1]["guards"] = {
      {{"expr", {"==", "TWO", 2}}, {"text", "TWO"}}};
  EXPECT_EQ(loadError(makeManifest(json).dump()),
            "manifest: /kernels/0/variants/1/guards/0/expr/1: 'TWO' is no "
            "symbol, scalar or config constant of kernel 'scale'");
}

} // namespace
