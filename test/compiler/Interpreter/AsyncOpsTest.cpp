//===- AsyncOpsTest.cpp - Asynchronous copies -----------------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct AsyncOps : KernelHarness {
  /// Starts copies of X[0..] to stage 0 and X[2..] to stage 1, each a group,
  /// then runs `rest`.
  std::string start(const std::string &rest, Array &x, Array &y) {
    return run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %no = arith.constant false
    %s = tile.alloc_shared "As" : !tile.shared<2x2xf32>
    %a = tile.stage %s[%c0] offset 0 : !tile.shared<2x2xf32> -> !tile.shared<2xf32>
    %b = tile.stage %s[%c0] offset 1 : !tile.shared<2x2xf32> -> !tile.shared<2xf32>
    tile.async_copy %X[%c0] to %a : !tile.global<?xf32>, !tile.shared<2xf32>
    tile.commit_group
    tile.async_copy %X[%c2] to %b : !tile.global<?xf32>, !tile.shared<2xf32>
    tile.commit_group
)" + rest,
               {&x, &y});
  }
  Array x = makeInput("X", "f32", {3}, {1, 2, 3}),
        y = makeOutput("Y", "f32", {2});
};
using Numbers = std::vector<double>;

const std::string storeA = R"(
    %t = tile.load %a : !tile.shared<2xf32> -> tensor<2xf32>
    tile.store %t, %Y[%c0] : tensor<2xf32>, !tile.global<?xf32>)";
const std::string storeB = R"(
    %t = tile.load %b : !tile.shared<2xf32> -> tensor<2xf32>
    tile.store %t, %Y[%c0] : tensor<2xf32>, !tile.global<?xf32>)";
} // namespace

TEST_F(AsyncOps, FillsWhatAWaitCovers) {
  EXPECT_EQ(start("tile.wait_group 1\ntile.barrier" + storeA, x, y), "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 2}));
  // Outside the source zeros arrive.
  EXPECT_EQ(start("tile.wait_group 0\ntile.barrier" + storeB, x, y), "");
  EXPECT_EQ(y.getValues(), (Numbers{3, 0}));
}

TEST_F(AsyncOps, StopsAtAReadBeforeTheWait) {
  EXPECT_EQ(start("tile.wait_group 1" + storeB, x, y),
            "k.mlir:14:10: error: shared tile 'As' is read at [0] while an "
            "asynchronous copy is "
            "filling it");
}

TEST_F(AsyncOps, StopsAtAWriteBeforeTheWait) {
  EXPECT_EQ(start(R"(    %t = arith.constant dense<1.0> : tensor<2xf32>
    tile.store %t, %a : tensor<2xf32>, !tile.shared<2xf32>)",
                  x, y),
            "k.mlir:14:5: error: shared tile 'As' is written while an "
            "asynchronous copy is "
            "filling it");
  EXPECT_EQ(start("    tile.async_copy %X[%c0] to %a : !tile.global<?xf32>, "
                  "!tile.shared<2xf32>",
                  x, y),
            "k.mlir:13:5: error: shared tile 'As' is the target of an "
            "asynchronous copy that no "
            "wait covers yet");
}

TEST_F(AsyncOps, StartsNothingWhereThePredicateIsFalse) {
  EXPECT_EQ(start("tile.wait_group 0\n"
                  "tile.async_copy %X[%c1] to %a if %no : !tile.global<?xf32>, "
                  "!tile.shared<2xf32>\ntile.commit_group\ntile.wait_group 0" +
                      storeA,
                  x, y),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 2}));
}

TEST_F(AsyncOps, CopiesRunsOfElementsForEachIteration) {
  Array a = makeIota("X", "f32", {3, 6}), b = makeOutput("Y", "f32", {4, 4});
  std::string body = R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %s = tile.alloc_shared "As" : !tile.shared<4x4xf32>
    tile.parallel (%r, %c) in (4, 2) {
      %k = arith.muli %c, %c2 : i64
      %g = arith.addi %k, %c4 : i64
      %p = arith.cmpi ne, %r, %c1 : i64
      tile.async_copy_elements %X[%r, %g] to %s[%r, %k] count 2 pred %p : !tile.global<?x?xf32>, !tile.shared<4x4xf32>
    }
    tile.commit_group
)";
  std::string end = R"(
    %t = tile.load %s : !tile.shared<4x4xf32> -> tensor<4x4xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<4x4xf32>, !tile.global<?x?xf32>)";
  EXPECT_EQ(run(body + "    tile.wait_group 0\n" + end, {&a, &b}), "");
  EXPECT_EQ(b.getValues(),
            (Numbers{4, 5, 0, 0, 0, 0, 0, 0, 16, 17, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(run(body + end, {&a, &b}),
            "k.mlir:15:10: error: shared tile 'As' is read at [0, 0] while an "
            "asynchronous copy is filling it");
}
