//===- InterpreterTest.cpp - Launches: arguments, grids, failures ---------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct Interpreter : KernelHarness {
  /// Writes the block's number to Y[bx].
  const std::string number = R"(
    %bx = tile.block_id 0 : i64
    tile.store_element %bx, %Y[%bx] : i64, !tile.global<?xi64>)";
  Array y = makeOutput("Y", "int64", {6});
};
using Numbers = std::vector<double>;
constexpr uint64_t untouched = 0xaaaaaaaaaaaaaaaa;
} // namespace

TEST_F(Interpreter, RunsTheBlocksOfAList) {
  InterpreterOptions options;
  options.blocks = {4, 1};
  EXPECT_EQ(run(KernelText{number, "[6]"}, {&y}, {}, options), "");
  EXPECT_EQ(y.getCodes(), (std::vector<uint64_t>{untouched, 1, untouched,
                                                 untouched, 4, untouched}));
  EXPECT_EQ(report.blocksRun, 2);
  options.blocks = {6};
  EXPECT_EQ(run(KernelText{number, "[6]"}, {&y}, {}, options),
            "k.mlir:1:1: error: block 6 of a grid of 6 blocks");
}

TEST_F(Interpreter, RunsAnEmptyGrid) {
  EXPECT_EQ(run(KernelText{number, "[0]"}, {&y}), "");
  EXPECT_EQ(report.blocksRun, 0);
  EXPECT_EQ(y.getCodes(), std::vector<uint64_t>(6, untouched));
}

TEST_F(Interpreter, RefusesANegativeGrid) {
  EXPECT_EQ(run(KernelText{number, "[[\"-\", 1 : i64, \"Y0\"]]"}, {&y}),
            "k.mlir:1:1: error: grid axis 'bx' has the extent -5");
  EXPECT_EQ(run(KernelText{number, "[[\"/\", \"Y0\", 0 : i64]]"}, {&y}),
            "k.mlir:1:1: error: grid axis 'bx': '/' of 6 and 0 has no value in "
            "int64");
}

TEST_F(Interpreter, ChecksFactsBeforeRunning) {
  KernelText text{number, "[6]", "[\"bx\"]",
                  "[{expr = [\"==\", [\"%\", \"Y0\", 4 : i64], 0 : i64], text "
                  "= \"N % 4 == 0\"}]"};
  EXPECT_EQ(run(text, {&y}), "k.mlir:1:1: error: 'N % 4 == 0' does not hold");
  EXPECT_EQ(y.getCodes(), std::vector<uint64_t>(6, untouched));
}

TEST_F(Interpreter, TellsTheFailureOfTheFirstBlock) {
  KernelText text;
  text.grid = "[2, 50]";
  text.axes = "[\"bx\", \"by\"]";
  text.body = R"(
    %c3 = arith.constant 3 : i64
    %by = tile.block_id 1 : i64
    %ok = arith.cmpi slt, %by, %c3 : i64
    cf.assert %ok, "by is small")";
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(run(text, {&y}), "k.mlir:5:5: error: assertion failed: by is "
                               "small (in block bx = 0, by = 3)");
}

TEST_F(Interpreter, HoldsArgumentsAgainstTheParameters) {
  Array x = makeIota("X", "f32", {2, 3});
  x.dims = {"M", "K"};
  Array z = makeOutput("Z", "f32", {2, 4});
  z.dims = {"M", "K"};
  EXPECT_EQ(
      run("", {&x, &z}),
      "k.mlir:1:1: error: argument 'Z' dimension 1 is 4, the kernel expects 3");
  z.shape = {2, 3};
  z.storage.resize(23);
  EXPECT_EQ(run("", {&x, &z}),
            "k.mlir:1:1: error: the storage of argument 'Z' has 23 bytes, too "
            "few for its shape and strides");
  z.storage.resize(24);
  z.strides = {4, 1};
  EXPECT_EQ(run("", {&x, &z}),
            "k.mlir:1:1: error: the storage of argument 'Z' has 24 bytes, too "
            "few for its shape and strides");
  z.strides = {INT64_MAX / 2, 1};
  EXPECT_EQ(run("", {&x, &z}),
            "k.mlir:1:1: error: the storage of argument 'Z' has 24 bytes, too "
            "few for its shape and strides");
  z.strides = {3, 1};
  EXPECT_EQ(run("", {&x, &z}), "");
}

TEST_F(Interpreter, HoldsElementTypesAgainstTheParameters) {
  Array x = makeIota("X", "int8", {4});
  auto runWith = [&](const std::string &dtype) {
    auto module = parse(KernelText(), {&x});
    x.dtype = dtype;
    std::string error = interpret(*module, {&x});
    x.dtype = "int8";
    return error;
  };
  EXPECT_EQ(runWith("uint8"), "");
  EXPECT_EQ(runWith("bool"), "k.mlir:1:1: error: argument 'X' is bool, the "
                             "kernel expects int8");
  EXPECT_EQ(runWith("fp8_e4m3"), "k.mlir:1:1: error: argument 'X' is fp8_e4m3, "
                                 "the kernel expects int8");
}

TEST_F(Interpreter, TakesScalars) {
  EXPECT_EQ(run(KernelText{R"(
    %c0 = arith.constant 0 : i64
    %a = tile.cast %f : f32 -> i64
    %b = tile.cast %u {source_unsigned} : i8 -> i64
    %c = arith.addi %a, %b : i64
    tile.store_element %c, %Y[%c0] : i64, !tile.global<?xi64>)",
                           "[\"u\"]"},
                {&y}, {{"f", "f32", 2.75}, {"u", "uint8", 200}}),
            "");
  EXPECT_EQ(y.getValues()[0], 202);
  // The grid may use an integer scalar, here as its unsigned value.
  EXPECT_EQ(report.grid, (std::vector<int64_t>{200}));
}
