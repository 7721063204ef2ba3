//===- NumberFormatTest.cpp - Every code of every element type ------------===//
#include "compiler/Numerics/NumberFormat.h"
#include "test/compiler/Numerics/CsvTable.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace tilec;

/// The value of "NUMERATOR/DENOMINATOR", both exact in a double here.
static double parseFraction(const std::string &text) {
  size_t slash = text.find('/');
  if (slash == std::string::npos)
    return std::stod(text);
  return std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

static void checkTable(const std::string &name, size_t codes) {
  auto rows = readTable(name);
  ASSERT_EQ(rows.size(), codes) << name;
  NumberFormat format = *findNumberFormat(name);
  for (const auto &row : rows) {
    uint64_t code = std::stoul(row[0]);
    const std::string &kind = row[3];
    if (!isFloat(format)) {
      EXPECT_EQ(decodeInteger(format, code), std::stoll(row[4]))
          << name << " " << code;
      EXPECT_EQ(encodeInteger(format, decodeInteger(format, code)), code);
      continue;
    }
    double value = decodeFloat(format, code);
    if (kind == "nan")
      EXPECT_TRUE(std::isnan(value)) << name << " " << code;
    else if (kind == "inf")
      EXPECT_TRUE(std::isinf(value)) << name << " " << code;
    else
      EXPECT_EQ(value, parseFraction(row[4])) << name << " " << code;
    bool negative =
        format != NumberFormat::E8M0 && code >> (getStorageBits(format) - 1);
    if (kind != "nan")
      EXPECT_EQ(std::signbit(value), negative) << name << " " << code;
  }
}

TEST(NumberFormat, DecodesEveryCodeOfTheTables) {
  checkTable("fp8_e4m3", 256);
  checkTable("fp8_e5m2", 256);
  checkTable("e8m0", 256);
  checkTable("fp4_e2m1", 16);
  checkTable("int4", 16);
  checkTable("uint4", 16);
}

TEST(NumberFormat, EncodingGivesBackEveryShortCode) {
  for (NumberFormat format :
       {NumberFormat::F16, NumberFormat::BF16, NumberFormat::FP8E4M3,
        NumberFormat::FP8E5M2, NumberFormat::FP4E2M1, NumberFormat::E8M0}) {
    uint64_t codes = uint64_t(1) << getStorageBits(format);
    for (uint64_t code = 0; code < codes; ++code)
      ASSERT_EQ(encodeFloat(format, decodeFloat(format, code)), code)
          << getSpelling(format) << " " << code;
  }
}

TEST(NumberFormat, EncodingGivesBackF32WithNaNPayloads) {
  // All exponents with a spread of fractions, the payloads of signalling NaNs
  // among them.
  for (uint64_t code = 0; code < (uint64_t(1) << 32); code += 4099) {
    double value = decodeFloat(NumberFormat::F32, code);
    ASSERT_EQ(encodeFloat(NumberFormat::F32, value), code);
    float expected = std::bit_cast<float>(uint32_t(code));
    if (!std::isnan(expected))
      ASSERT_EQ(value, double(expected));
  }
  EXPECT_EQ(encodeFloat(NumberFormat::F32,
                        decodeFloat(NumberFormat::F32, 0x7f800001)),
            0x7f800001u);
  EXPECT_EQ(encodeFloat(NumberFormat::F64,
                        decodeFloat(NumberFormat::F64, 0x7ff0000000000001)),
            0x7ff0000000000001u);
}

TEST(NumberFormat, IgnoresTheLowBitsOfTF32) {
  EXPECT_EQ(decodeFloat(NumberFormat::TF32, 0x3f801fff), 1.0);
  EXPECT_EQ(decodeFloat(NumberFormat::TF32, 0x3f802000),
            1.0 + std::ldexp(1.0, -10));
  EXPECT_EQ(encodeFloat(NumberFormat::TF32, 1.0 + std::ldexp(1.0, -10)),
            0x3f802000u);
}

TEST(NumberFormat, SignExtendsSignedIntegersOnly) {
  EXPECT_EQ(decodeInteger(NumberFormat::Int8, 0xff), -1);
  EXPECT_EQ(decodeInteger(NumberFormat::UInt8, 0xff), 255);
  EXPECT_EQ(decodeInteger(NumberFormat::Int32, 0x80000000),
            -(int64_t(1) << 31));
  EXPECT_EQ(decodeInteger(NumberFormat::UInt32, 0x80000000), int64_t(1) << 31);
  EXPECT_EQ(decodeInteger(NumberFormat::Int64, ~uint64_t(0)), -1);
  EXPECT_EQ(encodeInteger(NumberFormat::Int4, -3), 0xdu);
  EXPECT_EQ(decodeInteger(NumberFormat::Bool, 2), 1);
}

TEST(NumberFormat, FindsTypesByTheirSpelling) {
  EXPECT_EQ(findNumberFormat("uint16"), NumberFormat::UInt16);
  EXPECT_EQ(findNumberFormat("tf32"), NumberFormat::TF32);
  EXPECT_EQ(findNumberFormat("float"), std::nullopt);
  EXPECT_EQ(getSpelling(NumberFormat::E8M0), "e8m0");
}
