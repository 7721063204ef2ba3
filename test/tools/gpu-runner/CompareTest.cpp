//===-- CompareTest.cpp - The rules by which results are judged -----------===//

#include "tools/gpu-runner/Compare.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace gpurunner;
using tilec::NumberFormat;

namespace {

const float nan = NAN, inf = INFINITY;

/// The number of wrong elements of one-dimensional tensors.
template <typename Number>
int64_t countWrong(NumberFormat format, std::vector<Number> got,
                   std::vector<Number> want, Tolerance tolerance = {}) {
  TensorType type{format, {int64_t(got.size())}, -1};
  return compare(type, reinterpret_cast<unsigned char *>(got.data()),
                 reinterpret_cast<unsigned char *>(want.data()), tolerance)
      .wrong;
}

int64_t countWrong(std::vector<float> got, std::vector<float> want,
                   Tolerance tolerance = {}) {
  return countWrong(NumberFormat::F32, got, want, tolerance);
}

TEST(Compare, ExactMeansEveryBitButForZerosAndNaNs) {
  EXPECT_EQ(countWrong({1, -0.0f, nan, -nan, inf}, {1, 0.0f, nan, nan, inf}),
            0);
  EXPECT_EQ(countWrong({1, 2}, {1, std::nextafter(2.0f, 3.0f)}), 1);
  EXPECT_EQ(countWrong({nan}, {1}), 1);
  EXPECT_EQ(countWrong({inf}, {-inf}), 1);
  EXPECT_EQ(countWrong<uint8_t>(NumberFormat::FP8E4M3, {0x7F, 0x80, 0x38},
                                {0xFF, 0x00, 0x38}),
            0);
  EXPECT_EQ(countWrong<uint8_t>(NumberFormat::FP8E4M3, {0x7E}, {0x7F}), 1);
  EXPECT_EQ(countWrong<uint16_t>(NumberFormat::BF16, {0x7FC0, 0x8000},
                                 {0xFFFF, 0x0000}),
            0);
  EXPECT_EQ(countWrong<uint8_t>(NumberFormat::UInt8, {0x80}, {0x00}), 1);
  int64_t large = (int64_t(1) << 60) + 1;
  EXPECT_EQ(countWrong<int64_t>(NumberFormat::Int64, {large}, {large - 1}), 1);
}

TEST(Compare, CloseMeansWithinTheTolerance) {
  Tolerance tolerance{false, 0.125, 0.5};
  EXPECT_EQ(countWrong({8 + 1.5f}, {8}, tolerance), 0);
  EXPECT_EQ(countWrong({8 - 1.5f}, {8}, tolerance), 0);
  EXPECT_EQ(countWrong({8 + 1.625f}, {8}, tolerance), 1);
  EXPECT_EQ(countWrong({-8 - 1.5f}, {-8}, tolerance), 0);
  EXPECT_EQ(countWrong({nan, inf, -inf}, {nan, inf, -inf}, tolerance), 0);
  EXPECT_EQ(
      countWrong({nan, 1, inf, 1, -inf}, {1, nan, 1, inf, inf}, tolerance), 5);
}

TEST(Compare, ReadsPackedElementsAndSkipsSpareNibbles) {
  // 3 x 2 along dimension 0: rows 0 and 1 share bytes, row 2 has spare nibbles.
  TensorType type{NumberFormat::Int4, {3, 2}, 0};
  const unsigned char got[] = {0x21, 0x43, 0xA5, 0xB6};
  const unsigned char want[] = {0x21, 0x43, 0x05, 0x06};
  EXPECT_EQ(compare(type, got, want, {}).wrong, 0);
  EXPECT_EQ(readCodes(type, got), (std::vector<uint64_t>{1, 3, 2, 4, 5, 6}));
  const unsigned char other[] = {0x21, 0x53, 0x05, 0x06};
  Comparison found = compare(type, got, other, {});
  EXPECT_EQ(found.wrong, 1);
  EXPECT_EQ(found.firstWrong, "    [1, 1]: got 4, want 5\n");
  EXPECT_EQ(found.maxAbsError, 1);
}

TEST(Compare, MeasuresErrors) {
  TensorType type{NumberFormat::F32, {4}, -1};
  const float got[] = {3, 4, nan, 0}, want[] = {3, 5, nan, 0};
  Comparison found = compare(type, reinterpret_cast<const unsigned char *>(got),
                             reinterpret_cast<const unsigned char *>(want), {});
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.maxAbsError, 1);
  EXPECT_DOUBLE_EQ(found.relativeError, 1 / std::sqrt(34.0));
}

TEST(Compare, ReadsTolerances) {
  Tolerance tolerance;
  EXPECT_TRUE(parseTolerance("1e-2", tolerance));
  EXPECT_FALSE(tolerance.isExact);
  EXPECT_EQ(tolerance.relative, 1e-2);
  EXPECT_EQ(tolerance.absolute, 0);
  EXPECT_TRUE(parseTolerance("0,0.5", tolerance));
  EXPECT_EQ(tolerance.absolute, 0.5);
  for (const char *text : {"", "x", "1,", "1,x", "-1", "1,2,3", "nan"})
    EXPECT_FALSE(parseTolerance(text, tolerance)) << text;
}

TEST(HostTensor, MakesRandomDataOfEachType) {
  for (int i = 0; i <= TILERT_E8M0; ++i) {
    NumberFormat format = formatOf(tilert_dtype(i));
    TensorType type{format, {33, 65}, tilec::isPacked(format) ? 1 : -1};
    npy::Array array = makeRandom(type, 1);
    EXPECT_TRUE(holds(array, format));
    EXPECT_EQ(array.bytes, makeRandom(type, 1).bytes);
    EXPECT_NE(array.bytes, makeRandom(type, 2).bytes);
    for (uint64_t code : readCodes(type, array.bytes.data())) {
      if (tilec::isFloat(format)) {
        ASSERT_TRUE(std::isfinite(tilec::decodeFloat(format, code)));
      }
      if (format == NumberFormat::Bool) {
        ASSERT_LE(code, 1u);
      }
    }
  }
}

TEST(HostTensor, DescribesStorage) {
  EXPECT_EQ(describeStorage(NumberFormat::Int4), "uint8, two int4 a byte");
  EXPECT_EQ(describeStorage(NumberFormat::BF16), "uint16, the bits of bf16");
  EXPECT_EQ(describeStorage(NumberFormat::F32), "float32");
  EXPECT_EQ(describeStorage(NumberFormat::UInt8), "uint8");
}

} // namespace
