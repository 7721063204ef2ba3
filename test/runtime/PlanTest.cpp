//===-- PlanTest.cpp - Launch checks, grid and choice of variant ----------===//

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// A launch of w4a8 with the given sizes and addresses.
struct W4A8 {
  TestKernel kernel{makeW4A8Kernel()};
  int64_t m = 100, k = 256, n = 512;
  uintptr_t aOffset = 0;

  std::vector<tilert_argument> arguments() {
    tensors = {Tensor(memoryAt(aOffset), TILERT_INT8, {m, k}),
               Tensor(memoryAt(0x1000000), TILERT_UINT4, {n, k}),
               Tensor(memoryAt(0x2000000), TILERT_F16, {n, k / 128}),
               Tensor(memoryAt(0x3000000), TILERT_BF16, {m, n})};
    std::vector<tilert_argument> list;
    for (const Tensor &tensor : tensors)
      list.push_back(toArgument(tensor));
    list.push_back(toArgument(1.0f));
    return list;
  }
  const tilert_plan *plan() { return kernel.planList(arguments()); }
  std::string error() { return plan() ? "planned" : kernel.message; }

  std::vector<Tensor> tensors;
};

TEST(Plan, QuotesTheFactThatDoesNotHold) {
  W4A8 call;
  call.k = 200;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': 'K % G == 0' does not hold: K = 200, G = 128");
  EXPECT_EQ(call.kernel.code, TILERT_CHECK_FAILED);
}

TEST(Plan, PrefersTheMessageOfACheck) {
  Json json = makeW4A8Kernel();
  json["checks"][0]["message"] = "the packed dimension 'K' of 'B' must be even";
  W4A8 call;
  call.kernel = TestKernel(json);
  call.k = 200;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': the packed dimension 'K' of 'B' must be "
            "even: K = 200, G = 128");
}

TEST(Plan, ReportsAFactThatCannotBeEvaluated) {
  Json json = makeW4A8Kernel();
  json["checks"][0] = {{"expr", {"==", {"%", "K", {"-", "M", 100}}, 0}},
                       {"text", "K % (M - 100) == 0"}};
  W4A8 call;
  call.kernel = TestKernel(json);
  EXPECT_EQ(
      call.error(),
      "kernel 'w4a8': 'K % (M - 100) == 0' divides by zero: K = 256, M = 100");
}

TEST(Plan, ChecksFactsInOrder) {
  Json json = makeW4A8Kernel();
  json["checks"] = {{{"expr", {"==", {"%", {"address", "A"}, 16}, 0}},
                     {"text", "A is aligned"}},
                    {{"expr", {">", "M", 100}}, {"text", "M > 100"}},
                    {{"expr", {">", "M", 200}}, {"text", "M > 200"}}};
  W4A8 call;
  call.kernel = TestKernel(json);
  call.aOffset = 1;
  EXPECT_EQ(call.error(), "kernel 'w4a8': 'M > 100' does not hold: M = 100");
  call.m = 150;
  EXPECT_EQ(call.error(), "kernel 'w4a8': 'M > 200' does not hold: M = 150");
  // Facts about addresses come last, after noalias.
  call.m = 300;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': 'A is aligned' does not hold: address of A "
            "= 0x100001");
}

TEST(Plan, RefusesOverlapOfNoalias) {
  Json json = makeW4A8Kernel();
  json["parameters"][3]["noalias"] = true;
  TestKernel kernel(json);
  auto error = [&](uintptr_t a, uintptr_t c) {
    return kernel.error(Tensor(memoryAt(a), TILERT_INT8, {100, 256}),
                        Tensor(memoryAt(0x1000000), TILERT_UINT4, {512, 256}),
                        Tensor(memoryAt(0x2000000), TILERT_F16, {512, 2}),
                        Tensor(memoryAt(c), TILERT_BF16, {100, 512}), 1.0f);
  };
  EXPECT_EQ(error(0, 0x3000000), "planned");
  EXPECT_EQ(
      error(0x3000000, 0x3000000 + 25600 - 2),
      "kernel 'w4a8': argument 'C' is declared noalias, but overlaps argument "
      "'A': 102400 bytes at 0x31063fe and 25600 bytes at 0x3100000");
  EXPECT_EQ(kernel.code, TILERT_CHECK_FAILED);
  EXPECT_EQ(error(0x3000000, 0x3000000 + 25600), "planned");
  EXPECT_EQ(error(0x3000000 + 102400, 0x3000000), "planned");
  EXPECT_NE(error(0x3000000 + 102399, 0x3000000), "planned");
}

