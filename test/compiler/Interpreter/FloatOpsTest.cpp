//===- FloatOpsTest.cpp - Float arithmetic and functions ------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

#include <cmath>
#include <limits>

using namespace tilec;

namespace {
struct FloatOps : KernelHarness {
  /// An expression over fragments %a and %b (and %c) of `dtype`, element by
  /// element.
  std::vector<double> apply(const std::string &op, const std::string &dtype,
                            std::vector<double> a, std::vector<double> b,
                            const std::string &outType = "") {
    std::string out = outType.empty() ? dtype : outType;
    std::string outMlir = out == "bool" ? "i1" : out,
                n = std::to_string(a.size());
    Array x = makeInput("A", dtype, {int64_t(a.size())}, a);
    Array z = makeInput("B", dtype, {int64_t(b.size())}, b);
    Array y = makeOutput("Y", out, {int64_t(a.size())});
    EXPECT_EQ(run("%c0 = arith.constant 0 : i64\n%a = tile.load %A[%c0] : "
                  "!tile.global<?x" +
                      dtype + "> -> tensor<" + n + "x" + dtype +
                      ">\n%b = tile.load %B[%c0] : !tile.global<?x" + dtype +
                      "> -> tensor<" + n + "x" + dtype + ">\n%r = " + op +
                      " : tensor<" + n + "x" + dtype +
                      ">\ntile.store %r, %Y[%c0] : tensor<" + n + "x" +
                      outMlir + ">, !tile.global<?x" + outMlir + ">",
                  {&x, &z, &y}),
              "");
    return y.getValues();
  }
};
using Numbers = std::vector<double>;
const double inf = std::numeric_limits<double>::infinity();
const double notANumber = std::numeric_limits<double>::quiet_NaN();
} // namespace

TEST_F(FloatOps, RoundsEachResultToItsType) {
  EXPECT_EQ(apply("arith.addf %a, %b", "bf16", {256, 1}, {1, 0.00390625}),
            (Numbers{256, 1}));
  EXPECT_EQ(apply("arith.addf %a, %b", "f32", {16777216}, {1}),
            (Numbers{16777216}));
  EXPECT_EQ(apply("arith.mulf %a, %b", "f16", {300}, {300}), (Numbers{inf}));
  EXPECT_EQ(apply("arith.divf %a, %b", "f32", {1}, {3}),
            (Numbers{double(1.0f / 3.0f)}));
  EXPECT_EQ(apply("arith.divf %a, %b", "f64", {1}, {3}), (Numbers{1.0 / 3.0}));
  EXPECT_EQ(apply("arith.subf %a, %b", "f32", {1}, {inf}), (Numbers{-inf}));
  EXPECT_EQ(apply("arith.remf %a, %b", "f32", {-7}, {2}), (Numbers{-1}));
}

TEST_F(FloatOps, KeepsSubnormals) {
  double tiny = std::ldexp(1.0, -149);
  EXPECT_EQ(apply("arith.addf %a, %b", "f32", {tiny}, {tiny}),
            (Numbers{2 * tiny}));
  EXPECT_EQ(apply("arith.mulf %a, %b", "f32", {std::ldexp(1.0, -100)},
                  {std::ldexp(1.0, -49)}),
            (Numbers{tiny}));
}

TEST_F(FloatOps, MultipliesAndAddsWithoutContraction) {
  // (1 + 2^-23)^2 - (1 + 2^-22) is 0 with two roundings and 2^-46 fused.
  double x = 1.0 + std::ldexp(1.0, -23), y = -(1.0 + std::ldexp(1.0, -22));
  EXPECT_EQ(apply("arith.mulf %a, %a : tensor<1xf32>\n%s = arith.addf %r, %b",
                  "f32", {x}, {y})[0],
            1.0 + std::ldexp(1.0, -22));
  EXPECT_EQ(apply("math.fma %a, %a, %b", "f32", {x}, {y}),
            (Numbers{std::ldexp(1.0, -46)}));
}

