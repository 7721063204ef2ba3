//===- ShapeOpsTest.cpp - Constants and fragments in other shapes ---------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct ShapeOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(ShapeOps, RepeatsTransposesAndAddsDimensions) {
  Array x = makeIota("X", "f32", {2, 3}), y = makeOutput("Y", "f32", {3, 2});
  Array r = makeOutput("R", "f32", {2, 3}), k = makeOutput("K", "f32", {2, 3});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x3xf32>
    %t = tile.reindex %x by affine_map<(d0, d1) -> (d1, d0)> : tensor<2x3xf32> -> tensor<3x2xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<3x2xf32>, !tile.global<?x?xf32>
    %row = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<3xf32>
    %rows = tile.reindex %row by affine_map<(d0, d1) -> (d1)> : tensor<3xf32> -> tensor<2x3xf32>
    tile.store %rows, %R[%c0, %c0] : tensor<2x3xf32>, !tile.global<?x?xf32>
    %col = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2xf32>
    %one = tile.reindex %col by affine_map<(d0, d1) -> (d0)> : tensor<2xf32> -> tensor<2x1xf32>
    %cols = tile.reindex %one by affine_map<(d0, d1) -> (d0, 0)> : tensor<2x1xf32> -> tensor<2x3xf32>
    tile.store %cols, %K[%c0, %c0] : tensor<2x3xf32>, !tile.global<?x?xf32>)",
                {&x, &y, &r, &k}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(r.getValues(), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(k.getValues(), (Numbers{0, 0, 0, 1, 1, 1}));
}

TEST_F(ShapeOps, FillsAFragmentWithAScalar) {
  Array y = makeOutput("Y", "bf16", {2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %t = tile.broadcast %s : bf16 -> tensor<2x2xbf16>
    tile.store %t, %Y[%c0, %c0] : tensor<2x2xbf16>, !tile.global<?x?xbf16>)",
                {&y}, {{"s", "bf16", 2.5}}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{2.5, 2.5, 2.5, 2.5}));
}

TEST_F(ShapeOps, ReadsConstantsOfEveryKind) {
  Array y = makeOutput("Y", "f32", {3}), q = makeOutput("Q", "int4", {2});
  Array e = makeOutput("E", "fp8_e4m3", {2}), t = makeOutput("T", "tf32", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %f = arith.constant dense<[1.0, 0x7F800000, -0.0]> : tensor<3xf32>
    tile.store %f, %Y[%c0] : tensor<3xf32>, !tile.global<?xf32>
    %i = arith.constant dense<[-8, 7]> : tensor<2xi4>
    tile.store %i, %Q[%c0] : tensor<2xi4>, !tile.global<?xi4, pack = 0>
    %n = arith.constant dense<448.0> : tensor<2xf8E4M3FN>
    tile.store %n, %E[%c0] : tensor<2xf8E4M3FN>, !tile.global<?xf8E4M3FN>
    %w = arith.constant 1.5 : tf32
    tile.store_element %w, %T[%c0] : tf32, !tile.global<?xtf32>)",
                {&y, &q, &e, &t}),
            "");
  EXPECT_EQ(y.getCodes(),
            (std::vector<uint64_t>{0x3f800000, 0x7f800000, 0x80000000}));
  EXPECT_EQ(q.getValues(), (Numbers{-8, 7}));
  EXPECT_EQ(e.getValues(), (Numbers{448, 448}));
  EXPECT_EQ(t.getValues(), (Numbers{1.5}));
}

TEST_F(ShapeOps, ReshapesCountsTakesPartsAndJoinsThem) {
  Array x = makeIota("X", "f32", {2, 3}), y = makeOutput("Y", "f32", {6});
  Array j = makeOutput("J", "f32", {2, 5});
  Array p = makeOutput("P", "f32", {2, 2}), i = makeOutput("I", "int32", {4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x3xf32>
    %y = tile.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
    tile.store %y, %Y[%c0] : tensor<6xf32>, !tile.global<?xf32>
    %p = tile.part %x [0, 1] : tensor<2x3xf32> -> tensor<2x2xf32>
    tile.store %p, %P[%c0, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>
    %j = tile.join %p, %x dim 1 : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x5xf32>
    tile.store %j, %J[%c0, %c0] : tensor<2x5xf32>, !tile.global<?x?xf32>
    %i = tile.iota : tensor<4xi32>
    tile.store %i, %I[%c0] : tensor<4xi32>, !tile.global<?xi32>)",
                {&x, &y, &p, &j, &i}),
            "");
  EXPECT_EQ(j.getValues(), (Numbers{1, 2, 0, 1, 2, 4, 5, 3, 4, 5}));
  EXPECT_EQ(y.getValues(), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(p.getValues(), (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(i.getValues(), (Numbers{0, 1, 2, 3}));
}

TEST_F(ShapeOps, ReadsBitsAsOtherElementsLowBitsFirst) {
  Array x = makeInput("X", "uint8", {2, 2}, {0x21, 0x43, 0x8F, 0x70});
  Array q = makeOutput("Q", "int4", {2, 4}), h = makeOutput("H", "f16", {2, 1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xi8> -> tensor<2x2xi8>
    %q = tile.reinterpret %x : tensor<2x2xi8> -> tensor<2x4xi4>
    tile.store %q, %Q[%c0, %c0] : tensor<2x4xi4>, !tile.global<?x?xi4, pack = 1>
    %h = tile.reinterpret %x : tensor<2x2xi8> -> tensor<2x1xf16>
    tile.store %h, %H[%c0, %c0] : tensor<2x1xf16>, !tile.global<?x?xf16>)",
                {&x, &q, &h}),
            "");
  EXPECT_EQ(q.getValues(), (Numbers{1, 2, 3, 4, -1, -8, 0, 7}));
  EXPECT_EQ(h.getCodes(), (std::vector<uint64_t>{0x4321, 0x708F}));
}
