//===- IntegerInstructions.cpp - Integers, bits and moves -----------------===//
//
// Integer arithmetic and bit operations of inline PTX, and those that exist
// as intrinsics (prmt, mulhi, idp4a, ...).  Registers hold 64 bits here; a
// result is cut to the bits of its type.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::emulator;

namespace {

enum class IntegerFunction : uint32_t {
  Add,
  Sub,
  Mul,
  MulHigh,
  MulWide,
  MultiplyAdd,
  Min,
  Max,
  Abs,
  Neg,
  And,
  Or,
  Xor,
  Not,
  ShiftLeft,
  ShiftRight,
  Popcount,
  LeadingZeros,
  ReverseBits,
  ExtractField,
  InsertField,
  Logic3,
  Permute,
  Select,
  DotProduct4,
};

} // namespace

/// PTX shifts clamp their amount, unlike the host's.
static uint64_t shiftLeft(uint64_t value, uint64_t amount, unsigned bits) {
  return amount >= bits ? 0 : value << amount;
}

static uint64_t shiftRight(const ScalarType &type, uint64_t value,
                           uint64_t amount) {
  amount = std::min<uint64_t>(amount, type.isSigned() ? type.bits - 1 : 64);
  if (type.isSigned())
    return static_cast<uint64_t>(extendInteger(type, value) >> amount);
  return amount >= type.bits ? 0 : (value & type.mask()) >> amount;
}

static uint64_t multiplyHigh(const ScalarType &type, uint64_t a, uint64_t b) {
  if (type.isSigned()) {
    __int128 product =
        __int128(extendInteger(type, a)) * extendInteger(type, b);
    return static_cast<uint64_t>(product >> type.bits);
  }
  unsigned __int128 product =
      static_cast<unsigned __int128>(a & type.mask()) * (b & type.mask());
  return static_cast<uint64_t>(product >> type.bits);
}

/// bfe: bits `position` to `position + length - 1`, extended by sign.
static uint64_t extractField(const ScalarType &type, uint64_t value,
                             uint64_t position, uint64_t length) {
  position &= 0xFF;
  length &= 0xFF;
  if (length == 0)
    return 0;
  uint64_t field = shiftRight(type, value, position);
  if (position >= type.bits && !type.isSigned())
    return 0;
  if (length >= type.bits)
    return field;
  uint64_t mask = (uint64_t(1) << length) - 1;
  field &= mask;
  // The sign is the last bit of the field, or that of the value where the
  // field ends beyond it.
  if (type.isSigned()) {
    uint64_t signPosition =
        std::min<uint64_t>(position + length, type.bits) - 1;
    if (value >> signPosition & 1)
      field |= ~mask;
  }
  return field;
}

static uint64_t insertField(const ScalarType &type, uint64_t field,
                            uint64_t base, uint64_t position, uint64_t length) {
  position &= 0xFF;
  length &= 0xFF;
  uint64_t mask = length >= 64 ? ~uint64_t(0) : (uint64_t(1) << length) - 1;
  mask = shiftLeft(mask, position, type.bits);
  return (base & ~mask) | (shiftLeft(field, position, type.bits) & mask);
}

/// lop3: bit i of `table` is the result where a, b, c are bits 2, 1, 0 of i.
static uint64_t evaluateTable(uint64_t a, uint64_t b, uint64_t c,
                              uint64_t table) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

/// prmt: each nibble of the selector picks a byte of {b, a}; its high bit
/// replicates that byte's sign instead.
static uint64_t permuteBytes(uint64_t a, uint64_t b, uint64_t selector) {
  uint64_t bytes = (a & 0xFFFFFFFF) | b << 32;
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = selector >> 4 * i & 15;
    uint64_t byte = bytes >> 8 * (pick & 7) & 0xFF;
    if (pick & 8)
      byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << 8 * i;
  }
  return result;
}

