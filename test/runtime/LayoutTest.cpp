//===-- LayoutTest.cpp - Strides, packing and extent of arguments ---------===//

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// The strides that the kernel is passed.
std::vector<int64_t> stridesOf(const tilert_plan *plan) {
  std::vector<int64_t> strides;
  for (size_t i = 0; i < tilert_plan_value_count(plan); ++i)
    if (tilert_plan_values(plan)[i].kind == TILERT_VALUE_STRIDE)
      strides.push_back(
          *static_cast<const int64_t *>(tilert_plan_values(plan)[i].value));
  return strides;
}

using Strides = std::vector<int64_t>;

TEST(Layout, RefusesStridesOfADenseParameter) {
  TestKernel kernel(makeOneTensor({"B", "M", "N"}, "f16"));
  auto error = [&](std::vector<int64_t> sizes, Strides strides) {
    return kernel.error(Tensor(memoryAt(0), TILERT_F16, sizes, strides));
  };
  EXPECT_EQ(error({3, 4, 6}, {24, 6, 1}), "planned");
  EXPECT_EQ(
      error({3, 2, 6}, {24, 12, 1}),
      "kernel 'one': argument 'A' is declared dense, but has shape [3, 2, 6] "
      "and strides [24, 12, 1], dense strides are [12, 6, 1]");
  EXPECT_EQ(
      error({1, 4, 6}, {24, 1, 4}),
      "kernel 'one': argument 'A' is declared dense, but has shape [1, 4, 6] "
      "and strides [24, 1, 4], dense strides are [24, 6, 1]");
}

TEST(Layout, IgnoresStridesThatReachNothing) {
  TestKernel kernel(makeOneTensor({"B", "M", "N"}, "f16"));
  auto error = [&](std::vector<int64_t> sizes, Strides strides) {
    return kernel.error(Tensor(memoryAt(0), TILERT_F16, sizes, strides));
  };
  EXPECT_EQ(error({1, 4, 6}, {7, 6, 1}), "planned");
  EXPECT_EQ(error({3, 1, 6}, {6, 0, 1}), "planned");
  EXPECT_EQ(error({3, 4, 1}, {4, 1, 99}), "planned");
  EXPECT_EQ(error({3, 4, 0}, {0, 0, 0}), "planned");
  EXPECT_EQ(error({3, 4, 0}, {1, 1, 1}), "planned");
  EXPECT_EQ(error({INT64_MAX, INT64_MAX, 0}, {}), "planned");
}

TEST(Layout, TakesBracesForStrides) {
  // A single number in braces is a stride, not the number of a device.
  TestKernel kernel(makeOneTensor({"N"}, "f32", {{"strided", "all"}}));
  const tilert_plan *plan =
      kernel.plan(Tensor(memoryAt(0), TILERT_F32, {4}, {2}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(stridesOf(plan), Strides{2});
  int64_t size = 4;
  EXPECT_EQ(Tensor(memoryAt(0), TILERT_F32, {size}, {2})
                .argument()
                .value.tensor.device,
            TILERT_DEVICE_ANY);
  EXPECT_EQ(
      Tensor(memoryAt(0), TILERT_F32, {size}, 2).argument().value.tensor.device,
      2);
  static_assert(!std::is_constructible_v<Tensor, void *, tilert_dtype,
                                         std::vector<int64_t>, int64_t>,
                "a stride that lacks its braces is no device");
}

TEST(Layout, PassesStrides) {
  TestKernel kernel(makeOneTensor({"B", "M", "N"}, "f16", {{"strided", true}}));
  auto strides = [&](std::vector<int64_t> sizes, Strides given) {
    const tilert_plan *plan =
        kernel.plan(Tensor(memoryAt(0), TILERT_F16, sizes, given));
    return plan ? stridesOf(plan) : Strides();
  };
  EXPECT_EQ(strides({3, 2, 6}, {24, 12, 1}), (Strides{24, 12, 1}));
  EXPECT_EQ(strides({3, 2, 6}, {}), (Strides{12, 6, 1}));
  EXPECT_EQ(strides({3, 2, 6}, {0, -6, 1}), (Strides{0, -6, 1}));
  // What reaches nothing is replaced by the dense stride.
  EXPECT_EQ(strides({3, 1, 6}, {24, 7, 1}), (Strides{24, 6, 1}));
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(0), TILERT_F16, {3, 4, 6}, {24, 1, 4})),
      "kernel 'one': argument 'A' is declared strided with a last stride of "
      "1, but has shape [3, 4, 6] and strides [24, 1, 4]");
}

