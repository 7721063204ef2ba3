//===-- Expr.cpp - Expressions of the manifest ----------------------------===//

#include "Expr.h"
#include "Text.h"

#include <algorithm>

using nlohmann::json;

namespace tilert::detail {
namespace {

// Deep enough for any expression that people write; small enough that neither
// the compiler's recursion nor the stack of evaluate() can overflow.
constexpr int maxDepth = 64;

struct Operator {
  const char *name;
  int operands;
  Op op;
  // How tightly the written form binds, with the language's levels; 0 for those
  // written as calls.
  int precedence;
};

constexpr int primary = 11;
constexpr Operator operators[] = {
    {"+", 2, Op::Add, 8},
    {"-", 2, Op::Subtract, 8},
    {"*", 2, Op::Multiply, 9},
    {"/", 2, Op::Divide, 9},
    {"%", 2, Op::Remainder, 9},
    {"ceildiv", 2, Op::CeilDivide, 0},
    {"min", 2, Op::Minimum, 0},
    {"max", 2, Op::Maximum, 0},
    {"==", 2, Op::Equal, 3},
    {"!=", 2, Op::NotEqual, 3},
    {"<", 2, Op::Less, 3},
    {"<=", 2, Op::LessEqual, 3},
    {">", 2, Op::Greater, 3},
    {">=", 2, Op::GreaterEqual, 3},
    {"!", 1, Op::Not, 10},
    {"neg", 1, Op::Negate, 10},
    {"<<", 2, Op::ShiftLeft, 7},
    {">>", 2, Op::ShiftRight, 7},
    {"&", 2, Op::BitAnd, 6},
    {"|", 2, Op::BitOr, 4},
    {"^", 2, Op::BitXor, 5},
    // Evaluated by jumps: the side that does not count is not computed.
    {"&&", 2, Op::JumpIfZero, 2},
    {"||", 2, Op::JumpIfZero, 1},
    {"select", 3, Op::JumpIfZero, 0},
};

const Operator *findOperator(std::string_view name) {
  for (const Operator &candidate : operators)
    if (name == candidate.name)
      return &candidate;
  return nullptr;
}

/// Text of a subtree and how tightly it binds.
struct Written {
  std::string text;
  int precedence = primary;

  /// The text as an operand of an operator of level `outer`.
  std::string inside(int outer) const {
    return precedence < outer ? join('(', text, ')') : text;
  }
};

} // namespace

class ExprCompiler {
public:
  ExprCompiler(JsonReader &reader, LeafResolver &resolver, Expr &expr)
      : reader(reader), resolver(resolver), expr(expr) {}

  Written compile(const Place &place, int depth) {
    const json &value = *place.value;
    if (depth > maxDepth) {
      reader.fail(place,
                  join("the expression is nested deeper than ", maxDepth));
      return {};
    }
    if (value.is_number_integer()) {
      int64_t number = reader.readInteger(place);
      emit(Op::Constant, number);
      return {std::to_string(number), number < 0 ? 10 : primary};
    }
    if (value.is_string()) {
      emitLeaf(resolver.resolveName(reader, place));
      return {*value.get_ptr<const std::string *>()};
    }
    if (!value.is_array() || value.empty() || !value[0].is_string()) {
      reader.fail(place, "expected an expression: an integer, a name or an "
                         "array that begins with an operator");
      return {};
    }
    const std::string &head = *value[0].get_ptr<const std::string *>();
    if (resolver.isFact(head)) {
      emitLeaf(resolver.resolveFact(reader, place));
      // Only what was understood is written out: it does not nest.
      return {reader.hasFailed() ? "" : writeFact(value)};
    }
    return compileOperator(place, head, depth);
  }

private:
  void emit(Op op, int64_t operand = 0) { expr.code.push_back({op, operand}); }

  void emitLeaf(Leaf leaf) {
    emit(leaf.isSlot ? Op::Slot : Op::Constant, leaf.value);
    auto slot = static_cast<int32_t>(leaf.value);
    if (leaf.isSlot && std::find(expr.slots.begin(), expr.slots.end(), slot) ==
                           expr.slots.end())
      expr.slots.push_back(slot);
  }

