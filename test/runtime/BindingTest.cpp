//===-- BindingTest.cpp - Fitting arguments to parameters -----------------===//

#include "TestManifest.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// Arguments of w4a8 for M = 100, K = 256, N = 512; tests change some.
struct W4A8 {
  TestKernel kernel{makeW4A8Kernel()};
  Tensor a{memoryAt(0), TILERT_INT8, {100, 256}};
  Tensor b{memoryAt(0x100000), TILERT_UINT4, {512, 256}};
  Tensor s{memoryAt(0x200000), TILERT_F16, {512, 2}};
  Tensor c{memoryAt(0x300000), TILERT_BF16, {100, 512}};

  std::string error() { return kernel.error(a, b, s, c, 1.0f); }
  const tilert_plan *plan() { return kernel.plan(a, b, s, c, 1.0f); }
};

TEST(Binding, BindsSymbolsAndPacksValues) {
  W4A8 call;
  const tilert_plan *plan =
      call.kernel.plan(call.a, call.b, call.s, call.c, 0.5f);
  ASSERT_NE(plan, nullptr) << call.kernel.message;
  const int64_t *symbols = tilert_plan_symbols(plan);
  EXPECT_EQ(symbols[0], 100);
  EXPECT_EQ(symbols[1], 256);
  EXPECT_EQ(symbols[2], 512);

  ASSERT_EQ(tilert_plan_value_count(plan), 8u);
  const tilert_value *values = tilert_plan_values(plan);
  auto pointerAt = [&](int i) {
    return *static_cast<void *const *>(values[i].value);
  };
  auto integerAt = [&](int i) {
    return *static_cast<const int64_t *>(values[i].value);
  };
  EXPECT_EQ(values[0].kind, TILERT_VALUE_TENSOR);
  EXPECT_STREQ(values[0].name, "A");
  EXPECT_EQ(values[0].bytes, 8);
  EXPECT_EQ(pointerAt(0), memoryAt(0));
  EXPECT_EQ(pointerAt(3), memoryAt(0x300000));
  EXPECT_EQ(values[4].kind, TILERT_VALUE_SYMBOL);
  EXPECT_STREQ(values[4].name, "M");
  EXPECT_EQ(integerAt(4), 100);
  EXPECT_EQ(integerAt(5), 256);
  EXPECT_EQ(integerAt(6), 512);
  EXPECT_EQ(values[7].kind, TILERT_VALUE_SCALAR);
  EXPECT_EQ(values[7].bytes, 4);
  EXPECT_EQ(*static_cast<const float *>(values[7].value), 0.5f);
}

TEST(Binding, CountsArguments) {
  W4A8 call;
  EXPECT_EQ(call.kernel.error(call.a, call.b),
            "kernel 'w4a8': takes 5 arguments (A, B, S, C, scale), got 2");
  EXPECT_EQ(call.kernel.code, TILERT_INVALID_ARGUMENT);
  EXPECT_EQ(call.kernel.error(),
            "kernel 'w4a8': takes 5 arguments (A, B, S, C, scale), got 0");
}

TEST(Binding, ChecksKindAndDtype) {
  W4A8 call;
  EXPECT_EQ(
      call.kernel.error(1.0f, call.b, call.s, call.c, 1.0f),
      "kernel 'w4a8': argument 'A' is a scalar, expected a tensor of int8");
  EXPECT_EQ(
      call.kernel.error(call.a, call.b, call.s, call.c, call.a),
      "kernel 'w4a8': argument 'scale' is a tensor, expected a scalar of f32");
  EXPECT_EQ(
      call.kernel.error(tilert_argument{}, call.b, call.s, call.c, 1.0f),
      "kernel 'w4a8': argument 'A' is missing, expected a tensor of int8");
  EXPECT_EQ(call.kernel.error(call.a, call.b, call.s, call.c, 1.0),
            "kernel 'w4a8': argument 'scale' is f64, expected f32");
  call.a = Tensor(memoryAt(0), TILERT_F16, {100, 256});
  EXPECT_EQ(call.error(), "kernel 'w4a8': argument 'A' is f16, expected int8");
  call.a = Tensor(memoryAt(0), tilert_dtype(99), {100, 256});
  EXPECT_EQ(call.error(), "kernel 'w4a8': argument 'A' is a number that is no "
                          "dtype, expected int8");
  call = W4A8();
  call.b = Tensor(memoryAt(0x100000), TILERT_INT4, {512, 256});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'B' is int4, expected uint4, or "
            "its storage as uint8");
}

