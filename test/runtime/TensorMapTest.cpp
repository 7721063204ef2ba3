//===-- TensorMapTest.cpp - Tensor maps in manifests and plans ------------===//

#include "TestManifest.h"

#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

using Sizes = std::vector<int64_t>;

/// The map that a plan passes first, or NULL.
const tilert_tensor_map *mapOf(const tilert_plan *plan) {
  if (!plan || tilert_plan_value_count(plan) != 2)
    return nullptr;
  const tilert_value &value = tilert_plan_values(plan)[0];
  if (value.kind != TILERT_VALUE_TENSOR_MAP ||
      value.bytes != sizeof(tilert_tensor_map))
    return nullptr;
  EXPECT_STREQ(value.name, "A");
  return static_cast<const tilert_tensor_map *>(value.value);
}

Sizes extentsOf(const tilert_tensor_map &map) {
  return {map.extents, map.extents + map.rank};
}
Sizes stridesOf(const tilert_tensor_map &map) {
  return {map.byte_strides, map.byte_strides + map.rank - 1};
}
Sizes boxOf(const tilert_tensor_map &map) {
  return {map.box, map.box + map.rank};
}

TEST(TensorMap, BeginsWithTheInnermostDimension) {
  TestKernel kernel(
      makeMappedTensor({"B", "M", "N"}, "bf16", {1, 128, 64}, 128));
  const tilert_tensor_map *map =
      mapOf(kernel.plan(Tensor(memoryAt(0x40), TILERT_BF16, {3, 100, 80})));
  ASSERT_NE(map, nullptr) << kernel.message;
  EXPECT_EQ(map->data, memoryAt(0x40));
  EXPECT_EQ(map->dtype, TILERT_BF16);
  EXPECT_EQ(map->rank, 3);
  EXPECT_EQ(map->element_bytes, 2);
  EXPECT_EQ(map->swizzle, 128);
  EXPECT_EQ(map->l2_promotion, 256);
  EXPECT_EQ(boxOf(*map), (Sizes{64, 128, 1}));
  EXPECT_EQ(extentsOf(*map), (Sizes{80, 100, 3}));
  EXPECT_EQ(stridesOf(*map), (Sizes{160, 16000}));
}

TEST(TensorMap, HasNoStrideForOneDimension) {
  TestKernel kernel(makeMappedTensor({"N"}, "f32", {256}, 0));
  const tilert_tensor_map *map =
      mapOf(kernel.plan(Tensor(memoryAt(0), TILERT_F32, {1001})));
  ASSERT_NE(map, nullptr) << kernel.message;
  EXPECT_EQ(map->rank, 1);
  EXPECT_EQ(extentsOf(*map), Sizes{1001});
}

TEST(TensorMap, TakesStridesOfTheLaunch) {
  TestKernel kernel(
      makeMappedTensor({"M", "N"}, "f16", {64, 64}, 128, {{"strided", "all"}}));
  auto strides = [&](Sizes sizes, Sizes given) {
    const tilert_tensor_map *map =
        mapOf(kernel.plan(Tensor(memoryAt(0), TILERT_F16, sizes, given)));
    return map ? std::to_string(map->byte_strides[0]) : kernel.message;
  };
  EXPECT_EQ(strides({100, 20}, {24, 1}), "48");
  EXPECT_EQ(strides({100, 20}, {0, 1}), "0");
  EXPECT_EQ(strides({100, 20}, {20, 1}),
            "kernel 'one': variant 'general' has no tensor map of 'A': stride "
            "40 bytes of dimension 0 is not a multiple of 16");
  EXPECT_EQ(strides({100, 20}, {-24, 1}),
            "kernel 'one': variant 'general' has no tensor map of 'A': stride "
            "-48 bytes of dimension 0 is not from 0 to 1099511627775");
  EXPECT_EQ(strides({2, 20}, {int64_t(1) << 39, 1}),
            "kernel 'one': variant 'general' has no tensor map of 'A': stride "
            "1099511627776 bytes of dimension 0 is not from 0 to "
            "1099511627775");
  EXPECT_EQ(strides({100, 20}, {1, 100}),
            "kernel 'one': variant 'general' has no tensor map of 'A': stride "
            "200 of the last dimension is not the 2 bytes of an element");
  EXPECT_EQ(kernel.code, TILERT_CHECK_FAILED);
}

TEST(TensorMap, RoundsStridesThatReachNothing) {
  // One row of 100 bytes: no step of 100 bytes is made.
  TestKernel kernel(makeMappedTensor({"B", "M", "N"}, "int8", {1, 64, 64}, 64));
  const tilert_tensor_map *map =
      mapOf(kernel.plan(Tensor(memoryAt(0), TILERT_INT8, {1, 1, 100})));
  ASSERT_NE(map, nullptr) << kernel.message;
  EXPECT_EQ(stridesOf(*map), (Sizes{112, 112}));
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_INT8, {1, 2, 100})),
            "kernel 'one': variant 'general' has no tensor map of 'A': stride "
            "100 bytes of dimension 1 is not a multiple of 16");
}

