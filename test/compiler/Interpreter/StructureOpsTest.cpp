//===- StructureOpsTest.cpp - Indices and element loops -------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct StructureOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(StructureOps, GivesSymbolsAndTheBlocksPlace) {
  // Y[by, bx] = 100 * by + 10 * bx + N for a grid of N x M blocks.
  Array y = makeOutput("Y", "int64", {2, 3});
  y.dims = {"M", "N"};
  KernelText text;
  text.grid = "[\"N\", \"M\"]";
  text.axes = "[\"bx\", \"by\"]";
  text.body = R"(
    %bx = tile.block_id 0 : i64
    %by = tile.block_id 1 : i64
    %n = tile.symbol "N" : i64
    %c10 = arith.constant 10 : i64
    %c100 = arith.constant 100 : i64
    %a = arith.muli %by, %c100 : i64
    %b = arith.muli %bx, %c10 : i64
    %ab = arith.addi %a, %b : i64
    %v = arith.addi %ab, %n : i64
    tile.store_element %v, %Y[%by, %bx] : i64, !tile.global<?x?xi64>)";
  EXPECT_EQ(run(text, {&y}), "");
  EXPECT_EQ(y.getValues(), (Numbers{3, 13, 23, 103, 113, 123}));
  EXPECT_EQ(report.grid, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(report.blocksRun, 6);
}

TEST_F(StructureOps, RunsAnElementLoopOverAllIndices) {
  Array x = makeIota("X", "int32", {2, 3}),
        y = makeOutput("Y", "int32", {2, 3});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c10 = arith.constant 10 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xi32> -> tensor<2x3xi32>
    %y = tile.parallel (%i, %j) in (2, 3) init(%x : tensor<2x3xi32>) {
      %v = tile.element %x[%i, %j] : tensor<2x3xi32>
      %t = arith.muli %i, %c10 : i64
      %n = arith.addi %t, %j : i64
      %n32 = arith.trunci %n : i64 to i32
      %s = arith.addi %v, %n32 : i32
      tile.yield %s : i32
    }
    tile.store %y, %Y[%c0, %c0] : tensor<2x3xi32>, !tile.global<?x?xi32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 2, 4, 13, 15, 17}));
}

TEST_F(StructureOps, WritesThroughAnIndexMapAndKeepsOtherElements) {
  // y[2 * j + 1, i] = 10 * i + j over a fragment of zeros.
  Array y = makeOutput("Y", "int64", {6, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c10 = arith.constant 10 : i64
    %init = arith.constant dense<-1> : tensor<6x2xi64>
    %y = tile.parallel (%i, %j) in (2, 3) init(%init : tensor<6x2xi64>)
        maps [affine_map<(d0, d1) -> (d1 * 2 + 1, d0)>] {
      %t = arith.muli %i, %c10 : i64
      %v = arith.addi %t, %j : i64
      tile.yield %v : i64
    }
    tile.store %y, %Y[%c0, %c0] : tensor<6x2xi64>, !tile.global<?x?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(),
            (Numbers{-1, -1, 0, 10, -1, -1, 1, 11, -1, -1, 2, 12}));
}

TEST_F(StructureOps, StopsWhereAMapLeavesTheFragment) {
  Array y = makeOutput("Y", "int64", {4});
  EXPECT_EQ(run(R"(
    %init = arith.constant dense<0> : tensor<4xi64>
    %y = tile.parallel (%i) in (3) init(%init : tensor<4xi64>)
        maps [affine_map<(d0) -> (d0 * 2)>] {
      tile.yield %i : i64
    })",
                {&y}),
            "k.mlir:3:10: error: 'parallel' writes a fragment at index 4 of a "
            "dimension of 4");
}

TEST_F(StructureOps, YieldsSeveralFragments) {
  Array y = makeOutput("Y", "int64", {2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %init = arith.constant dense<0> : tensor<2xi64>
    %a, %b = tile.parallel (%i) in (2) init(%init, %init : tensor<2xi64>, tensor<2xi64>) {
      %twice = arith.addi %i, %i : i64
      tile.yield %c1, %twice : i64, i64
    }
    tile.store %a, %Y[%c0, %c0] : tensor<2xi64>, !tile.global<?x?xi64>
    tile.store %b, %Y[%c1, %c0] : tensor<2xi64>, !tile.global<?x?xi64>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 1, 0, 2}));
}