TEST(Binding, ChecksRankSizesAndPointer) {
  W4A8 call;
  call.s = Tensor(memoryAt(0), TILERT_F16, {512, 2, 1});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'S' has rank 3, expected 2: [N, K / 128]");
  call = W4A8();
  call.a = Tensor(memoryAt(0), TILERT_INT8, {-1, 256});
  EXPECT_EQ(call.error(), "kernel 'w4a8': argument 'A' dimension 0 is -1");
  call.a = Tensor(nullptr, TILERT_INT8, {100, 256});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'A' is a null pointer to [100, "
            "256] elements");
  tilert_argument noSizes =
      tilert_tensor_argument({memoryAt(0), TILERT_INT8, 2, nullptr, nullptr, -2,
                              TILERT_ORDER_UNKNOWN});
  EXPECT_EQ(call.kernel.error(noSizes, call.b, call.s, call.c, 1.0f),
            "kernel 'w4a8': argument 'A' has no sizes");
}

TEST(Binding, AcceptsNullForEmptyTensors) {
  W4A8 call;
  call.a = Tensor(nullptr, TILERT_INT8, {0, 256});
  call.c = Tensor(nullptr, TILERT_BF16, {0, 512});
  EXPECT_EQ(call.error(), "planned");
}

TEST(Binding, NamesBothUsesOfASymbol) {
  W4A8 call;
  call.b = Tensor(memoryAt(0x100000), TILERT_UINT4, {512, 4096});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'B' dimension 1 (K) is 4096, but "
            "'A' dimension 1 gave K = 256");
  call = W4A8();
  call.s = Tensor(memoryAt(0x200000), TILERT_F16, {512, 3});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'S' dimension 1 (K / 128) is 3, "
            "but K / 128 = 2 with K = 256");
}

TEST(Binding, TakesThePackedStorage) {
  W4A8 call;
  call.b = Tensor(memoryAt(0x100000), TILERT_UINT8, {512, 128});
  ASSERT_EQ(call.error(), "planned");
  const tilert_bound_tensor *b = tilert_plan_tensor(call.plan(), 1);
  EXPECT_EQ(b->sizes[0], 512);
  EXPECT_EQ(b->sizes[1], 256);
  EXPECT_EQ(b->byte_strides[0], 128);
  EXPECT_EQ(b->byte_strides[1], 1);
  EXPECT_EQ(b->bytes, 512 * 128);
  call.b = Tensor(memoryAt(0x100000), TILERT_UINT8, {512, 127});
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'B' dimension 1 (K) is 127 bytes of two "
            "elements, but 'A' dimension 1 gave K = 256, which takes 128");
}

/// int4 B[K, N] packed along K, then X[K]: K is bound by B.
TestKernel makePackedFirst() {
  Json kernel = makeOneTensor({"K", "N"}, "int4", {{"pack", 0}});
  kernel["symbols"][0]["bound_by"] = {{"parameter", 0}, {"dim", 0}};
  kernel["parameters"].push_back({{"kind", "tensor"},
                                  {"name", "X"},
                                  {"dtype", "f32"},
                                  {"access", "in"},
                                  {"dims", {"K"}}});
  return TestKernel(kernel);
}

