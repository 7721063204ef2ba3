//===- NumberCastTest.cpp - Casts against the golden tables and by hand ---===//
#include "compiler/Numerics/NumberCast.h"
#include "test/compiler/Numerics/CsvTable.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tilec;

static void checkTable(const std::string &file, NumberFormat to,
                       CastMode mode) {
  auto rows = readTable("cast_f32_" + file);
  ASSERT_EQ(rows.size(), 300u) << file;
  for (const auto &row : rows) {
    uint64_t input = std::stoul(row[0], nullptr, 16),
             expected = std::stoul(row[1], nullptr, 16);
    EXPECT_EQ(castCode(NumberFormat::F32, input, to, mode), expected)
        << file << " " << row[0] << " " << row[2];
  }
}

TEST(NumberCast, AgreesWithTheTables) {
  checkTable("bf16", NumberFormat::BF16, CastMode::Default);
  checkTable("f16", NumberFormat::F16, CastMode::Default);
  checkTable("fp8_e4m3_sat", NumberFormat::FP8E4M3, CastMode::Default);
  checkTable("fp8_e4m3_sat", NumberFormat::FP8E4M3, CastMode::Saturate);
  checkTable("fp8_e4m3_nosat", NumberFormat::FP8E4M3, CastMode::NoSaturate);
  checkTable("fp8_e5m2_sat", NumberFormat::FP8E5M2, CastMode::Default);
  checkTable("fp8_e5m2_nosat", NumberFormat::FP8E5M2, CastMode::NoSaturate);
  checkTable("fp4_e2m1_sat", NumberFormat::FP4E2M1, CastMode::Default);
}

static const double infinity = std::numeric_limits<double>::infinity();
static const double quietNaN = std::numeric_limits<double>::quiet_NaN();

TEST(NumberCast, RoundsOnceFromDouble) {
  // Rounding to f32 first would give the tie 1 + 2^-8, and then 1.
  double value = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  EXPECT_EQ(castToFloat(value, NumberFormat::BF16), 1.0 + std::ldexp(1.0, -7));
  EXPECT_EQ(castToFloat(1.0 + std::ldexp(1.0, -8), NumberFormat::BF16), 1.0);
  // The same below the normal range of f16.
  double tie = std::ldexp(1.0, -25);
  EXPECT_EQ(castToFloat(tie, NumberFormat::F16), 0.0);
  EXPECT_EQ(castToFloat(tie + std::ldexp(1.0, -60), NumberFormat::F16),
            std::ldexp(1.0, -24));
}

TEST(NumberCast, RoundsToTF32) {
  EXPECT_EQ(castToFloat(1.0 + std::ldexp(1.0, -11), NumberFormat::TF32), 1.0);
  EXPECT_EQ(castToFloat(1.0 + std::ldexp(3.0, -11), NumberFormat::TF32),
            1.0 + std::ldexp(1.0, -9));
  EXPECT_EQ(castToFloat(3.4028234e38, NumberFormat::TF32), infinity);
}

TEST(NumberCast, OverflowsWideFloatsToInfinityUnlessSaturating) {
  EXPECT_EQ(castToFloat(1e39, NumberFormat::F32), infinity);
  EXPECT_EQ(castToFloat(-1e39, NumberFormat::F32, CastMode::Saturate),
            -double(std::numeric_limits<float>::max()));
  EXPECT_EQ(castToFloat(65519.0, NumberFormat::F16), 65504.0);
  EXPECT_EQ(castToFloat(65520.0, NumberFormat::F16), infinity);
  EXPECT_EQ(castToFloat(65520.0, NumberFormat::F16, CastMode::Saturate),
            65504.0);
  EXPECT_EQ(castToFloat(infinity, NumberFormat::BF16, CastMode::Saturate),
            getFloatShape(NumberFormat::BF16).largest);
  EXPECT_TRUE(
      std::isnan(castToFloat(quietNaN, NumberFormat::F16, CastMode::Saturate)));
}

TEST(NumberCast, RoundsScalesToPowersOfTwo) {
  auto down = [](double x) { return castToFloat(x, NumberFormat::E8M0); };
  auto up = [](double x) {
    return castToFloat(x, NumberFormat::E8M0, CastMode::Up);
  };
  EXPECT_EQ(down(1.0), 1.0);
  EXPECT_EQ(up(1.0), 1.0);
  EXPECT_EQ(down(1.999), 1.0);
  EXPECT_EQ(up(1.001), 2.0);
  EXPECT_EQ(down(3.4e38), std::ldexp(1.0, 127));
  EXPECT_EQ(up(3.4e38), std::ldexp(1.0, 127));
  EXPECT_EQ(down(infinity), std::ldexp(1.0, 127));
  EXPECT_EQ(down(0.0), std::ldexp(1.0, -127));
  EXPECT_EQ(down(-5.0), std::ldexp(1.0, -127));
  EXPECT_EQ(up(std::ldexp(1.5, -127)), std::ldexp(1.0, -126));
  EXPECT_TRUE(std::isnan(down(quietNaN)));
  EXPECT_EQ(castCode(NumberFormat::F32, 0x7fc00000, NumberFormat::E8M0), 0xffu);
  EXPECT_EQ(castCode(NumberFormat::F32, 0x3f800000, NumberFormat::E8M0), 127u);
}