  /// Emits a jump whose target is set by `land`.
  size_t emitJump(Op op) {
    emit(op);
    return expr.code.size() - 1;
  }
  void land(size_t jump) {
    expr.code[jump].operand = static_cast<int64_t>(expr.code.size());
  }

  Written compileOperator(const Place &place, const std::string &head,
                          int depth) {
    const Operator *found = findOperator(head);
    if (!found) {
      reader.fail(place, join("no operator is called ", quote(head)));
      return {};
    }
    size_t operands = place.value->size() - 1;
    if (operands != size_t(found->operands)) {
      reader.fail(place, join(quote(head), " takes ", found->operands,
                              found->operands == 1 ? " operand" : " operands",
                              ", found ", operands));
      return {};
    }
    if (found->op == Op::JumpIfZero)
      return compileLazy(place, *found, depth);

    Written sides[2];
    for (size_t i = 0; i < operands; ++i)
      sides[i] = compile(reader.element(place, i + 1), depth + 1);
    emit(found->op);
    return write(*found, sides, operands);
  }

  Written compileLazy(const Place &place, const Operator &op, int depth) {
    bool isAnd = op.name[0] == '&', isOr = op.name[0] == '|';
    Written sides[3];
    sides[0] = compile(reader.element(place, 1), depth + 1);
    size_t toElse = emitJump(Op::JumpIfZero);
    // The value if the first operand holds ...
    if (isOr)
      emit(Op::Constant, 1);
    else
      sides[1] = compile(reader.element(place, 2), depth + 1);
    if (isAnd)
      emit(Op::ToBool);
    size_t toEnd = emitJump(Op::Jump);
    // ... and if it does not.
    land(toElse);
    if (isAnd) {
      emit(Op::Constant, 0);
    } else if (isOr) {
      sides[1] = compile(reader.element(place, 2), depth + 1);
      emit(Op::ToBool);
    } else {
      sides[2] = compile(reader.element(place, 3), depth + 1);
    }
    land(toEnd);
    return write(op, sides, isAnd || isOr ? 2 : 3);
  }

  static Written write(const Operator &op, const Written *sides, size_t count) {
    if (op.precedence == 0) {
      std::string text = join(op.name, '(');
      for (size_t i = 0; i < count; ++i)
        text += join(i ? ", " : "", sides[i].text);
      return {text + ')'};
    }
    if (count == 1)
      return {join(op.op == Op::Negate ? "-" : op.name,
                   sides[0].inside(op.precedence + 1)),
              op.precedence};
    // Operators associate left; comparisons do not chain.
    int left = op.precedence + (op.precedence == 3 ? 1 : 0);
    return {join(sides[0].inside(left), ' ', op.name, ' ',
                 sides[1].inside(op.precedence + 1)),
            op.precedence};
  }

  /// ["address", "A"] as "address(A)".
  static std::string writeFact(const json &fact) {
    std::string text = *fact[0].get_ptr<const std::string *>() + '(';
    for (size_t i = 1; i < fact.size(); ++i)
      text += join(i > 1 ? ", " : "",
                   fact[i].is_string() ? *fact[i].get_ptr<const std::string *>()
                                       : fact[i].dump());
    return text + ')';
  }