TEST(Binding, LetsAnotherArgumentGiveAnOddPackedExtent) {
  TestKernel kernel = makePackedFirst();
  Tensor packed(memoryAt(0), TILERT_UINT8, {9, 8});
  const tilert_plan *plan =
      kernel.plan(packed, Tensor(memoryAt(0x1000), TILERT_F32, {17}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_symbols(plan)[0], 17);
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->sizes[0], 17);
  EXPECT_EQ(tilert_plan_tensor(plan, 0)->bytes, 9 * 8);
  EXPECT_EQ(kernel.error(packed, Tensor(memoryAt(0x1000), TILERT_F32, {18})),
            "planned");
  EXPECT_EQ(
      kernel.error(packed, Tensor(memoryAt(0x1000), TILERT_F32, {16})),
      "kernel 'one': argument 'A' dimension 0 (K) is 9 bytes of two elements, "
      "but 'X' dimension 0 gave K = 16, which takes 8");
  EXPECT_EQ(
      kernel.error(packed, Tensor(memoryAt(0x1000), TILERT_F32, {15})),
      "kernel 'one': argument 'A' dimension 0 (K) is 9 bytes of two elements, "
      "but 'X' dimension 0 gave K = 15, which takes 8");
  // 4-bit elements give the extent themselves.
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(0), TILERT_INT4, {17, 8}),
                   Tensor(memoryAt(0x1000), TILERT_F32, {18})),
      "kernel 'one': argument 'X' dimension 0 (K) is 18, but 'A' dimension 0 "
      "gave K = 17");
}

TEST(Binding, ReadsPackedStorageAloneAsEven) {
  TestKernel kernel(makeOneTensor({"K", "N"}, "int4", {{"pack", 0}}));
  const tilert_plan *plan =
      kernel.plan(Tensor(memoryAt(0), TILERT_UINT8, {9, 8}));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(tilert_plan_symbols(plan)[0], 18);
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(0), TILERT_UINT8, {INT64_MAX, 8})),
      "kernel 'one': argument 'A' dimension 0 (K) exceeds int64 elements");
}

TEST(Binding, ChecksFixedSymbols) {
  Json json = makeW4A8Kernel();
  json["symbols"][1]["fixed"] = 512;
  TestKernel kernel(json);
  W4A8 call;
  EXPECT_EQ(
      kernel.error(call.a, call.b, call.s, call.c, 1.0f),
      "kernel 'w4a8': argument 'A' dimension 1 (K) is 256, but the kernel was "
      "built for K = 512");
  int64_t value = 0;
  EXPECT_EQ(tilert_kernel_symbol_fixed(kernel.get(), 1, &value), 1);
  EXPECT_EQ(value, 512);
}

TEST(Binding, ChecksFixedExtents) {
  TestKernel kernel(makeOneTensor({64, "N"}, "f32"));
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F32, {64, 3})), "planned");
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(0), TILERT_F32, {63, 3})),
      "kernel 'one': argument 'A' dimension 0 is 63, but the kernel declares "
      "64");
}

TEST(Binding, ReportsFailingExtents) {
  TestKernel kernel(makeOneTensor(
      {"N", Json::parse(R"(["/", 8, "N"])"), Json::parse(R"(["-", "N", 5])")},
      "f32"));
  EXPECT_EQ(kernel.error(Tensor(nullptr, TILERT_F32, {0, 3, 1})),
            "kernel 'one': dimension 1 of 'A': '8 / N' divides by zero: N = 0");
  EXPECT_EQ(
      kernel.error(Tensor(memoryAt(0), TILERT_F32, {4, 2, 1})),
      "kernel 'one': argument 'A' dimension 2 (N - 5) is 1, but N - 5 = -1 "
      "with N = 4");
}

TEST(Binding, RefusesTensorsInDifferentPlaces) {
  W4A8 call;
  call.a = Tensor(memoryAt(0), TILERT_INT8, {100, 256}, 0);
  call.s = Tensor(memoryAt(0x200000), TILERT_F16, {512, 2}, 1);
  EXPECT_EQ(
      call.error(),
      "kernel 'w4a8': argument 'S' is on device 1, but 'A' is on device 0");
  call.s = Tensor(memoryAt(0x200000), TILERT_F16, {512, 2}, TILERT_DEVICE_HOST);
  EXPECT_EQ(call.error(),
            "kernel 'w4a8': argument 'S' is in host memory, but 'A' is "
            "on device 0");
}

TEST(Binding, AcceptsF32ForTf32) {
  TestKernel kernel(makeOneTensor({"N"}, "tf32"));
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_F32, {8})), "planned");
  EXPECT_EQ(kernel.error(Tensor(memoryAt(0), TILERT_TF32, {8})), "planned");
}

