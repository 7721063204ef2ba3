//===- IntegerOpsTest.cpp - Integer arithmetic ----------------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct IntegerOps : KernelHarness {
  /// `op` of two integers, as scalars; the result as a signed number.
  double apply(const std::string &op, const std::string &type, int64_t a,
               int64_t b, const std::string &resultType = "") {
    Array y = makeOutput("Y", "int64", {1});
    std::string result = resultType.empty() ? type : resultType;
    std::string widened = result == "i64"
                              ? "%w = arith.addi %r, %zero : i64\n"
                              : "%w = arith.extsi %r : " + result + " to i64\n";
    EXPECT_EQ(
        run("%zero = arith.constant 0 : i64\n%a = arith.constant " +
                std::to_string(a) + " : " + type + "\n%b = arith.constant " +
                std::to_string(b) + " : " + type + "\n%r = " + op +
                " %a, %b : " + type + "\n" + widened +
                "tile.store_element %w, %Y[%zero] : i64, !tile.global<?xi64>",
            {&y}),
        "");
    return y.getValues()[0];
  }
};
using Numbers = std::vector<double>;
} // namespace

TEST_F(IntegerOps, WrapsToTheWidth) {
  EXPECT_EQ(apply("arith.addi", "i8", 127, 1), -128);
  EXPECT_EQ(apply("arith.subi", "i8", -128, 1), 127);
  EXPECT_EQ(apply("arith.muli", "i16", 300, 300), 90000 - 65536);
  EXPECT_EQ(apply("arith.addi", "i32", 2147483647, 1), -2147483648.0);
  EXPECT_EQ(apply("arith.shli", "i8", 0x7f, 4), -16);
  EXPECT_EQ(apply("arith.addi", "i64", INT64_MAX, 1), double(INT64_MIN));
}

TEST_F(IntegerOps, DividesTowardZero) {
  EXPECT_EQ(apply("arith.divsi", "i32", -7, 2), -3);
  EXPECT_EQ(apply("arith.remsi", "i32", -7, 2), -1);
  EXPECT_EQ(apply("arith.divsi", "i8", -128, -1), -128);
  EXPECT_EQ(apply("arith.remsi", "i8", -128, -1), 0);
  EXPECT_EQ(apply("arith.divui", "i8", -1, 2), 127);
  EXPECT_EQ(apply("arith.remui", "i8", -1, 16), 15);
  EXPECT_EQ(apply("arith.floordivsi", "i32", -7, 2), -4);
  EXPECT_EQ(apply("arith.ceildivsi", "i32", 7, 2), 4);
  EXPECT_EQ(apply("arith.ceildivsi", "i32", -7, 2), -3);
  EXPECT_EQ(apply("arith.ceildivui", "i8", -1, 2), -128);
  EXPECT_EQ(apply("arith.divsi", "i32", 5, 0), 0);
  EXPECT_EQ(apply("arith.remui", "i32", 5, 0), 0);
}

TEST_F(IntegerOps, ShiftsByTheWidthOrMoreGiveZeroOrTheSign) {
  EXPECT_EQ(apply("arith.shli", "i32", 1, 32), 0);
  EXPECT_EQ(apply("arith.shrui", "i32", -1, 40), 0);
  EXPECT_EQ(apply("arith.shrsi", "i32", -5, 33), -1);
  EXPECT_EQ(apply("arith.shrsi", "i32", 5, -1), 0);
  EXPECT_EQ(apply("arith.shli", "i64", 1, 64), 0);
  EXPECT_EQ(apply("arith.shrui", "i8", -16, 4), 15);
  EXPECT_EQ(apply("arith.shrsi", "i8", -16, 4), -1);
}

TEST_F(IntegerOps, ComparesWithSignedness) {
  EXPECT_EQ(apply("arith.cmpi slt,", "i8", -1, 1, "i1"), -1);
  EXPECT_EQ(apply("arith.cmpi ult,", "i8", -1, 1, "i1"), 0);
  EXPECT_EQ(apply("arith.cmpi uge,", "i32", -1, 1, "i1"), -1);
  EXPECT_EQ(apply("arith.cmpi ne,", "i32", 3, 3, "i1"), 0);
  EXPECT_EQ(apply("arith.maxsi", "i8", -1, 1), 1);
  EXPECT_EQ(apply("arith.maxui", "i8", -1, 1), -1);
  EXPECT_EQ(apply("arith.minsi", "i8", -1, 1), -1);
  EXPECT_EQ(apply("arith.minui", "i8", -1, 1), 1);
}

TEST_F(IntegerOps, ComputesOnBitsAndBools) {
  EXPECT_EQ(apply("arith.andi", "i8", 0x3c, 0x0f), 12);
  EXPECT_EQ(apply("arith.ori", "i8", 0x30, 0x0f), 63);
  EXPECT_EQ(apply("arith.xori", "i8", -1, 0x0f), -16);
  EXPECT_EQ(apply("arith.andi", "i1", 1, 1), -1);
  EXPECT_EQ(apply("arith.xori", "i1", 1, 1), 0);
}

TEST_F(IntegerOps, WorksOnFragmentsAndSelects) {
  Array x = makeInput("X", "int32", {4}, {-3, 5, -7, 9}),
        y = makeOutput("Y", "int32", {4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %zero = arith.constant dense<0> : tensor<4xi32>
    %x = tile.load %X[%c0] : !tile.global<?xi32> -> tensor<4xi32>
    %isNegative = arith.cmpi slt, %x, %zero : tensor<4xi32>
    %abs = math.absi %x : tensor<4xi32>
    %twice = arith.addi %abs, %abs : tensor<4xi32>
    %r = arith.select %isNegative, %twice, %x : tensor<4xi1>, tensor<4xi32>
    tile.store %r, %Y[%c0] : tensor<4xi32>, !tile.global<?xi32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{6, 5, 14, 9}));
}
