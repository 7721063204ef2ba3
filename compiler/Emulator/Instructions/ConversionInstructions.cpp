//===- ConversionInstructions.cpp - cvt -----------------------------------===//
//
// Conversions between number types, as PTX cvt and as intrinsics.  Pairs are
// converted from two registers, of which the first becomes the high element,
// or from a packed register element by element.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace tilec;
using namespace tilec::emulator;

namespace {

enum class ToInteger : uint32_t { None, Nearest, Zero, Down, Up };

enum Flag : uint32_t {
  Relu = 1,
  Saturates = 2,
  FlushSubnormals = 4,
};

/// What a binder tells the handler.
struct Conversion {
  ScalarType from, to;
  Rounding rounding = Rounding::NearestEven;
  ToInteger toInteger = ToInteger::None;
  uint32_t flags = 0;

  std::array<uint32_t, 8> pack() const {
    return {from.pack(), to.pack(), static_cast<uint32_t>(rounding),
            static_cast<uint32_t>(toInteger), flags};
  }
  static Conversion unpack(const std::array<uint32_t, 8> &words) {
    return {ScalarType::unpack(words[0]), ScalarType::unpack(words[1]),
            static_cast<Rounding>(words[2]), static_cast<ToInteger>(words[3]),
            words[4]};
  }
};

} // namespace

/// An integer as a double from which any smaller float rounds correctly.
static double integerToOdd(const ScalarType &type, uint64_t code) {
  int64_t value = extendInteger(type, code);
  bool isNegative = type.isSigned() && value < 0;
  uint64_t magnitude = isNegative ? 0 - static_cast<uint64_t>(value)
                                  : static_cast<uint64_t>(value);
  // Of more than 53 bits, what falls off is kept as one sticky bit.
  if (magnitude >> 53) {
    unsigned excess = 11;
    bool isInexact = magnitude & ((1u << excess) - 1);
    magnitude = (magnitude >> excess | isInexact) << excess;
  }
  double result = static_cast<double>(magnitude);
  return isNegative ? -result : result;
}

static double roundToIntegral(double value, ToInteger mode) {
  switch (mode) {
  case ToInteger::Down:
    return std::floor(value);
  case ToInteger::Up:
    return std::ceil(value);
  case ToInteger::Zero:
    return std::trunc(value);
  default:
    return std::nearbyint(value);
  }
}

static uint64_t floatToInteger(const Conversion &conversion, double value) {
  const ScalarType &to = conversion.to;
  if (std::isnan(value)) {
    // Zero unless one of the types has 64 bits (PTX ISA; seen on an H200).
    bool isWide = conversion.from.bits == 64 || to.bits == 64;
    return isWide ? uint64_t(1) << (to.bits - 1) : 0;
  }
  value = roundToIntegral(value, conversion.toInteger);
  // Two to the bits of the magnitude: the first value too large.
  double limit = std::ldexp(1.0, to.bits - to.isSigned());
  if (value >= limit)
    return to.isSigned() ? to.mask() >> 1 : to.mask();
  double lowest = to.isSigned() ? -limit : 0.0;
  if (value <= lowest)
    return to.isSigned() ? uint64_t(1) << (to.bits - 1) : 0;
  if (to.isSigned())
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & to.mask();
  return static_cast<uint64_t>(value);
}

static uint64_t integerToInteger(const Conversion &conversion, uint64_t code) {
  const ScalarType &from = conversion.from, &to = conversion.to;
  int64_t value = extendInteger(from, code);
  if (!(conversion.flags & Saturates))
    return static_cast<uint64_t>(value) & to.mask();
  // In 128 bits every value and limit fits.
  __int128 wide = from.isSigned() ? __int128(value)
                                  : __int128(static_cast<uint64_t>(value));
  __int128 highest = to.isSigned() ? to.mask() >> 1 : to.mask();
  __int128 lowest = to.isSigned() ? -highest - 1 : 0;
  return static_cast<uint64_t>(std::clamp(wide, lowest, highest)) & to.mask();
}

