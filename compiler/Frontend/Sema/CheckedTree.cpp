//===- CheckedTree.cpp - Helpers of the checked tree ----------------------===//
#include "compiler/Frontend/Sema/CheckedModule.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace tilec::checked;

Place::Place() = default;
Place::Place(Place &&) = default;
Place &Place::operator=(Place &&) = default;
Place::~Place() = default;

BlockExpr::BlockExpr(Type type, SourceRange range)
    : ExprBase(std::move(type), range) {}
BlockExpr::~BlockExpr() = default;

bool Place::hasBounds() const {
  return llvm::any_of(dims, [](const Dim &dim) { return dim.end != nullptr; });
}

bool Place::isWhole() const {
  if (base)
    return false;
  return llvm::all_of(llvm::enumerate(dims), [&](auto entry) {
    const Dim &dim = entry.value();
    int64_t whole = root->type.getExtents()[entry.index()];
    return !dim.isDropped && !dim.offset && dim.extent == whole;
  });
}

Extents Place::getExtents() const {
  Extents extents;
  for (const Dim &dim : dims)
    if (!dim.isDropped)
      extents.push_back(dim.extent);
  return extents;
}

void checked::forEachOperand(const Place &place,
                             llvm::function_ref<void(const Expr &)> visit) {
  if (place.base)
    forEachOperand(*place.base, visit);
  for (const Place::Dim &dim : place.dims) {
    if (dim.offset)
      visit(*dim.offset);
    if (dim.end)
      visit(*dim.end);
  }
}

void checked::forEachOperand(const Expr &expr,
                             llvm::function_ref<void(const Expr &)> visit) {
  // Where something is comes before what is done with it.
  if (const auto *memory = llvm::dyn_cast<MemoryExpr>(&expr))
    forEachOperand(memory->place, visit);
  else if (const auto *load = llvm::dyn_cast<LoadExpr>(&expr))
    forEachOperand(load->place, visit);
  else if (const auto *element = llvm::dyn_cast<LoadElementExpr>(&expr))
    forEachOperand(element->place, visit);
  else if (const auto *atomic = llvm::dyn_cast<AtomicExpr>(&expr))
    forEachOperand(atomic->place, visit);
  for (const ExprPtr &operand : expr.operands)
    if (operand)
      visit(*operand);
}

bool checked::hasEffects(const Expr &expr) {
  bool found = llvm::isa<AtomicExpr>(expr);
  // A function that does more than define values is not looked into.
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&expr))
    for (const StmtPtr &stmt : block->statements) {
      const auto *define = llvm::dyn_cast<DefineStmt>(stmt.get());
      found |= !define || (define->value && hasEffects(*define->value));
    }
  forEachOperand(expr,
                 [&](const Expr &operand) { found |= hasEffects(operand); });
  return found;
}

void checked::forEachExpr(const Stmt &stmt,
                          llvm::function_ref<void(const Expr &)> visit) {
  auto visitIf = [&](const ExprPtr &expr) {
    if (expr)
      visit(*expr);
  };
  auto visitBarrier = [&](const BarrierPlace &barrier) {
    visitIf(barrier.index);
  };
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case<DefineStmt>([&](const auto *define) { visitIf(define->value); })
      .Case<AliasStmt>(
          [&](const auto *alias) { forEachOperand(alias->place, visit); })
      .Case<AssignStmt, WriteElementStmt, EvaluateStmt>(
          [&](const auto *assign) { visit(*assign->value); })
      .Case<StoreElementStmt, AtomicTileStmt>([&](const auto *store) {
        forEachOperand(store->place, visit);
        visit(*store->value);
      })
      .Case<StoreTileStmt>([&](const auto *store) {
        if (store->isPlaceFirst)
          forEachOperand(store->place, visit);
        visit(*store->value);
        if (!store->isPlaceFirst)
          forEachOperand(store->place, visit);
      })
      .Case<CopyStmt>([&](const auto *copy) {
        forEachOperand(copy->source, visit);
        forEachOperand(copy->destination, visit);
        visitIf(copy->pad);
      })
      .Case<GemmStmt>([&](const auto *gemm) {
        for (const ExprPtr *operand :
             {&gemm->a, &gemm->b, &gemm->scaleA, &gemm->scaleB})
          visitIf(*operand);
      })
      .Case<AssertStmt, IfStmt, WhileStmt>(
          [&](const auto *check) { visit(*check->condition); })
      .Case<PrintStmt>([&](const auto *print) {
        for (const ExprPtr &value : print->values)
          visit(*value);
      })
      .Case<LoopStmt>([&](const auto *loop) {
        visit(*loop->lower);
        visit(*loop->upper);
      })
      .Case<PersistentStmt>([&](const auto *loop) {
        for (const ExprPtr &extent : loop->extents)
          visit(*extent);
      })
      .Case<AsyncCopyStmt, AsyncCopyElementsStmt>([&](const auto *copy) {
        forEachOperand(copy->source, visit);
        forEachOperand(copy->destination, visit);
        visitIf(copy->predicate);
      })
      .Case<TmaCopyStmt>([&](const auto *copy) {
        forEachOperand(copy->source, visit);
        forEachOperand(copy->destination, visit);
        if (copy->barrier)
          visitBarrier(*copy->barrier);
      })
      .Case<BarrierStmt>([&](const auto *barrier) {
        visitBarrier(barrier->barrier);
        visitIf(barrier->operand);
      });
}

void checked::forEachList(const Stmt &stmt,
                          llvm::function_ref<void(const StmtList &)> visit) {
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case<IfStmt>([&](const auto *branch) {
        visit(branch->thenBody);
        visit(branch->elseBody);
      })
      .Case<LoopStmt, WhileStmt, ParallelStmt, BlockStmt, PersistentStmt>(
          [&](const auto *inner) { visit(inner->body); })
      .Case<WarpgroupStmt>([&](const auto *teams) {
        for (const WarpgroupStmt::Team &team : teams->teams)
          visit(team.body);
      });
}

void checked::forEachAssigned(const Stmt &stmt,
                              llvm::function_ref<void(Variable *)> visit) {
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case<AssignStmt, WriteElementStmt>(
          [&](const auto *assign) { visit(assign->variable); })
      .Case<GemmStmt>([&](const auto *gemm) { visit(gemm->accumulator); });
}
