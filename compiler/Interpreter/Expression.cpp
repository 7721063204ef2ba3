//===- Expression.cpp - Values of a kernel's expression attributes --------===//
#include "compiler/Interpreter/Expression.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::createStringError;

namespace {
/// A result, or nothing where int64 cannot hold it.
using Checked = std::optional<int64_t>;
} // namespace

static Checked divide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  return a / b;
}

static Checked ceilDivide(int64_t a, int64_t b) {
  Checked quotient = divide(a, b);
  if (quotient && a % b != 0 && (a > 0) == (b > 0))
    return *quotient + 1;
  return quotient;
}

static Checked remainder(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  return b == -1 ? 0 : a % b;
}

static int64_t shiftRight(int64_t a, int64_t b) {
  return a >> (b < 0 || b > 63 ? 63 : b);
}

static Checked shiftLeft(int64_t a, int64_t b) {
  if (b < 0 || b > 63)
    return 0;
  int64_t shifted = int64_t(uint64_t(a) << b);
  return shifted >> b == a ? Checked(shifted) : std::nullopt;
}

static Checked checkedNegate(int64_t a) {
  return a == INT64_MIN ? std::nullopt : Checked(-a);
}

namespace {
using Unary = Checked (*)(int64_t);
using Binary = Checked (*)(int64_t, int64_t);
} // namespace

static Unary findUnary(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("!", [](int64_t a) -> Checked { return a == 0; })
      .Case("neg", checkedNegate)
      .Default(nullptr);
}

static Binary findBinary(StringRef name) {
  using I = int64_t;
  return llvm::StringSwitch<Binary>(name)
      .Case("+", [](I a, I b) { return llvm::checkedAdd(a, b); })
      .Case("-", [](I a, I b) { return llvm::checkedSub(a, b); })
      .Case("*", [](I a, I b) { return llvm::checkedMul(a, b); })
      .Case("/", divide)
      .Case("%", remainder)
      .Case("ceildiv", ceilDivide)
      .Case("min", [](I a, I b) -> Checked { return std::min(a, b); })
      .Case("max", [](I a, I b) -> Checked { return std::max(a, b); })
      .Case("==", [](I a, I b) -> Checked { return a == b; })
      .Case("!=", [](I a, I b) -> Checked { return a != b; })
      .Case("<", [](I a, I b) -> Checked { return a < b; })
      .Case("<=", [](I a, I b) -> Checked { return a <= b; })
      .Case(">", [](I a, I b) -> Checked { return a > b; })
      .Case(">=", [](I a, I b) -> Checked { return a >= b; })
      .Case("<<", shiftLeft)
      .Case(">>", [](I a, I b) -> Checked { return shiftRight(a, b); })
      .Case("&", [](I a, I b) -> Checked { return a & b; })
      .Case("|", [](I a, I b) -> Checked { return a | b; })
      .Case("^", [](I a, I b) -> Checked { return a ^ b; })
      .Default(nullptr);
}

static llvm::Error makeOverflow(StringRef name, ArrayRef<int64_t> operands) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << name << "' of ";
  llvm::interleave(operands, os, " and ");
  os << " has no value in int64";
  return createStringError(text);
}

/// `&&`, `||` and `select`; the first operand decides which one counts.
static llvm::Expected<int64_t> evaluateLazy(StringRef name,
                                            ArrayRef<Attribute> operands,
                                            tilec::NameLookup lookup) {
  llvm::Expected<int64_t> condition =
      tilec::evaluateExpression(operands[0], lookup);
  if (!condition)
    return condition;
  if (name == "select")
    return tilec::evaluateExpression(operands[*condition != 0 ? 1 : 2], lookup);
  if ((*condition != 0) == (name == "||"))
    return int64_t(*condition != 0);
  llvm::Expected<int64_t> second =
      tilec::evaluateExpression(operands[1], lookup);
  if (!second)
    return second;
  return int64_t(*second != 0);
}

static llvm::Expected<int64_t> evaluateOperator(StringRef name,
                                                ArrayRef<Attribute> operands,
                                                tilec::NameLookup lookup) {
  bool isLazy = (name == "select" && operands.size() == 3) ||
                ((name == "&&" || name == "||") && operands.size() == 2);
  if (isLazy)
    return evaluateLazy(name, operands, lookup);
  SmallVector<int64_t, 2> values;
  for (Attribute operand : operands) {
    llvm::Expected<int64_t> value = tilec::evaluateExpression(operand, lookup);
    if (!value)
      return value;
    values.push_back(*value);
  }
  Checked result;
  if (Unary unary = findUnary(name); unary && values.size() == 1)
    result = unary(values[0]);
  else if (Binary binary = findBinary(name); binary && values.size() == 2)
    result = binary(values[0], values[1]);
  else
    return createStringError(llvm::formatv(
        "no operator '{0}' with {1} operands", name, values.size()));
  if (!result)
    return makeOverflow(name, values);
  return *result;
}

llvm::Expected<int64_t> tilec::evaluateExpression(Attribute expression,
                                                  NameLookup lookup) {
  if (auto integer = dyn_cast<IntegerAttr>(expression))
    return integer.getValue().getSExtValue();
  if (auto name = dyn_cast<StringAttr>(expression)) {
    if (std::optional<int64_t> value = lookup(name.getValue()))
      return *value;
    return createStringError("'" + name.getValue() + "' has no value here");
  }
  auto array = dyn_cast<ArrayAttr>(expression);
  auto name =
      array && !array.empty() ? dyn_cast<StringAttr>(array[0]) : StringAttr();
  if (!name)
    return createStringError(
        "an expression is an integer, a string or [operator, operand...]");
  return evaluateOperator(name.getValue(), array.getValue().drop_front(),
                          lookup);
}
