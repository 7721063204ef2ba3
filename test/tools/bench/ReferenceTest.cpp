//===-- ReferenceTest.cpp - Data and products of the host -----------------===//

#include "tools/bench/Reference.h"
#include "compiler/Numerics/NumberCast.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace tilebench;
using tilec::NumberFormat;

namespace {

TEST(HostMatrix, NormalDataHasMeanZeroAndVarianceOne) {
  for (NumberFormat format :
       {NumberFormat::BF16, NumberFormat::F16, NumberFormat::TF32,
        NumberFormat::FP8E4M3, NumberFormat::F32}) {
    HostMatrix matrix(format, 301, 401);
    fillNormal(matrix, 5);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < matrix.rows; ++i)
      for (int64_t j = 0; j < matrix.columns; ++j) {
        sum += matrix.at(i, j);
        squares += matrix.at(i, j) * matrix.at(i, j);
      }
    double count = double(matrix.rows * matrix.columns);
    EXPECT_NEAR(sum / count, 0, 0.01);
    EXPECT_NEAR(squares / count, 1, 0.02);
  }
}

TEST(HostMatrix, IntegersCoverTheirRange) {
  HostMatrix matrix(NumberFormat::Int8, 100, 100);
  fillNormal(matrix, 5);
  std::vector<int> counts(256);
  for (int64_t i = 0; i < 100; ++i)
    for (int64_t j = 0; j < 100; ++j)
      ++counts[size_t(int(matrix.at(i, j)) + 128)];
  EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 10);
}

TEST(HostMatrix, DataFollowsTheSeedAndNotTheNumberOfThreads) {
  HostMatrix a(NumberFormat::BF16, 64, 65), b = a,
                                            row(NumberFormat::BF16, 1, 6);
  fillNormal(a, 1);
  fillNormal(b, 2);
  EXPECT_NE(a.bytes, b.bytes);
  fillNormal(b, 1);
  EXPECT_EQ(a.bytes, b.bytes);
  fillNormal(row, 1);
  EXPECT_EQ(std::memcmp(a.bytes.data(), row.bytes.data(), row.bytes.size()), 0);
}

TEST(HostMatrix, Tf32HasNoBitsBelowItsFraction) {
  HostMatrix matrix(NumberFormat::TF32, 10, 10);
  fillNormal(matrix, 3);
  for (size_t i = 0; i < matrix.bytes.size(); i += 4) {
    uint32_t code;
    std::memcpy(&code, &matrix.bytes[i], 4);
    EXPECT_EQ(code & 0x1fff, 0u);
  }
}

/// The product by its definition.
double multiply(const Work &work, const HostInputs &inputs, int64_t i,
                int64_t j, int64_t depth) {
  double sum = 0;
  for (int64_t k = 0; k < depth; ++k) {
    double a = work.isATransposed ? inputs.a.at(k, i) : inputs.a.at(i, k);
    double b = work.isBTransposed ? inputs.b.at(j, k) : inputs.b.at(k, j);
    double scale = work.scales == Scales::Block128
                       ? inputs.scalesOfA.at(i, k / 128) *
                             inputs.scalesOfB.at(j / 128, k / 128)
                       : inputs.scale;
    sum += a * b * scale;
  }
  return sum;
}

HostMatrix makeResult(const Work &work, const Shape &shape,
                      const HostInputs &inputs) {
  HostMatrix result(work.c, shape.m, shape.n);
  for (int64_t i = 0; i < shape.m; ++i)
    for (int64_t j = 0; j < shape.n; ++j) {
      double value = multiply(work, inputs, i, j, shape.k);
      uint64_t code =
          tilec::isFloat(work.c)
              ? tilec::encodeFloat(work.c, tilec::castToFloat(value, work.c))
              : tilec::encodeInteger(work.c, int64_t(value));
      tilec::writeCode(
          work.c,
          &result.bytes[size_t((i * shape.n + j) * result.elementBytes())],
          code);
    }
  return result;
}

void setElement(HostMatrix &matrix, int64_t row, int64_t column,
                uint64_t code) {
  tilec::writeCode(matrix.format,
                   &matrix.bytes[size_t((row * matrix.columns + column) *
                                        matrix.elementBytes())],
                   code);
}

class Products : public testing::TestWithParam<Work> {};

const Shape shape{21, 150, 300};