TEST(NumberCast, TruncatesAndSaturatesFloatsToIntegers) {
  EXPECT_EQ(castToInteger(-1.9, NumberFormat::Int8), -1);
  EXPECT_EQ(castToInteger(300.0, NumberFormat::Int8), 127);
  EXPECT_EQ(castToInteger(-300.0, NumberFormat::Int8), -128);
  EXPECT_EQ(castToInteger(-0.5, NumberFormat::UInt8), 0);
  EXPECT_EQ(castToInteger(-7.0, NumberFormat::UInt8), 0);
  EXPECT_EQ(castToInteger(15.99, NumberFormat::UInt4), 15);
  EXPECT_EQ(castToInteger(16.0, NumberFormat::UInt4), 15);
  EXPECT_EQ(castToInteger(-9.0, NumberFormat::Int4), -8);
  EXPECT_EQ(castToInteger(quietNaN, NumberFormat::Int32), 0);
  EXPECT_EQ(castToInteger(infinity, NumberFormat::Int64),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(castToInteger(-infinity, NumberFormat::Int64),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(castToInteger(infinity, NumberFormat::UInt64), -1); // all bits set
  EXPECT_EQ(castToInteger(quietNaN, NumberFormat::Bool), 1);
  EXPECT_EQ(castToInteger(-0.0, NumberFormat::Bool), 0);
}

TEST(NumberCast, WrapsIntegersUnlessSaturating) {
  auto wrap = [](int64_t x, NumberFormat to) {
    return castToInteger(x, false, to);
  };
  auto clamp = [](int64_t x, NumberFormat to, bool isUnsigned = false) {
    return castToInteger(x, isUnsigned, to, CastMode::Saturate);
  };
  EXPECT_EQ(wrap(200, NumberFormat::Int8), -56);
  EXPECT_EQ(wrap(-1, NumberFormat::UInt4), 15);
  EXPECT_EQ(wrap(9, NumberFormat::Int4), -7);
  EXPECT_EQ(clamp(200, NumberFormat::Int8), 127);
  EXPECT_EQ(clamp(-200, NumberFormat::Int4), -8);
  EXPECT_EQ(clamp(-1, NumberFormat::UInt8), 0);
  EXPECT_EQ(clamp(256, NumberFormat::UInt8), 255);
  EXPECT_EQ(clamp(-1, NumberFormat::Int64, /*isUnsigned=*/true),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(clamp(-1, NumberFormat::UInt64, /*isUnsigned=*/true), -1);
  EXPECT_EQ(clamp(-1, NumberFormat::UInt64), 0);
  EXPECT_EQ(castToInteger(2, false, NumberFormat::Bool), 1);
}

TEST(NumberCast, RoundsIntegersOnce) {
  // 2^53 + 2^29 + 1: as a double it loses its last bit and becomes a tie in
  // f32.
  int64_t value = (int64_t(1) << 53) + (int64_t(1) << 29) + 1;
  EXPECT_EQ(castToFloat(value, false, NumberFormat::F32), double(float(value)));
  EXPECT_EQ(castToFloat(-value, false, NumberFormat::F32),
            double(float(-value)));
  EXPECT_NE(double(float(double(value))), double(float(value)));
  EXPECT_EQ(castToFloat(int64_t(-1), true, NumberFormat::F32),
            std::ldexp(1.0, 64));
  EXPECT_EQ(castToFloat(int64_t(-1), true, NumberFormat::F64),
            std::ldexp(1.0, 64));
  EXPECT_EQ(castToFloat(int64_t(-1), false, NumberFormat::F64), -1.0);
  EXPECT_EQ(castToFloat(int64_t(257), false, NumberFormat::BF16), 256.0);
  EXPECT_EQ(castToFloat(int64_t(70000), false, NumberFormat::F16), infinity);
  EXPECT_EQ(castToFloat(int64_t(70000), false, NumberFormat::FP8E4M3), 448.0);
  EXPECT_EQ(castToFloat(int64_t(-100), false, NumberFormat::FP4E2M1), -6.0);
}

TEST(NumberCast, RoundsManyIntegersAsTheProcessorDoes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    int64_t value = int64_t(random()) >> (random() % 64);
    ASSERT_EQ(castToFloat(value, false, NumberFormat::F32),
              double(float(value)))
        << value;
    ASSERT_EQ(castToFloat(value, true, NumberFormat::F32),
              double(float(uint64_t(value))));
  }
}

TEST(NumberCast, AgreesWithTheProcessorOnRandomF32) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100000; ++i) {
    double value = std::bit_cast<double>(random());
    // Bring most exponents into reach of f32, its subnormals among them.
    int exponent = 0;
    if (std::isfinite(value))
      value =
          std::ldexp(std::frexp(value, &exponent), int(random() % 320) - 160);
    if (!std::isnan(value))
      ASSERT_EQ(castToFloat(value, NumberFormat::F32), double(float(value)));
  }
}

TEST(NumberCast, FusesWithOneRounding) {
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) {
    auto next = [&] {
      return std::ldexp(float(random() & 0xffffff), int(random() % 60) - 50);
    };
    float a = next(), b = next(), c = -next();
    ASSERT_EQ(fuseMultiplyAdd(a, b, c, NumberFormat::F32),
              double(std::fma(a, b, c)));
  }
  // A tie in bf16 that the addend breaks by far less than a double can see.
  double a = 1.0 + std::ldexp(1.0, -7), b = 1.0 + std::ldexp(1.0, -1);
  double product = a * b; // 1.5 + 1.5 * 2^-7, half way between two bf16
  EXPECT_EQ(castToFloat(product, NumberFormat::BF16),
            1.5 + std::ldexp(1.0, -6));
  EXPECT_EQ(fuseMultiplyAdd(a, b, std::ldexp(-1.0, -100), NumberFormat::BF16),
            1.5 + std::ldexp(1.0, -7));
  EXPECT_TRUE(
      std::isnan(fuseMultiplyAdd(infinity, 0.0, 1.0, NumberFormat::F32)));
  EXPECT_EQ(fuseMultiplyAdd(infinity, 1.0, 1.0, NumberFormat::F16), infinity);
}