/// A kernel of one scalar, passed on, and a grid of as many blocks if it is an
/// integer.
TestKernel makeScalarKernel(const char *dtype, bool isGrid) {
  return TestKernel(Json{
      {"name", "one"},
      {"parameters", {{{"kind", "scalar"}, {"name", "n"}, {"dtype", dtype}}}},
      {"symbols", Json::array()},
      {"checks", Json::array()},
      {"axes", isGrid ? Json{{{"name", "b"}, {"extent", "n"}}} : Json::array()},
      {"variants",
       {{{"name", "general"},
         {"symbol", "one"},
         {"guards", Json::array()},
         {"threads", 128},
         {"shared_bytes", 0},
         {"arguments", {{{"kind", "scalar"}, {"name", "n"}}}}}}}});
}

TEST(Binding, PassesScalarsOfEachType) {
  struct Case {
    const char *dtype;
    int bytes;
  };
  for (auto [dtype, bytes] :
       {Case{"bool", 1}, {"int4", 1},     {"uint4", 1},    {"int8", 1},
        {"uint8", 1},    {"int16", 2},    {"uint16", 2},   {"int32", 4},
        {"uint32", 4},   {"int64", 8},    {"uint64", 8},   {"f16", 2},
        {"bf16", 2},     {"tf32", 4},     {"f32", 4},      {"f64", 8},
        {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"fp4_e2m1", 1}, {"e8m0", 1}}) {
    TestKernel kernel = makeScalarKernel(dtype, /*isGrid=*/false);
    tilert_dtype type;
    ASSERT_TRUE(tilert_dtype_from_name(dtype, &type));
    const tilert_plan *plan = kernel.plan(Scalar(type, 0x0102030405060701));
    ASSERT_NE(plan, nullptr) << dtype << kernel.message;
    const tilert_value &value = tilert_plan_values(plan)[0];
    EXPECT_EQ(value.bytes, bytes) << dtype;
    uint64_t bits = 0, expected = 0x0102030405060701;
    memcpy(&bits, value.value, size_t(bytes));
    if (bytes < 8)
      expected &= (uint64_t(1) << 8 * bytes) - 1;
    EXPECT_EQ(bits, expected) << dtype;
    // Any other type is refused.
    tilert_dtype other = type == TILERT_F32 ? TILERT_INT32 : TILERT_F32;
    EXPECT_EQ(kernel.error(Scalar(other, 0)),
              std::string("kernel 'one': argument 'n' is ") +
                  tilert_dtype_name(other) + ", expected " + dtype);
  }
}

TEST(Binding, PassesBoolsAsZeroOrOne) {
  TestKernel kernel = makeScalarKernel("bool", /*isGrid=*/false);
  const tilert_plan *plan = kernel.plan(Scalar(TILERT_BOOL, 2));
  ASSERT_NE(plan, nullptr) << kernel.message;
  EXPECT_EQ(*static_cast<const uint8_t *>(tilert_plan_values(plan)[0].value),
            1);
}

TEST(Binding, ReadsScalarsInExpressions) {
  auto grid = [](const char *dtype, auto value) {
    TestKernel kernel = makeScalarKernel(dtype, /*isGrid=*/true);
    const tilert_plan *plan = kernel.plan(value);
    return plan ? std::to_string(tilert_plan_grid(plan)) : kernel.message;
  };
  EXPECT_EQ(grid("int32", int32_t(7)), "7");
  EXPECT_EQ(grid("uint8", uint8_t(200)), "200");
  EXPECT_EQ(grid("bool", true), "1");
  EXPECT_EQ(grid("uint4", Scalar(TILERT_UINT4, 15)), "15");
  EXPECT_EQ(grid("int8", int8_t(-3)),
            "kernel 'one': grid axis 'b' (n) is -3, the least is 0: n = -3");
  EXPECT_EQ(grid("int4", Scalar(TILERT_INT4, 15)),
            "kernel 'one': grid axis 'b' (n) is -1, the least is 0: n = -1");
  EXPECT_EQ(
      grid("uint64", uint64_t(1) << 63),
      "kernel 'one': argument 'n' is 9223372036854775808, which exceeds int64");
}

