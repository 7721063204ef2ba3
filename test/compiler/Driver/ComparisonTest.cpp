//===- ComparisonTest.cpp - Tests of the rules that judge results ---------===//
#include "compiler/Driver/Run/Comparison.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace tilec;

template <typename T>
static HostTensor make(NumberFormat format, std::vector<T> elements) {
  HostTensor tensor = llvm::cantFail(
      HostTensor::create({format, -1, {int64_t(elements.size())}}));
  std::memcpy(tensor.getBytes().data(), elements.data(),
              elements.size() * sizeof(T));
  return tensor;
}
static HostTensor makeFloats(std::vector<float> elements) {
  return make(NumberFormat::F32, elements);
}

static constexpr float notANumber = NAN, infinity = INFINITY;

TEST(Comparison, ExactTakesSignedZerosAndAllNaNsAsEqual) {
  HostTensor got = makeFloats({0.0f, notANumber, infinity, 1.5f});
  HostTensor want = makeFloats({-0.0f, -notANumber, infinity, 1.5f});
  EXPECT_TRUE(compareExactly(got, want).passed());
}

TEST(Comparison, ExactSeesTheLastBit) {
  HostTensor got = makeFloats({1.0f, std::nextafter(2.0f, 3.0f)});
  HostTensor want = makeFloats({1.0f, 2.0f});
  ComparisonResult result = compareExactly(got, want);
  ASSERT_EQ(result.mismatchCount, 1);
  EXPECT_EQ(result.first[0].position, 1);
}

TEST(Comparison, ExactSeesTheLastBitOfWideIntegers) {
  HostTensor got = make<int64_t>(NumberFormat::Int64, {(1ll << 60) + 1});
  HostTensor want = make<int64_t>(NumberFormat::Int64, {1ll << 60});
  EXPECT_FALSE(compareExactly(got, want).passed());
}

TEST(Comparison, CloseAddsBothTerms) {
  HostTensor want = makeFloats({100.0f, 0.0f});
  Tolerance tolerance{0.01, 0.5};
  EXPECT_TRUE(
      compareClosely(makeFloats({101.5f, 0.5f}), want, tolerance).passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({101.6f, 0.0f}), want, tolerance).passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({100.0f, 0.6f}), want, tolerance).passed());
}

TEST(Comparison, CloseWantsNaNAndInfinityExactlyWhereTheyAre) {
  Tolerance tolerance{1e30, 1e30};
  EXPECT_TRUE(compareClosely(makeFloats({notANumber}), makeFloats({notANumber}),
                             tolerance)
                  .passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({notANumber}), makeFloats({1}), tolerance)
          .passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({1}), makeFloats({notANumber}), tolerance)
          .passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({infinity}), makeFloats({1}), tolerance)
          .passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({1}), makeFloats({infinity}), tolerance)
          .passed());
  EXPECT_FALSE(
      compareClosely(makeFloats({-infinity}), makeFloats({infinity}), tolerance)
          .passed());
}

TEST(Comparison, ScaleRuleAddsTheRootMeanSquare) {
  // rms(want) = 10; the bound of the second element is 0.01 * (0 + 10).
  HostTensor want = makeFloats({std::sqrt(200.0f), 0.0f});
  EXPECT_TRUE(
      compareByScale(makeFloats({std::sqrt(200.0f), 0.099f}), want, {0.01, 0})
          .passed());
  EXPECT_FALSE(
      compareByScale(makeFloats({std::sqrt(200.0f), 0.101f}), want, {0.01, 0})
          .passed());
}

TEST(Comparison, ScaleRuleWithoutToleranceIsExactForIntegers) {
  HostTensor want = make<int32_t>(NumberFormat::Int32, {1 << 24, 3});
  EXPECT_TRUE(compareByScale(want, want, {0, 0}).passed());
  EXPECT_FALSE(
      compareByScale(make<int32_t>(NumberFormat::Int32, {(1 << 24) + 1, 3}),
                     want, {0, 0})
          .passed());
}

TEST(Comparison, ScaleRuleLooksAtSelectedElementsOnly) {
  HostTensor got = makeFloats({1, 99, 3}), want = makeFloats({1, 2, 3});
  llvm::BitVector selection(3, true);
  EXPECT_FALSE(compareByScale(got, want, {1e-3, 0}, &selection).passed());
  selection.reset(1);
  ComparisonResult result = compareByScale(got, want, {1e-3, 0}, &selection);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.comparedCount, 2);
}

TEST(Comparison, ReportsErrorsOfTheWholeArray) {
  ComparisonResult result = compareExactly(makeFloats({3.5f, 4, notANumber}),
                                           makeFloats({3, 4, notANumber}));
  EXPECT_EQ(result.maxAbsoluteError, 0.5);
  EXPECT_NEAR(result.relativeError, 0.5 / 5, 1e-12);
  result = compareExactly(makeFloats({notANumber}), makeFloats({1}));
  EXPECT_TRUE(std::isinf(result.maxAbsoluteError));
  EXPECT_TRUE(std::isinf(result.relativeError));
}

TEST(Comparison, DefaultToleranceFollowsTheType) {
  EXPECT_EQ(getDefaultTolerance(NumberFormat::BF16).relative, 1e-2);
  EXPECT_EQ(getDefaultTolerance(NumberFormat::FP8E4M3).relative, 1e-2);
  EXPECT_EQ(getDefaultTolerance(NumberFormat::F32).relative, 1e-3);
  EXPECT_EQ(getDefaultTolerance(NumberFormat::Int32).relative, 0);
  EXPECT_EQ(getDefaultTolerance(NumberFormat::Int4).relative, 0);
}

TEST(Comparison, PrintsTheFirstMismatches) {
  HostTensor got =
      llvm::cantFail(HostTensor::create({NumberFormat::Int8, -1, {2, 2}}));
  HostTensor want =
      llvm::cantFail(HostTensor::create({NumberFormat::Int8, -1, {2, 2}}));
  std::memset(got.getBytes().data(), 1, 4);
  std::memset(want.getBytes().data(), 1, 4);
  want.getBytes()[3] = 5;
  std::string text;
  llvm::raw_string_ostream os(text);
  printComparison(os, "check C", got.getShape(), compareExactly(got, want));
  EXPECT_EQ(text, "check C: max_abs_err = 4, rel_err = 0.755929, FAIL: 1 of 4 "
                  "elements differ too much\n"
                  "  [1, 1]: got 1, want 5\n");
}
