//===- Constant.cpp - Arithmetic on compile-time values -------------------===//
#include "compiler/Frontend/Sema/Constant.h"

#include "compiler/Frontend/Syntax/ASTPrinter.h"
#include <cmath>

using namespace tilec;
using ast::BinaryOp;
using ast::UnaryOp;

std::string tilec::formatConstant(const Constant &constant) {
  if (const auto *boolean = std::get_if<bool>(&constant))
    return *boolean ? "true" : "false";
  if (const auto *integer = std::get_if<Integer>(&constant))
    return formatInteger(*integer);
  if (const auto *number = std::get_if<double>(&constant))
    return formatFloat(*number);
  if (const auto *type = std::get_if<ElementType>(&constant))
    return getName(*type).str();
  return "\"" + std::get<std::string>(constant) + "\"";
}

NumberFormat tilec::getNumberFormat(ElementType type) {
  llvm::StringRef name = getName(type);
  return *findNumberFormat(std::string_view(name.data(), name.size()));
}

bool tilec::fitsInteger(Integer value, ElementType type) {
  unsigned bits = getBits(type);
  if (isUnsignedInt(type))
    return value >= 0 && value < Integer(1) << bits;
  return value >= -(Integer(1) << (bits - 1)) && value < Integer(1)
                                                             << (bits - 1);
}

Integer tilec::wrapInteger(Integer value, ElementType type) {
  unsigned bits = getBits(type);
  auto low = static_cast<unsigned __int128>(value) &
             ((static_cast<unsigned __int128>(1) << bits) - 1);
  bool isNegative = isSignedInt(type) && (low >> (bits - 1) & 1);
  return static_cast<Integer>(low) - (isNegative ? Integer(1) << bits : 0);
}

double tilec::roundFloat(double value, ElementType type) {
  if (type == ElementType::F64)
    return value;
  // The formats that arithmetic is done in overflow to infinity by default.
  return castToFloat(value, getNumberFormat(type));
}

bool tilec::isExact(double value, ElementType type) {
  if (std::isnan(value))
    return type != ElementType::FP4E2M1;
  return roundFloat(value, type) == value;
}

std::optional<Constant> tilec::convertUntyped(const Constant &value,
                                              ElementType type) {
  if (const auto *integer = std::get_if<Integer>(&value)) {
    if (isInt(type))
      return fitsInteger(*integer, type) ? std::optional<Constant>(value)
                                         : std::nullopt;
    if (!isFloat(type))
      return std::nullopt;
    // No format is exact beyond what a double holds.
    auto number = static_cast<double>(*integer);
    bool isRepresentable = std::abs(number) < 0x1p126 &&
                           static_cast<Integer>(number) == *integer &&
                           isExact(number, type);
    return isRepresentable ? std::optional<Constant>(number) : std::nullopt;
  }
  if (const auto *number = std::get_if<double>(&value))
    if (isFloat(type))
      return Constant(roundFloat(*number, type));
  return std::nullopt;
}

Constant tilec::castConstant(const Constant &value, ElementType from,
                             ElementType to, CastMode mode) {
  NumberFormat target = getNumberFormat(to);
  if (const auto *number = std::get_if<double>(&value)) {
    if (to == ElementType::Bool)
      return *number != 0.0; // NaN is not zero.
    if (isFloat(to))
      return castToFloat(*number, target, mode);
    int64_t result = castToInteger(*number, target);
    return to == ElementType::UInt64 ? Integer(static_cast<uint64_t>(result))
                                     : Integer(result);
  }
  Integer integer = std::holds_alternative<bool>(value)
                        ? Integer(std::get<bool>(value))
                        : std::get<Integer>(value);
  if (to == ElementType::Bool)
    return integer != 0;
  auto bits = static_cast<int64_t>(static_cast<uint64_t>(integer));
  bool isUnsigned = !isSignedInt(from);
  if (isFloat(to))
    return castToFloat(bits, isUnsigned, target, mode);
  int64_t result = castToInteger(bits, isUnsigned, target, mode);
  return to == ElementType::UInt64 ? Integer(static_cast<uint64_t>(result))
                                   : Integer(result);
}

std::optional<Constant> tilec::foldShift(bool isLeft, Integer value,
                                         Integer amount,
                                         std::optional<ElementType> type) {
  if (!type) {
    // Untyped integers have no width; only what leaves 128 bits is lost.
    if (amount < 0)
      return Constant(value < 0 && !isLeft ? Integer(-1) : Integer(0));
    if (!isLeft)
      return Constant(amount > 126 ? (value < 0 ? Integer(-1) : Integer(0))
                                   : value >> unsigned(amount));
    Integer result;
    if (value == 0)
      return Constant(value);
    if (amount > 125 ||
        __builtin_mul_overflow(value, Integer(1) << unsigned(amount), &result))
      return std::nullopt;
    return Constant(result);
  }
  Integer width = getBits(*type);
  if (amount < 0 || amount >= width)
    return Constant(!isLeft && value < 0 ? Integer(-1) : Integer(0));
  if (!isLeft)
    return Constant(value >> unsigned(amount));
  auto shifted = static_cast<unsigned __int128>(value) << unsigned(amount);
  return Constant(wrapInteger(static_cast<Integer>(shifted), *type));
}

