//===- ConstantTest.cpp - Arithmetic of compile-time values ---------------===//
#include "compiler/Frontend/Sema/Constant.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tilec;
using ast::BinaryOp;

namespace {

Integer foldInteger(BinaryOp op, Integer left, Integer right,
                    ElementType type) {
  std::optional<Constant> value =
      foldBinary(op, Constant(left), Constant(right), type);
  return value ? std::get<Integer>(*value) : Integer(-999);
}

double foldFloat(BinaryOp op, double left, double right, ElementType type) {
  return std::get<double>(
      *foldBinary(op, Constant(left), Constant(right), type));
}

// Compares with the machine's own 8-bit arithmetic for every pair of values.
TEST(Constant, WrapsAsEightBitArithmeticDoes) {
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      ElementType type = ElementType::Int8;
      EXPECT_EQ(foldInteger(BinaryOp::Add, a, b, type), int8_t(a + b));
      EXPECT_EQ(foldInteger(BinaryOp::Subtract, a, b, type), int8_t(a - b));
      EXPECT_EQ(foldInteger(BinaryOp::Multiply, a, b, type), int8_t(a * b));
      EXPECT_EQ(foldInteger(BinaryOp::BitXor, a, b, type), int8_t(a ^ b));
      if (b != 0) {
        EXPECT_EQ(foldInteger(BinaryOp::Divide, a, b, type), int8_t(a / b));
        EXPECT_EQ(foldInteger(BinaryOp::Remainder, a, b, type), a % b);
      }
    }
}

TEST(Constant, WrapsAtTheEdgesOf64Bits) {
  ElementType u64 = ElementType::UInt64, i64 = ElementType::Int64;
  Integer most = Integer(UINT64_MAX);
  EXPECT_EQ(foldInteger(BinaryOp::Multiply, most, most, u64), 1);
  EXPECT_EQ(foldInteger(BinaryOp::Add, most, 1, u64), 0);
  EXPECT_EQ(foldInteger(BinaryOp::Divide, INT64_MIN, -1, i64), INT64_MIN);
  EXPECT_EQ(foldInteger(BinaryOp::Remainder, INT64_MIN, -1, i64), 0);
  EXPECT_EQ(foldInteger(BinaryOp::Subtract, 0, 1, u64), most);
}

TEST(Constant, ShiftsByTheWidthOrMoreToZeroOrTheSign) {
  auto shift = [](bool isLeft, Integer value, Integer amount,
                  ElementType type) {
    return std::get<Integer>(*foldShift(isLeft, value, amount, type));
  };
  EXPECT_EQ(shift(true, 1, 8, ElementType::UInt8), 0);
  EXPECT_EQ(shift(true, 0xFF, 4, ElementType::UInt8), 0xF0);
  EXPECT_EQ(shift(true, 1, 7, ElementType::Int8), -128);
  EXPECT_EQ(shift(false, -128, 7, ElementType::Int8), -1);
  EXPECT_EQ(shift(false, -128, 8, ElementType::Int8), -1);
  EXPECT_EQ(shift(false, -128, 1000, ElementType::Int8), -1);
  EXPECT_EQ(shift(false, 0x80, 8, ElementType::UInt8), 0);
  EXPECT_EQ(shift(true, 1, -1, ElementType::Int32), 0);
  EXPECT_EQ(shift(true, 1, 63, ElementType::UInt64), Integer(1) << 63);
}

TEST(Constant, RoundsEachFloatOperationOnce) {
  // 1 + 2^-24 lies halfway between two f32 and goes to the even one.
  EXPECT_EQ(foldFloat(BinaryOp::Add, 1.0, 0x1p-24, ElementType::F32), 1.0);
  EXPECT_EQ(foldFloat(BinaryOp::Add, 1.0 + 0x1p-23, 0x1p-24, ElementType::F32),
            1.0 + 0x1p-22);
  EXPECT_EQ(foldFloat(BinaryOp::Multiply, 65504.0, 2.0, ElementType::F16),
            INFINITY);
  EXPECT_EQ(foldFloat(BinaryOp::Divide, 1.0, 3.0, ElementType::BF16),
            0.333984375);
}

TEST(Constant, GivesUntypedNumbersTheTypeTheyMeet) {
  EXPECT_TRUE(convertUntyped(Constant(Integer(255)), ElementType::UInt8));
  EXPECT_FALSE(convertUntyped(Constant(Integer(256)), ElementType::UInt8));
  EXPECT_FALSE(convertUntyped(Constant(Integer(-1)), ElementType::UInt8));
  EXPECT_TRUE(convertUntyped(Constant(Integer(2048)), ElementType::F16));
  EXPECT_FALSE(convertUntyped(Constant(Integer(2049)), ElementType::F16));
  EXPECT_FALSE(convertUntyped(Constant(Integer(1)), ElementType::Bool));
  EXPECT_FALSE(convertUntyped(Constant(1.0), ElementType::Int32));
  EXPECT_EQ(std::get<double>(*convertUntyped(Constant(0.1), ElementType::F32)),
            double(0.1f));
}

TEST(Constant, HasNoValueWhereUntypedIntegersLeave128Bits) {
  Constant large(Integer(1) << 126);
  EXPECT_FALSE(foldBinary(BinaryOp::Multiply, large, Constant(Integer(4)), {}));
  EXPECT_FALSE(foldBinary(BinaryOp::Add, large, large, {}));
  EXPECT_FALSE(foldShift(true, 1, 200, {}));
  EXPECT_FALSE(foldBinary(BinaryOp::Divide, large, Constant(Integer(0)), {}));
}

TEST(Constant, ComparesNaNAsIeeeDoes) {
  Constant nan(std::nan(""));
  auto compare = [&](BinaryOp op) {
    return std::get<bool>(*foldBinary(op, nan, nan, ElementType::F32));
  };
  EXPECT_FALSE(compare(BinaryOp::Equal));
  EXPECT_TRUE(compare(BinaryOp::NotEqual));
  EXPECT_FALSE(compare(BinaryOp::LessEqual));
}

TEST(Constant, CastsAsTheTableOfSection10Says) {
  auto toInteger = [](double value, ElementType to) {
    return std::get<Integer>(
        castConstant(Constant(value), ElementType::F32, to, CastMode::Default));
  };
  EXPECT_EQ(toInteger(-1.9, ElementType::Int8), -1);
  EXPECT_EQ(toInteger(300.0, ElementType::Int8), 127);
  EXPECT_EQ(toInteger(-5.0, ElementType::UInt8), 0);
  EXPECT_EQ(toInteger(std::nan(""), ElementType::Int32), 0);
  EXPECT_EQ(toInteger(1e30, ElementType::UInt64), Integer(UINT64_MAX));
  auto narrow = [](Integer value, CastMode mode) {
    return std::get<Integer>(castConstant(Constant(value), ElementType::Int32,
                                          ElementType::Int8, mode));
  };
  EXPECT_EQ(narrow(300, CastMode::Default), 44);
  EXPECT_EQ(narrow(300, CastMode::Saturate), 127);
}

} // namespace