TEST_F(StructureOps, KeepsTilesOutOfElementLoops) {
  Array x = makeIota("X", "f32", {4}), y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(run(R"(
    tile.parallel (%i) in (4) {
      %t = tile.load %X[%i] : !tile.global<?xf32> -> tensor<2xf32>
    })",
                {&x, &y}),
            "k.mlir:3:12: error: 'tile.load' works on a whole tile and cannot "
            "run inside "
            "'parallel'");
}

TEST_F(StructureOps, StopsAtAnAssertionThatDoesNotHold) {
  Array x = makeIota("X", "int32", {4});
  std::string body = R"(
    %limit = arith.constant LIMIT : i32
    tile.parallel (%i) in (4) {
      %v = tile.load_element %X[%i] : !tile.global<?xi32> -> i32
      %ok = arith.cmpi slt, %v, %limit : i32
      cf.assert %ok, "X is below the limit"
    })";
  auto with = [&](const std::string &limit) {
    std::string text = body;
    return run(text.replace(text.find("LIMIT"), 5, limit), {&x});
  };
  EXPECT_EQ(with("4"), "");
  EXPECT_EQ(with("3"),
            "k.mlir:6:7: error: assertion failed: X is below the limit");
}

TEST_F(StructureOps, SharesTheTuplesOfAPersistentLoopAmongBlocks) {
  Array y = makeInput("Y", "int32", {3, 4}, std::vector<double>(12, 0));
  y.access = "inout";
  KernelText text;
  text.body = R"(
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %one = arith.constant 1 : i32
    %b = tile.block_id 0 : i64
    %n = tile.cast %b : i64 -> i32
    %m = arith.addi %n, %one : i32
    tile.persistent (%i, %j) in (%c3, %c4) {
      %o = tile.load_element %Y[%i, %j] : !tile.global<?x?xi32> -> i32
      %s = arith.addi %o, %m : i32
      tile.store_element %s, %Y[%i, %j] : i32, !tile.global<?x?xi32>
    })";
  text.grid = "[5]";
  EXPECT_EQ(run(text, {&y}), "");
  // Each tuple once: block 0 has tuples 0, 5, 10 and so on.
  EXPECT_EQ(y.getValues(), (Numbers{1, 4, 2, 5, 2, 5, 3, 1, 3, 1, 4, 2}));
}

TEST_F(StructureOps, CountsTheBlocksOfTheLaunch) {
  Array y = makeOutput("Y", "int64", {6});
  KernelText text;
  text.body = R"(
    %b = tile.block_number : i64
    %n = tile.block_count : i64
    %c10 = arith.constant 10 : i64
    %s = arith.muli %n, %c10 : i64
    %v = arith.addi %s, %b : i64
    tile.store_element %v, %Y[%b] : i64, !tile.global<?xi64>)";
  text.grid = "[2, 3]";
  text.axes = "[\"bx\", \"by\"]";
  EXPECT_EQ(run(text, {&y}), "");
  EXPECT_EQ(y.getValues(), (Numbers{60, 61, 62, 63, 64, 65}));
}

TEST_F(StructureOps, PrintsValuesOfEveryKind) {
  Array x = makeIota("X", "f32", {2, 2});
  KernelText text;
  text.body = R"(
    %c0 = arith.constant 0 : i64
    %x = tile.load %X[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x2xf32>
    %n = arith.constant -1 : i8
    %h = arith.constant 0.5 : f32
    tile.print "v" %x, %n, %n, %h : tensor<2x2xf32>, i8, i8, f32 {unsigned_values = array<i1: false, false, true, false>}
    tile.parallel (%i) in (2) {
      tile.print "i" %i : i64
    })";
  text.grid = "[1, 1]";
  text.axes = "[\"bx\", \"by\"]";
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(text, {&x}), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "block (0, 0) v: [[0, 1], [2, 3]], -1, 255, 0.5\n"
            "block (0, 0) i: 0\nblock (0, 0) i: 1\n");
}

TEST_F(StructureOps, StopsAtAPromiseThatIsNotKept) {
  Array x = makeIota("X", "int32", {4});
  EXPECT_EQ(run(R"(
    tile.parallel (%i) in (4) {
      %x = tile.load_element %X[%i] : !tile.global<?xi32> -> i32
      %c3 = arith.constant 3 : i32
      %ok = arith.cmpi slt, %x, %c3 : i32
      tile.assert %ok, "row is in range"
    })",
                {&x}),
            "k.mlir:6:7: error: assertion failed: row is in range");
}
