//===- ElementOpsTest.cpp - Single elements in and out of element loops ---===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct ElementOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(ElementOps, GathersFromGlobalMemory) {
  Array x = makeInput("X", "f32", {4}, {10, 20, 30, 40});
  Array ids = makeInput("I", "int32", {5}, {3, 0, -1, 4, 1});
  Array y = makeOutput("Y", "f32", {5});
  EXPECT_EQ(run(R"(
    %pad = arith.constant -1.0 : f32
    tile.parallel (%i) in (5) {
      %id = tile.load_element %I[%i] : !tile.global<?xi32> -> i32
      %at = arith.extsi %id : i32 to i64
      %v = tile.load_element %X[%at] pad %pad : f32 : !tile.global<?xf32> -> f32
      tile.store_element %v, %Y[%i] : f32, !tile.global<?xf32>
    })",
                {&x, &ids, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{40, 10, -1, -1, 20}));
}

TEST_F(ElementOps, WritesNothingOutsideAndNothingInLanesThatDoNotRun) {
  Array y = makeOutput("Y", "int32", {4});
  EXPECT_EQ(run(R"(
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    tile.parallel (%i) in (8) {
      %bit = arith.andi %i, %c1 : i64
      %isOdd = arith.cmpi eq, %bit, %c1 : i64
      scf.if %isOdd {
        %at = arith.subi %i, %c2 : i64
        %v = arith.trunci %i : i64 to i32
        tile.store_element %v, %Y[%at] : i32, !tile.global<?xi32>
      }
    })",
                {&y}),
            "");
  EXPECT_EQ(y.getCodes(),
            (std::vector<uint64_t>{0xaaaaaaaa, 3, 0xaaaaaaaa, 5}));
}

TEST_F(ElementOps, ReadsAndWritesSharedElements) {
  // Reverses a row through shared memory.
  Array x = makeIota("X", "int8", {4}), y = makeOutput("Y", "int8", {4});
  EXPECT_EQ(run(R"(
    %c3 = arith.constant 3 : i64
    %s = tile.alloc_shared "s" : !tile.shared<4xi8>
    tile.parallel (%i) in (4) {
      %v = tile.load_element %X[%i] : !tile.global<?xi8> -> i8
      %at = arith.subi %c3, %i : i64
      tile.store_element %v, %s[%at] : i8, !tile.shared<4xi8>
    }
    tile.parallel (%i) in (4) {
      %v = tile.load_element %s[%i] : !tile.shared<4xi8> -> i8
      tile.store_element %v, %Y[%i] : i8, !tile.global<?xi8>
    })",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{3, 2, 1, 0}));
}

TEST_F(ElementOps, StopsAtSharedElementsThatAreUndefinedOrOutside) {
  Array y = makeOutput("Y", "int8", {4});
  std::string body = R"(
    %c3 = arith.constant 3 : i64
    %one = arith.constant 1 : i8
    %s = tile.alloc_shared "s" : !tile.shared<4xi8>
    tile.store_element %one, %s[%c3] : i8, !tile.shared<4xi8>
    tile.parallel (%i) in (4) {
      %at = arith.addi %i, %c3 : i64
      %goes = arith.cmpi CONDITION, %i, %c3 : i64
      scf.if %goes {
        %v = tile.load_element %s[INDEX] : !tile.shared<4xi8> -> i8
      }
    })";
  auto with = [&](const std::string &condition, const std::string &index) {
    std::string text = body;
    text.replace(text.find("CONDITION"), 9, condition);
    text.replace(text.find("INDEX"), 5, index);
    return run(text, {&y});
  };
  EXPECT_EQ(with("eq", "%i"), "");
  EXPECT_EQ(with("sle", "%i"),
            "k.mlir:10:14: error: shared tile 's' is read at [0] before "
            "anything was written there");
  EXPECT_EQ(with("eq", "%at"),
            "k.mlir:10:14: error: shared tile 's' is accessed at index 6 of "
            "dimension 0, which has 4");
}

TEST_F(ElementOps, AccessesOneElementOutsideAnElementLoop) {
  Array x = makeIota("X", "uint4", {5}), y = makeOutput("Y", "uint4", {3});
  EXPECT_EQ(run(R"(
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %v = tile.load_element %X[%c4] : !tile.global<?xi4, pack = 0> -> i4
    tile.store_element %v, %Y[%c2] : i4, !tile.global<?xi4, pack = 0>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.storage, (std::vector<uint8_t>{0xaa, 0x04}));
}

TEST_F(ElementOps, UnpacksNibblesByHand) {
  // q[i, j] = nibble j % 2 of b[i, j / 2], sign-extended, as w4a8_manual.tile
  // does.
  Array b = makeInput("B", "uint8", {1, 2}, {0x8f, 0x71}),
        q = makeOutput("Q", "int8", {1, 4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %four = arith.constant 4 : i8
    %fifteen = arith.constant 15 : i8
    %b = tile.load %B[%c0, %c0] : !tile.global<?x?xi8> -> tensor<1x2xi8>
    %init = arith.constant dense<0> : tensor<1x4xi8>
    %q = tile.parallel (%i, %j) in (1, 4) init(%init : tensor<1x4xi8>) {
      %half = arith.divsi %j, %c2 : i64
      %odd = arith.remsi %j, %c2 : i64
      %shift = arith.muli %odd, %c4 : i64
      %byte = tile.element %b[%i, %half] : tensor<1x2xi8>
      %shift8 = arith.trunci %shift : i64 to i8
      %high = arith.shrui %byte, %shift8 : i8
      %nibble = arith.andi %high, %fifteen : i8
      %left = arith.shli %nibble, %four : i8
      %value = arith.shrsi %left, %four : i8
      tile.yield %value : i8
    }
    tile.store %q, %Q[%c0, %c0] : tensor<1x4xi8>, !tile.global<?x?xi8>)",
                {&b, &q}),
            "");
  EXPECT_EQ(q.getValues(), (Numbers{-1, -8, 1, 7}));
}