TEST_P(Products, RightResultsAreAccepted) {
  HostInputs inputs(GetParam(), shape, 1);
  HostMatrix result = makeResult(GetParam(), shape, inputs);
  Reference all(GetParam(), shape, inputs, 1000, 1);
  EXPECT_EQ(all.count(), size_t(21 * 150));
  EXPECT_EQ(all.check(result).failure, "");
  EXPECT_LT(all.check(result).error, 5e-3);
  EXPECT_EQ(all.checkAgainst(result, result).failure, "");
}

TEST_P(Products, EachWrongElementIsFound) {
  HostInputs inputs(GetParam(), shape, 1);
  HostMatrix right = makeResult(GetParam(), shape, inputs);
  Reference all(GetParam(), shape, inputs, 1000, 1),
      some(GetParam(), shape, inputs, 4, 1);
  for (auto [i, j] : {std::pair<int64_t, int64_t>{0, 0}, {20, 149}, {7, 130}}) {
    HostMatrix wrong = right;
    setElement(wrong, i, j, 0); // zero in all formats
    std::string place =
        "C[" + std::to_string(i) + ", " + std::to_string(j) + "] is 0, not ";
    EXPECT_EQ(all.check(wrong).failure.find(place), 0u)
        << all.check(wrong).failure;
    EXPECT_EQ(some.checkAgainst(wrong, right).failure.find(place), 0u);
    EXPECT_EQ(some.checkAgainst(right, wrong).failure, "")
        << "the other is wrong";
  }
  // The first and the last are always looked at.
  HostMatrix wrong = right;
  setElement(wrong, 20, 149, 0);
  EXPECT_NE(some.check(wrong).failure, "");
}

TEST_P(Products, MissingStepsOfKAreFound) {
  HostInputs inputs(GetParam(), shape, 1);
  HostMatrix right = makeResult(GetParam(), shape, inputs);
  Shape shorter = shape;
  shorter.k -= 16;
  HostMatrix wrong = makeResult(GetParam(), shorter, inputs);
  Reference all(GetParam(), shape, inputs, 1000, 1);
  EXPECT_NE(all.check(wrong).failure, "");
  EXPECT_NE(all.checkAgainst(wrong, right).failure, "");
}

TEST_P(Products, UnwrittenElementsAreFound) {
  if (!tilec::isFloat(GetParam().c))
    return;
  HostInputs inputs(GetParam(), shape, 1);
  HostMatrix right = makeResult(GetParam(), shape, inputs), wrong = right;
  setElement(wrong, 3, 4, ~uint64_t(0)); // NaN, as C is before a launch
  Reference all(GetParam(), shape, inputs, 1000, 1);
  EXPECT_NE(all.check(wrong).failure.find("C[3, 4] is nan"), std::string::npos);
  EXPECT_NE(all.checkAgainst(wrong, right).failure.find("C[3, 4] is nan"),
            std::string::npos);
}

Work makeWork(NumberFormat in, NumberFormat out, bool isATransposed,
              bool isBTransposed, Scales scales = Scales::None,
              bool isFast = false) {
  return {in, in, out, isATransposed, isBTransposed, scales, isFast};
}

INSTANTIATE_TEST_SUITE_P(
    Works, Products,
    testing::Values(
        makeWork(NumberFormat::BF16, NumberFormat::BF16, false, false),
        makeWork(NumberFormat::BF16, NumberFormat::BF16, false, true),
        makeWork(NumberFormat::F16, NumberFormat::F16, true, false),
        makeWork(NumberFormat::TF32, NumberFormat::F32, true, true),
        makeWork(NumberFormat::Int8, NumberFormat::Int32, false, true),
        makeWork(NumberFormat::FP8E4M3, NumberFormat::BF16, false, true,
                 Scales::Tensor),
        makeWork(NumberFormat::FP8E4M3, NumberFormat::BF16, false, true,
                 Scales::Block128)));

TEST(Reference, IntegersMustBeExact) {
  Work work = makeWork(NumberFormat::Int8, NumberFormat::Int32, false, true);
  HostInputs inputs(work, shape, 1);
  HostMatrix result = makeResult(work, shape, inputs);
  Reference all(work, shape, inputs, 1000, 1);
  setElement(result, 2, 3, uint64_t(int64_t(result.at(2, 3)) + 1));
  EXPECT_NE(all.check(result).failure, "");
}

TEST(Reference, ToleranceOfFastSumsIsTheWider) {
  Work work = makeWork(NumberFormat::FP8E4M3, NumberFormat::BF16, false, true);
  Tolerance exact = toleranceOf(work);
  work.isFastAccumulation = true;
  EXPECT_GT(toleranceOf(work).ofSums, exact.ofSums);
  EXPECT_GT(toleranceOf(work).ofNorm, exact.ofNorm);
}

} // namespace
