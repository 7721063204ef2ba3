//===- Dataflow.cpp - What checked kernels hand from place to place -------===//
//
// Liveness on structured code.  A first walk, bottom up, finds for each
// statement what it reads before writing (`uses`), what it writes on every path
// (`kills`) and what it may write (`assigns`).  A second one, top down, knows
// what is read after each statement and intersects.  Both are linear, whatever
// the nesting.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Dataflow.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace tilec::checked;

namespace {
// In order of insertion, so that the IR is the same in every run.
using Variables = llvm::SetVector<Variable *>;

struct Effects {
  Variables uses, kills, assigns;
};

class CarriedFinder {
public:
  void run(Kernel &kernel) {
    summarize(kernel.body);
    mark(kernel.body, {});
  }

private:
  const Effects &summarize(Stmt &stmt);
  Effects summarize(StmtList &list);
  void collectUses(const Expr &expr, Variables &uses);
  void collectUses(const Place &place, Variables &uses);
  void summarizeParallel(ParallelStmt &stmt, Effects &effects);
  /// Marks the statements of a list after which `live` is read.
  void mark(StmtList &list, Variables live);
  void mark(Stmt &stmt, const Variables &live);

  llvm::DenseMap<const Stmt *, Effects> summaries;
};
} // namespace

void CarriedFinder::collectUses(const Place &place, Variables &uses) {
  forEachOperand(place,
                 [&](const Expr &operand) { collectUses(operand, uses); });
}

void CarriedFinder::collectUses(const Expr &expr, Variables &uses) {
  if (const auto *read = llvm::dyn_cast<ReadExpr>(&expr))
    uses.insert(read->variable);
  if (const auto *element = llvm::dyn_cast<ElementExpr>(&expr))
    uses.insert(element->variable);
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&expr))
    for (const StmtPtr &stmt : block->statements)
      if (const auto *define = llvm::dyn_cast<DefineStmt>(stmt.get()))
        if (define->value)
          collectUses(*define->value, uses);
  forEachOperand(expr,
                 [&](const Expr &operand) { collectUses(operand, uses); });
}

Effects CarriedFinder::summarize(StmtList &list) {
  Effects total;
  for (StmtPtr &stmt : list) {
    const Effects &effects = summarize(*stmt);
    for (Variable *variable : effects.uses)
      if (!total.kills.contains(variable))
        total.uses.insert(variable);
    total.kills.insert_range(effects.kills);
    total.assigns.insert_range(effects.assigns);
  }
  return total;
}

/// True if the iterations of a loop together write every element.
static bool coversFragment(const ParallelStmt &stmt,
                           const ParallelStmt::Write &write) {
  for (const auto &[dim, index] : llvm::enumerate(write.indices))
    if (index.variable < 0 || index.scale != 1 || index.offset != 0 ||
        stmt.extents[index.variable] != write.variable->type.getExtents()[dim])
      return false;
  return true;
}

void CarriedFinder::summarizeParallel(ParallelStmt &stmt, Effects &effects) {
  Effects body = summarize(stmt.body);
  effects.uses = body.uses;
  for (const ParallelStmt::Write &write : stmt.writes) {
    effects.assigns.insert(write.variable);
    if (body.kills.contains(write.variable) && coversFragment(stmt, write))
      effects.kills.insert(write.variable);
    else
      // The other elements stay as they are.
      effects.uses.insert(write.variable);
  }
}

const Effects &CarriedFinder::summarize(Stmt &stmt) {
  Effects effects;
  auto assign = [&](Variable *variable) {
    effects.kills.insert(variable);
    effects.assigns.insert(variable);
  };
  llvm::TypeSwitch<Stmt *>(&stmt)
      .Case<DefineStmt>([&](DefineStmt *define) {
        if (define->value)
          collectUses(*define->value, effects.uses);
        effects.kills.insert(define->variable);
      })
      .Case<AliasStmt>(
          [&](AliasStmt *alias) { collectUses(alias->place, effects.uses); })
      .Case<AssignStmt>([&](AssignStmt *statement) {
        collectUses(*statement->value, effects.uses);
        assign(statement->variable);
      })
      .Case<WriteElementStmt>([&](WriteElementStmt *write) {
        collectUses(*write->value, effects.uses);
        assign(write->variable);
      })
      .Case<StoreElementStmt, StoreTileStmt, AtomicTileStmt>([&](auto *store) {
        collectUses(store->place, effects.uses);
        collectUses(*store->value, effects.uses);
      })
      .Case<CopyStmt>([&](CopyStmt *copy) {
        collectUses(copy->source, effects.uses);
        collectUses(copy->destination, effects.uses);
        if (copy->pad)
          collectUses(*copy->pad, effects.uses);
      })
      .Case<GemmStmt>([&](GemmStmt *gemm) {
        collectUses(*gemm->a, effects.uses);
        collectUses(*gemm->b, effects.uses);
        for (const ExprPtr *scale : {&gemm->scaleA, &gemm->scaleB})
          if (*scale)
            collectUses(**scale, effects.uses);
        effects.uses.insert(gemm->accumulator);
        assign(gemm->accumulator);
      })
      .Case<EvaluateStmt>([&](EvaluateStmt *statement) {
        collectUses(*statement->value, effects.uses);
      })
      .Case<AssertStmt>([&](AssertStmt *check) {
        collectUses(*check->condition, effects.uses);
      })
      .Case<PrintStmt>([&](PrintStmt *print) {
        for (const ExprPtr &value : print->values)
          collectUses(*value, effects.uses);
      })
      .Case<IfStmt>([&](IfStmt *branch) {
        Effects thenEffects = summarize(branch->thenBody);
        Effects elseEffects = summarize(branch->elseBody);
        collectUses(*branch->condition, effects.uses);
        for (const Effects *side : {&thenEffects, &elseEffects}) {
          effects.uses.insert_range(side->uses);
          effects.assigns.insert_range(side->assigns);
        }
        for (Variable *variable : thenEffects.kills)
          if (elseEffects.kills.contains(variable))
            effects.kills.insert(variable);
      })
      .Case<LoopStmt>([&](LoopStmt *loop) {
        // The body may not run, so it kills nothing.
        Effects body = summarize(loop->body);
        collectUses(*loop->lower, effects.uses);
        collectUses(*loop->upper, effects.uses);
        effects.uses.insert_range(body.uses);
        effects.assigns = body.assigns;
        // The variable of the loop is its own.
        effects.uses.remove(loop->variable);
      })
      .Case<WhileStmt>([&](WhileStmt *loop) {
        Effects body = summarize(loop->body);
        collectUses(*loop->condition, effects.uses);
        effects.uses.insert_range(body.uses);
        effects.assigns = body.assigns;
      })
      .Case<ParallelStmt>(
          [&](ParallelStmt *loop) { summarizeParallel(*loop, effects); })
      .Case<BlockStmt>(
          [&](BlockStmt *block) { effects = summarize(block->body); });
  return summaries[&stmt] = std::move(effects);
}

