//===-- PrepackLaunchTest.cpp - Packing on a device -----------------------===//

#include "LaunchFixture.h"

using namespace tilert;
using namespace tilert::test;

namespace {

/// Packs int4[M, N] in tiles of 4x8, or unpacks it.
Json makeHelper(const std::string &name, bool packs) {
  Json kernel = Json::parse(R"json({
    "parameters": [
      {"kind": "scalar", "name": "e0", "dtype": "int64"},
      {"kind": "scalar", "name": "e1", "dtype": "int64"},
      {"kind": "tensor", "name": "plain", "dtype": "uint8", "access": "in",
       "dims": ["e0", ["ceildiv", "e1", 2]]},
      {"kind": "tensor", "name": "packed", "dtype": "uint8", "access": "in",
       "dims": [["ceildiv", "e0", 4], ["ceildiv", "e1", 8], 16]}],
    "symbols": [], "checks": [],
    "axes": [{"name": "t0", "extent": ["ceildiv", "e0", 4]}],
    "variants": [
      {"name": "general", "guards": [], "threads": 128, "shared_bytes": 0,
       "arguments": [{"kind": "tensor", "name": "plain"},
                     {"kind": "tensor", "name": "packed"},
                     {"kind": "scalar", "name": "e0"},
                     {"kind": "scalar", "name": "e1"}]}]})json");
  kernel["name"] = kernel["variants"][0]["symbol"] = name;
  kernel["parameters"][packs ? 3 : 2]["access"] = "out";
  if (!packs)
    std::swap(kernel["parameters"][2], kernel["parameters"][3]);
  return kernel;
}

class PrepackLaunch : public LaunchFixture {
protected:
  void SetUp() override {
    LaunchFixture::SetUp();
    for (const char *name : {"one__pack_A", "one__unpack_A"})
      state.parameterBytes[name] = {8, 8, 8, 8};
  }

  Module loadPacked(bool withHelpers = true) {
    Json kernel = makeOneTensor({"M", "N"}, "int4",
                                {{"pack", 1},
                                 {"prepack",
                                  {{"tile", {4, 8}},
                                   {"order", {{1, 1, 8}, {0, 1, 4}}},
                                   {"row", 32},
                                   {"tag", "0x00000000000000ab"},
                                   {"packer", "one__pack_A"},
                                   {"unpacker", "one__unpack_A"}}}});
    Json manifest = makeManifest(kernel);
    if (withHelpers)
      manifest["helpers"] = {makeHelper("one__pack_A", true),
                             makeHelper("one__unpack_A", false)};
    manifest["hashes"]["cubin"] =
        "sha256:" + detail::hashSha256({cubin, sizeof cubin});
    return Module(manifest.dump(), cubin, sizeof cubin);
  }

  fakecuda::Stream stream{&state.devices[0].primary};
};

TEST_F(PrepackLaunch, LaunchesThePacker) {
  Module module = loadPacked();
  Kernel kernel = module.kernel();
  Tensor plain(memoryAt(0), TILERT_INT4, {9, 13}, int32_t(0));
  EXPECT_EQ(kernel.prepackSize("A", plain), 3u * 2 * 16);
  Tensor packed = kernel.prepack("A", plain, memoryAt(0x1000), &stream);
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(state.launches[0].function, "one__pack_A");
  EXPECT_EQ(state.launches[0].grid[0], 3u);
  EXPECT_EQ(state.launches[0].parameters,
            (std::vector<uint64_t>{0x100000, 0x101000, 9, 13}));
  EXPECT_EQ(packed.argument().value.tensor.data, memoryAt(0x1000));
  EXPECT_EQ(packed.argument().value.tensor.order, 0xabu);
  EXPECT_EQ(packed.argument().value.tensor.sizes[1], 13);
}

TEST_F(PrepackLaunch, LaunchesTheUnpacker) {
  Module module = loadPacked();
  const tilert_argument plain =
      Tensor(memoryAt(0), TILERT_INT4, {9, 13}, int32_t(0)).argument();
  EXPECT_EQ(tilert_unpack(module.kernel().get(), "A", memoryAt(0x1000),
                          &plain.value.tensor, &stream, nullptr),
            TILERT_OK);
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(state.launches[0].function, "one__unpack_A");
  EXPECT_EQ(state.launches[0].parameters,
            (std::vector<uint64_t>{0x100000, 0x101000, 9, 13}));
}

TEST_F(PrepackLaunch, LaunchesNothingForAnEmptyTensor) {
  Module module = loadPacked();
  Tensor plain(nullptr, TILERT_INT4, {0, 13});
  module.kernel().prepack("A", plain, nullptr, &stream);
  EXPECT_TRUE(state.launches.empty());
}

TEST_F(PrepackLaunch, SaysWhatIsMissing) {
  auto error = [&](const Module &module, void *packed, int32_t device) {
    Tensor plain(memoryAt(0), TILERT_INT4, {9, 13}, device);
    try {
      module.kernel().prepack("A", plain, packed, &stream);
      return std::string("packed");
    } catch (const Error &failure) {
      return std::string(failure.what());
    }
  };
  EXPECT_EQ(error(loadPacked(), memoryAt(0x1000), 0), "packed");
  EXPECT_EQ(error(loadPacked(), nullptr, 0), "packed is NULL");
  EXPECT_EQ(error(loadPacked(false), memoryAt(0x1000), 0),
            "the module has no helper 'one__pack_A'");
  EXPECT_EQ(error(loadPacked(), memoryAt(0x1000), TILERT_DEVICE_HOST),
            "kernel 'one__pack_A': argument 'plain' is in host memory");
}

} // namespace
