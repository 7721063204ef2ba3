//===-- TensorMapLaunchTest.cpp - Encoding and caching of tensor maps -----===//

#include "LaunchFixture.h"

#include <thread>

using namespace tilert;
using namespace tilert::test;

namespace {

using Words = std::vector<uint32_t>;
using Sizes = std::vector<uint64_t>;

/// Launches kernels whose function takes a map of A and its address.
class TensorMapLaunch : public LaunchFixture {
protected:
  void SetUp() override {
    LaunchFixture::SetUp();
    state.encodings.clear();
    state.parameterBytes["one"] = {128, 8};
  }

  /// "launched", or the failure. The tensors of a test start at an address of
  /// its own, since maps are kept for the life of the thread.
  std::string launch(const Kernel &kernel, const Tensor &a) {
    try {
      kernel.launch(&stream, a);
      return "launched";
    } catch (const Error &error) {
      code = error.code();
      return error.what();
    }
  }

  /// Launches and gives the encoding that the function was passed.
  const fakecuda::Encoding &encodingOf(const Kernel &kernel, const Tensor &a) {
    EXPECT_EQ(launch(kernel, a), "launched");
    return state.encodings[state.launches.back().parameters[0]];
  }

  int countEncodings() const { return state.count("cuTensorMapEncodeTiled"); }