static uint64_t convert(const Conversion &conversion, uint64_t code) {
  const ScalarType &from = conversion.from, &to = conversion.to;
  if (!from.isFloat() && !to.isFloat())
    return integerToInteger(conversion, code);
  double value =
      from.isFloat() ? decodeScalar(from, code)
      : to.scalar == Scalar::F64
          ? (from.isSigned() ? static_cast<double>(extendInteger(from, code))
                             : static_cast<double>(code & from.mask()))
          : integerToOdd(from, code);
  if ((conversion.flags & FlushSubnormals) && from.scalar == Scalar::F32)
    value = flushSubnormal(formatF32, value);
  if (!to.isFloat())
    return floatToInteger(conversion, value);
  if (conversion.toInteger != ToInteger::None)
    value = roundToIntegral(value, conversion.toInteger);
  if ((conversion.flags & Relu) && value <= 0)
    value = 0;
  // cvt.rna cuts NaNs short like numbers, so that one with a payload in the low
  // bits only becomes infinite (seen on an H200).
  if (to.scalar == Scalar::TF32 &&
      conversion.rounding == Rounding::NearestAway && !std::isfinite(value) &&
      !(conversion.flags & Saturates))
    return code & 0xFFFFE000;
  return encodeScalar(to, value, conversion.rounding,
                      conversion.flags & Saturates ? Overflow::Saturate
                                                   : Overflow::ToInfinity);
}

static void runConvert(Thread &, const Operation &operation, Slots slots) {
  Conversion conversion = Conversion::unpack(operation.parameters);
  Slots arguments = slots + operation.results;
  const ScalarType &from = conversion.from, &to = conversion.to;
  uint64_t packed = 0;
  for (unsigned i = 0; i < to.count; ++i) {
    // Of two registers, the first holds the high element.
    uint64_t code = operation.arguments == to.count
                        ? arguments[to.count - 1 - i]
                        : arguments[0] >> i * from.bits;
    packed |= (convert(conversion, code) & to.mask()) << i * to.bits;
  }
  // Narrow signed results are extended to their register.
  if (to.isSigned() && to.bits < 32)
    packed = static_cast<uint32_t>(extendInteger(to, packed));
  slots[0] = packed;
}

/// Checks that the operands suit the types and makes the operation.
static std::optional<Operation> makeConversion(const InstructionForm &form,
                                               const Conversion &conversion) {
  const ScalarType &from = conversion.from, &to = conversion.to;
  bool fromRegisters = from.count == 1 && form.arguments == to.count;
  bool fromPacked = from.count == to.count && form.arguments == 1;
  if (form.results != 1 || (!fromRegisters && !fromPacked))
    return std::nullopt;
  Operation operation = makeThreadOperation(runConvert);
  operation.parameters = conversion.pack();
  return operation;
}

static bool isSmallFloat(const ScalarType &type) {
  return type.scalar == Scalar::E4M3 || type.scalar == Scalar::E5M2 ||
         type.scalar == Scalar::E2M1;
}

