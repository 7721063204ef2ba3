//===- ReductionOpsTest.cpp - Reductions and scans ------------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"
#include <cmath>

using namespace tilec;

namespace {
struct ReductionOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(ReductionOps, CombinesAlongADimensionOrEverything) {
  Array x = makeInput("X", "f32", {2, 3}, {1, -5, 3, NAN, 2, -0.0});
  Array s = makeOutput("S", "f32", {3}), m = makeOutput("M", "f32", {2});
  Array a = makeOutput("A", "f32", {2}), t = makeOutput("T", "f32", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x3xf32>
    %s = tile.reduce sum %x dim 0 : tensor<2x3xf32> -> tensor<3xf32>
    tile.store %s, %S[%c0] : tensor<3xf32>, !tile.global<?xf32>
    %m = tile.reduce max %x dim 1 : tensor<2x3xf32> -> tensor<2xf32>
    tile.store %m, %M[%c0] : tensor<2xf32>, !tile.global<?xf32>
    %a = tile.reduce absmax %x dim 1 : tensor<2x3xf32> -> tensor<2xf32>
    tile.store %a, %A[%c0] : tensor<2xf32>, !tile.global<?xf32>
    %t = tile.reduce min %x : tensor<2x3xf32> -> f32
    tile.store_element %t, %T[%c0] : f32, !tile.global<?xf32>)",
                {&x, &s, &m, &a, &t}),
            "");
  EXPECT_TRUE(std::isnan(s.getValues()[0]));
  EXPECT_EQ(s.getValues()[1], -3);
  EXPECT_EQ(s.getValues()[2], 3);
  EXPECT_EQ(m.getValues(), (Numbers{3, 2}));
  EXPECT_EQ(a.getValues(), (Numbers{5, 2}));
  EXPECT_EQ(t.getValues(), (Numbers{-5}));
}

TEST_F(ReductionOps, OrdersZerosBySign) {
  Array x = makeInput("X", "f32", {2}, {0.0, -0.0});
  Array y = makeOutput("Y", "f32", {2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %x = tile.load %X[%c0] : !tile.global<?xf32> -> tensor<2xf32>
    %a = tile.reduce max %x : tensor<2xf32> -> f32
    tile.store_element %a, %Y[%c0] : f32, !tile.global<?xf32>
    %b = tile.reduce min %x : tensor<2xf32> -> f32
    tile.store_element %b, %Y[%c1] : f32, !tile.global<?xf32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getCodes(), (std::vector<uint64_t>{0, 0x80000000}));
}

TEST_F(ReductionOps, WidensSumsAndKnowsSignedness) {
  Array x = makeInput("X", "uint8", {3}, {200, 100, 255});
  Array y = makeOutput("Y", "int32", {4}), z = makeOutput("Z", "uint8", {2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %x = tile.load %X[%c0] : !tile.global<?xi8> -> tensor<3xi8>
    %a = tile.reduce sum %x {unsigned_source} : tensor<3xi8> -> i32
    tile.store_element %a, %Y[%c0] : i32, !tile.global<?xi32>
    %b = tile.reduce sum %x : tensor<3xi8> -> i32
    tile.store_element %b, %Y[%c1] : i32, !tile.global<?xi32>
    %c = tile.reduce absmax %x : tensor<3xi8> -> i32
    tile.store_element %c, %Y[%c2] : i32, !tile.global<?xi32>
    %d = tile.reduce max %x {unsigned_source} : tensor<3xi8> -> i8
    tile.store_element %d, %Z[%c0] : i8, !tile.global<?xi8>
    %e = tile.reduce max %x : tensor<3xi8> -> i8
    tile.store_element %e, %Z[%c1] : i8, !tile.global<?xi8>)",
                {&x, &y, &z}),
            "");
  Numbers sums = y.getValues();
  EXPECT_EQ(sums[0], 555);
  EXPECT_EQ(sums[1], 43);
  EXPECT_EQ(sums[2], 100);
  EXPECT_EQ(z.getValues(), (Numbers{255, 100}));
}

TEST_F(ReductionOps, SumsFloatsInF64AndRoundsOnce) {
  Array x = makeInput("X", "f32", {3}, {16777216, 1, 1});
  Array y = makeOutput("Y", "f32", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0] : !tile.global<?xf32> -> tensor<3xf32>
    %a = tile.reduce sum %x : tensor<3xf32> -> f32
    tile.store_element %a, %Y[%c0] : f32, !tile.global<?xf32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{16777218}));
}

TEST_F(ReductionOps, ScansInBothDirections) {
  Array x = makeInput("X", "int32", {2, 3}, {1, 2, 3, 4, 5, 6});
  Array y = makeOutput("Y", "int32", {2, 3}),
        z = makeOutput("Z", "int32", {2, 3});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xi32> -> tensor<2x3xi32>
    %a = tile.scan sum %x dim 1 : tensor<2x3xi32> -> tensor<2x3xi32>
    tile.store %a, %Y[%c0, %c0] : tensor<2x3xi32>, !tile.global<?x?xi32>
    %b = tile.scan sum %x dim 0 {reverse} : tensor<2x3xi32> -> tensor<2x3xi32>
    tile.store %b, %Z[%c0, %c0] : tensor<2x3xi32>, !tile.global<?x?xi32>)",
                {&x, &y, &z}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(z.getValues(), (Numbers{5, 7, 9, 4, 5, 6}));
}
