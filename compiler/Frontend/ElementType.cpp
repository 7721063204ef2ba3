//===- ElementType.cpp - Element types of the language --------------------===//
#include "compiler/Frontend/ElementType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;

namespace {
enum class Kind { Bool, Signed, Unsigned, Float };

struct Row {
  llvm::StringLiteral name;
  Kind kind;
  unsigned bits;
  bool narrow;
};
} // namespace

// In the order of the enumeration.
static const Row table[] = {
    {"bool", Kind::Bool, 8, false},
    {"int4", Kind::Signed, 4, true},
    {"int8", Kind::Signed, 8, false},
    {"int16", Kind::Signed, 16, false},
    {"int32", Kind::Signed, 32, false},
    {"int64", Kind::Signed, 64, false},
    {"uint4", Kind::Unsigned, 4, true},
    {"uint8", Kind::Unsigned, 8, false},
    {"uint16", Kind::Unsigned, 16, false},
    {"uint32", Kind::Unsigned, 32, false},
    {"uint64", Kind::Unsigned, 64, false},
    {"f16", Kind::Float, 16, false},
    {"bf16", Kind::Float, 16, false},
    {"f32", Kind::Float, 32, false},
    {"f64", Kind::Float, 64, false},
    {"tf32", Kind::Float, 32, true},
    {"fp8_e4m3", Kind::Float, 8, true},
    {"fp8_e5m2", Kind::Float, 8, true},
    {"fp4_e2m1", Kind::Float, 4, true},
    {"e8m0", Kind::Float, 8, true},
};

static const Row &getRow(ElementType type) {
  return table[static_cast<unsigned>(type)];
}

std::optional<ElementType> tilec::findElementType(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(table); ++i)
    if (table[i].name == name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

bool tilec::isReservedTypeName(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"int1", "int2", "int3", "int5", "int6", "int7"}, true)
      .Cases({"uint1", "uint2", "uint3", "uint5", "uint6", "uint7"}, true)
      .Cases({"fp6_e2m3", "fp6_e3m2"}, true)
      .Default(false);
}

llvm::StringRef tilec::getName(ElementType type) { return getRow(type).name; }
unsigned tilec::getBits(ElementType type) { return getRow(type).bits; }
bool tilec::isSignedInt(ElementType type) {
  return getRow(type).kind == Kind::Signed;
}
bool tilec::isUnsignedInt(ElementType type) {
  return getRow(type).kind == Kind::Unsigned;
}
bool tilec::isInt(ElementType type) {
  return isSignedInt(type) || isUnsignedInt(type);
}
bool tilec::isFloat(ElementType type) {
  return getRow(type).kind == Kind::Float;
}
bool tilec::isFP8(ElementType type) {
  return type == ElementType::FP8E4M3 || type == ElementType::FP8E5M2;
}
bool tilec::isNarrow(ElementType type) { return getRow(type).narrow; }

ElementType tilec::getComputeType(ElementType type) {
  if (!isNarrow(type))
    return type;
  return isInt(type) ? ElementType::Int32 : ElementType::F32;
}

ElementType tilec::getSumType(ElementType type) {
  if (type == ElementType::Bool || getBits(type) >= 32)
    return type == ElementType::TF32 ? ElementType::F32 : type;
  if (isFloat(type))
    return ElementType::F32;
  return isSignedInt(type) ? ElementType::Int32 : ElementType::UInt32;
}

const llvm::fltSemantics &tilec::getSemantics(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return llvm::APFloat::IEEEhalf();
  case ElementType::BF16:
    return llvm::APFloat::BFloat();
  case ElementType::F32:
    return llvm::APFloat::IEEEsingle();
  case ElementType::TF32:
    return llvm::APFloat::FloatTF32();
  case ElementType::FP8E4M3:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::FP8E5M2:
    return llvm::APFloat::Float8E5M2();
  case ElementType::FP4E2M1:
    return llvm::APFloat::Float4E2M1FN();
  case ElementType::E8M0:
    return llvm::APFloat::Float8E8M0FNU();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

namespace {
/// What decides whether one float format holds another.
struct FloatReach {
  int fractionBits;
  int smallestExponent; // of the smallest positive value, subnormals included
  int largestExponent;
  bool hasInf, hasNaN, hasZero, hasSign;
};
} // namespace

static FloatReach getReach(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return {10, -24, 15, true, true, true, true};
  case ElementType::BF16:
    return {7, -133, 127, true, true, true, true};
  case ElementType::F32:
    return {23, -149, 127, true, true, true, true};
  case ElementType::TF32:
    return {10, -136, 127, true, true, true, true};
  case ElementType::FP8E4M3:
    return {3, -9, 8, false, true, true, true};
  case ElementType::FP8E5M2:
    return {2, -16, 15, true, true, true, true};
  case ElementType::FP4E2M1:
    return {1, -1, 2, false, false, true, true};
  case ElementType::E8M0:
    return {0, -127, 127, false, true, false, false};
  default:
    return {52, -1074, 1023, true, true, true, true};
  }
}

static bool floatHolds(ElementType from, ElementType to) {
  FloatReach source = getReach(from), target = getReach(to);
  // fp4 and e4m3 stop short of the next power of two, but so do their own
  // largest values: 448 and 6 have fewer fraction bits than the targets that
  // pass the other tests.
  return source.fractionBits <= target.fractionBits &&
         source.smallestExponent >= target.smallestExponent &&
         source.largestExponent <= target.largestExponent &&
         source.hasInf <= target.hasInf && source.hasNaN <= target.hasNaN &&
         source.hasZero <= target.hasZero && source.hasSign <= target.hasSign;
}

static bool intHolds(ElementType from, ElementType to) {
  if (isSignedInt(from))
    return isSignedInt(to) && getBits(from) <= getBits(to);
  return isSignedInt(to) ? getBits(from) < getBits(to)
                         : getBits(from) <= getBits(to);
}

bool tilec::convertsImplicitly(ElementType from, ElementType to) {
  if (from == to)
    return true;
  if (isInt(from) && isInt(to))
    return intHolds(from, to);
  if (!isFloat(from) || !isFloat(to) || !floatHolds(from, to))
    return false;
  // tf32 is a way to store f32; f16 and bf16 widen to f32 proper.
  return to != ElementType::TF32 || isNarrow(from);
}

bool tilec::holdsEveryValue(ElementType from, ElementType to) {
  if (convertsImplicitly(from, to))
    return true;
  if (isFloat(from) && isFloat(to))
    return floatHolds(from, to);
  if (!isInt(from) || !isFloat(to))
    return false;
  // The magnitude of the most negative value is a power of two and needs no
  // fraction bits, only the exponent.
  int magnitudeBits = getBits(from) - (isSignedInt(from) ? 1 : 0);
  FloatReach target = getReach(to);
  return target.hasSign && target.hasZero &&
         magnitudeBits <= target.fractionBits + 1 &&
         (isSignedInt(from) ? magnitudeBits : magnitudeBits - 1) <=
             target.largestExponent &&
         target.smallestExponent <= 0;
}

ElementType tilec::getIntType(bool isSigned, unsigned bits) {
  if (bits <= 4)
    return isSigned ? ElementType::Int4 : ElementType::UInt4;
  if (bits <= 8)
    return isSigned ? ElementType::Int8 : ElementType::UInt8;
  if (bits <= 16)
    return isSigned ? ElementType::Int16 : ElementType::UInt16;
  if (bits <= 32)
    return isSigned ? ElementType::Int32 : ElementType::UInt32;
  return isSigned ? ElementType::Int64 : ElementType::UInt64;
}