TEST(TensorMap, CountsBytesOfPackedTensors) {
  TestKernel last(makeMappedTensor({"N", "K"}, "uint4", {128, 64}, 64));
  const tilert_tensor_map *map =
      mapOf(last.plan(Tensor(memoryAt(0), TILERT_UINT4, {512, 255})));
  ASSERT_NE(map, nullptr) << last.message;
  EXPECT_EQ(map->element_bytes, 1);
  EXPECT_EQ(extentsOf(*map), (Sizes{128, 512}));
  EXPECT_EQ(stridesOf(*map), Sizes{128});
  EXPECT_EQ(boxOf(*map), (Sizes{64, 128}));
  TestKernel first(
      makeMappedTensor({"K", "N"}, "int4", {16, 128}, 128, {{"pack", 0}}));
  map = mapOf(first.plan(Tensor(memoryAt(0), TILERT_INT4, {255, 512})));
  ASSERT_NE(map, nullptr) << first.message;
  EXPECT_EQ(extentsOf(*map), (Sizes{512, 128}));
  EXPECT_EQ(stridesOf(*map), Sizes{512});
}

TEST(TensorMap, RefusesWhatNoDriverEncodes) {
  TestKernel kernel(makeMappedTensor({"M", "N"}, "int8", {64, 64}, 64));
  auto error = [&](uintptr_t offset, Sizes sizes) {
    return kernel.error(Tensor(memoryAt(offset), TILERT_INT8, sizes));
  };
  EXPECT_EQ(error(16, {4, 16}), "planned");
  EXPECT_EQ(error(8, {4, 16}),
            "kernel 'one': variant 'general' has no tensor map of 'A': address "
            "0x100008 is not a multiple of 16");
  EXPECT_EQ(error(0, {4, 0}),
            "kernel 'one': variant 'general' has no tensor map of 'A': extent "
            "0 of dimension 1 is not from 1 to 4294967296");
  EXPECT_EQ(error(0, {1, int64_t(1) << 32}), "planned");
  EXPECT_EQ(error(0, {(int64_t(1) << 32) + 1, 16}),
            "kernel 'one': variant 'general' has no tensor map of 'A': extent "
            "4294967297 of dimension 0 is not from 1 to 4294967296");
}