/// dp4a: bit 0 of `signs` for a, bit 1 for b.
static uint64_t dotProduct4(uint64_t a, uint64_t b, uint64_t c,
                            uint32_t signs) {
  auto sum = static_cast<uint32_t>(c);
  for (unsigned i = 0; i < 4; ++i) {
    auto x = static_cast<uint8_t>(a >> 8 * i);
    auto y = static_cast<uint8_t>(b >> 8 * i);
    int xs = signs & 1 ? static_cast<int8_t>(x) : x;
    int ys = signs & 2 ? static_cast<int8_t>(y) : y;
    sum += static_cast<uint32_t>(xs * ys);
  }
  return sum;
}

static uint64_t evaluate(IntegerFunction function, const ScalarType &type,
                         const uint64_t *x, uint32_t detail) {
  auto extended = [&](unsigned i) { return extendInteger(type, x[i]); };
  switch (function) {
  case IntegerFunction::Add:
    return x[0] + x[1];
  case IntegerFunction::Sub:
    return x[0] - x[1];
  case IntegerFunction::Mul:
    return x[0] * x[1];
  case IntegerFunction::MulHigh:
    return multiplyHigh(type, x[0], x[1]);
  case IntegerFunction::MulWide:
    return static_cast<uint64_t>(extended(0) * extended(1));
  case IntegerFunction::MultiplyAdd:
    return x[0] * x[1] + x[2];
  case IntegerFunction::Min:
    if (type.isSigned())
      return static_cast<uint64_t>(std::min(extended(0), extended(1)));
    return std::min(x[0] & type.mask(), x[1] & type.mask());
  case IntegerFunction::Max:
    if (type.isSigned())
      return static_cast<uint64_t>(std::max(extended(0), extended(1)));
    return std::max(x[0] & type.mask(), x[1] & type.mask());
  case IntegerFunction::Abs:
    return extended(0) < 0 ? 0 - x[0] : x[0];
  case IntegerFunction::Neg:
    return 0 - x[0];
  case IntegerFunction::And:
    return x[0] & x[1];
  case IntegerFunction::Or:
    return x[0] | x[1];
  case IntegerFunction::Xor:
    return x[0] ^ x[1];
  case IntegerFunction::Not:
    return ~x[0];
  case IntegerFunction::ShiftLeft:
    return shiftLeft(x[0], static_cast<uint32_t>(x[1]), type.bits);
  case IntegerFunction::ShiftRight:
    return shiftRight(type, x[0], static_cast<uint32_t>(x[1]));
  case IntegerFunction::Popcount:
    return llvm::popcount(x[0] & type.mask());
  case IntegerFunction::LeadingZeros:
    return llvm::countl_zero(x[0] & type.mask()) - (64 - type.bits);
  case IntegerFunction::ReverseBits: {
    uint64_t reversed = 0;
    for (unsigned i = 0; i < type.bits; ++i)
      reversed |= (x[0] >> i & 1) << (type.bits - 1 - i);
    return reversed;
  }
  case IntegerFunction::ExtractField:
    return extractField(type, x[0], x[1], x[2]);
  case IntegerFunction::InsertField:
    return insertField(type, x[0], x[1], x[2], x[3]);
  case IntegerFunction::Logic3:
    return evaluateTable(x[0], x[1], x[2], x[3]);
  case IntegerFunction::Permute:
    return permuteBytes(x[0], x[1], x[2]);
  case IntegerFunction::Select:
    return x[2] & 1 ? x[0] : x[1];
  case IntegerFunction::DotProduct4:
    return dotProduct4(x[0], x[1], x[2], detail);
  }
  llvm_unreachable("all functions are evaluated");
}

/// Parameters: function, type, bits of the result, detail.
static void runInteger(Thread &, const Operation &operation, Slots slots) {
  ScalarType type = ScalarType::unpack(operation.parameters[1]);
  uint64_t value =
      evaluate(static_cast<IntegerFunction>(operation.parameters[0]), type,
               slots + operation.results, operation.parameters[3]);
  unsigned resultBits = operation.parameters[2];
  slots[0] =
      resultBits >= 64 ? value : value & ((uint64_t(1) << resultBits) - 1);
}

