//===- ControlFlowOpsTest.cpp - Loops and branches ------------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct ControlFlowOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(ControlFlowOps, RunsPipelinedLoopsInOrder) {
  // Y[n] = digits of the loop index, for 1 <= k < 8 by 3.
  Array y = makeOutput("Y", "int64", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    %c10 = arith.constant 10 : i64
    %r = tile.pipelined %k = %c1 to %c8 step 3 iter_args(%x = %c0) -> (i64) stages(4) {
      %t = arith.muli %x, %c10 : i64
      %n = arith.addi %t, %k : i64
      tile.yield %n : i64
    }
    tile.store_element %r, %Y[%c0] : i64, !tile.global<?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{147}));
}

TEST_F(ControlFlowOps, RunsEmptyLoopsNotAtAll) {
  Array y = makeOutput("Y", "f32", {2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %m5 = arith.constant -5 : i64
    %acc = arith.constant dense<3.0> : tensor<2xf32>
    %a = tile.pipelined %k = %c0 to %m5 step 1 iter_args(%x = %acc) -> (tensor<2xf32>) {
      %n = arith.addf %x, %x : tensor<2xf32>
      tile.yield %n : tensor<2xf32>
    }
    %b = scf.for %k = %c1 to %c1 step %c1 iter_args(%x = %a) -> (tensor<2xf32>) : i64 {
      %n = arith.addf %x, %x : tensor<2xf32>
      scf.yield %n : tensor<2xf32>
    }
    tile.store %b, %Y[%c0] : tensor<2xf32>, !tile.global<?xf32>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{3, 3}));
}

TEST_F(ControlFlowOps, EndsALoopNearTheEndOfInt64) {
  Array y = makeOutput("Y", "int64", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %lo = arith.constant 9223372036854775804 : i64
    %hi = arith.constant 9223372036854775807 : i64
    %n = scf.for %k = %lo to %hi step %c2 iter_args(%x = %c0) -> (i64) : i64 {
      %m = arith.addi %x, %c1 : i64
      scf.yield %m : i64
    }
    tile.store_element %n, %Y[%c0] : i64, !tile.global<?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{2}));
}

TEST_F(ControlFlowOps, RefusesAStepThatIsNotPositive) {
  Array y = makeOutput("Y", "int64", {1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    scf.for %k = %c0 to %c1 step %c0 : i64 {
    })",
                {&y}),
            "k.mlir:4:5: error: a loop's step is positive, found 0");
}

TEST_F(ControlFlowOps, TakesOneBranch) {
  Array y = makeOutput("Y", "int64", {2});
  KernelText text;
  text.grid = "[2]";
  text.body = R"(
    %c0 = arith.constant 0 : i64
    %c7 = arith.constant 7 : i64
    %c9 = arith.constant 9 : i64
    %bx = tile.block_id 0 : i64
    %isFirst = arith.cmpi eq, %bx, %c0 : i64
    %v = scf.if %isFirst -> (i64) {
      scf.yield %c7 : i64
    } else {
      scf.yield %c9 : i64
    }
    scf.if %isFirst {
      tile.store_element %v, %Y[%c0] : i64, !tile.global<?xi64>
    } else {
      tile.store_element %v, %Y[%bx] : i64, !tile.global<?xi64>
    })";
  EXPECT_EQ(run(text, {&y}), "");
  EXPECT_EQ(y.getValues(), (Numbers{7, 9}));
}

TEST_F(ControlFlowOps, RunsWhileLoops) {
  // The number of halvings of 40 until it is below 3, and what is left.
  Array y = makeOutput("Y", "int64", {2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c40 = arith.constant 40 : i64
    %x, %n = scf.while (%a = %c40, %b = %c0) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi sge, %a, %c3 : i64
      scf.condition(%more) %a, %b : i64, i64
    } do {
    ^bb0(%a: i64, %b: i64):
      %half = arith.shrsi %a, %c1 : i64
      %next = arith.addi %b, %c1 : i64
      scf.yield %half, %next : i64, i64
    }
    tile.store_element %x, %Y[%c0] : i64, !tile.global<?xi64>
    tile.store_element %n, %Y[%c1] : i64, !tile.global<?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{2, 4}));
}

TEST_F(ControlFlowOps, LetsEveryLaneTakeItsOwnBranch) {
  Array y = makeOutput("Y", "int64", {6});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %init = arith.constant dense<0> : tensor<6xi64>
    %r = tile.parallel (%i) in (6) init(%init : tensor<6xi64>) {
      %low = arith.cmpi slt, %i, %c4 : i64
      %v = scf.if %low -> (i64) {
        %isOne = arith.cmpi eq, %i, %c1 : i64
        %inner = scf.if %isOne -> (i64) {
          scf.yield %c4 : i64
        } else {
          scf.yield %i : i64
        }
        scf.yield %inner : i64
      } else {
        %d = arith.muli %i, %c2 : i64
        scf.yield %d : i64
      }
      tile.yield %v : i64
    }
    tile.store %r, %Y[%c0] : tensor<6xi64>, !tile.global<?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 4, 2, 3, 8, 10}));
}

TEST_F(ControlFlowOps, LetsEveryLaneRunItsOwnNumberOfIterations) {
  // Sums of 0 .. i-1, by a counted loop and by a conditional one.
  Array y = makeOutput("Y", "int64", {2, 5});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %init = arith.constant dense<0> : tensor<5xi64>
    %a, %b = tile.parallel (%i) in (5) init(%init, %init : tensor<5xi64>, tensor<5xi64>) {
      %s = scf.for %k = %c0 to %i step %c1 iter_args(%x = %c0) -> (i64) : i64 {
        %n = arith.addi %x, %k : i64
        scf.yield %n : i64
      }
      %k, %t = scf.while (%p = %c0, %x = %c0) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi slt, %p, %i : i64
        scf.condition(%more) %p, %x : i64, i64
      } do {
      ^bb0(%p: i64, %x: i64):
        %n = arith.addi %x, %p : i64
        %q = arith.addi %p, %c1 : i64
        scf.yield %q, %n : i64, i64
      }
      tile.yield %s, %t : i64, i64
    }
    tile.store %a, %Y[%c0, %c0] : tensor<5xi64>, !tile.global<?x?xi64>
    tile.store %b, %Y[%c1, %c0] : tensor<5xi64>, !tile.global<?x?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 1, 3, 6, 0, 0, 1, 3, 6}));
}

TEST_F(ControlFlowOps, RunsAUniformLoopUnderALaneCondition) {
  Array y = makeOutput("Y", "int64", {4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    tile.parallel (%i) in (4) {
      %high = arith.cmpi sge, %i, %c2 : i64
      scf.if %high {
        %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %i) -> (i64) : i64 {
          %n = arith.addi %x, %c1 : i64
          scf.yield %n : i64
        }
        tile.store_element %s, %Y[%i] : i64, !tile.global<?xi64>
      }
    })",
                {&y}),
            "");
  uint64_t untouched = 0xaaaaaaaaaaaaaaaa;
  EXPECT_EQ(y.getCodes(), (std::vector<uint64_t>{untouched, untouched, 5, 6}));
}

TEST_F(ControlFlowOps, NamesWhatItDoesNotRun) {
  Array y = makeOutput("Y", "int64", {4});
  EXPECT_EQ(
      run(R"(
    %r = scf.execute_region -> i64 {
      %c = arith.constant 1 : i64
      scf.yield %c : i64
    })",
          {&y}),
      "k.mlir:2:10: error: the interpreter does not know 'scf.execute_region'");
}