TEST(TensorMap, NeedsNoneForAnEmptyGrid) {
  Json json = makeMappedTensor({"M", "N"}, "int8", {64, 64}, 64);
  json["axes"] = {{{"name", "bx"}, {"extent", "M"}}};
  TestKernel kernel(json);
  const tilert_plan *plan = kernel.plan(Tensor(nullptr, TILERT_INT8, {0, 100}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_grid(plan), 0);
  ASSERT_NE(mapOf(plan), nullptr);
  EXPECT_EQ(mapOf(plan)->rank, 0);
}

TEST(TensorMap, GuardsKeepTensorsAway) {
  Json json = makeMappedTensor({"M", "N"}, "int8", {64, 64}, 64);
  json["variants"].push_back(json["variants"][0]);
  json["variants"][1]["name"] = "copying";
  for (const char *member : {"requires", "tensor_maps"})
    json["variants"][1].erase(member);
  json["variants"][1]["arguments"].erase(0);
  json["variants"][0]["guards"] = {
      {{"expr", {"==", {"%", {"stride_bytes", "A", 0}, 16}, 0}},
       {"text", "rows of A are aligned"}}};
  TestKernel kernel(json);
  EXPECT_EQ(kernel.variant(Tensor(memoryAt(0), TILERT_INT8, {4, 32})),
            "general");
  EXPECT_EQ(kernel.variant(Tensor(memoryAt(0), TILERT_INT8, {4, 33})),
            "copying");
}

/// The failure to load a mapped tensor after `change` to its variant.
template <typename Change> std::string errorAfter(Change change) {
  Json kernel = makeMappedTensor({"M", "N"}, "bf16", {64, 64}, 128);
  change(kernel["variants"][0]);
  return loadError(makeManifest(kernel).dump());
}

TEST(TensorMap, IsCheckedWhenLoaded) {
  auto errorOf = [](const char *member, const Json &value) {
    return errorAfter(
        [&](Json &variant) { variant["tensor_maps"][0][member] = value; });
  };
  const std::string place = "manifest: /kernels/0/variants/0/tensor_maps/0/";
  EXPECT_EQ(errorOf("note", 1), "loaded");
  EXPECT_EQ(errorOf("tensor", "M"),
            place + "tensor: 'M' is no tensor parameter");
  EXPECT_EQ(errorOf("swizzle", 16),
            place + "swizzle: 16 is none of 0, 32, 64, 128");
  EXPECT_EQ(errorOf("l2_promotion", 512),
            place + "l2_promotion: 512 is none of 0, 64, 128, 256");
  EXPECT_EQ(errorOf("box", {64}), place + "box: 1 extents, 'A' has rank 2");
  EXPECT_EQ(errorOf("box", {257, 64}),
            place + "box/0: 257 is not from 1 to 256");
  EXPECT_EQ(errorOf("box", {64, 0}), place + "box/1: 0 is not from 1 to 256");
  EXPECT_EQ(errorOf("box", {64, 12}),
            place + "box: a row of 24 bytes is no multiple of 16 or exceeds "
                    "the swizzle");
  EXPECT_EQ(errorOf("box", {64, 72}),
            place + "box: a row of 144 bytes is no multiple of 16 or exceeds "
                    "the swizzle");
  EXPECT_EQ(
      errorAfter([](Json &variant) { variant["arguments"][0]["index"] = 1; }),
      "manifest: /kernels/0/variants/0/arguments/0/index: 1 is not from "
      "0 to 0");
  EXPECT_EQ(errorAfter([](Json &variant) { variant.erase("tensor_maps"); }),
            "manifest: /kernels/0/variants/0/arguments/0/index: 0 is not from "
            "0 to -1");
}

TEST(TensorMap, SurvivesAnyReplacedValue) {
  Json kernel = makeMappedTensor({"M", "N"}, "bf16", {64, 64}, 128);
  kernel["variants"][0]["blocks"] = {"min", "M", "sm_count"};
  Json manifest = makeManifest(kernel);
  Json flat = manifest.flatten();
  int refused = 0;
  for (const auto &[path, value] : flat.items())
    for (const Json &other :
         {Json(), Json(-1), Json(1.5), Json("?"), Json(true), Json::array(),
          Json::object(), Json(UINT64_MAX), Json::parse("[[1]]")}) {
      Json changed = manifest;
      changed[Json::json_pointer(path)] = other;
      std::string message = loadError(changed.dump());
      refused += message != "loaded";
      if (message != "loaded") {
        EXPECT_EQ(message.substr(0, 11), "manifest: /") << path << other;
      }
    }
  EXPECT_GT(refused, 200);
}

/// A packed tensor in tiles of 64x32, with a map of its memory.
Json makePackedMap(const char *dtype, int row, const Json &box, int along = 1) {
  Json member = {{"prepack",
                  {{"tile", {64, 32}},
                   {"order", {{1, 1, 32}, {0, 1, 64}}},
                   {"along", along},
                   {"row", row},
                   {"tag", "0x00000000000000ab"},
                   {"packer", "pack"},
                   {"unpacker", "unpack"}}}};
  return makeMappedTensor({"N", "K"}, dtype, box, 0, member);
}

TEST(TensorMap, DescribesPackedMemory) {
  // 16 rows of 128 elements, 64 bytes, a tile.
  TestKernel kernel(makePackedMap("int4", 128, {1, 16, 64}));
  const tilert_tensor_map *map =
      mapOf(kernel.plan(Tensor(memoryAt(0x40), TILERT_INT4, {100, 96})));
  ASSERT_NE(map, nullptr) << kernel.message;
  EXPECT_EQ(map->rank, 3);
  EXPECT_EQ(map->element_bytes, 1);
  EXPECT_EQ(boxOf(*map), (Sizes{64, 16, 1}));
  EXPECT_EQ(extentsOf(*map), (Sizes{64, 3 * 16, 2}));
  EXPECT_EQ(stridesOf(*map), (Sizes{64, 64 * 48}));
  // Two tiles along N are neighbours, three along K lie behind each other.
  TestKernel turned(makePackedMap("int4", 128, {1, 16, 64}, 0));
  map = mapOf(turned.plan(Tensor(memoryAt(0x40), TILERT_INT4, {100, 96})));
  ASSERT_NE(map, nullptr) << turned.message;
  EXPECT_EQ(extentsOf(*map), (Sizes{64, 2 * 16, 3}));
  EXPECT_EQ(stridesOf(*map), (Sizes{64, 64 * 32}));
  TestKernel wide(makePackedMap("bf16", 64, {1, 32, 64}));
  map = mapOf(wide.plan(Tensor(memoryAt(0x40), TILERT_BF16, {1, 1})));
  ASSERT_NE(map, nullptr) << wide.message;
  EXPECT_EQ(extentsOf(*map), (Sizes{64, 32, 1}));
  EXPECT_EQ(stridesOf(*map), (Sizes{128, 128 * 32}));
  EXPECT_EQ(
      wide.error(Tensor(nullptr, TILERT_BF16, {0, 1})),
      "kernel 'one': variant 'general' has no tensor map of 'A': extent 0 "
      "of dimension 0 is not from 1 to 4294967296");
  EXPECT_EQ(loadError(makeManifest(makePackedMap("bf16", 64, {32, 64})).dump()),
            "manifest: /kernels/0/variants/0/tensor_maps/0/box: 2 extents, 'A' "
            "has rank 3 in memory");
}

} // namespace
