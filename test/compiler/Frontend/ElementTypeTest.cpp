//===- ElementTypeTest.cpp - What types hold, value by value --------------===//
#include "compiler/Frontend/ElementType.h"
#include "compiler/Frontend/Sema/Constant.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tilec;

namespace {

std::vector<ElementType> getAllTypes() {
  std::vector<ElementType> types;
  for (unsigned i = 0; i <= static_cast<unsigned>(ElementType::E8M0); ++i)
    types.push_back(static_cast<ElementType>(i));
  return types;
}

/// Every value of a type of at most 16 bits; of wider ones, those at which a
/// conversion could go wrong.
std::vector<Constant> getValues(ElementType type) {
  std::vector<Constant> values;
  NumberFormat format = getNumberFormat(type);
  unsigned bits = getBits(type);
  auto addCode = [&](uint64_t code) {
    if (isFloat(type))
      values.push_back(decodeFloat(format, code));
    else
      values.push_back(wrapInteger(Integer(code), type));
  };
  if (bits <= 16) {
    for (uint64_t code = 0; code < uint64_t(1) << bits; ++code)
      addCode(code);
    return values;
  }
  // All patterns of one and two set bits, and their complements: the least and
  // the largest values, powers of two, and fractions with a last bit.
  for (unsigned i = 0; i < bits; ++i)
    for (unsigned j = i; j < bits; ++j) {
      uint64_t code = uint64_t(1) << i | uint64_t(1) << j;
      uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
      if (type == ElementType::TF32)
        all &= ~uint64_t(0x1FFF); // The bits below its fraction are ignored.
      addCode(code & all);
      addCode(~code & all);
    }
  return values;
}

/// True if a value of type `from` is a value of type `to`.
bool isValueOf(const Constant &value, ElementType from, ElementType to) {
  if (const auto *number = std::get_if<double>(&value)) {
    if (std::isnan(*number))
      return isFloat(to) && to != ElementType::FP4E2M1;
    // By default 8-bit floats saturate, and e5m2 has an infinity.
    CastMode mode = isFP8(to) ? CastMode::NoSaturate : CastMode::Default;
    Constant there = castConstant(value, from, to, mode);
    const auto *result = std::get_if<double>(&there);
    return result && *result == *number &&
           std::signbit(*result) == std::signbit(*number);
  }
  if (isInt(to))
    return fitsInteger(std::get<Integer>(value), to);
  Constant there = castConstant(value, from, to, CastMode::Default);
  const auto *result = std::get_if<double>(&there);
  return result && std::abs(*result) < 0x1p100 &&
         static_cast<Integer>(*result) == std::get<Integer>(value);
}

bool holdsAll(ElementType from, ElementType to) {
  for (const Constant &value : getValues(from))
    if (!isValueOf(value, from, to))
      return false;
  return true;
}

TEST(ElementType, HoldsEveryValueWhereEachValueFits) {
  for (ElementType from : getAllTypes())
    for (ElementType to : getAllTypes()) {
      // A float never becomes an integer by itself, whatever its values.
      if (from == ElementType::Bool || to == ElementType::Bool ||
          (isFloat(from) && isInt(to)))
        continue;
      EXPECT_EQ(holdsEveryValue(from, to), holdsAll(from, to))
          << getName(from).str() << " to " << getName(to).str();
    }
}

TEST(ElementType, ConvertsByItselfOnlyToTypesThatHoldEveryValue) {
  for (ElementType from : getAllTypes())
    for (ElementType to : getAllTypes()) {
      if (!convertsImplicitly(from, to))
        continue;
      EXPECT_TRUE(from == to || holdsEveryValue(from, to));
      EXPECT_EQ(isInt(from), isInt(to));
      EXPECT_EQ(isFloat(from), isFloat(to));
    }
}

TEST(ElementType, KeepsHalfAndBfloatApart) {
  EXPECT_FALSE(convertsImplicitly(ElementType::F16, ElementType::BF16));
  EXPECT_FALSE(convertsImplicitly(ElementType::BF16, ElementType::F16));
  EXPECT_FALSE(convertsImplicitly(ElementType::F16, ElementType::TF32));
  EXPECT_TRUE(convertsImplicitly(ElementType::F16, ElementType::F32));
  EXPECT_TRUE(convertsImplicitly(ElementType::FP8E4M3, ElementType::BF16));
  EXPECT_FALSE(convertsImplicitly(ElementType::E8M0, ElementType::F16));
}

TEST(ElementType, FindsEveryTypeByItsName) {
  for (ElementType type : getAllTypes())
    EXPECT_EQ(findElementType(getName(type)), type);
  EXPECT_FALSE(findElementType("int2"));
  EXPECT_TRUE(isReservedTypeName("int2"));
}

TEST(ElementType, ComputesNarrowTypesInWiderOnes) {
  EXPECT_EQ(getComputeType(ElementType::UInt4), ElementType::Int32);
  EXPECT_EQ(getComputeType(ElementType::FP8E5M2), ElementType::F32);
  EXPECT_EQ(getComputeType(ElementType::TF32), ElementType::F32);
  EXPECT_EQ(getComputeType(ElementType::UInt8), ElementType::UInt8);
  EXPECT_EQ(getComputeType(ElementType::BF16), ElementType::BF16);
}

} // namespace
