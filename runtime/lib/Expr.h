//===-- Expr.h - Expressions of the manifest -------------------*- C++ -*-===//
//
// The manifest writes grid extents, guards and checks as JSON trees. They are
// compiled once, when a module is loaded, to a list of instructions for a stack
// machine over int64, so that a launch walks no tree and looks up no name.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_EXPR_H
#define TILERT_LIB_EXPR_H

#include "JsonReader.h"

#include <string>
#include <vector>

namespace tilert::detail {

enum class Op : uint8_t {
  Constant, // push operand
  Slot,     // push slots[operand]
  Add,
  Subtract,
  Multiply,
  Divide,    // truncates
  Remainder, // has the sign of the dividend
  CeilDivide,
  Minimum,
  Maximum,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Not,
  Negate,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
  ToBool,
  Jump,       // to instruction `operand`
  JumpIfZero, // pops the condition
};

struct Instruction {
  Op op;
  int64_t operand = 0;
};

/// What the leaves of expressions can be: a constant, or a slot that each
/// launch fills. A launch hands all expressions of a kernel one array of slots.
struct Leaf {
  bool isSlot = false;
  int64_t value = 0; // of a constant, or the slot's number
};

/// Knows names and facts. Both functions report what they do not know to the
/// reader, at the given place.
class LeafResolver {
public:
  virtual ~LeafResolver() = default;
  /// A string: a symbol, scalar, config name or `sm_count`.
  virtual Leaf resolveName(JsonReader &reader, const Place &place) = 0;
  /// True if an array that begins with `head` is a fact, as ["address", "A"].
  virtual bool isFact(std::string_view head) const = 0;
  virtual Leaf resolveFact(JsonReader &reader, const Place &place) = 0;
};

enum class EvalError : uint8_t {
  None,
  Overflow,
  DivisionByZero,
  CeilDivByNegative
};

/// What an EvalError means, as "overflows int64".
std::string_view describe(EvalError error);

class Expr {
public:
  /// Compiles the tree at `place`; an empty expression if the reader failed.
  static Expr compile(JsonReader &reader, const Place &place,
                      LeafResolver &resolver);

  EvalError evaluate(const int64_t *slots, int64_t &result) const;

  /// The slot that this expression is, or -1.
  int64_t singleSlot() const;
  /// True and sets `value` if the expression is one constant.
  bool isConstant(int64_t &value) const;
  /// The slots read, each once, in the order of the text.
  const std::vector<int32_t> &slotsRead() const { return slots; }
  /// The expression as the language writes it, as "ceildiv(N, 128)".
  const std::string &text() const { return source; }

private:
  friend class ExprCompiler;
  std::vector<Instruction> code;
  std::vector<int32_t> slots;
  std::string source;
};

} // namespace tilert::detail

#endif // TILERT_LIB_EXPR_H
