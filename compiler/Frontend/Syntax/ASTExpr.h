//===- ASTExpr.h - Expressions as written ---------------------------------===//
//
// The syntax tree says what the source says, no more: names are not resolved
// and types not checked.  Nodes own their children; names point into the
// source buffer.  Every node knows its range; a parenthesised expression's
// range includes the parentheses.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_ASTEXPR_H
#define TILEC_FRONTEND_SYNTAX_ASTEXPR_H

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "compiler/Frontend/ElementType.h"
#include "llvm/Support/Casting.h"
#include <memory>
#include <optional>
#include <vector>

namespace tilec::ast {

/// A name where it stands.
struct Name {
  llvm::StringRef text;
  SourceRange range;

  explicit operator bool() const { return !text.empty(); }
};

enum class ExprKind : uint8_t {
  Integer,
  Float,
  Bool,
  String,
  TypeName,
  Name,
  Unary,
  Binary,
  Index,
  Call,
  Cast,
  If,
};

class Expr {
public:
  virtual ~Expr() = default;

  ExprKind getKind() const { return kind; }
  SourceRange getRange() const { return range; }
  llvm::SMLoc getStart() const { return range.Start; }
  /// The text as written.
  llvm::StringRef getText() const {
    return {range.Start.getPointer(),
            size_t(range.End.getPointer() - range.Start.getPointer())};
  }
  void setRange(SourceRange newRange) { range = newRange; }

  /// Levels of nesting, itself included.  The parser limits it, so that later
  /// phases may recurse.
  unsigned depth = 1;

protected:
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}

private:
  ExprKind kind;
  SourceRange range;
};

using ExprPtr = std::unique_ptr<Expr>;

/// Supplies the kind and `classof` of a node class.
template <typename Derived, ExprKind theKind> class ExprBase : public Expr {
public:
  static bool classof(const Expr *expr) { return expr->getKind() == theKind; }

protected:
  explicit ExprBase(SourceRange range) : Expr(theKind, range) {}
};

class IntegerExpr : public ExprBase<IntegerExpr, ExprKind::Integer> {
public:
  IntegerExpr(SourceRange range, __int128 value)
      : ExprBase(range), value(value) {}
  __int128 value;
};

class FloatExpr : public ExprBase<FloatExpr, ExprKind::Float> {
public:
  FloatExpr(SourceRange range, double value) : ExprBase(range), value(value) {}
  double value;
};

class BoolExpr : public ExprBase<BoolExpr, ExprKind::Bool> {
public:
  BoolExpr(SourceRange range, bool value) : ExprBase(range), value(value) {}
  bool value;
};

class StringExpr : public ExprBase<StringExpr, ExprKind::String> {
public:
  StringExpr(SourceRange range, std::string value)
      : ExprBase(range), value(std::move(value)) {}
  std::string value;
};

class TypeNameExpr : public ExprBase<TypeNameExpr, ExprKind::TypeName> {
public:
  TypeNameExpr(SourceRange range, ElementType type)
      : ExprBase(range), type(type) {}
  ElementType type;
};

class NameExpr : public ExprBase<NameExpr, ExprKind::Name> {
public:
  explicit NameExpr(Name name) : ExprBase(name.range), name(name.text) {}
  llvm::StringRef name;
};

enum class UnaryOp : uint8_t { Negate, Not, Complement };
enum class BinaryOp : uint8_t {
  LogicalOr,
  LogicalAnd,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
};

llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BinaryOp op);
inline bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual;
}
inline bool isLogical(BinaryOp op) {
  return op == BinaryOp::LogicalOr || op == BinaryOp::LogicalAnd;
}
inline bool isBitwise(BinaryOp op) {
  return op >= BinaryOp::BitOr && op <= BinaryOp::BitAnd;
}
inline bool isShift(BinaryOp op) {
  return op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
}

class UnaryExpr : public ExprBase<UnaryExpr, ExprKind::Unary> {
public:
  UnaryExpr(SourceRange range, UnaryOp op, ExprPtr operand)
      : ExprBase(range), op(op), operand(std::move(operand)) {}
  UnaryOp op;
  ExprPtr operand;
};

class BinaryExpr : public ExprBase<BinaryExpr, ExprKind::Binary> {
public:
  BinaryExpr(BinaryOp op, SourceRange opRange, ExprPtr left, ExprPtr right)
      : ExprBase({left->getRange().Start, right->getRange().End}), op(op),
        opRange(opRange), left(std::move(left)), right(std::move(right)) {}
  BinaryOp op;
  SourceRange opRange;
  ExprPtr left, right;
};

/// One index between brackets.
struct Index {
  enum class Kind : uint8_t {
    NewAxis, // _
    Full,    // :
    Plain,   // first
    Region,  // first +: second
    Range,   // first : second
  };
  Kind kind;
  SourceRange range;
  ExprPtr first, second;
};

class IndexExpr : public ExprBase<IndexExpr, ExprKind::Index> {
public:
  IndexExpr(SourceRange range, ExprPtr base, std::vector<Index> indices)
      : ExprBase(range), base(std::move(base)), indices(std::move(indices)) {}
  ExprPtr base;
  std::vector<Index> indices;
};

struct Argument {
  Name name; // Empty for a positional argument.
  ExprPtr value;
};

class CallExpr : public ExprBase<CallExpr, ExprKind::Call> {
public:
  CallExpr(SourceRange range, Name callee, std::vector<Argument> arguments)
      : ExprBase(range), callee(callee), arguments(std::move(arguments)) {}
  Name callee;
  std::vector<Argument> arguments;
};

/// `cast<T>(x)`, `cast<T, option>(x)` and `reinterpret<T>(x)`.
class CastExpr : public ExprBase<CastExpr, ExprKind::Cast> {
public:
  CastExpr(SourceRange range, bool isReinterpret, ExprPtr type, Name option,
           ExprPtr operand)
      : ExprBase(range), isReinterpret(isReinterpret), type(std::move(type)),
        option(option), operand(std::move(operand)) {}
  bool isReinterpret;
  ExprPtr type; // A TypeNameExpr or NameExpr.
  Name option;
  ExprPtr operand;
};

class IfExpr : public ExprBase<IfExpr, ExprKind::If> {
public:
  IfExpr(SourceRange range, ExprPtr condition, ExprPtr thenValue,
         ExprPtr elseValue)
      : ExprBase(range), condition(std::move(condition)),
        thenValue(std::move(thenValue)), elseValue(std::move(elseValue)) {}
  ExprPtr condition, thenValue, elseValue;
};

} // namespace tilec::ast

#endif // TILEC_FRONTEND_SYNTAX_ASTEXPR_H