TEST(Plan, ComputesTheGrid) {
  W4A8 call;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_axis_count(plan), 2u);
  EXPECT_STREQ(tilert_plan_axis_name(plan, 0), "bx");
  EXPECT_EQ(tilert_plan_axis_extent(plan, 0), 4);
  EXPECT_EQ(tilert_plan_axis_extent(plan, 1), 2);
  EXPECT_EQ(tilert_plan_grid(plan), 8);
  EXPECT_EQ(tilert_plan_axis_name(plan, 2), nullptr);
}

TEST(Plan, AcceptsAnEmptyGrid) {
  W4A8 call;
  call.m = 0;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_grid(plan), 0);
}

TEST(Plan, NeedsNoVariantForAnEmptyGrid) {
  Json json = makeW4A8Kernel();
  json["variants"].erase(1);
  W4A8 call;
  call.kernel = TestKernel(json);
  call.aOffset = 1;
  call.m = 0;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_grid(plan), 0);
  EXPECT_EQ(tilert_plan_variant(plan), 0u);
  std::string refusal = "'A is 16-byte aligned' does not hold: address of A "
                        "= 0x100001";
  EXPECT_EQ(std::string(tilert_plan_refusal(plan, 0)), refusal);
  EXPECT_EQ(
      std::string(tilert_plan_text(plan))
          .rfind("kernel w4a8: no variant fits\n  not aligned: " + refusal, 0),
      0u)
      << tilert_plan_text(plan);
  // A variant that was asked for has to fit all the same.
  call.kernel.wantedVariant = "aligned";
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': variant 'aligned' cannot be used: " + refusal);
}

TEST(Plan, LimitsNoBlockOfAnEmptyGrid) {
  tilert_device_facts facts{};
  facts.max_threads = 32;
  W4A8 call;
  call.kernel.facts = &facts;
  EXPECT_NE(call.error(), "planned");
  EXPECT_EQ(call.kernel.code, TILERT_LIMIT_EXCEEDED);
  call.m = 0;
  EXPECT_EQ(call.error(), "planned");
}

/// w4a8 with other grid extents.
std::string gridError(const Json &bx, const Json &by) {
  Json json = makeW4A8Kernel();
  json["axes"][0]["extent"] = bx;
  json["axes"][1]["extent"] = by;
  W4A8 call;
  call.kernel = TestKernel(json);
  const tilert_plan *plan = call.plan();
  return plan ? std::to_string(tilert_plan_grid(plan)) : call.kernel.message;
}

TEST(Plan, LimitsTheGrid) {
  EXPECT_EQ(gridError(1, INT32_MAX), "2147483647");
  // Large axes are folded into one: 65,536 is no limit.
  EXPECT_EQ(gridError(1, 65536), "65536");
  EXPECT_EQ(
      gridError(2147483648, 1),
      "kernel 'w4a8': grid axis 'bx' (2147483648) is 2147483648, the limit is "
      "2147483647 blocks");
  EXPECT_EQ(
      gridError(70000, {"*", "M", 656}),
      "kernel 'w4a8': grid axes 'bx' = 70000, 'by' = 65600 make more blocks "
      "than the limit, 2147483647");
  EXPECT_EQ(
      gridError({"-", "M", 103}, 1),
      "kernel 'w4a8': grid axis 'bx' (M - 103) is -3, the least is 0: M = 100");
  EXPECT_EQ(
      gridError({"*", "M", INT64_MAX}, 1),
      "kernel 'w4a8': grid axis 'bx': 'M * 9223372036854775807' overflows "
      "int64: M = 100");
  // An empty axis launches nothing, whatever the others are; a negative one
  // fails.
  EXPECT_EQ(gridError(0, INT64_MAX), "0");
  EXPECT_EQ(
      gridError(0, {"-", "M", 101}),
      "kernel 'w4a8': grid axis 'by' (M - 101) is -1, the least is 0: M = 100");
}