TEST(Binding, SolvesSymbolsFromSomeArguments) {
  TestKernel kernel(makeW4A8Kernel());
  std::vector<tilert_argument> arguments(5);
  Tensor a(nullptr, TILERT_INT8, {100, 255}),
      b(nullptr, TILERT_UINT8, {512, 128});
  int64_t values[3] = {};
  unsigned char known[3] = {};
  auto solve = [&]() -> std::string {
    try {
      check([&](tilert_status **status) {
        return tilert_kernel_solve_symbols(kernel.get(), arguments.data(), 5,
                                           values, known, status);
      });
      return "solved";
    } catch (const Error &error) {
      return error.what();
    }
  };
  arguments[1] = toArgument(b);
  EXPECT_EQ(solve(), "solved");
  EXPECT_EQ(known[0], 0);
  EXPECT_EQ(known[1], 1);
  EXPECT_EQ(values[1], 256);
  EXPECT_EQ(values[2], 512);

  memset(known, 0, sizeof known);
  arguments[0] = toArgument(a);
  EXPECT_EQ(solve(), "solved");
  EXPECT_EQ(values[0], 100);
  EXPECT_EQ(values[1], 255);

  memset(known, 0, sizeof known);
  values[1] = 254;
  known[1] = 1;
  EXPECT_EQ(solve(),
            "kernel 'w4a8': argument 'A' dimension 1 (K) is 255, but K was "
            "given as 254");
  arguments[0] = {};
  values[1] = 255;
  memset(known, 0, sizeof known);
  known[1] = 1;
  EXPECT_EQ(solve(), "solved");
  EXPECT_EQ(values[1], 255);
  values[1] = -1;
  EXPECT_EQ(solve(), "kernel 'w4a8': K was given as -1, and an extent is not "
                     "negative");
}

TEST(Binding, NeedsNoArraysForAKernelWithoutSymbols) {
  // The data of an empty std::vector may be NULL.
  TestKernel kernel(makeOneTensor({4, 6}, "f32"));
  int64_t sizes[2] = {};
  tilert_argument absent = {};
  EXPECT_NO_THROW(check([&](tilert_status **status) {
    return tilert_kernel_solve_symbols(kernel.get(), &absent, 1, nullptr,
                                       nullptr, status);
  }));
  EXPECT_NO_THROW(check([&](tilert_status **status) {
    return tilert_kernel_parameter_sizes(kernel.get(), 0, nullptr, nullptr, 0,
                                         sizes, status);
  }));
  EXPECT_EQ(sizes[0], 4);
  EXPECT_EQ(sizes[1], 6);

  Json json = makeOneTensor({4}, "f32");
  json["parameters"] = Json::array();
  json["variants"][0]["arguments"] = Json::array();
  TestKernel empty(json);
  EXPECT_NO_THROW(check([&](tilert_status **status) {
    return tilert_kernel_solve_symbols(empty.get(), nullptr, 0, nullptr,
                                       nullptr, status);
  }));

  // One that has symbols gets them.
  TestKernel withSymbols(makeW4A8Kernel());
  tilert_argument arguments[5] = {};
  EXPECT_THROW(check([&](tilert_status **status) {
                 return tilert_kernel_solve_symbols(
                     withSymbols.get(), arguments, 5, nullptr, nullptr, status);
               }),
               Error);
  EXPECT_THROW(check([&](tilert_status **status) {
                 return tilert_kernel_parameter_sizes(
                     withSymbols.get(), 0, nullptr, nullptr, 0, sizes, status);
               }),
               Error);
}

TEST(Binding, EvaluatesSizesOfParameters) {
  TestKernel kernel(makeW4A8Kernel());
  const int64_t symbols[] = {100, 256, 512};
  int64_t sizes[2] = {};
  auto evaluate = [&](size_t parameter) -> std::string {
    try {
      check([&](tilert_status **status) {
        return tilert_kernel_parameter_sizes(kernel.get(), parameter, symbols,
                                             nullptr, 0, sizes, status);
      });
      return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]);
    } catch (const Error &error) {
      return error.what();
    }
  };
  EXPECT_EQ(evaluate(1), "512x256");
  EXPECT_EQ(evaluate(2), "512x2");
  EXPECT_EQ(evaluate(4), "kernel 'w4a8': parameter 4 is not a tensor");
}

} // namespace
