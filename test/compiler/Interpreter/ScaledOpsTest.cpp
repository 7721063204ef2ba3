//===- ScaledOpsTest.cpp - Quantised tiles and block-scaled products ------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct ScaledOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(ScaledOps, UsesTheGroupOfEachElement) {
  Array q = makeInput("Q", "int4", {2, 4}, {1, 2, 3, 4, -1, -2, -3, -8});
  Array s = makeInput("S", "f32", {2, 2}, {10, 100, 1, 0.5});
  Array z = makeInput("Z", "uint4", {1, 2}, {1, 15});
  Array y = makeOutput("Y", "f32", {2, 4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %q = tile.load %Q[%c0, %c0] : !tile.global<?x?xi4, pack = 1> -> tensor<2x4xi4>
    %s = tile.load %S[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x2xf32>
    %z = tile.load %Z[%c0, %c0] : !tile.global<?x?xi4, pack = 1> -> tensor<1x2xi4>
    %y = tile.dequant %q scale %s zero %z {dim = 1 : i64, group = 2 : i64, unsigned_zero} : tensor<2x4xi4>, tensor<2x2xf32> zero tensor<1x2xi4> -> tensor<2x4xf32>
    tile.store %y, %Y[%c0, %c0] : tensor<2x4xf32>, !tile.global<?x?xf32>)",
                {&q, &s, &z, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 10, -1200, -1100, -2, -3, -9, -11.5}));
}

TEST_F(ScaledOps, TakesOneScaleForEachLineOrAScalar) {
  Array q = makeInput("Q", "uint8", {2, 2}, {1, 2, 200, 4});
  Array s = makeInput("S", "f32", {2}, {10, 100});
  Array y = makeOutput("Y", "f32", {2, 2}), r = makeOutput("R", "bf16", {2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %q = tile.load %Q[%c0, %c0] : !tile.global<?x?xi8> -> tensor<2x2xi8>
    %s = tile.load %S[%c0] : !tile.global<?xf32> -> tensor<2xf32>
    %y = tile.dequant %q scale %s {dim = 0 : i64, unsigned_source} : tensor<2x2xi8>, tensor<2xf32> -> tensor<2x2xf32>
    tile.store %y, %Y[%c0, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>
    %r = tile.dequant %q scale %f {dim = 0 : i64} : tensor<2x2xi8>, f32 -> tensor<2x2xbf16>
    tile.store %r, %R[%c0, %c0] : tensor<2x2xbf16>, !tile.global<?x?xbf16>)",
                {&q, &s, &y, &r}, {{"f", "f32", 1.01}}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{10, 200, 2000, 400}));
  // Rounded once to bf16, from -56 * 1.01.
  EXPECT_EQ(r.getValues(), (Numbers{1.0078125, 2.015625, -56.5, 4.03125}));
}

TEST_F(ScaledOps, ScalesTheSumOfEachGroup) {
  Array a = makeInput("A", "fp8_e4m3", {2, 4}, {1, 2, 3, 4, 1, 1, 1, 1});
  Array b = makeInput("B", "fp8_e4m3", {2, 4}, {1, 1, 1, 1, 2, 0, 0, 1});
  Array sa = makeInput("P", "f32", {2, 2}, {1, 10, 2, 0});
  Array sb = makeInput("S", "e8m0", {1, 2}, {1, 0.5});
  Array y = makeOutput("Y", "f32", {2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %a = tile.load %A[%c0, %c0] : !tile.global<?x?xf8E4M3FN> -> tensor<2x4xf8E4M3FN>
    %b = tile.load %B[%c0, %c0] : !tile.global<?x?xf8E4M3FN> -> tensor<2x4xf8E4M3FN>
    %p = tile.load %P[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x2xf32>
    %s = tile.load %S[%c0, %c0] : !tile.global<?x?xf8E8M0FNU> -> tensor<1x2xf8E8M0FNU>
    %z = arith.constant dense<100.0> : tensor<2x2xf32>
    %y = tile.gemm_scaled %a, %b, %z scales %p, %s {granularity_k = 2 : i64, granularity_m = 1 : i64, granularity_n = 2 : i64, transpose_b} : tensor<2x4xf8E4M3FN>, tensor<2x4xf8E4M3FN>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2xf8E8M0FNU>
    tile.store %y, %Y[%c0, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>)",
                {&a, &b, &sa, &sb, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{138, 122, 104, 104}));
}

TEST_F(ScaledOps, MultipliesDequantisedOperands) {
  Array a = makeInput("A", "int8", {1, 2}, {3, 4});
  Array q = makeInput("Q", "uint8", {1, 2}, {5, 250});
  Array y = makeOutput("Y", "int32", {1, 1}),
        f = makeOutput("F", "f32", {1, 1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %a = tile.load %A[%c0, %c0] : !tile.global<?x?xi8> -> tensor<1x2xi8>
    %q = tile.load %Q[%c0, %c0] : !tile.global<?x?xi8> -> tensor<1x2xi8>
    %n = arith.constant 7 : i32
    %h = arith.constant 0.5 : f32
    %d = tile.dequant %q zero %n {dim = 1 : i64, unsigned_source} : tensor<1x2xi8> zero i32 -> tensor<1x2xi32>
    %z = arith.constant dense<1> : tensor<1x1xi32>
    %y = tile.gemm %a, %d, %z {transpose_b} : tensor<1x2xi8>, tensor<1x2xi32>, tensor<1x1xi32>
    tile.store %y, %Y[%c0, %c0] : tensor<1x1xi32>, !tile.global<?x?xi32>
    %e = tile.dequant %q scale %h {dim = 1 : i64, unsigned_source} : tensor<1x2xi8>, f32 -> tensor<1x2xf32>
    %w = arith.constant dense<1.0> : tensor<1x1xf32>
    %f = tile.gemm %a, %e, %w {transpose_b} : tensor<1x2xi8>, tensor<1x2xf32>, tensor<1x1xf32>
    tile.store %f, %F[%c0, %c0] : tensor<1x1xf32>, !tile.global<?x?xf32>)",
                {&a, &q, &y, &f}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1 - 6 + 972}));
  EXPECT_EQ(f.getValues(), (Numbers{1 + 7.5 + 500}));
}
