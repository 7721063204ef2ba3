//===- NumberFormatsTest.cpp - Small floating-point formats ---------------===//
//
// The codes, against definitions written down again.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/NumberFormats.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tilec::emulator;

static uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// The code nearest to a value by search over all codes; ties to even.
static uint32_t searchNearest(const FloatFormat &format, double value) {
  uint32_t best = 0;
  double bestDistance = HUGE_VAL;
  for (uint32_t code = 0; code <= format.largest(); ++code) {
    double distance = std::fabs(decodeFloat(format, code) - std::fabs(value));
    if (distance < bestDistance ||
        (distance == bestDistance && code % 2 == 0)) {
      best = code;
      bestDistance = distance;
    }
  }
  return best | (std::signbit(value) ? format.signBit() : 0);
}

TEST(NumberFormats, EncodeFindsNearest) {
  std::mt19937 random(3);
  for (const FloatFormat &format : {formatE4M3, formatE5M2, formatE2M1}) {
    double largest = decodeFloat(format, format.largest());
    std::uniform_real_distribution<double> exponent(-24, std::log2(largest));
    for (int i = 0; i < 3000; ++i) {
      double value = std::exp2(exponent(random)) * (random() % 2 ? 1 : -1);
      // Half of the values are ties of the format.
      if (i % 2)
        value = (decodeFloat(format, random() % format.largest()) +
                 decodeFloat(format, random() % format.largest())) /
                2;
      EXPECT_EQ(encodeFloat(format, value), searchNearest(format, value))
          << value;
    }
  }
}

TEST(NumberFormats, SixteenBitFormatsRoundTrip) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto half = static_cast<uint16_t>(code);
    float value = decodeF16(half);
    float reference = static_cast<float>(llvm::bit_cast<_Float16>(half));
    if (std::isnan(reference)) {
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_EQ(bits(value), bits(reference));
    EXPECT_EQ(encodeF16(value), half);
    if (!std::isnan(decodeBF16(half)))
      EXPECT_EQ(encodeBF16(decodeBF16(half)), half);
  }
}

TEST(NumberFormats, HalfRoundsAsTheCompilerDoes) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    auto value = llvm::bit_cast<float>(
        0x30000000u + static_cast<uint32_t>(random() % 0x18000000u));
    auto want = llvm::bit_cast<uint16_t>(static_cast<_Float16>(value));
    EXPECT_EQ(encodeF16(value), want) << value;
  }
}

TEST(NumberFormats, HandlesRangeLimits) {
  EXPECT_EQ(encodeFloat(formatE4M3, 448), 0x7Eu);
  EXPECT_EQ(encodeFloat(formatE4M3, 464), 0x7Eu);
  EXPECT_EQ(encodeFloat(formatE4M3, 465), 0x7Fu);
  EXPECT_EQ(
      encodeFloat(formatE4M3, -1e6, Rounding::NearestEven, Overflow::Saturate),
      0xFEu);
  EXPECT_EQ(
      encodeFloat(formatE4M3, NAN, Rounding::NearestEven, Overflow::Saturate),
      0x7Fu);
  EXPECT_EQ(encodeFloat(formatE5M2, 57344), 0x7Bu);
  EXPECT_EQ(encodeFloat(formatE5M2, 61440), 0x7Cu);
  EXPECT_EQ(encodeFloat(formatE5M2, HUGE_VAL, Rounding::NearestEven,
                        Overflow::Saturate),
            0x7Bu);
  EXPECT_EQ(encodeFloat(formatE2M1, 100.0), 7u);
  EXPECT_EQ(encodeFloat(formatF16, 65519.0), 0x7BFFu);
  EXPECT_EQ(encodeFloat(formatF16, 65520.0), 0x7C00u);
  EXPECT_EQ(encodeFloat(formatF16, 65520.0, Rounding::TowardZero), 0x7BFFu);
}