TEST_F(FloatOps, TakesTheNumberOfANumberAndANaN) {
  Numbers r = apply("arith.maxnumf %a, %b", "f32",
                    {notANumber, 1, notANumber, -0.0, 0.0},
                    {2, notANumber, notANumber, 0.0, -0.0});
  EXPECT_EQ(r[0], 2);
  EXPECT_EQ(r[1], 1);
  EXPECT_TRUE(std::isnan(r[2]));
  EXPECT_FALSE(std::signbit(r[3]));
  EXPECT_FALSE(std::signbit(r[4]));
  r = apply("arith.minnumf %a, %b", "f32", {notANumber, 1, 0.0, -0.0},
            {2, notANumber, -0.0, 0.0});
  EXPECT_EQ(r[0], 2);
  EXPECT_EQ(r[1], 1);
  EXPECT_TRUE(std::signbit(r[2]));
  EXPECT_TRUE(std::signbit(r[3]));
  EXPECT_TRUE(
      std::isnan(apply("arith.maximumf %a, %b", "f32", {notANumber}, {2})[0]));
  EXPECT_TRUE(
      std::isnan(apply("arith.minimumf %a, %b", "f32", {3}, {notANumber})[0]));
}

TEST_F(FloatOps, ComparesWithNaN) {
  EXPECT_EQ(apply("arith.cmpf olt, %a, %b", "f32", {1, notANumber, 2},
                  {2, 2, notANumber}, "bool"),
            (Numbers{1, 0, 0}));
  EXPECT_EQ(apply("arith.cmpf une, %a, %b", "f32", {1, notANumber, 2},
                  {1, 2, notANumber}, "bool"),
            (Numbers{0, 1, 1}));
  EXPECT_EQ(apply("arith.cmpf oeq, %a, %b", "f32", {0.0, notANumber},
                  {-0.0, notANumber}, "bool"),
            (Numbers{1, 0}));
  EXPECT_EQ(
      apply("arith.cmpf uno, %a, %b", "f32", {0.0, notANumber}, {1, 1}, "bool"),
      (Numbers{0, 1}));
}

TEST_F(FloatOps, ComputesFunctions) {
  EXPECT_EQ(apply("math.exp2 %a", "f32", {3, -inf, 0.5}, {0, 0, 0}),
            (Numbers{8, 0, double(float(std::sqrt(2.0)))}));
  EXPECT_EQ(apply("math.exp %a", "bf16", {1}, {0}), (Numbers{2.71875}));
  EXPECT_EQ(apply("math.log2 %a", "f32", {8, 0}, {0, 0}), (Numbers{3, -inf}));
  EXPECT_EQ(apply("math.rsqrt %a", "f32", {4, 0}, {0, 0}), (Numbers{0.5, inf}));
  EXPECT_EQ(apply("math.sqrt %a", "f32", {2}, {0}),
            (Numbers{double(std::sqrt(2.0f))}));
  EXPECT_EQ(apply("math.tanh %a", "f32", {1}, {0}),
            (Numbers{double(float(std::tanh(1.0)))}));
  EXPECT_EQ(apply("math.erf %a", "f32", {1}, {0}),
            (Numbers{double(float(std::erf(1.0)))}));
}

TEST_F(FloatOps, RoundsToIntegers) {
  Numbers x = {2.5, -2.5, 3.5, -0.25, 1e30};
  EXPECT_EQ(apply("math.roundeven %a", "f64", x, x),
            (Numbers{2, -2, 4, -0.0, 1e30}));
  EXPECT_EQ(apply("math.floor %a", "f64", x, x), (Numbers{2, -3, 3, -1, 1e30}));
  EXPECT_EQ(apply("math.ceil %a", "f64", x, x),
            (Numbers{3, -2, 4, -0.0, 1e30}));
  EXPECT_EQ(apply("math.trunc %a", "f64", x, x),
            (Numbers{2, -2, 3, -0.0, 1e30}));
  EXPECT_TRUE(std::signbit(apply("math.roundeven %a", "f32", {-0.25}, {0})[0]));
}

TEST_F(FloatOps, ChangesSignsWithoutRounding) {
  EXPECT_EQ(apply("arith.negf %a", "f32", {1, -inf}, {0, 0}),
            (Numbers{-1, inf}));
  EXPECT_EQ(apply("math.absf %a", "f32", {-1, -inf}, {0, 0}),
            (Numbers{1, inf}));
  EXPECT_EQ(apply("math.copysign %a, %b", "f32", {3, 3}, {-1, 1}),
            (Numbers{-3, 3}));
}