TEST(Plan, TakesTheFirstVariantWhoseGuardsHold) {
  W4A8 call;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_variant(plan), 0u);
  EXPECT_EQ(tilert_plan_threads(plan), 384);
  EXPECT_EQ(tilert_plan_shared_bytes(plan), 98304);
  EXPECT_EQ(tilert_plan_refusal(plan, 0), nullptr);
}

TEST(Plan, SaysWhyAVariantWasNotTaken) {
  W4A8 call;
  call.aOffset = 2;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_variant(plan), 1u);
  EXPECT_EQ(tilert_plan_threads(plan), 256);
  EXPECT_STREQ(tilert_plan_refusal(plan, 0),
               "'A is 16-byte aligned' does not hold: "
               "address of A = 0x100002");
  EXPECT_EQ(tilert_plan_refusal(plan, 1), nullptr);
  EXPECT_STREQ(
      tilert_plan_text(plan),
      "kernel w4a8: variant general\n"
      "  not aligned: 'A is 16-byte aligned' does not hold: address of A = "
      "0x100002\n"
      "  grid 8 ('bx' = 4, 'by' = 2), 256 threads, 32768 bytes of shared "
      "memory\n"
      "  M = 100, K = 256, N = 512\n");
}

TEST(Plan, DoesNotQuoteWordsThatQuote) {
  Json json = makeW4A8Kernel();
  json["variants"][0]["guards"][0]["text"] =
      "'A' starts at a multiple of 16 bytes";
  W4A8 call;
  call.kernel = TestKernel(json);
  call.aOffset = 2;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_STREQ(tilert_plan_refusal(plan, 0),
               "it does not hold that 'A' starts at a multiple of 16 bytes "
               "(address of A = 0x100002)");
}

TEST(Plan, SeesPitchesOfStorage) {
  Json json = makeW4A8Kernel();
  json["checks"] = Json::array();
  json["parameters"][2]["dims"] = {"N", {"ceildiv", "K", 128}};
  TestKernel kernel(json);
  auto variant = [&](int64_t k) {
    return kernel.variant(Tensor(memoryAt(0), TILERT_INT8, {100, k}),
                          Tensor(memoryAt(0x1000000), TILERT_UINT4, {512, k}),
                          Tensor(memoryAt(0x2000000), TILERT_F16, {512, 2}),
                          Tensor(memoryAt(0x3000000), TILERT_BF16, {100, 512}),
                          1.0f);
  };
  EXPECT_EQ(variant(224), "aligned");
  EXPECT_EQ(variant(208), "general"); // 104 bytes
  EXPECT_EQ(variant(255), "aligned"); // 128 bytes
}

TEST(Plan, UsesTheVariantThatIsAskedFor) {
  W4A8 call;
  call.kernel.wantedVariant = "general";
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_variant(plan), 1u);
  EXPECT_STREQ(tilert_plan_refusal(plan, 0), "variant 'general' was asked for");
  call.kernel.wantedVariant = "aligned";
  call.aOffset = 2;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': variant 'aligned' cannot be used: 'A is "
            "16-byte aligned' does not hold: address of A = 0x100002");
  call.kernel.wantedVariant = "fast";
  EXPECT_EQ(call.error(), "kernel 'w4a8': there is no variant 'fast', only "
                          "'aligned', 'general'");
  EXPECT_EQ(call.kernel.code, TILERT_NOT_FOUND);
}

