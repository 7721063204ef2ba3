//===- AtomicOpsTest.cpp - Atomic changes of memory -----------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct AtomicOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(AtomicOps, GivesTheOldValueToEachIteration) {
  Array x = makeInput("X", "int32", {4}, {0, 1, 0, 9});
  Array y = makeInput("Y", "int32", {2}, {10, 20});
  Array z = makeOutput("Z", "int32", {4});
  y.access = "inout";
  EXPECT_EQ(run(R"(
    %five = arith.constant 5 : i32
    tile.parallel (%i) in (4) {
      %x = tile.load_element %X[%i] : !tile.global<?xi32> -> i32
      %k = tile.cast %x : i32 -> i64
      %o = tile.atomic_element add %five, %Y[%k] : i32, !tile.global<?xi32>
      tile.store_element %o, %Z[%i] : i32, !tile.global<?xi32>
    })",
                {&x, &y, &z}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{20, 25}));
  EXPECT_EQ(z.getValues(), (Numbers{10, 20, 15, 0})); // outside: 0
}

TEST_F(AtomicOps, ChangesTilesOfEveryBlock) {
  Array x = makeIota("X", "f32", {2, 2});
  Array y = makeInput("Y", "f32", {3, 2}, {0, 0, 0, 0, 0, 0});
  y.access = "inout";
  KernelText text;
  text.body = R"(
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x2xf32>
    tile.atomic add %x, %Y[%c2, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>)";
  text.grid = "[50]";
  EXPECT_EQ(run(text, {&x, &y}), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 0, 0, 50}));
}

TEST_F(AtomicOps, KnowsSignednessAndSharedTiles) {
  Array x = makeInput("X", "uint32", {2}, {3000000000, 1});
  Array y = makeOutput("Y", "uint32", {2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %s = tile.alloc_shared "S" : !tile.shared<2xi32>
    tile.copy %X[%c0] to %s : !tile.global<?xi32>, !tile.shared<2xi32>
    %five = arith.constant 5 : i32
    %a = tile.atomic_element max %five, %s[%c0] {unsigned_value} : i32, !tile.shared<2xi32>
    %b = tile.atomic_element min %a, %s[%c1] : i32, !tile.shared<2xi32>
    tile.copy %s to %Y[%c0] : !tile.shared<2xi32>, !tile.global<?xi32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{3000000000, 3000000000}));
}
