//===-- BlocksTest.cpp - Variants that choose how many blocks they get ----===//

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// `scale` for n elements, a tile for each 128 of them, on five SMs.
class Blocks : public testing::Test {
protected:
  Blocks() { facts.sm_count = 5; }

  const tilert_plan *planScale(const Json &json, int64_t n) {
    kernel = TestKernel(json);
    kernel.facts = &facts;
    return kernel.plan(Tensor(memoryAt(0), TILERT_F32, {n}),
                       Tensor(memoryAt(0x100000), TILERT_F32, {n}), int32_t(3));
  }

  /// The blocks that are launched, or the failure.
  std::string launched(const Json &blocks, int64_t n) {
    Json json = makeScaleKernel();
    json["variants"][0]["requires"] = {"blocks"};
    json["variants"][0]["blocks"] = blocks;
    const tilert_plan *plan = planScale(json, n);
    return plan ? std::to_string(tilert_plan_grid(plan)) : kernel.message;
  }

  TestKernel kernel{makeScaleKernel()};
  tilert_device_facts facts{};
};

TEST_F(Blocks, AreWhatTheVariantSays) {
  const Json persistent = {"min", {"ceildiv", "N", 128}, "sm_count"};
  EXPECT_EQ(launched(persistent, 1000), "5");
  EXPECT_EQ(launched(persistent, 500), "4");
  EXPECT_EQ(launched(INT32_MAX, 1000), "2147483647");
}

TEST_F(Blocks, AreNoneForAnEmptyGrid) {
  EXPECT_EQ(launched("sm_count", 0), "0");
  EXPECT_EQ(launched({"/", 1, "N"}, 0), "0");
}

TEST_F(Blocks, AreLimited) {
  EXPECT_EQ(launched(INT64_C(2147483648), 1000),
            "kernel 'scale': blocks of variant 'general': '2147483648' is "
            "2147483648, not from 1 to 2147483647");
  EXPECT_EQ(launched({"-", "N", 1000}, 1000),
            "kernel 'scale': blocks of variant 'general': 'N - 1000' is 0, not "
            "from 1 to 2147483647: N = 1000");
  EXPECT_EQ(launched({"*", "N", INT64_MAX}, 1000),
            "kernel 'scale': blocks of variant 'general': 'N * "
            "9223372036854775807' overflows int64: N = 1000");
  EXPECT_EQ(kernel.code, TILERT_LIMIT_EXCEEDED);
}

TEST_F(Blocks, NeedTheNumberOfSms) {
  facts.sm_count = 0;
  EXPECT_EQ(launched("sm_count", 1000),
            "kernel 'scale': the number of SMs is needed, and the device facts "
            "do not give it; tilert_device_facts_query has those of a GPU");
}

TEST_F(Blocks, FormClusters) {
  Json json = makeScaleKernel();
  json["variants"][0]["requires"] = {"blocks", "cluster"};
  json["variants"][0]["blocks"] = "sm_count";
  json["variants"][0]["cluster"] = 2;
  EXPECT_EQ(planScale(json, 1000), nullptr);
  EXPECT_EQ(kernel.message,
            "kernel 'scale': blocks of variant 'general': 'sm_count' is 5, no "
            "multiple of the 2 of a cluster: the number of SMs = 5");
  facts.sm_count = 4;
  const tilert_plan *plan = planScale(json, 1000);
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_cluster(plan), 2);
  EXPECT_NE(std::string(tilert_plan_text(plan)).find("in clusters of 2"),
            std::string::npos);
}

TEST_F(Blocks, AreToldFromTiles) {
  Json json = makeScaleKernel();
  json["variants"][0]["blocks"] = 3;
  const tilert_plan *plan = planScale(json, 1000);
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_axis_extent(plan, 0), 8);
  EXPECT_STREQ(tilert_plan_text(plan),
               "kernel scale: variant general\n"
               "  grid 3 for 8 tiles ('b' = 8), 128 threads, 0 bytes of shared "
               "memory\n"
               "  N = 1000\n");
}

TEST_F(Blocks, BelongToTheirVariant) {
  Json json = makeScaleKernel();
  json["variants"].push_back(json["variants"][0]);
  json["variants"][0]["name"] = "large";
  json["variants"][0]["blocks"] = 3;
  json["variants"][0]["guards"] = {
      {{"expr", {">=", "N", 1000}}, {"text", "N >= 1000"}}};
  EXPECT_EQ(tilert_plan_grid(planScale(json, 1000)), 3);
  EXPECT_EQ(tilert_plan_grid(planScale(json, 999)), 8);
}

} // namespace