static std::optional<Integer> foldUntypedInteger(BinaryOp op, Integer left,
                                                 Integer right) {
  Integer result;
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(left, right, &result) ? std::nullopt
                                                        : std::optional(result);
  case BinaryOp::Subtract:
    return __builtin_sub_overflow(left, right, &result) ? std::nullopt
                                                        : std::optional(result);
  case BinaryOp::Multiply:
    return __builtin_mul_overflow(left, right, &result) ? std::nullopt
                                                        : std::optional(result);
  case BinaryOp::Divide:
    if (right == 0)
      return std::nullopt;
    if (right == -1)
      return foldUntypedInteger(BinaryOp::Subtract, 0, left);
    return left / right;
  case BinaryOp::Remainder:
    if (right == 0)
      return std::nullopt;
    return right == -1 ? Integer(0) : left % right;
  case BinaryOp::BitAnd:
    return left & right;
  case BinaryOp::BitOr:
    return left | right;
  case BinaryOp::BitXor:
    return left ^ right;
  default:
    return std::nullopt;
  }
}

/// The low 128 bits of a sum, difference or product.
static Integer foldModulo128(BinaryOp op, Integer left, Integer right) {
  auto a = static_cast<unsigned __int128>(left);
  auto b = static_cast<unsigned __int128>(right);
  return static_cast<Integer>(op == BinaryOp::Add        ? a + b
                              : op == BinaryOp::Subtract ? a - b
                                                         : a * b);
}

template <typename T>
static std::optional<bool> compare(BinaryOp op, T left, T right) {
  switch (op) {
  case BinaryOp::Equal:
    return left == right;
  case BinaryOp::NotEqual:
    return left != right;
  case BinaryOp::Less:
    return left < right;
  case BinaryOp::LessEqual:
    return left <= right;
  case BinaryOp::Greater:
    return left > right;
  case BinaryOp::GreaterEqual:
    return left >= right;
  default:
    return std::nullopt;
  }
}

static std::optional<Constant> foldBool(BinaryOp op, bool left, bool right) {
  switch (op) {
  case BinaryOp::LogicalAnd:
  case BinaryOp::BitAnd:
    return Constant(left && right);
  case BinaryOp::LogicalOr:
  case BinaryOp::BitOr:
    return Constant(left || right);
  case BinaryOp::BitXor:
  case BinaryOp::NotEqual:
    return Constant(left != right);
  case BinaryOp::Equal:
    return Constant(left == right);
  default:
    return std::nullopt;
  }
}

static std::optional<Constant> foldFloat(BinaryOp op, double left, double right,
                                         std::optional<ElementType> type) {
  if (std::optional<bool> result = compare(op, left, right))
    return Constant(*result);
  double result;
  switch (op) {
  case BinaryOp::Add:
    result = left + right;
    break;
  case BinaryOp::Subtract:
    result = left - right;
    break;
  case BinaryOp::Multiply:
    result = left * right;
    break;
  case BinaryOp::Divide:
    result = left / right;
    break;
  case BinaryOp::Remainder:
    result = std::fmod(left, right);
    break;
  default:
    return std::nullopt;
  }
  // Twice rounded is once rounded: a double has more than twice the bits of
  // every smaller format that arithmetic is done in.
  return Constant(type ? roundFloat(result, *type) : result);
}

std::optional<Constant> tilec::foldBinary(BinaryOp op, const Constant &left,
                                          const Constant &right,
                                          std::optional<ElementType> type) {
  if (left.index() != right.index())
    return std::nullopt;
  if (const auto *boolean = std::get_if<bool>(&left))
    return foldBool(op, *boolean, std::get<bool>(right));
  if (const auto *number = std::get_if<double>(&left))
    return foldFloat(op, *number, std::get<double>(right), type);
  if (const auto *name = std::get_if<ElementType>(&left)) {
    std::optional<bool> result =
        compare(op, *name, std::get<ElementType>(right));
    return result ? std::optional<Constant>(*result) : std::nullopt;
  }
  const auto *integer = std::get_if<Integer>(&left);
  if (!integer)
    return std::nullopt;
  auto other = std::get<Integer>(right);
  if (std::optional<bool> result = compare(op, *integer, other))
    return Constant(*result);
  if (ast::isShift(op))
    return foldShift(op == BinaryOp::ShiftLeft, *integer, other, type);
  if (type && (op == BinaryOp::Add || op == BinaryOp::Subtract ||
               op == BinaryOp::Multiply))
    return Constant(wrapInteger(foldModulo128(op, *integer, other), *type));
  std::optional<Integer> result = foldUntypedInteger(op, *integer, other);
  if (!result)
    return std::nullopt;
  // The smallest int64 divided by -1 wraps.
  return Constant(type ? wrapInteger(*result, *type) : *result);
}

std::optional<Constant> tilec::foldUnary(UnaryOp op, const Constant &operand,
                                         std::optional<ElementType> type) {
  if (const auto *boolean = std::get_if<bool>(&operand))
    return op == UnaryOp::Not || op == UnaryOp::Complement
               ? std::optional<Constant>(!*boolean)
               : std::nullopt;
  if (const auto *number = std::get_if<double>(&operand))
    return op == UnaryOp::Negate ? std::optional<Constant>(-*number)
                                 : std::nullopt;
  const auto *integer = std::get_if<Integer>(&operand);
  if (!integer || op == UnaryOp::Not)
    return std::nullopt;
  if (op == UnaryOp::Complement)
    return Constant(type ? wrapInteger(~*integer, *type) : ~*integer);
  return foldBinary(BinaryOp::Subtract, Constant(Integer(0)), operand, type);
}