void CarriedFinder::mark(StmtList &list, Variables live) {
  for (StmtPtr &stmt : llvm::reverse(list)) {
    mark(*stmt, live);
    const Effects &effects = summaries[stmt.get()];
    for (Variable *variable : effects.kills)
      live.remove(variable);
    live.insert_range(effects.uses);
  }
}

static std::vector<Variable *> intersect(const Variables &assigned,
                                         const Variables &live) {
  std::vector<Variable *> both;
  for (Variable *variable : assigned)
    if (live.contains(variable))
      both.push_back(variable);
  return both;
}

void CarriedFinder::mark(Stmt &stmt, const Variables &live) {
  const Effects &effects = summaries[&stmt];
  // Into the body of a loop flows what is read after it or by the next
  // iteration.
  auto getLoopLive = [&] {
    Variables inside = live;
    inside.insert_range(effects.uses);
    return inside;
  };
  llvm::TypeSwitch<Stmt *>(&stmt)
      .Case<IfStmt>([&](IfStmt *branch) {
        branch->merged = intersect(effects.assigns, live);
        mark(branch->thenBody, live);
        mark(branch->elseBody, live);
      })
      .Case<LoopStmt, WhileStmt>([&](auto *loop) {
        Variables inside = getLoopLive();
        loop->carried = intersect(effects.assigns, inside);
        mark(loop->body, std::move(inside));
      })
      .Case<ParallelStmt>([&](ParallelStmt *loop) {
        Variables inside = live;
        for (const ParallelStmt::Write &write : loop->writes)
          inside.insert(write.variable);
        mark(loop->body, std::move(inside));
      })
      .Case<BlockStmt>(
          [&](BlockStmt *block) { mark(block->body, Variables(live)); });
}

void checked::findCarried(Kernel &kernel) { CarriedFinder().run(kernel); }

//===----------------------------------------------------------------------===//
// Packed dimensions
//===----------------------------------------------------------------------===//

static void forEachCopy(StmtList &list,
                        llvm::function_ref<void(CopyStmt &)> visit) {
  for (StmtPtr &stmt : list)
    llvm::TypeSwitch<Stmt *>(stmt.get())
        .Case<CopyStmt>([&](CopyStmt *copy) { visit(*copy); })
        .Case<IfStmt>([&](IfStmt *branch) {
          forEachCopy(branch->thenBody, visit);
          forEachCopy(branch->elseBody, visit);
        })
        .Case<LoopStmt, WhileStmt, BlockStmt>(
            [&](auto *inner) { forEachCopy(inner->body, visit); });
}

/// The dimension of a tile along which a tensor of the same copy is packed;
/// none if the tile does not run along it.
static std::optional<int> getTilePackDim(const Place &tensor) {
  int tileDim = 0;
  for (const auto &[dim, entry] : llvm::enumerate(tensor.dims)) {
    if (int(dim) == tensor.root->packDim)
      return entry.isDropped ? std::nullopt : std::optional(tileDim);
    tileDim += !entry.isDropped;
  }
  return std::nullopt;
}

void checked::inferPackedDimensions(Kernel &kernel) {
  llvm::DenseMap<Variable *, int> fromSource, fromDestination;
  auto record = [](const Place &tile, const Place &tensor,
                   llvm::DenseMap<Variable *, int> &found) {
    bool isPackedCopy = tile.root->role == Variable::Role::Shared &&
                        tile.root->packDim >= 0 && tile.isWhole() &&
                        tensor.root->role == Variable::Role::Tensor &&
                        !tensor.base;
    if (!isPackedCopy)
      return;
    if (std::optional<int> dim = getTilePackDim(tensor))
      found.try_emplace(tile.root, *dim);
  };
  forEachCopy(kernel.body, [&](CopyStmt &copy) {
    record(copy.destination, copy.source, fromSource);
    record(copy.source, copy.destination, fromDestination);
  });
  for (auto *found : {&fromDestination, &fromSource})
    for (auto [variable, dim] : *found)
      variable->packDim = dim;
}
