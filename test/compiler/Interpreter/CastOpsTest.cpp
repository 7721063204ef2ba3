//===- CastOpsTest.cpp - Conversions between element types ----------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

#include <cmath>
#include <limits>

using namespace tilec;

namespace {
struct CastOps : KernelHarness {
  /// Casts fragments of `from` to `to` by `op`, which names %a and the types.
  std::vector<double> apply(const std::string &op, const std::string &from,
                            const std::string &fromType, const std::string &to,
                            const std::string &toType, std::vector<double> a) {
    Array x = makeInput("A", from, {int64_t(a.size())}, a);
    Array y = makeOutput("Y", to, {int64_t(a.size())});
    std::string n = std::to_string(a.size());
    std::string arrow = op.find("tile.cast") == 0 ? "->" : "to";
    auto pack = [](const Array &array) {
      return array.packDim < 0 ? ">" : ", pack = 0>";
    };
    EXPECT_EQ(run("%c0 = arith.constant 0 : i64\n%a = tile.load %A[%c0] : "
                  "!tile.global<?x" +
                      fromType + pack(x) + " -> tensor<" + n + "x" + fromType +
                      ">\n%r = " + op + " : tensor<" + n + "x" + fromType +
                      "> " + arrow + " tensor<" + n + "x" + toType +
                      ">\ntile.store %r, %Y[%c0] : tensor<" + n + "x" + toType +
                      ">, !tile.global<?x" + toType + pack(y),
                  {&x, &y}),
              "");
    return y.getValues();
  }
};
using Numbers = std::vector<double>;
const double inf = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();
} // namespace

TEST_F(CastOps, KeepsWhatHasTheTypeAlready) {
  EXPECT_EQ(
      apply("tile.cast %a {mode = \"sat\"}", "f16", "f16", "f16", "f16", {inf}),
      (Numbers{inf}));
}

TEST_F(CastOps, FollowsTheModes) {
  EXPECT_EQ(apply("tile.cast %a", "f32", "f32", "fp8_e4m3", "f8E4M3FN",
                  {500, -inf, 17}),
            (Numbers{448, -448, 16}));
  Numbers r = apply("tile.cast %a {mode = \"nosat\"}", "f32", "f32", "fp8_e4m3",
                    "f8E4M3FN", {500});
  EXPECT_TRUE(std::isnan(r[0]));
  EXPECT_EQ(apply("tile.cast %a", "f32", "f32", "f16", "f16", {1e6}),
            (Numbers{inf}));
  EXPECT_EQ(
      apply("tile.cast %a {mode = \"sat\"}", "f32", "f32", "f16", "f16", {1e6}),
      (Numbers{65504}));
  EXPECT_EQ(apply("tile.cast %a", "f32", "f32", "e8m0", "f8E8M0FNU", {3, 0}),
            (Numbers{2, std::ldexp(1.0, -127)}));
  EXPECT_EQ(apply("tile.cast %a {mode = \"up\"}", "f32", "f32", "e8m0",
                  "f8E8M0FNU", {3}),
            (Numbers{4}));
  EXPECT_EQ(apply("tile.cast %a", "int32", "i32", "int8", "i8", {200}),
            (Numbers{-56}));
  EXPECT_EQ(apply("tile.cast %a {mode = \"sat\"}", "int32", "i32", "int8", "i8",
                  {200}),
            (Numbers{127}));
  EXPECT_EQ(apply("tile.cast %a {mode = \"sat\", result_unsigned}", "int32",
                  "i32", "uint8", "i8", {300, -4}),
            (Numbers{255, 0}));
}

TEST_F(CastOps, ReadsTheSignednessOfIntegers) {
  EXPECT_EQ(apply("tile.cast %a", "int4", "i4", "f32", "f32", {-8, 7}),
            (Numbers{-8, 7}));
  EXPECT_EQ(apply("tile.cast %a {source_unsigned}", "uint4", "i4", "f32", "f32",
                  {15, 7}),
            (Numbers{15, 7}));
  EXPECT_EQ(apply("tile.cast %a {source_unsigned}", "uint8", "i8", "int32",
                  "i32", {200}),
            (Numbers{200}));
  EXPECT_EQ(apply("tile.cast %a", "f32", "f32", "int8", "i8",
                  {-1.9, 300, notANumber}),
            (Numbers{-1, 127, 0}));
  EXPECT_EQ(apply("tile.cast %a {result_unsigned}", "f32", "f32", "uint8", "i8",
                  {-1.9, 300, 2.5}),
            (Numbers{0, 255, 2}));
}

TEST_F(CastOps, ConvertsBools) {
  EXPECT_EQ(apply("tile.cast %a", "bool", "i1", "int32", "i32", {0, 1}),
            (Numbers{0, 1}));
  EXPECT_EQ(apply("tile.cast %a", "bool", "i1", "f32", "f32", {0, 1}),
            (Numbers{0, 1}));
  EXPECT_EQ(apply("tile.cast %a", "int32", "i32", "bool", "i1", {0, 2}),
            (Numbers{0, 1}));
  EXPECT_EQ(apply("tile.cast %a", "f32", "f32", "bool", "i1",
                  {-0.0, 0.25, notANumber}),
            (Numbers{0, 1, 1}));
}

TEST_F(CastOps, RunsTheCastsOfArith) {
  EXPECT_EQ(apply("arith.extsi %a", "int8", "i8", "int32", "i32", {-1}),
            (Numbers{-1}));
  EXPECT_EQ(apply("arith.extui %a", "int8", "i8", "int32", "i32", {-1}),
            (Numbers{255}));
  EXPECT_EQ(apply("arith.extsi %a", "bool", "i1", "int32", "i32", {1}),
            (Numbers{-1}));
  EXPECT_EQ(apply("arith.extui %a", "bool", "i1", "int32", "i32", {1}),
            (Numbers{1}));
  EXPECT_EQ(apply("arith.trunci %a", "int32", "i32", "int8", "i8", {-129}),
            (Numbers{127}));
  EXPECT_EQ(apply("arith.trunci %a", "int32", "i32", "bool", "i1", {2, 3}),
            (Numbers{0, 1}));
  EXPECT_EQ(apply("arith.sitofp %a", "int8", "i8", "f32", "f32", {-1}),
            (Numbers{-1}));
  EXPECT_EQ(apply("arith.uitofp %a", "int8", "i8", "f32", "f32", {-1}),
            (Numbers{255}));
  EXPECT_EQ(apply("arith.fptosi %a", "f32", "f32", "int32", "i32", {-1.5}),
            (Numbers{-1}));
  EXPECT_EQ(apply("arith.fptoui %a", "f32", "f32", "uint8", "i8", {200.5}),
            (Numbers{200}));
  EXPECT_EQ(apply("arith.truncf %a", "f32", "f32", "bf16", "bf16", {257}),
            (Numbers{256}));
  EXPECT_EQ(apply("arith.extf %a", "bf16", "bf16", "f32", "f32", {1.5}),
            (Numbers{1.5}));
}

TEST_F(CastOps, KeepsBits) {
  EXPECT_EQ(apply("arith.bitcast %a", "f32", "f32", "int32", "i32", {-0.0, 1}),
            (Numbers{-2147483648.0, 0x3f800000}));
  EXPECT_EQ(apply("arith.bitcast %a", "uint8", "i8", "fp8_e4m3", "f8E4M3FN",
                  {0x7e, 0x80}),
            (Numbers{448, -0.0}));
  EXPECT_EQ(
      apply("arith.bitcast %a", "fp4_e2m1", "f4E2M1FN", "uint4", "i4", {-6}),
      (Numbers{15}));
}