static std::optional<IntegerFunction>
parseFunction(const InstructionForm &form) {
  using F = IntegerFunction;
  llvm::StringRef word = form.words[0];
  if (word == "mul" || word == "mulhi")
    return form.has("hi") || word == "mulhi" ? F::MulHigh
           : form.has("wide")                ? F::MulWide
                                             : F::Mul;
  if (word == "mad" && !form.has("lo"))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<F>>(word)
      .Case("add", F::Add)
      .Case("sub", F::Sub)
      .Case("mad", F::MultiplyAdd)
      .Case("min", F::Min)
      .Case("max", F::Max)
      .Case("abs", F::Abs)
      .Case("neg", F::Neg)
      .Case("and", F::And)
      .Case("or", F::Or)
      .Case("xor", F::Xor)
      .Case("not", F::Not)
      .Case("shl", F::ShiftLeft)
      .Case("shr", F::ShiftRight)
      .Case("popc", F::Popcount)
      .Case("clz", F::LeadingZeros)
      .Case("brev", F::ReverseBits)
      .Case("bfe", F::ExtractField)
      .Case("bfi", F::InsertField)
      .Case("lop3", F::Logic3)
      .Case("prmt", F::Permute)
      .Case("selp", F::Select)
      .Cases({"dp4a", "idp4a"}, F::DotProduct4)
      .Default(std::nullopt);
}

static unsigned countOperands(IntegerFunction function) {
  using F = IntegerFunction;
  switch (function) {
  case F::Abs:
  case F::Neg:
  case F::Not:
  case F::Popcount:
  case F::LeadingZeros:
  case F::ReverseBits:
    return 1;
  case F::MultiplyAdd:
  case F::ExtractField:
  case F::Permute:
  case F::Select:
  case F::DotProduct4:
    return 3;
  case F::InsertField:
  case F::Logic3:
    return 4;
  default:
    return 2;
  }
}

std::optional<Operation>
tilec::emulator::bindIntegerArithmetic(const InstructionForm &form) {
  auto function = parseFunction(form);
  if (!function || form.results != 1 ||
      form.arguments != countOperands(*function))
    return std::nullopt;
  // Carries, saturation and the special modes of prmt are not implemented.
  for (const char *word :
       {"cc", "sat", "b4e", "f4e", "rc8", "rc16", "ecl", "ecr", "BoolOp"})
    if (form.has(word))
      return std::nullopt;
  ScalarType type = findOperandType(form).value_or(ScalarType());
  bool isSelect = *function == IntegerFunction::Select;
  if ((type.isFloat() && !isSelect) || type.count != 1)
    return std::nullopt;
  uint32_t detail = 0;
  if (*function == IntegerFunction::DotProduct4) {
    // "dp4a.s32.u32" or "idp4a.s.u": the types of a and b.
    if (form.words.size() != 3)
      return std::nullopt;
    detail = form.words[1].starts_with("s") | form.words[2].starts_with("s")
                                                  << 1;
  }
  unsigned resultBits = type.bits;
  if (*function == IntegerFunction::MulWide)
    resultBits = 2 * type.bits;
  if (*function == IntegerFunction::Popcount ||
      *function == IntegerFunction::LeadingZeros)
    resultBits = 32;
  Operation operation = makeThreadOperation(runInteger);
  operation.parameters[0] = static_cast<uint32_t>(*function);
  operation.parameters[1] = type.pack();
  operation.parameters[2] = resultBits;
  operation.parameters[3] = detail;
  return operation;
}

//===----------------------------------------------------------------------===//
// mov, cvta, setp
//===----------------------------------------------------------------------===//