  JsonReader &reader;
  LeafResolver &resolver;
  Expr &expr;
};

Expr Expr::compile(JsonReader &reader, const Place &place,
                   LeafResolver &resolver) {
  Expr expr;
  expr.source = ExprCompiler(reader, resolver, expr).compile(place, 1).text;
  return reader.hasFailed() ? Expr() : expr;
}

int64_t Expr::singleSlot() const {
  return code.size() == 1 && code[0].op == Op::Slot ? code[0].operand : -1;
}

bool Expr::isConstant(int64_t &value) const {
  if (code.size() != 1 || code[0].op != Op::Constant)
    return false;
  value = code[0].operand;
  return true;
}

std::string_view describe(EvalError error) {
  switch (error) {
  case EvalError::None:
    return "is fine";
  case EvalError::Overflow:
    return "overflows int64";
  case EvalError::DivisionByZero:
    return "divides by zero";
  case EvalError::CeilDivByNegative:
    return "takes 'ceildiv' by a negative number";
  }
  return "fails";
}

/// x << amount without lost bits; amounts past the width leave only 0 legal.
static EvalError shiftLeft(int64_t x, int64_t amount, int64_t &result) {
  if (amount < 0 || x == 0) {
    result = 0;
    return EvalError::None;
  }
  if (amount > 63)
    return EvalError::Overflow;
  result = static_cast<int64_t>(static_cast<uint64_t>(x) << amount);
  return result >> amount == x ? EvalError::None : EvalError::Overflow;
}

static EvalError applyBinary(Op op, int64_t a, int64_t b, int64_t &result) {
  switch (op) {
  case Op::Add:
    return __builtin_add_overflow(a, b, &result) ? EvalError::Overflow
                                                 : EvalError::None;
  case Op::Subtract:
    return __builtin_sub_overflow(a, b, &result) ? EvalError::Overflow
                                                 : EvalError::None;
  case Op::Multiply:
    return __builtin_mul_overflow(a, b, &result) ? EvalError::Overflow
                                                 : EvalError::None;
  case Op::Divide:
  case Op::Remainder:
    if (b == 0)
      return EvalError::DivisionByZero;
    if (b == -1) { // INT64_MIN / -1 traps
      if (op == Op::Divide)
        return __builtin_sub_overflow(int64_t(0), a, &result)
                   ? EvalError::Overflow
                   : EvalError::None;
      result = 0;
      return EvalError::None;
    }
    result = op == Op::Divide ? a / b : a % b;
    return EvalError::None;
  case Op::CeilDivide:
    if (b == 0)
      return EvalError::DivisionByZero;
    if (b < 0)
      return EvalError::CeilDivByNegative;
    result = a / b + (a % b > 0 ? 1 : 0);
    return EvalError::None;
  case Op::Minimum:
    result = std::min(a, b);
    return EvalError::None;
  case Op::Maximum:
    result = std::max(a, b);
    return EvalError::None;
  case Op::Equal:
    result = a == b;
    return EvalError::None;
  case Op::NotEqual:
    result = a != b;
    return EvalError::None;
  case Op::Less:
    result = a < b;
    return EvalError::None;
  case Op::LessEqual:
    result = a <= b;
    return EvalError::None;
  case Op::Greater:
    result = a > b;
    return EvalError::None;
  case Op::GreaterEqual:
    result = a >= b;
    return EvalError::None;
  case Op::ShiftLeft:
    return shiftLeft(a, b, result);
  case Op::ShiftRight:
    result = b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
    return EvalError::None;
  case Op::BitAnd:
    result = a & b;
    return EvalError::None;
  case Op::BitOr:
    result = a | b;
    return EvalError::None;
  case Op::BitXor:
    result = a ^ b;
    return EvalError::None;
  default:
    result = 0; // unary and control instructions do not come here
    return EvalError::None;
  }
}

EvalError Expr::evaluate(const int64_t *slotValues, int64_t &result) const {
  // A subtree of depth d needs at most d places more than are in use, and each
  // level holds at most one finished operand.
  int64_t stack[maxDepth + 1];
  int top = -1;
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const Instruction &instruction = code[pc];
    switch (instruction.op) {
    case Op::Constant:
      stack[++top] = instruction.operand;
      break;
    case Op::Slot:
      stack[++top] = slotValues[instruction.operand];
      break;
    case Op::Not:
      stack[top] = !stack[top];
      break;
    case Op::ToBool:
      stack[top] = stack[top] != 0;
      break;
    case Op::Negate:
      if (__builtin_sub_overflow(int64_t(0), stack[top], &stack[top]))
        return EvalError::Overflow;
      break;
    case Op::Jump:
      pc = size_t(instruction.operand) - 1;
      break;
    case Op::JumpIfZero:
      if (stack[top--] == 0)
        pc = size_t(instruction.operand) - 1;
      break;
    default: {
      int64_t value;
      EvalError error =
          applyBinary(instruction.op, stack[top - 1], stack[top], value);
      if (error != EvalError::None)
        return error;
      stack[--top] = value;
    }
    }
  }
  result = top == 0 ? stack[0] : 0;
  return EvalError::None;
}

} // namespace tilert::detail
