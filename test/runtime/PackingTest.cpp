//===-- PackingTest.cpp - The order of prepacked tensors ------------------===//

#include "TestManifest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace tilert;
using namespace tilert::test;

namespace {

using Bytes = std::vector<uint8_t>;

/// A kernel with one prepacked tensor A, in tiles of an order.
Json makePacked(const Json &dims, const char *dtype, const Json &tile,
                const Json &order, const Json &extra = {}, int along = -1) {
  Json member = {{"prepack",
                  {{"tile", tile},
                   {"order", order},
                   {"row", 16},
                   {"tag", "0x00000000000000ab"},
                   {"packer", "one__pack_A"},
                   {"unpacker", "one__unpack_A"}}}};
  if (along >= 0)
    member["prepack"]["along"] = along;
  if (!extra.is_null())
    member.update(extra);
  Json kernel = makeOneTensor(dims, dtype, member);
  kernel["requires"] = {"prepack"};
  if (along >= 0)
    kernel["requires"].push_back("along");
  return kernel;
}

/// Tiles of 4x8: pairs of rows side by side, then columns, then the other rows.
const Json tile = {4, 8};
const Json order = {{0, 1, 2}, {1, 1, 8}, {0, 2, 2}};

/// The shape of a plain tensor, whose memory may be missing.
struct Plain {
  std::vector<int64_t> sizes;
  Bytes bytes;
  tilert_tensor tensor(tilert_dtype dtype) {
    return {bytes.data(),        dtype,   int32_t(sizes.size()),
            sizes.data(),        nullptr, TILERT_DEVICE_HOST,
            TILERT_ORDER_UNKNOWN};
  }
};

/// The bytes that a tensor packs to; the failure in `message`.
Bytes pack(const TestKernel &kernel, const tilert_tensor &plain,
           std::string *message = nullptr) {
  size_t bytes = 0;
  tilert_status *status = nullptr;
  tilert_prepack_size(kernel.get(), "A", &plain, &bytes, &status);
  Bytes packed(bytes, 0xEE);
  if (!status)
    tilert_prepack_host(kernel.get(), "A", &plain, packed.data(), &status);
  if (message)
    *message = tilert_status_message(status);
  else
    EXPECT_STREQ(tilert_status_message(status), "");
  tilert_status_destroy(status);
  return packed;
}

std::string sizeError(const TestKernel &kernel, const char *parameter,
                      const tilert_tensor &plain) {
  size_t bytes = 0;
  tilert_status *status = nullptr;
  tilert_prepack_size(kernel.get(), parameter, &plain, &bytes, &status);
  std::string message = status ? tilert_status_message(status) : "measured";
  tilert_status_destroy(status);
  return message;
}

TEST(Packing, PutsTilesOneBehindTheOther) {
  TestKernel kernel(makePacked({"M", "N"}, "uint8", tile, order));
  // Element [r, c] is 16 * r + c.
  Plain plain{{4, 16}, Bytes(64)};
  for (int i = 0; i < 64; ++i)
    plain.bytes[i] = uint8_t(i / 16 * 16 + i % 16);
  Bytes packed = pack(kernel, plain.tensor(TILERT_UINT8));
  ASSERT_EQ(packed.size(), 64u);
  EXPECT_EQ(Bytes(packed.begin(), packed.begin() + 6),
            (Bytes{0x00, 0x10, 0x01, 0x11, 0x02, 0x12}));
  EXPECT_EQ(packed[16], 0x20);
  EXPECT_EQ(packed[17], 0x30);
  EXPECT_EQ(packed[32], 0x08) << "the second tile";
}

TEST(Packing, PutsTilesAlongOneDimensionFirst) {
  // Element [b, r, c] is 128 * b + 16 * r + c: two times two tiles.
  Plain plain{{2, 8, 16}, Bytes(256)};
  std::iota(plain.bytes.begin(), plain.bytes.end(), uint8_t(0));
  auto firsts = [&](int along) {
    TestKernel kernel(
        makePacked({"B", "M", "N"}, "uint8", tile, order, {}, along));
    Bytes packed = pack(kernel, plain.tensor(TILERT_UINT8));
    Bytes found;
    for (size_t at = 0; at < packed.size(); at += 32)
      found.push_back(packed[at]);
    return found;
  };
  EXPECT_EQ(firsts(-1), (Bytes{0, 8, 64, 72, 128, 136, 192, 200}));
  EXPECT_EQ(firsts(1), firsts(-1));
  EXPECT_EQ(firsts(0), (Bytes{0, 64, 8, 72, 128, 192, 136, 200}));
}

TEST(Packing, FillsUpTheLastTiles) {
  TestKernel kernel(makePacked({"M", "N"}, "int8", tile, order));
  Plain plain{{5, 3}, Bytes(15, 7)};
  Bytes packed = pack(kernel, plain.tensor(TILERT_INT8));
  ASSERT_EQ(packed.size(), 64u);
  EXPECT_EQ(std::count(packed.begin(), packed.end(), 7), 15);
  EXPECT_EQ(std::count(packed.begin(), packed.end(), 0), 49);
  // A scale that is nowhere is 1.
  TestKernel scales(makePacked({"M", "N"}, "e8m0", tile, order));
  packed = pack(scales, plain.tensor(TILERT_E8M0));
  EXPECT_EQ(std::count(packed.begin(), packed.end(), 127), 49);
}

/// Packs and unpacks every byte, in shapes with tails.
void checkRoundTrip(const char *dtype, const Json &extra, int along = -1) {
  tilert_dtype type;
  ASSERT_EQ(tilert_dtype_from_name(dtype, &type), 1);
  for (std::vector<int64_t> sizes : std::vector<std::vector<int64_t>>{
           {2, 4, 8}, {1, 1, 1}, {3, 5, 17}, {1, 16, 64}, {2, 3, 37}}) {
    TestKernel kernel(
        makePacked({"B", "M", "N"}, dtype, tile, order, extra, along));
    int pack4 = extra.contains("pack") ? int(extra["pack"]) : -1;
    std::vector<int64_t> stored = sizes;
    if (pack4 >= 0)
      stored[size_t(pack4)] = (stored[size_t(pack4)] + 1) / 2;
    int64_t count = std::accumulate(stored.begin(), stored.end(), int64_t(1),
                                    std::multiplies<int64_t>()) *
                    std::max(tilert_dtype_bits(type), 8) / 8;
    Plain plain{sizes, Bytes(size_t(count))};
    for (size_t i = 0; i < plain.bytes.size(); ++i)
      plain.bytes[i] = uint8_t(i * 7 + 3);
    Bytes packed = pack(kernel, plain.tensor(type));
    Plain back{sizes, Bytes(size_t(count), 0xFF)};
    tilert_tensor target = back.tensor(type);
    EXPECT_EQ(
        tilert_unpack_host(kernel.get(), "A", packed.data(), &target, nullptr),
        TILERT_OK);
    // What is spare in an odd row does not come back.
    if (pack4 >= 0 && sizes[size_t(pack4)] % 2) {
      int64_t inner = 1;
      for (size_t dim = size_t(pack4) + 1; dim < 3; ++dim)
        inner *= stored[dim];
      for (int64_t i = 0; i < count; ++i)
        if (i / inner % stored[size_t(pack4)] == stored[size_t(pack4)] - 1)
          plain.bytes[size_t(i)] &= 15;
    }
    EXPECT_EQ(back.bytes, plain.bytes) << dtype << " " << sizes[1];
    EXPECT_EQ(pack(kernel, back.tensor(type)), packed);
  }
}

TEST(Packing, ComesBackAsItWas) {
  for (const char *dtype : {"int8", "bf16", "f32", "f64", "fp8_e4m3", "e8m0"})
    checkRoundTrip(dtype, Json::object());
  for (const char *dtype : {"int4", "uint4", "fp4_e2m1"})
    for (int dim : {1, 2})
      for (int along : {0, 1})
        checkRoundTrip(dtype, {{"pack", dim}}, along);
}

TEST(Packing, TakesStorageOfPackedElements) {
  TestKernel kernel(makePacked({"M", "N"}, "int4", tile, order, {{"pack", 1}}));
  Plain plain{{4, 8}, Bytes(16)};
  std::iota(plain.bytes.begin(), plain.bytes.end(), uint8_t(0x21));
  Bytes packed = pack(kernel, plain.tensor(TILERT_INT4));
  EXPECT_EQ(packed.size(), 16u);
  plain.sizes = {4, 4};
  EXPECT_EQ(pack(kernel, plain.tensor(TILERT_UINT8)), packed);
}

TEST(Packing, BindsAsManyBytesAsThereAre) {
  TestKernel kernel(makePacked({"M", "N"}, "bf16", tile, order));
  Tensor plain(memoryAt(0), TILERT_BF16, {5, 9});
  const tilert_parameter *parameter = tilert_kernel_parameter(kernel.get(), 0);
  EXPECT_EQ(parameter->order, 0xabu);
  const tilert_plan *plan =
      kernel.plan(plain.packedAt(memoryAt(0x100), parameter->order));
  ASSERT_NE(plan, nullptr) << kernel.message;
  const tilert_bound_tensor *bound = tilert_plan_tensor(plan, 0);
  EXPECT_EQ(bound->data, memoryAt(0x100));
  EXPECT_EQ(bound->bytes, 2 * 2 * 32 * 2);
  EXPECT_EQ(bound->sizes[0], 5);
  Tensor empty(nullptr, TILERT_BF16, {0, 9});
  plan = kernel.plan(empty);
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->bytes, 0);
}