  fakecuda::Stream stream{&state.devices[0].primary};
};

TEST_F(TensorMapLaunch, PassesEverythingToTheDriver) {
  Module module =
      load(makeMappedTensor({"B", "M", "N"}, "bf16", {1, 128, 64}, 128));
  Tensor a(memoryAt(0x1000), TILERT_BF16, {3, 100, 80});
  EXPECT_EQ(launch(module.kernel(), a), "launched");
  ASSERT_EQ(state.encodings.size(), 1u);
  const fakecuda::Encoding &encoding = state.encodings[0];
  EXPECT_EQ(encoding.dataType, 9);
  EXPECT_EQ(encoding.address, 0x101000u);
  EXPECT_EQ(encoding.extents, (Sizes{80, 100, 3}));
  EXPECT_EQ(encoding.strides, (Sizes{160, 16000}));
  EXPECT_EQ(encoding.box, (Words{64, 128, 1}));
  EXPECT_EQ(encoding.steps, (Words{1, 1, 1}));
  EXPECT_EQ(encoding.interleave, 0);
  EXPECT_EQ(encoding.swizzle, 3);
  EXPECT_EQ(encoding.l2Promotion, 3);
  EXPECT_EQ(encoding.fill, 0);
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(state.launches[0].parameters, (Sizes{0, 0x101000}));
}

TEST_F(TensorMapLaunch, KnowsTheTypesOfTheDriver) {
  auto typeOf = [&](tilert_dtype dtype) {
    Module module = load(
        makeMappedTensor({"M", "N"}, tilert_dtype_name(dtype), {8, 16}, 0));
    Tensor a(memoryAt(0x2000), dtype, {8, 64});
    return encodingOf(module.kernel(), a).dataType;
  };
  for (tilert_dtype dtype : {TILERT_BOOL, TILERT_INT8, TILERT_UINT8,
                             TILERT_FP8_E4M3, TILERT_FP8_E5M2, TILERT_E8M0})
    EXPECT_EQ(typeOf(dtype), 0) << tilert_dtype_name(dtype);
  EXPECT_EQ(typeOf(TILERT_INT16), 1);
  EXPECT_EQ(typeOf(TILERT_UINT16), 1);
  EXPECT_EQ(typeOf(TILERT_UINT32), 2);
  EXPECT_EQ(typeOf(TILERT_INT32), 3);
  EXPECT_EQ(typeOf(TILERT_UINT64), 4);
  EXPECT_EQ(typeOf(TILERT_INT64), 5);
  EXPECT_EQ(typeOf(TILERT_F16), 6);
  EXPECT_EQ(typeOf(TILERT_F32), 7);
  EXPECT_EQ(typeOf(TILERT_TF32), 7);
  EXPECT_EQ(typeOf(TILERT_F64), 8);
  EXPECT_EQ(typeOf(TILERT_BF16), 9);
}

TEST_F(TensorMapLaunch, PassesPackedTensorsAsBytes) {
  Module module = load(makeMappedTensor({"N", "K"}, "int4", {128, 32}, 32));
  Tensor storage(memoryAt(0x3000), TILERT_UINT8, {512, 64});
  Tensor elements(memoryAt(0x3000), TILERT_INT4, {512, 128});
  for (const Tensor &a : {storage, elements}) {
    const fakecuda::Encoding &encoding = encodingOf(module.kernel(), a);
    EXPECT_EQ(encoding.dataType, 0);
    EXPECT_EQ(encoding.extents, (Sizes{64, 512}));
    EXPECT_EQ(encoding.strides, Sizes{64});
    EXPECT_EQ(encoding.box, (Words{32, 128}));
    EXPECT_EQ(encoding.swizzle, 1);
  }
}

TEST_F(TensorMapLaunch, EncodesEachMapOnce) {
  Json json =
      makeMappedTensor({"M", "N"}, "f16", {64, 32}, 64, {{"strided", true}});
  Module module = load(json);
  json["variants"][0]["tensor_maps"][0]["box"] = {32, 32};
  Module otherBox = load(json);
  json["variants"][0]["tensor_maps"][0]["swizzle"] = 128;
  Module otherSwizzle = load(json);
  json["variants"][0]["tensor_maps"][0]["l2_promotion"] = 0;
  Module otherPromotion = load(json);
  json["parameters"][0]["dtype"] = "bf16";
  Module otherType = load(json);

  Tensor a(memoryAt(0x4000), TILERT_F16, {100, 80});
  Tensor otherAddress(memoryAt(0x4010), TILERT_F16, {100, 80});
  Tensor otherExtent(memoryAt(0x4000), TILERT_F16, {101, 80});
  Tensor otherStride(memoryAt(0x4000), TILERT_F16, {100, 80}, {96, 1});
  Tensor b(memoryAt(0x4000), TILERT_BF16, {100, 80});
  auto launchAll = [&] {
    EXPECT_EQ(encodingOf(module.kernel(), a).l2Promotion, 3);
    EXPECT_EQ(encodingOf(module.kernel(), otherAddress).address, 0x104010u);
    EXPECT_EQ(encodingOf(module.kernel(), otherExtent).extents,
              (Sizes{80, 101}));
    EXPECT_EQ(encodingOf(module.kernel(), otherStride).strides, Sizes{192});
    EXPECT_EQ(encodingOf(otherBox.kernel(), a).box, (Words{32, 32}));
    EXPECT_EQ(encodingOf(otherSwizzle.kernel(), a).swizzle, 3);
    EXPECT_EQ(encodingOf(otherPromotion.kernel(), a).l2Promotion, 0);
    EXPECT_EQ(encodingOf(otherType.kernel(), b).dataType, 9);
  };
  launchAll();
  EXPECT_EQ(countEncodings(), 8);
  launchAll();
  EXPECT_EQ(countEncodings(), 8);
  // Another device may encode in another way.
  stream.context = &state.devices[1].primary;
  launchAll();
  EXPECT_EQ(countEncodings(), 16);
}

TEST_F(TensorMapLaunch, NeitherWaitsNorEncodesAgain) {
  Module module = load(makeMappedTensor({"M", "N"}, "f16", {64, 32}, 64));
  Current current(&state.devices[0].primary);
  Tensor a(memoryAt(0x5000), TILERT_F16, {100, 80});
  launch(module.kernel(), a);
  forgetCalls();
  EXPECT_EQ(launch(module.kernel(), a), "launched");
  EXPECT_EQ(state.calls,
            (std::vector<std::string>{"cuCtxGetCurrent", "cuStreamGetCtx",
                                      "cuCtxGetId", "cuLaunchKernel"}));
}

TEST_F(TensorMapLaunch, KeepsABoundedNumberOfMaps) {
  Module module = load(makeMappedTensor({"M", "N"}, "int8", {64, 64}, 64));
  Kernel kernel = module.kernel();
  constexpr int count = 5000;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < count; ++i) {
      Tensor a(memoryAt(0x10000000 + uintptr_t(i) * 16), TILERT_INT8, {4, 64});
      ASSERT_EQ(encodingOf(kernel, a).address, 0x10100000u + uint64_t(i) * 16);
    }
  EXPECT_GT(countEncodings(), count);
  // As many as the layers of a model are all kept.
  constexpr int layers = 480;
  for (int round = 0; round < 3; ++round) {
    forgetCalls();
    for (int i = 0; i < layers; ++i)
      launch(kernel, Tensor(memoryAt(0x20000000 + uintptr_t(i) * 0x1240000),
                            TILERT_INT8, {4, 64}));
  }
  EXPECT_LT(countEncodings(), layers / 10);
}