TEST(Layout, PassesEveryStrideOfStridedAll) {
  TestKernel kernel(makeOneTensor({"M", "N"}, "f16", {{"strided", "all"}}));
  const tilert_plan *plan =
      kernel.plan(Tensor(memoryAt(0), TILERT_F16, {4, 6}, {1, 4}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(stridesOf(plan), (Strides{1, 4}));
  const tilert_bound_tensor *a = tilert_plan_tensor(plan, 0);
  EXPECT_EQ(a->byte_strides[1], 8);
  EXPECT_EQ(a->bytes, 48);
  EXPECT_EQ(a->first, memoryAt(0));
}

TEST(Layout, CoversNegativeStrides) {
  TestKernel kernel(makeOneTensor({"M", "N"}, "f16", {{"strided", true}}));
  const tilert_plan *plan =
      kernel.plan(Tensor(memoryAt(0x1000), TILERT_F16, {4, 6}, {-8, 1}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  const tilert_bound_tensor *a = tilert_plan_tensor(plan, 0);
  EXPECT_EQ(a->data, memoryAt(0x1000));
  EXPECT_EQ(a->first, memoryAt(0x1000 - 48));
  EXPECT_EQ(a->bytes, 48 + 12);
}

TEST(Layout, RefusesToWriteThroughZeroStrides) {
  Json json = makeOneTensor({"M", "N"}, "f16", {{"strided", true}});
  json["parameters"][0]["access"] = "out";
  TestKernel kernel(json);
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F16, {4, 6}, {0, 1})),
            "kernel 'one': argument 'A' is written, but its 4 elements along "
            "dimension 0 share memory (stride 0)");
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F16, {1, 6}, {0, 1})),
            "planned");
}

TEST(Layout, CountsStridesOfFourBitElements) {
  // Packed along the last dimension: rows are whole bytes.
  TestKernel rows(makeOneTensor({"N", "K"}, "int4", {{"strided", true}}));
  auto plan = rows.plan(Tensor(memoryAt(0), TILERT_INT4, {8, 17}, {32, 1}));
  ASSERT_NE(plan, nullptr) << rows.message;
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->byte_strides[0], 16);
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->bytes, 7 * 16 + 9);
  EXPECT_EQ(stridesOf(plan), (Strides{16, 1}));
  EXPECT_EQ(
      rows.error(Tensor(memoryAt(0), TILERT_INT4, {8, 17}, {17, 1})),
      "kernel 'one': argument 'A' has stride 17 along dimension 0: two int4 "
      "share a byte along dimension 1, so it must be even");
  // The storage of the same tensor counts bytes, the kernel sees no difference.
  plan = rows.plan(Tensor(memoryAt(0), TILERT_UINT8, {8, 9}, {16, 1}));
  ASSERT_NE(plan, nullptr) << rows.message;
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->byte_strides[0], 16);
  EXPECT_EQ(stridesOf(plan), (Strides{16, 1}));
}

TEST(Layout, CountsStridesOfPackedOuterDimensions) {
  TestKernel kernel(
      makeOneTensor({"B", "K", "N"}, "int4", {{"pack", 1}, {"strided", true}}));
  auto plan = kernel.plan(Tensor(memoryAt(0), TILERT_INT4, {2, 6, 10}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->byte_strides[0], 30);
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->byte_strides[1], 10);
  EXPECT_EQ(stridesOf(plan), (Strides{30, 10, 1}));
  plan = kernel.plan(Tensor(memoryAt(0), TILERT_INT4, {2, 6, 10}, {60, 10, 1}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->bytes, 60);
  plan =
      kernel.plan(Tensor(memoryAt(0), TILERT_UINT8, {2, 3, 10}, {30, 10, 1}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(stridesOf(plan), (Strides{30, 10, 1}));
}

TEST(Layout, KnowsDenseStridesOfFourBitElements) {
  TestKernel dense(makeOneTensor({"N", "K"}, "int4"));
  EXPECT_EQ(dense.error(Tensor(memoryAt(0), TILERT_INT4, {8, 16}, {16, 1})),
            "planned");
  // An odd row ends in a spare nibble.
  EXPECT_EQ(dense.error(Tensor(memoryAt(0), TILERT_INT4, {8, 17}, {18, 1})),
            "planned");
  EXPECT_EQ(
      dense.error(Tensor(memoryAt(0), TILERT_INT4, {8, 17}, {20, 1})),
      "kernel 'one': argument 'A' is declared dense, but has shape [8, 17] "
      "and strides [20, 1], dense strides are [18, 1]");
}

TEST(Layout, ChecksElementAlignment) {
  TestKernel kernel(makeOneTensor({"N"}, "f32"));
  EXPECT_EQ(kernel.error(Tensor(memoryAt(4), TILERT_F32, {8})), "planned");
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(2), TILERT_F32, {8})),
      "kernel 'one': argument 'A': address 0x100002 is not a multiple of the "
      "4 bytes of f32");
}

TEST(Layout, RefusesMoreThanTheAddressSpace) {
  TestKernel kernel(makeOneTensor({"M", "N"}, "f16", {{"strided", true}}));
  EXPECT_EQ(
      kernel.error(
          Tensor(memoryAt(0), TILERT_F16, {int64_t(1) << 40, 1 << 30})),
      "kernel 'one': argument 'A' of shape [1099511627776, 1073741824] is "
      "larger than the address space");
  EXPECT_EQ(kernel.error(
                Tensor(memoryAt(0), TILERT_F16, {3, 4}, {int64_t(1) << 62, 1})),
            "kernel 'one': argument 'A' of shape [3, 4] and strides "
            "[4611686018427387904, "
            "1] is larger than the address space");
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F16, {3, 4},
                                {-(int64_t(1) << 40), 1})),
            "kernel 'one': argument 'A' of shape [3, 4] and strides "
            "[-1099511627776, 1] "
            "is larger than the address space");
  // More than 2^31 elements and bytes are ordinary.
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F16, {40960, 128256})),
            "planned");
}

} // namespace