TEST(Packing, RefusesOtherOrders) {
  TestKernel kernel(makePacked({"M", "N"}, "bf16", tile, order));
  Tensor plain(memoryAt(0), TILERT_BF16, {5, 9});
  // What nobody told is taken.
  EXPECT_EQ(kernel.error(plain), "planned");
  EXPECT_EQ(
      kernel.error(plain.packedAt(memoryAt(0), TILERT_ORDER_PLAIN)),
      "kernel 'one': argument 'A' is a plain tensor, expected one that is "
      "packed by tilert_prepack");
  EXPECT_EQ(
      kernel.error(plain.packedAt(memoryAt(0), 0xcd)),
      "kernel 'one': argument 'A' is packed in order 0xcd, expected 0xab: "
      "it was packed for another target or config");
  TestKernel other(makeOneTensor({"M", "N"}, "bf16"));
  EXPECT_EQ(other.error(plain.packedAt(memoryAt(0), 0xcd)),
            "kernel 'one': argument 'A' is packed in order 0xcd, expected a "
            "plain tensor");
  EXPECT_EQ(other.error(plain.packedAt(memoryAt(0), TILERT_ORDER_PLAIN)),
            "planned");
}

TEST(Packing, SaysWhatCannotBePacked) {
  TestKernel kernel(makePacked({"M", "N"}, "bf16", tile, order));
  Plain plain{{4, 8}, Bytes(64)};
  tilert_tensor tensor = plain.tensor(TILERT_BF16);
  EXPECT_EQ(sizeError(kernel, "A", tensor), "measured");
  EXPECT_EQ(sizeError(kernel, "B", tensor),
            "kernel 'one': there is no parameter 'B', only A");
  tensor.dtype = TILERT_F16;
  EXPECT_EQ(sizeError(kernel, "A", tensor),
            "kernel 'one': argument 'A' is f16, expected bf16");
  tensor.dtype = TILERT_BF16;
  tensor.order = 0xab;
  EXPECT_EQ(sizeError(kernel, "A", tensor),
            "kernel 'one': argument 'A' is packed already, expected a plain "
            "tensor");
  tensor.order = TILERT_ORDER_PLAIN;
  EXPECT_EQ(sizeError(kernel, "A", tensor), "measured");
  std::vector<int64_t> strides{16, 1};
  tensor.strides = strides.data();
  EXPECT_EQ(
      sizeError(kernel, "A", tensor),
      "kernel 'one': argument 'A' is declared dense, but has shape [4, 8] "
      "and strides [16, 1], dense strides are [8, 1]");
  tensor.strides = nullptr;
  std::vector<int64_t> huge{int64_t(1) << 62, 1};
  tensor.sizes = huge.data();
  EXPECT_NE(sizeError(kernel, "A", tensor).find("is larger than the address"),
            std::string::npos);
  tensor.sizes = plain.sizes.data();
  EXPECT_EQ(tilert_prepack_host(kernel.get(), "A", &tensor, nullptr, nullptr),
            TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(tilert_prepack_host(nullptr, "A", &tensor, &tensor, nullptr),
            TILERT_INVALID_ARGUMENT);
  TestKernel other(makeOneTensor({"M", "N"}, "bf16"));
  EXPECT_EQ(sizeError(other, "A", tensor),
            "kernel 'one': parameter 'A' is not prepacked, and none is");
}

TEST(Packing, ChecksTheManifest) {
  auto error = [](const char *member, const Json &value,
                  const char *dtype = "int8") {
    Json kernel = makePacked({"M", "N"}, dtype, tile, order);
    kernel["parameters"][0]["prepack"][member] = value;
    return loadError(makeManifest(kernel).dump());
  };
  std::string at = "manifest: /kernels/0/parameters/0/prepack/";
  EXPECT_EQ(error("tile", {4, 8}), "loaded");
  EXPECT_EQ(error("tile", {4, 8, 2}), at + "tile: 3 extents, 'A' has rank 2");
  EXPECT_EQ(error("tile", {4096, 8192}),
            at + "tile: more than 16777216 elements");
  EXPECT_EQ(error("tile", {4, 9}),
            at + "order: the digits do not count through the tile");
  EXPECT_EQ(error("order", {{0, 1, 4}, {1, 2, 8}}),
            at + "order: the digits do not count through the tile");
  EXPECT_EQ(error("order", {{0, 1}}),
            at + "order/0: expected [dimension, stride, count]");
  EXPECT_EQ(error("along", 0), "loaded");
  EXPECT_EQ(error("along", 2), at + "along: 2 is not from 0 to 1");
  EXPECT_EQ(error("row", 24), at + "row: rows of 24 elements do not make up a "
                                   "tile");
  EXPECT_EQ(error("tag", "0x1"),
            at + "tag: expected a hex number above 1, found '0x1'");
  EXPECT_EQ(error("tag", "ab"),
            at + "tag: expected a hex number above 1, found 'ab'");
  EXPECT_EQ(error("packer", ""),
            at + "packer: expected a name, found an empty string");
  Json odd = makePacked({"M", "N"}, "int4", {1, 3}, {{1, 1, 3}});
  EXPECT_EQ(loadError(makeManifest(odd).dump()),
            at + "tile: a tile is no whole number of bytes");
  Json apart = makePacked({"B", "N"}, "int4", {8}, {{0, 1, 8}}, {{"pack", 0}});
  EXPECT_EQ(loadError(makeManifest(apart).dump()),
            at + "tile: elements share bytes along a dimension without extent");
}

TEST(Packing, KeepsHelpersApart) {
  Json manifest = makeManifest(makePacked({"M", "N"}, "int8", tile, order));
  manifest["helpers"] = Json::array({makeScaleKernel()});
  std::shared_ptr<tilert_module> module = loadManifest(manifest.dump());
  EXPECT_EQ(tilert_module_kernel_count(module.get()), 1u);
  const tilert_kernel *kernel = nullptr;
  EXPECT_EQ(tilert_kernel_get(module.get(), nullptr, &kernel, nullptr),
            TILERT_OK);
  EXPECT_STREQ(tilert_kernel_name(kernel), "one");
  EXPECT_EQ(tilert_kernel_get(module.get(), "scale", &kernel, nullptr),
            TILERT_OK);
  manifest["helpers"][0]["name"] = "one";
  EXPECT_EQ(loadError(manifest.dump()),
            "manifest: /helpers/0: a second kernel is called 'one'");
}

} // namespace
