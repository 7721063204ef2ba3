//===- CheckedStmt.h - Statements with resolved names ---------------------===//
#ifndef TILEC_FRONTEND_SEMA_CHECKEDSTMT_H
#define TILEC_FRONTEND_SEMA_CHECKEDSTMT_H

#include "compiler/Frontend/Sema/CheckedExpr.h"

namespace tilec::checked {

enum class StmtKind : uint8_t {
  Define,
  Alias,
  AllocShared,
  Assign,
  WriteElement,
  StoreElement,
  StoreTile,
  Copy,
  AtomicTile,
  Evaluate,
  Gemm,
  Assert,
  Print,
  If,
  Loop,
  While,
  Parallel,
  Block,
  // Control flow: `Break`, `Continue` and `Return` are gone from a finished
  // tree (see StructureJumps.cpp).
  Break,
  Continue,
  Return,
  Persistent,
  Warpgroup,
  // Expert level.
  AsyncCopy,
  AsyncCopyElements,
  CommitGroup,
  WaitGroup,
  TmaCopy,
  AllocBarrier,
  Barrier,
  SetMaxRegisters,
};

using StmtList = std::vector<StmtPtr>;

class Stmt {
public:
  virtual ~Stmt() = default;
  StmtKind getKind() const { return kind; }
  SourceRange range;

protected:
  Stmt(StmtKind kind, SourceRange range) : range(range), kind(kind) {}

private:
  StmtKind kind;
};

template <typename Derived, StmtKind theKind> class StmtBase : public Stmt {
public:
  static bool classof(const Stmt *stmt) { return stmt->getKind() == theKind; }

protected:
  explicit StmtBase(SourceRange range) : Stmt(theKind, range) {}
};

/// `let` or `var` of a scalar or fragment.
class DefineStmt : public StmtBase<DefineStmt, StmtKind::Define> {
public:
  DefineStmt(SourceRange range, Variable *variable, ExprPtr value)
      : StmtBase(range), variable(variable), value(std::move(value)) {}
  Variable *variable;
  ExprPtr value; // Null: undefined until it is written.
};

/// A second name for memory; its offsets are evaluated here.
class AliasStmt : public StmtBase<AliasStmt, StmtKind::Alias> {
public:
  AliasStmt(SourceRange range, Variable *variable, Place place)
      : StmtBase(range), variable(variable), place(std::move(place)) {}
  Variable *variable;
  Place place;
};

class AllocSharedStmt
    : public StmtBase<AllocSharedStmt, StmtKind::AllocShared> {
public:
  AllocSharedStmt(SourceRange range, Variable *variable)
      : StmtBase(range), variable(variable) {}
  Variable *variable;
};

/// New value of a `var`.
class AssignStmt : public StmtBase<AssignStmt, StmtKind::Assign> {
public:
  AssignStmt(SourceRange range, Variable *variable, ExprPtr value)
      : StmtBase(range), variable(variable), value(std::move(value)) {}
  Variable *variable;
  ExprPtr value;
};

/// Write of one element of a fragment inside `parallel`.
class WriteElementStmt
    : public StmtBase<WriteElementStmt, StmtKind::WriteElement> {
public:
  WriteElementStmt(SourceRange range, Variable *variable, ExprPtr value)
      : StmtBase(range), variable(variable), value(std::move(value)) {}
  Variable *variable;
  ExprPtr value;
};

/// Write of one element of a tensor or shared tile.
class StoreElementStmt
    : public StmtBase<StoreElementStmt, StmtKind::StoreElement> {
public:
  StoreElementStmt(SourceRange range, Place place, ExprPtr value)
      : StmtBase(range), place(std::move(place)), value(std::move(value)) {}
  Place place;
  ExprPtr value;
};

/// Write of a fragment to memory: `copy(value, place)` or `fill(place, value)`.
class StoreTileStmt : public StmtBase<StoreTileStmt, StmtKind::StoreTile> {
public:
  StoreTileStmt(SourceRange range, Place place, ExprPtr value)
      : StmtBase(range), place(std::move(place)), value(std::move(value)) {}
  Place place;
  ExprPtr value;
  /// The place is evaluated before the value.
  bool isPlaceFirst = false;
};

/// Memory to memory, without conversion.
class CopyStmt : public StmtBase<CopyStmt, StmtKind::Copy> {
public:
  CopyStmt(SourceRange range, Place source, Place destination, ExprPtr pad)
      : StmtBase(range), source(std::move(source)),
        destination(std::move(destination)), pad(std::move(pad)) {}
  Place source, destination;
  ExprPtr pad; // Null: zero.
};

/// Atomic changes of the elements of a tile in memory.
class AtomicTileStmt : public StmtBase<AtomicTileStmt, StmtKind::AtomicTile> {
public:
  AtomicTileStmt(SourceRange range, Builtin builtin, Place place, ExprPtr value)
      : StmtBase(range), builtin(builtin), place(std::move(place)),
        value(std::move(value)) {}
  Builtin builtin;
  Place place;
  ExprPtr value;
  bool isAcqRel = false; // As in AtomicExpr.
};

/// An expression that is evaluated for what it does, not for its value.
class EvaluateStmt : public StmtBase<EvaluateStmt, StmtKind::Evaluate> {
public:
  EvaluateStmt(SourceRange range, ExprPtr value)
      : StmtBase(range), value(std::move(value)) {}
  ExprPtr value;
};

/// A condition that holds at run time.
class AssertStmt : public StmtBase<AssertStmt, StmtKind::Assert> {
public:
  AssertStmt(SourceRange range, ExprPtr condition, std::string text)
      : StmtBase(range), condition(std::move(condition)),
        text(std::move(text)) {}
  ExprPtr condition;
  std::string text;
};

class PrintStmt : public StmtBase<PrintStmt, StmtKind::Print> {
public:
  PrintStmt(SourceRange range, std::string label)
      : StmtBase(range), label(std::move(label)) {}
  std::string label;
  std::vector<ExprPtr> values; // Scalars and fragments.
};

/// `gemm`, and `gemm_scaled` if there are scales.
class GemmStmt : public StmtBase<GemmStmt, StmtKind::Gemm> {
public:
  GemmStmt(SourceRange range, ExprPtr a, ExprPtr b, Variable *accumulator)
      : StmtBase(range), a(std::move(a)), b(std::move(b)),
        accumulator(accumulator) {}
  ExprPtr a, b; // A fragment, or the MemoryExpr of a shared tile.
  Variable *accumulator;
  bool transposeA = false, transposeB = false;
  bool fastAccum = false, tf32 = false;
  /// Factors of groups of A and of B; null for `gemm`.
  ExprPtr scaleA, scaleB;
  /// Elements along K, rows of A and columns of B that share a factor.
  int64_t granularityK = 1, granularityM = 1, granularityN = 1;
};

class IfStmt : public StmtBase<IfStmt, StmtKind::If> {
public:
  IfStmt(SourceRange range, ExprPtr condition)
      : StmtBase(range), condition(std::move(condition)) {}
  ExprPtr condition;
  StmtList thenBody, elseBody;
  /// Variables declared outside whose value after the statement depends on
  /// which side ran.  Set by `findCarried`.
  std::vector<Variable *> merged;
};

/// `range` and `pipelined`.
class LoopStmt : public StmtBase<LoopStmt, StmtKind::Loop> {
public:
  LoopStmt(SourceRange range, Variable *variable)
      : StmtBase(range), variable(variable) {}
  Variable *variable;
  ExprPtr lower, upper;
  int64_t step = 1;
  bool isPipelined = false;
  std::optional<int64_t> stages;
  /// The number of stages was not a config default.
  bool areStagesFixed = false;
  /// Number of blocks that share the iterations, and where it is written.
  int64_t split = 1;
  SourceRange splitRange;
  StmtList body;
  /// Variables declared outside whose value one iteration hands to the next or
  /// to what follows the loop.  Set by `findCarried`.
  std::vector<Variable *> carried;
};

class WhileStmt : public StmtBase<WhileStmt, StmtKind::While> {
public:
  WhileStmt(SourceRange range, ExprPtr condition)
      : StmtBase(range), condition(std::move(condition)) {}
  ExprPtr condition;
  StmtList body;
  std::vector<Variable *> carried; // As in LoopStmt.
};

class ParallelStmt : public StmtBase<ParallelStmt, StmtKind::Parallel> {
public:
  struct Write {
    Variable *variable;
    /// Where the iteration writes: one entry for each dimension.
    std::vector<AffineIndex> indices;
    /// The first write, for messages.
    SourceRange range;
  };

  explicit ParallelStmt(SourceRange range) : StmtBase(range) {}
  std::vector<Variable *> variables;
  Extents extents;
  std::vector<Write> writes;
  StmtList body;

  const Write *findWrite(const Variable *variable) const {
    for (const Write &write : writes)
      if (write.variable == variable)
        return &write;
    return nullptr;
  }
};

class BlockStmt : public StmtBase<BlockStmt, StmtKind::Block> {
public:
  explicit BlockStmt(SourceRange range) : StmtBase(range) {}
  StmtList body;
};

/// Calls `visit` on each expression of a statement, in the order in which they
/// are evaluated, but not on those of the statements in it.
void forEachExpr(const Stmt &stmt,
                 llvm::function_ref<void(const Expr &)> visit);
/// Calls `visit` on each list of statements directly in a statement.
void forEachList(const Stmt &stmt,
                 llvm::function_ref<void(const StmtList &)> visit);
/// Calls `visit` on each variable that a statement itself gives a new value,
/// but not on one that it defines.
void forEachAssigned(const Stmt &stmt,
                     llvm::function_ref<void(Variable *)> visit);

} // namespace tilec::checked

#endif // TILEC_FRONTEND_SEMA_CHECKEDSTMT_H