/// Parameter: bits of the type.  Packs several arguments into a register, or
/// takes a register apart.
static void runMove(Thread &, const Operation &operation, Slots slots) {
  unsigned bits = operation.parameters[0];
  Slots arguments = slots + operation.results;
  if (operation.results == operation.arguments) {
    slots[0] = arguments[0];
    return;
  }
  auto maskOf = [](unsigned width) {
    return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  };
  unsigned argumentBits = bits / operation.arguments;
  uint64_t packed = 0;
  for (unsigned i = 0; i < operation.arguments; ++i)
    packed |= (arguments[i] & maskOf(argumentBits)) << i * argumentBits;
  unsigned resultBits = bits / operation.results;
  for (unsigned i = 0; i < operation.results; ++i)
    slots[i] = packed >> i * resultBits & maskOf(resultBits);
}

static std::optional<Operation> bindMove(const InstructionForm &form) {
  auto type = parseScalarType(form.words.back());
  bool isOneToOne = form.results == 1 && form.arguments == 1;
  bool isPacking = (form.results == 1) != (form.arguments == 1);
  if (!type || (!isOneToOne && !isPacking) || form.results == 0 ||
      form.arguments == 0)
    return std::nullopt;
  Operation operation = makeThreadOperation(runMove);
  operation.parameters[0] = type->registerBits();
  return operation;
}

enum class Comparison : uint32_t { Eq, Ne, Lt, Le, Gt, Ge };

template <typename Number>
static bool compare(Comparison comparison, Number a, Number b) {
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return a != b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  }
  llvm_unreachable("all comparisons are handled");
}

/// Parameters: comparison, type.
static void runCompare(Thread &, const Operation &operation, Slots slots) {
  auto comparison = static_cast<Comparison>(operation.parameters[0]);
  ScalarType type = ScalarType::unpack(operation.parameters[1]);
  Slots x = slots + operation.results;
  bool answer;
  if (type.isFloat()) {
    double a = decodeScalar(type, x[0]), b = decodeScalar(type, x[1]);
    // Ordered comparisons are false with a NaN, "ne" included.
    answer = compare(comparison, a, b) && !std::isnan(a) && !std::isnan(b);
  } else if (type.isSigned()) {
    answer = compare(comparison, extendInteger(type, x[0]),
                     extendInteger(type, x[1]));
  } else {
    answer = compare(comparison, x[0] & type.mask(), x[1] & type.mask());
  }
  slots[0] = answer;
  if (operation.results > 1)
    slots[1] = !answer;
}

static std::optional<Operation> bindCompare(const InstructionForm &form) {
  if (form.words.size() != 3 || form.arguments != 2 || form.results == 0 ||
      form.results > 2)
    return std::nullopt;
  auto comparison = llvm::StringSwitch<std::optional<Comparison>>(form.words[1])
                        .Case("eq", Comparison::Eq)
                        .Case("ne", Comparison::Ne)
                        .Cases({"lt", "lo"}, Comparison::Lt)
                        .Cases({"le", "ls"}, Comparison::Le)
                        .Cases({"gt", "hi"}, Comparison::Gt)
                        .Cases({"ge", "hs"}, Comparison::Ge)
                        .Default(std::nullopt);
  auto type = parseScalarType(form.words[2]);
  if (!comparison || !type || type->count != 1)
    return std::nullopt;
  Operation operation = makeThreadOperation(runCompare);
  operation.parameters[0] = static_cast<uint32_t>(*comparison);
  operation.parameters[1] = type->pack();
  return operation;
}

void tilec::emulator::registerIntegerInstructions(InstructionTable &table) {
  for (const char *name :
       {"mad", "mulhi", "and", "or", "xor", "not", "shl", "shr", "popc", "clz",
        "brev", "bfe", "bfi", "lop3", "prmt", "selp", "dp4a", "idp4a"})
    table.add(name, bindIntegerArithmetic);
  // All address spaces share the host's addresses.
  table.add("mov", bindMove);
  table.add("cvta", bindMove);
  table.add("setp", bindCompare);
}
