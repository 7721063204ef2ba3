//===- CheckedExpert.h - Jumps and statements of the expert level ---------===//
#ifndef TILEC_FRONTEND_SEMA_CHECKEDEXPERT_H
#define TILEC_FRONTEND_SEMA_CHECKEDEXPERT_H

#include "compiler/Frontend/Sema/CheckedStmt.h"

namespace tilec::checked {

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

class BreakStmt : public StmtBase<BreakStmt, StmtKind::Break> {
public:
  explicit BreakStmt(SourceRange range) : StmtBase(range) {}
};

class ContinueStmt : public StmtBase<ContinueStmt, StmtKind::Continue> {
public:
  explicit ContinueStmt(SourceRange range) : StmtBase(range) {}
};

/// End of the block's work.
class ReturnStmt : public StmtBase<ReturnStmt, StmtKind::Return> {
public:
  explicit ReturnStmt(SourceRange range) : StmtBase(range) {}
};

//===----------------------------------------------------------------------===//
// Blocks and teams
//===----------------------------------------------------------------------===//

/// Index tuples shared out over the blocks.
class PersistentStmt : public StmtBase<PersistentStmt, StmtKind::Persistent> {
public:
  explicit PersistentStmt(SourceRange range) : StmtBase(range) {}
  std::vector<Variable *> variables;
  std::vector<ExprPtr> extents; // Of type int64.
  std::optional<int64_t> group;
  StmtList body;
};

/// Adjacent `warpgroup` statements: teams that run at the same time.
class WarpgroupStmt : public StmtBase<WarpgroupStmt, StmtKind::Warpgroup> {
public:
  struct Team {
    std::vector<int64_t> groups;
    StmtList body;
  };
  explicit WarpgroupStmt(SourceRange range) : StmtBase(range) {}
  std::vector<Team> teams;
};

class SetMaxRegistersStmt
    : public StmtBase<SetMaxRegistersStmt, StmtKind::SetMaxRegisters> {
public:
  SetMaxRegistersStmt(SourceRange range, int64_t count)
      : StmtBase(range), count(count) {}
  int64_t count;
};

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// A tile from a tensor to a shared tile; zeros where `predicate` is false.
class AsyncCopyStmt : public StmtBase<AsyncCopyStmt, StmtKind::AsyncCopy> {
public:
  AsyncCopyStmt(SourceRange range, Place source, Place destination,
                ExprPtr predicate)
      : StmtBase(range), source(std::move(source)),
        destination(std::move(destination)), predicate(std::move(predicate)) {}
  Place source, destination;
  ExprPtr predicate; // Null: true.
};

/// `count` elements along the last dimension, inside `parallel`.
class AsyncCopyElementsStmt
    : public StmtBase<AsyncCopyElementsStmt, StmtKind::AsyncCopyElements> {
public:
  AsyncCopyElementsStmt(SourceRange range, Place source, Place destination,
                        int64_t count, ExprPtr predicate)
      : StmtBase(range), source(std::move(source)),
        destination(std::move(destination)), count(count),
        predicate(std::move(predicate)) {}
  Place source, destination;
  int64_t count;
  ExprPtr predicate; // Null: true.
};

class CommitGroupStmt
    : public StmtBase<CommitGroupStmt, StmtKind::CommitGroup> {
public:
  explicit CommitGroupStmt(SourceRange range) : StmtBase(range) {}
};

class WaitGroupStmt : public StmtBase<WaitGroupStmt, StmtKind::WaitGroup> {
public:
  WaitGroupStmt(SourceRange range, int64_t pending)
      : StmtBase(range), pending(pending) {}
  int64_t pending;
};

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

class AllocBarrierStmt
    : public StmtBase<AllocBarrierStmt, StmtKind::AllocBarrier> {
public:
  AllocBarrierStmt(SourceRange range, Variable *variable, int64_t arrivals)
      : StmtBase(range), variable(variable), arrivals(arrivals) {}
  Variable *variable;
  int64_t arrivals; // That end a phase.
};

/// `b` or `b[i]`.
struct BarrierPlace {
  Variable *variable = nullptr;
  ExprPtr index; // Null for a single barrier.
};

/// `arrive`, `expect_bytes` and `wait`.
class BarrierStmt : public StmtBase<BarrierStmt, StmtKind::Barrier> {
public:
  BarrierStmt(SourceRange range, Builtin builtin, BarrierPlace barrier,
              ExprPtr operand)
      : StmtBase(range), builtin(builtin), barrier(std::move(barrier)),
        operand(std::move(operand)) {}
  Builtin builtin;
  BarrierPlace barrier;
  ExprPtr operand; // The bytes, or the parity; null for `arrive`.
};

/// A box by TMA.  A load completes on the barrier; a store has none.
class TmaCopyStmt : public StmtBase<TmaCopyStmt, StmtKind::TmaCopy> {
public:
  TmaCopyStmt(SourceRange range, Place source, Place destination)
      : StmtBase(range), source(std::move(source)),
        destination(std::move(destination)) {}
  Place source, destination;
  std::optional<BarrierPlace> barrier;
};

} // namespace tilec::checked

#endif // TILEC_FRONTEND_SEMA_CHECKEDEXPERT_H
