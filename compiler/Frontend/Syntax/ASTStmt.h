//===- ASTStmt.h - Statements as written ----------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_ASTSTMT_H
#define TILEC_FRONTEND_SYNTAX_ASTSTMT_H

#include "compiler/Frontend/Syntax/ASTExpr.h"

namespace tilec::ast {

/// `f32`, `T` or `bf16[M, K]` where a type is written.
struct TypeSyntax {
  SourceRange range;
  ExprPtr element; // A TypeNameExpr or NameExpr.
  std::vector<ExprPtr> extents;
  bool hasExtents = false;
};

enum class StmtKind : uint8_t {
  Let,
  Assign,
  Call,
  If,
  While,
  For,
  Break,
  Continue,
  Return,
  Warpgroup,
  Block,
};

class Stmt {
public:
  virtual ~Stmt() = default;
  StmtKind getKind() const { return kind; }
  SourceRange getRange() const { return range; }

protected:
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}

private:
  StmtKind kind;
  SourceRange range;
};

using StmtPtr = std::unique_ptr<Stmt>;

template <typename Derived, StmtKind theKind> class StmtBase : public Stmt {
public:
  static bool classof(const Stmt *stmt) { return stmt->getKind() == theKind; }

protected:
  explicit StmtBase(SourceRange range) : Stmt(theKind, range) {}
};

class BlockStmt : public StmtBase<BlockStmt, StmtKind::Block> {
public:
  BlockStmt(SourceRange range, std::vector<StmtPtr> statements)
      : StmtBase(range), statements(std::move(statements)) {}
  std::vector<StmtPtr> statements;
};

using BlockPtr = std::unique_ptr<BlockStmt>;

/// `let x: T = e;` and `var x: T = e;`
class LetStmt : public StmtBase<LetStmt, StmtKind::Let> {
public:
  LetStmt(SourceRange range, bool isVar, Name name,
          std::optional<TypeSyntax> type, ExprPtr value)
      : StmtBase(range), isVar(isVar), name(name), type(std::move(type)),
        value(std::move(value)) {}
  bool isVar;
  Name name;
  std::optional<TypeSyntax> type;
  ExprPtr value;
};

/// `x = e;` and, with `op`, `x op= e;`
class AssignStmt : public StmtBase<AssignStmt, StmtKind::Assign> {
public:
  AssignStmt(SourceRange range, ExprPtr target, std::optional<BinaryOp> op,
             SourceRange opRange, ExprPtr value)
      : StmtBase(range), target(std::move(target)), op(op), opRange(opRange),
        value(std::move(value)) {}
  ExprPtr target; // A NameExpr, or an IndexExpr.
  std::optional<BinaryOp> op;
  SourceRange opRange;
  ExprPtr value;
};

class CallStmt : public StmtBase<CallStmt, StmtKind::Call> {
public:
  CallStmt(SourceRange range, ExprPtr call)
      : StmtBase(range), call(std::move(call)) {}
  ExprPtr call; // A CallExpr.
};

class IfStmt : public StmtBase<IfStmt, StmtKind::If> {
public:
  IfStmt(SourceRange range, ExprPtr condition, BlockPtr thenBlock,
         StmtPtr elseBranch)
      : StmtBase(range), condition(std::move(condition)),
        thenBlock(std::move(thenBlock)), elseBranch(std::move(elseBranch)) {}
  ExprPtr condition;
  BlockPtr thenBlock;
  StmtPtr elseBranch; // A BlockStmt, an IfStmt or null.
};

class WhileStmt : public StmtBase<WhileStmt, StmtKind::While> {
public:
  WhileStmt(SourceRange range, ExprPtr condition, BlockPtr body)
      : StmtBase(range), condition(std::move(condition)),
        body(std::move(body)) {}
  ExprPtr condition;
  BlockPtr body;
};

enum class LoopKind : uint8_t {
  Range,
  Pipelined,
  Unrolled,
  Parallel,
  Persistent,
};

llvm::StringRef getSpelling(LoopKind kind);

class ForStmt : public StmtBase<ForStmt, StmtKind::For> {
public:
  ForStmt(SourceRange range, std::vector<Name> variables, LoopKind loop,
          SourceRange loopRange, std::vector<Argument> arguments, BlockPtr body)
      : StmtBase(range), variables(std::move(variables)), loop(loop),
        loopRange(loopRange), arguments(std::move(arguments)),
        body(std::move(body)) {}
  std::vector<Name> variables;
  LoopKind loop;
  SourceRange loopRange; // Of the word `range`, `pipelined`, ...
  std::vector<Argument> arguments;
  BlockPtr body;
};

class BreakStmt : public StmtBase<BreakStmt, StmtKind::Break> {
public:
  explicit BreakStmt(SourceRange range) : StmtBase(range) {}
};

class ContinueStmt : public StmtBase<ContinueStmt, StmtKind::Continue> {
public:
  explicit ContinueStmt(SourceRange range) : StmtBase(range) {}
};

class ReturnStmt : public StmtBase<ReturnStmt, StmtKind::Return> {
public:
  ReturnStmt(SourceRange range, SourceRange wordRange, ExprPtr value)
      : StmtBase(range), wordRange(wordRange), value(std::move(value)) {}
  SourceRange wordRange;
  ExprPtr value; // May be null.
};

class WarpgroupStmt : public StmtBase<WarpgroupStmt, StmtKind::Warpgroup> {
public:
  WarpgroupStmt(SourceRange range, SourceRange wordRange,
                std::vector<ExprPtr> groups, BlockPtr body)
      : StmtBase(range), wordRange(wordRange), groups(std::move(groups)),
        body(std::move(body)) {}
  SourceRange wordRange;
  std::vector<ExprPtr> groups;
  BlockPtr body;
};

} // namespace tilec::ast

#endif // TILEC_FRONTEND_SYNTAX_ASTSTMT_H