/// Reads rounding and modifier words; returns false for one that is unknown.
static bool parseModifier(llvm::StringRef word, Conversion &conversion) {
  if (word == "rn")
    conversion.rounding = Rounding::NearestEven;
  else if (word == "rz")
    conversion.rounding = Rounding::TowardZero;
  else if (word == "rna")
    conversion.rounding = Rounding::NearestAway;
  else if (word == "rni")
    conversion.toInteger = ToInteger::Nearest;
  else if (word == "rzi")
    conversion.toInteger = ToInteger::Zero;
  else if (word == "rmi")
    conversion.toInteger = ToInteger::Down;
  else if (word == "rpi")
    conversion.toInteger = ToInteger::Up;
  else if (word == "relu")
    conversion.flags |= Relu;
  else if (word == "satfinite")
    conversion.flags |= Saturates;
  else if (word == "ftz")
    conversion.flags |= FlushSubnormals;
  else
    return false;
  return true;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// "cvt[.modifiers].to.from".
static std::optional<Operation> bindCvt(const InstructionForm &form) {
  if (form.words.size() < 3)
    return std::nullopt;
  Conversion conversion;
  auto from = parseScalarType(form.words.back());
  auto to = parseScalarType(form.words[form.words.size() - 2]);
  if (!from || !to)
    return std::nullopt;
  conversion.from = *from;
  conversion.to = *to;
  bool isToInteger = !to->isFloat() && !from->isFloat();
  for (llvm::StringRef word :
       llvm::ArrayRef(form.words).drop_front().drop_back(2)) {
    if (word == "sat" && isToInteger)
      conversion.flags |= Saturates;
    else if (!parseModifier(word, conversion))
      return std::nullopt;
  }
  bool needsToInteger = from->isFloat() && !to->isFloat();
  if (needsToInteger && conversion.toInteger == ToInteger::None)
    return std::nullopt;
  return makeConversion(form, conversion);
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

/// "ff.to.e4m3x2.rn", "e4m3x2.to.f16x2.rn", "f16x2.to.e5m2x2.rn.relu".
static std::optional<Operation> bindTo(const InstructionForm &form) {
  if (form.words.size() < 4)
    return std::nullopt;
  Conversion conversion;
  llvm::StringRef source = form.words[0] == "ff" ? "f32" : form.words[0];
  auto from = parseScalarType(source), to = parseScalarType(form.words[2]);
  if (!from || !to)
    return std::nullopt;
  conversion.from = *from;
  conversion.to = *to;
  for (llvm::StringRef word : llvm::ArrayRef(form.words).drop_front(3))
    if (!parseModifier(word, conversion))
      return std::nullopt;
  // The fp8 intrinsics stand for cvt.satfinite without saying so.
  if (isSmallFloat(*to))
    conversion.flags |= Saturates;
  return makeConversion(form, conversion);
}

/// The pair of types that a name like "f2bf16" or "ui2d" stands for.
static std::optional<std::pair<llvm::StringRef, llvm::StringRef>>
parseShortName(llvm::StringRef name) {
  using Pair = std::pair<llvm::StringRef, llvm::StringRef>;
  return llvm::StringSwitch<std::optional<Pair>>(name)
      .Case("ff2bf16x2", Pair{"f32", "bf16x2"})
      .Case("ff2f16x2", Pair{"f32", "f16x2"})
      .Case("f2bf16", Pair{"f32", "bf16"})
      .Case("f2f16", Pair{"f32", "f16"})
      .Case("f2tf32", Pair{"f32", "tf32"})
      .Case("f2h", Pair{"f32", "f16"})
      .Case("bf2h", Pair{"f32", "bf16"})
      .Case("d2f", Pair{"f64", "f32"})
      .Case("f2i", Pair{"f32", "s32"})
      .Case("f2ui", Pair{"f32", "u32"})
      .Case("f2ll", Pair{"f32", "s64"})
      .Case("f2ull", Pair{"f32", "u64"})
      .Case("d2i", Pair{"f64", "s32"})
      .Case("d2ui", Pair{"f64", "u32"})
      .Case("d2ll", Pair{"f64", "s64"})
      .Case("d2ull", Pair{"f64", "u64"})
      .Case("i2f", Pair{"s32", "f32"})
      .Case("ui2f", Pair{"u32", "f32"})
      .Case("ll2f", Pair{"s64", "f32"})
      .Case("ull2f", Pair{"u64", "f32"})
      .Case("i2d", Pair{"s32", "f64"})
      .Case("ui2d", Pair{"u32", "f64"})
      .Case("ll2d", Pair{"s64", "f64"})
      .Case("ull2d", Pair{"u64", "f64"})
      .Default(std::nullopt);
}

static std::optional<Operation> bindShortName(const InstructionForm &form) {
  auto names = parseShortName(form.words[0]);
  if (!names)
    return std::nullopt;
  Conversion conversion;
  conversion.from = *parseScalarType(names->first);
  conversion.to = *parseScalarType(names->second);
  bool isToInteger = conversion.from.isFloat() && !conversion.to.isFloat();
  for (llvm::StringRef word : llvm::drop_begin(form.words)) {
    // To an integer, "rn" means what PTX calls "rni".
    if (isToInteger && word.size() == 2 && word != "rs")
      word = llvm::StringSwitch<llvm::StringRef>(word)
                 .Case("rn", "rni")
                 .Case("rz", "rzi")
                 .Case("rm", "rmi")
                 .Case("rp", "rpi")
                 .Default(word);
    if (!parseModifier(word, conversion))
      return std::nullopt;
  }
  return makeConversion(form, conversion);
}

void tilec::emulator::registerConversionInstructions(InstructionTable &table) {
  table.add("cvt", bindCvt);
  for (const char *name :
       {"ff.to", "f16x2.to", "e4m3x2.to", "e5m2x2.to", "e2m1x2.to"})
    table.add(name, bindTo);
  for (const char *name :
       {"ff2bf16x2", "ff2f16x2", "f2bf16", "f2f16", "f2tf32", "f2h",
        "bf2h",      "d2f",      "f2i",    "f2ui",  "f2ll",   "f2ull",
        "d2i",       "d2ui",     "d2ll",   "d2ull", "i2f",    "ui2f",
        "ll2f",      "ull2f",    "i2d",    "ui2d",  "ll2d",   "ull2d"})
    table.add(name, bindShortName);
}