TEST(Plan, ReportsWhenNoVariantFits) {
  Json json = makeW4A8Kernel();
  json["variants"].erase(1);
  W4A8 call;
  call.kernel = TestKernel(json);
  call.aOffset = 2;
  EXPECT_EQ(
      call.error(),
      "kernel 'w4a8': no variant fits; 'aligned': 'A is 16-byte aligned' does "
      "not hold: address of A = 0x100002");
}

TEST(Plan, TreatsAGuardWithoutValueAsBroken) {
  Json json = makeW4A8Kernel();
  json["variants"][0]["guards"] = {
      {{"expr", {"==", {"*", "M", INT64_MAX}, 0}}, {"text", "M fits"}}};
  W4A8 call;
  call.kernel = TestKernel(json);
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_STREQ(tilert_plan_refusal(plan, 0),
               "'M fits' overflows int64: M = 100");
}

TEST(Plan, GuardsByOverlap) {
  Json json = makeW4A8Kernel();
  json["variants"][0]["guards"] = {
      {{"expr", {"!", {"overlap", "A", "C"}}}, {"text", "A and C are apart"}}};
  TestKernel kernel(json);
  auto variant = [&](uintptr_t c) {
    return kernel.variant(Tensor(memoryAt(0), TILERT_INT8, {100, 256}),
                          Tensor(memoryAt(0x1000000), TILERT_UINT4, {512, 256}),
                          Tensor(memoryAt(0x2000000), TILERT_F16, {512, 2}),
                          Tensor(memoryAt(c), TILERT_BF16, {100, 512}), 1.0f);
  };
  EXPECT_EQ(variant(0x3000000), "aligned");
  EXPECT_EQ(variant(0), "general");
}

TEST(Plan, NeedsTheNumberOfSmsIfTheGridDoes) {
  Json json = makeW4A8Kernel();
  json["axes"] = {
      {{"name", "b"}, {"extent", {"min", "sm_count", {"ceildiv", "N", 128}}}}};
  W4A8 call;
  call.kernel = TestKernel(json);
  EXPECT_EQ(call.error(), "kernel 'w4a8': the number of SMs is needed, and the "
                          "device facts do not give it; "
                          "tilert_device_facts_query has those of a GPU");
  tilert_device_facts facts{};
  facts.sm_count = 3;
  call.kernel.facts = &facts;
  ASSERT_NE(call.plan(), nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_grid(call.plan()), 3);
  facts.sm_count = 132;
  EXPECT_EQ(tilert_plan_grid(call.plan()), 4);
}

TEST(Plan, ChecksTheTarget) {
  W4A8 call;
  tilert_device_facts facts{};
  call.kernel.facts = &facts;
  facts.sm_major = 9;
  EXPECT_EQ(call.error(), "planned");
  facts.sm_major = 8;
  EXPECT_EQ(call.error(), "kernel 'w4a8': built for sm_90a, device is sm_80");
  EXPECT_EQ(call.kernel.code, TILERT_WRONG_TARGET);
  facts.sm_major = 10;
  EXPECT_EQ(call.error(), "kernel 'w4a8': built for sm_90a, device is sm_100");
}

/// The failure of a code for `target` on a device of major.minor.
std::string targetError(const char *target, int major, int minor) {
  Json manifest = makeManifest(makeScaleKernel());
  manifest["target"] = target;
  auto module = loadManifest(manifest.dump());
  tilert_device_facts facts{};
  facts.sm_major = major;
  facts.sm_minor = minor;
  Tensor x(memoryAt(0), TILERT_F32, {8}), y(memoryAt(0x1000), TILERT_F32, {8});
  const tilert_argument arguments[] = {toArgument(x), toArgument(y),
                                       toArgument(1)};
  tilert_plan *plan = nullptr;
  try {
    check([&](tilert_status **status) {
      return tilert_plan_create(tilert_module_kernel(module.get(), 0),
                                arguments, 3, &facts, nullptr, &plan, status);
    });
  } catch (const Error &error) {
    return error.what();
  }
  tilert_plan_destroy(plan);
  return "runs";
}