TEST_F(TensorMapLaunch, EncodesForEveryMapOfAVariant) {
  Json json = makeScaleKernel();
  Json &variant = json["variants"][0];
  for (const char *tensor : {"x", "y"})
    variant["tensor_maps"].push_back({{"tensor", tensor},
                                      {"box", {128}},
                                      {"swizzle", 0},
                                      {"l2_promotion", 128}});
  variant["arguments"].push_back({{"kind", "tensor_map"}, {"index", 1}});
  variant["arguments"].push_back({{"kind", "tensor_map"}, {"index", 0}});
  state.parameterBytes["scale__general"] = {8, 8, 8, 4, 128, 128};
  Module module = load(json);
  EXPECT_EQ(LaunchFixture::launch(module.kernel(), &stream), "launched");
  const std::vector<uint64_t> &passed = state.launches[0].parameters;
  EXPECT_EQ(passed[0], 0x100000u);
  EXPECT_EQ(state.encodings[passed[4]].address, 0x110000u);
  EXPECT_EQ(state.encodings[passed[5]].address, 0x100000u);
  EXPECT_EQ(state.encodings[passed[5]].strides, Sizes{});
  EXPECT_EQ(state.encodings[passed[5]].l2Promotion, 2);
}

TEST_F(TensorMapLaunch, LaunchesTheBlocksOfTheVariant) {
  Json json = makeScaleKernel();
  json["variants"][0]["requires"] = {"blocks"};
  json["variants"][0]["blocks"] = {"min", {"ceildiv", "N", 128}, "sm_count"};
  Module module = load(json);
  state.devices[0].smCount = 3;
  auto launchScale = [&](int64_t count) {
    EXPECT_EQ(LaunchFixture::launch(module.kernel(), &stream, TILERT_DEVICE_ANY,
                                    count),
              "launched");
  };
  launchScale(1000);
  launchScale(200);
  launchScale(0);
  state.devices[0].smCount = 132;
  ASSERT_EQ(state.launches.size(), 2u);
  EXPECT_EQ(state.launches[0].grid[0], 3u);
  EXPECT_EQ(state.launches[1].grid[0], 2u);
}

TEST_F(TensorMapLaunch, ReportsWhatTheDriverDoesNotEncode) {
  Module module = load(makeMappedTensor({"M", "N"}, "f16", {64, 32}, 64));
  Tensor a(memoryAt(0x6000), TILERT_F16, {100, 80});
  state.failures = {{"cuTensorMapEncodeTiled", 1}};
  EXPECT_EQ(launch(module.kernel(), a),
            "kernel 'one': variant 'general', tensor map of 'A' (address "
            "0x106000, extents [80, 100], strides [160] bytes, elements of 2 "
            "bytes, box [32, 64], swizzle 64, L2 promotion 256): "
            "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE (1)");
  EXPECT_EQ(code, TILERT_DRIVER_ERROR);
  EXPECT_TRUE(state.launches.empty());
  // The failure is not kept.
  state.failures.clear();
  EXPECT_EQ(encodingOf(module.kernel(), a).address, 0x106000u);
}

TEST_F(TensorMapLaunch, IsSafeFromManyThreads) {
  Module module = load(makeMappedTensor({"M", "N"}, "int8", {64, 64}, 64));
  Kernel kernel = module.kernel();
  auto tensorAt = [](int index) {
    return Tensor(memoryAt(0x7000 + uintptr_t(index) * 16), TILERT_INT8,
                  {4, 64});
  };
  Plan plan = kernel.plan(nullptr, tensorAt(0));
  constexpr int threads = 8, rounds = 200;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        kernel.launch(&stream, tensorAt(t * 3 + i % 3));
        plan.launch(&stream);
      }
    });
  for (std::thread &thread : running)
    thread.join();
  ASSERT_EQ(state.launches.size(), size_t(2 * threads * rounds));
  for (const fakecuda::Launch &launch : state.launches)
    EXPECT_EQ(state.encodings[launch.parameters[0]].address,
              launch.parameters[1]);
  // Each thread encodes its three maps and that of the plan.
  EXPECT_EQ(countEncodings(), threads * 4 - 1);
}

} // namespace
