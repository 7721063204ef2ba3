//===- RandomDataTest.cpp - Tests of random arrays ------------------------===//
#include "compiler/Driver/Run/RandomData.h"

#include "compiler/Driver/Run/ElementValue.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <set>

using namespace tilec;

static HostTensor makeRandom(NumberFormat format, Extents sizes,
                             int64_t packDim = -1, uint64_t seed = 0,
                             llvm::StringRef name = "A") {
  HostTensor tensor =
      llvm::cantFail(HostTensor::create({format, packDim, sizes}));
  fillRandom(tensor, seed, name);
  return tensor;
}

TEST(RandomData, DependsOnSeedAndNameOnly) {
  auto bytes = [](const HostTensor &tensor) { return tensor.getBytes().vec(); };
  HostTensor first = makeRandom(NumberFormat::BF16, {100});
  EXPECT_EQ(bytes(first), bytes(makeRandom(NumberFormat::BF16, {100})));
  EXPECT_NE(bytes(first), bytes(makeRandom(NumberFormat::BF16, {100}, -1, 1)));
  EXPECT_NE(bytes(first),
            bytes(makeRandom(NumberFormat::BF16, {100}, -1, 0, "B")));
}

/// Smallest, largest and mean value of many elements.
struct Spread {
  double smallest, largest, mean;
};
static Spread measure(NumberFormat format, int64_t packDim = -1) {
  constexpr int64_t count = 20000;
  HostTensor tensor = makeRandom(format, {count}, packDim);
  ElementDecoder decoder(format);
  Spread spread = {1e300, -1e300, 0};
  for (int64_t i = 0; i < count; ++i) {
    double value = decoder.decode(tensor.getCode(i));
    spread.smallest = std::min(spread.smallest, value);
    spread.largest = std::max(spread.largest, value);
    spread.mean += value / count;
  }
  return spread;
}

TEST(RandomData, SpreadsFloatsOverMinusOneToOne) {
  for (NumberFormat format :
       {NumberFormat::F16, NumberFormat::BF16, NumberFormat::F32,
        NumberFormat::F64, NumberFormat::TF32, NumberFormat::FP8E4M3,
        NumberFormat::FP8E5M2}) {
    Spread spread = measure(format);
    EXPECT_GE(spread.smallest, -1) << getSpelling(format);
    EXPECT_LT(spread.smallest, -0.9) << getSpelling(format);
    EXPECT_LE(spread.largest, 1) << getSpelling(format);
    EXPECT_GT(spread.largest, 0.9) << getSpelling(format);
    // Five standard deviations of the mean of 20000 uniform values.
    EXPECT_NEAR(spread.mean, 0, 0.021) << getSpelling(format);
  }
}

TEST(RandomData, GivesNarrowIntegersAllValues) {
  struct Row {
    NumberFormat format;
    double smallest, largest;
  };
  for (Row row : {Row{NumberFormat::Int4, -8, 7},
                  {NumberFormat::UInt4, 0, 15},
                  {NumberFormat::FP4E2M1, -6, 6},
                  {NumberFormat::Int8, -128, 127},
                  {NumberFormat::UInt8, 0, 255},
                  {NumberFormat::Bool, 0, 1},
                  {NumberFormat::Int16, -128, 127},
                  {NumberFormat::UInt16, 0, 255},
                  {NumberFormat::Int32, -128, 127},
                  {NumberFormat::UInt64, 0, 255},
                  {NumberFormat::Int64, -128, 127},
                  {NumberFormat::E8M0, 0.25, 4}}) {
    Spread spread = measure(row.format, isPacked(row.format) ? 0 : -1);
    EXPECT_EQ(spread.smallest, row.smallest) << getSpelling(row.format);
    EXPECT_EQ(spread.largest, row.largest) << getSpelling(row.format);
  }
}

TEST(RandomData, FillsThePaddingNibbleOfOddLines) {
  HostTensor rows = makeRandom(NumberFormat::Int4, {2, 3}, 1);
  EXPECT_EQ(rows.getBytes()[1] >> 4, 0xB);
  EXPECT_EQ(rows.getBytes()[3] >> 4, 0xB);
  HostTensor columns = makeRandom(NumberFormat::Int4, {3, 2}, 0);
  EXPECT_EQ(columns.getBytes()[2] >> 4, 0xB);
  EXPECT_EQ(columns.getBytes()[3] >> 4, 0xB);
}

TEST(ElementValue, ReadsAndWritesNumbers) {
  EXPECT_EQ(parseElement(NumberFormat::F32, "0.125"), 0x3E000000u);
  EXPECT_EQ(parseElement(NumberFormat::BF16, "-inf"), 0xFF80u);
  EXPECT_EQ(parseElement(NumberFormat::Int32, "-1"), 0xFFFFFFFFu);
  EXPECT_EQ(parseElement(NumberFormat::Int8, "128"), std::nullopt);
  EXPECT_EQ(parseElement(NumberFormat::UInt8, "-1"), std::nullopt);
  EXPECT_EQ(parseElement(NumberFormat::Bool, "true"), 1u);
  EXPECT_EQ(parseElement(NumberFormat::Bool, "2"), std::nullopt);
  EXPECT_EQ(parseElement(NumberFormat::F32, ""), std::nullopt);
  EXPECT_EQ(parseElement(NumberFormat::F32, "a.npy"), std::nullopt);

  EXPECT_EQ(formatElement(NumberFormat::F32, 0x3DCCCCCD), "0.1");
  EXPECT_EQ(formatElement(NumberFormat::BF16, 0x3F80), "1");
  EXPECT_EQ(formatElement(NumberFormat::BF16, 0x7FC0), "nan");
  EXPECT_EQ(formatElement(NumberFormat::FP8E5M2, 0xFC), "-inf");
  EXPECT_EQ(formatElement(NumberFormat::Int4, 0xF), "-1");
  EXPECT_EQ(formatElement(NumberFormat::UInt64, ~uint64_t(0)),
            "18446744073709551615");
}