TEST(Plan, RunsCodeWithinItsMajorVersion) {
  EXPECT_EQ(targetError("sm_80", 8, 0), "runs");
  EXPECT_EQ(targetError("sm_80", 8, 9), "runs");
  EXPECT_EQ(targetError("sm_86", 8, 0),
            "kernel 'scale': built for sm_86, device is sm_80");
  EXPECT_EQ(targetError("sm_80", 9, 0),
            "kernel 'scale': built for sm_80, device is sm_90");
  EXPECT_EQ(targetError("sm_90a", 9, 0), "runs");
  EXPECT_EQ(targetError("sm_100a", 10, 3),
            "kernel 'scale': built for sm_100a, device is sm_103");
}

TEST(Plan, ChecksTheBlockAgainstTheDevice) {
  W4A8 call;
  tilert_device_facts facts{};
  call.kernel.facts = &facts;
  facts.max_shared_bytes = 98303;
  EXPECT_EQ(
      call.error(),
      "kernel 'w4a8': variant 'aligned' needs 98304 bytes of shared memory a "
      "block, the limit of the device is 98303");
  EXPECT_EQ(call.kernel.code, TILERT_LIMIT_EXCEEDED);
  facts.max_shared_bytes = 98304;
  EXPECT_EQ(call.error(), "planned");
  facts.max_threads = 256;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': variant 'aligned' needs 384 threads a "
            "block, the limit of the device is 256");
}

TEST(Plan, ChecksRegistersOfTheBlock) {
  Json json = makeW4A8Kernel();
  json["variants"][0]["threads"] = 512;
  json["variants"][0]["registers"] = 248;
  W4A8 call;
  call.kernel = TestKernel(json);
  tilert_device_facts facts{};
  call.kernel.facts = &facts;
  facts.registers = 65536;
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': variant 'aligned' needs 126976 registers a "
            "block (512 threads of 248), the limit of the device is "
            "65536");
  json["variants"][0]["registers"] = 128;
  call.kernel = TestKernel(json);
  call.kernel.facts = &facts;
  EXPECT_EQ(call.error(), "planned");
}

TEST(Plan, KnowsFactsOfTargets) {
  tilert_device_facts facts{};
  EXPECT_EQ(tilert_device_facts_of_target("sm_90a", &facts, nullptr),
            TILERT_OK);
  EXPECT_EQ(facts.sm_major, 9);
  EXPECT_EQ(facts.sm_count, 132);
  EXPECT_EQ(facts.max_shared_bytes, 232448);
  EXPECT_EQ(facts.registers, 65536);
  EXPECT_EQ(facts.max_threads, 1024);
  for (const char *target : {"sm_80", "sm_86", "sm_89", "sm_100a", "sm_120a"})
    EXPECT_EQ(tilert_device_facts_of_target(target, &facts, nullptr),
              TILERT_OK);
  tilert_status *status = nullptr;
  EXPECT_EQ(tilert_device_facts_of_target("sm_70", &facts, &status),
            TILERT_NOT_FOUND);
  EXPECT_STREQ(tilert_status_message(status),
               "no facts are known of target 'sm_70'");
  tilert_status_destroy(status);
}

TEST(Plan, KeepsOneSymbolPerSlotWhenReused) {
  // A second plan must not see values of the first.
  W4A8 call;
  ASSERT_NE(call.plan(), nullptr);
  call.m = 1;
  call.k = 128;
  call.n = 1;
  const tilert_plan *plan = call.plan();
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  EXPECT_EQ(tilert_plan_symbols(plan)[0], 1);
  EXPECT_EQ(tilert_plan_grid(plan), 1);
}

} // namespace
