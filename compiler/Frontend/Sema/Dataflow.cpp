//===- Dataflow.cpp - What checked kernels hand from place to place -------===//
//
// Liveness on structured code.  A first walk, bottom up, finds for each
// statement what it reads before writing (`uses`), what it writes on every path
// (`kills`) and what it may write (`assigns`).  A second one, top down, knows
// what is read after each statement and intersects.  Both are linear, whatever
// the nesting of statements.
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
  /// An expression of the statement calls a function that has statements.
  bool hasBlocks = false;
};

/// What evaluating an expression does, step by step: it reads a variable or
/// runs the statements of a function.
struct Event {
  Variable *read = nullptr;
  const BlockExpr *block = nullptr;
  /// It may not happen.
  bool isConditional = false;
};
using Events = std::vector<Event>;

class CarriedFinder {
public:
  void run(Kernel &kernel) {
    summarize(kernel.body);
    mark(kernel.body, {});
  }

private:
  void collectEvents(const Expr &expr, Events &events, bool isConditional);
  Events collectEvents(const Stmt &stmt);
  void summarize(const Events &events, Effects &effects);
  const Effects &summarize(Stmt &stmt);
  Effects summarize(const StmtList &list);
  /// Sum of the summaries of a list that has been summarized.
  Effects combine(const StmtList &list);
  void summarizeParallel(ParallelStmt &stmt, Effects &effects);
  /// Marks the statements of a list after which `live` is read.
  void mark(const StmtList &list, Variables live);
  void mark(Stmt &stmt, const Variables &live);
  void markEvents(Stmt &stmt, Variables live);

  llvm::DenseMap<const Stmt *, Effects> summaries;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bottom up
//===----------------------------------------------------------------------===//

void CarriedFinder::collectEvents(const Expr &expr, Events &events,
                                  bool isConditional) {
  const auto *block = llvm::dyn_cast<BlockExpr>(&expr);
  if (block)
    events.push_back({nullptr, block, isConditional});
  const auto *binary = llvm::dyn_cast<BinaryExpr>(&expr);
  bool isLazy =
      llvm::isa<IfExpr>(expr) ||
      (binary && ast::isLogical(binary->op) && !binary->type.isFragment());
  bool isFirst = true;
  forEachOperand(expr, [&](const Expr &operand) {
    collectEvents(operand, events, isConditional || (isLazy && !isFirst));
    isFirst = false;
  });
  if (const auto *read = llvm::dyn_cast<ReadExpr>(&expr))
    events.push_back({read->variable, nullptr, isConditional});
  if (const auto *element = llvm::dyn_cast<ElementExpr>(&expr))
    events.push_back({element->variable, nullptr, isConditional});
}

Events CarriedFinder::collectEvents(const Stmt &stmt) {
  Events events;
  forEachExpr(stmt, [&](const Expr &expr) {
    collectEvents(expr, events, /*isConditional=*/false);
  });
  return events;
}

/// Adds what happens next to `total`.
static void append(Effects &total, const Effects &next) {
  for (Variable *variable : next.uses)
    if (!total.kills.contains(variable))
      total.uses.insert(variable);
  total.kills.insert_range(next.kills);
  total.assigns.insert_range(next.assigns);
}

void CarriedFinder::summarize(const Events &events, Effects &effects) {
  for (const Event &event : events) {
    Effects step;
    if (event.block) {
      effects.hasBlocks = true;
      step = summarize(event.block->statements);
    } else {
      step.uses.insert(event.read);
    }
    if (event.isConditional)
      step.kills.clear();
    append(effects, step);
  }
}

Effects CarriedFinder::summarize(const StmtList &list) {
  Effects total;
  for (const StmtPtr &stmt : list)
    append(total, summarize(*stmt));
  return total;
}

Effects CarriedFinder::combine(const StmtList &list) {
  Effects total;
  for (const StmtPtr &stmt : list)
    append(total, summaries[stmt.get()]);
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
  summarize(collectEvents(stmt), effects);
  auto use = [&](Variable *variable) {
    if (!effects.kills.contains(variable))
      effects.uses.insert(variable);
  };
  // A body that may not run kills nothing.
  auto addMaybe = [&](Effects body) {
    body.kills.clear();
    append(effects, body);
  };
  llvm::TypeSwitch<Stmt *>(&stmt)
      .Case<DefineStmt>(
          [&](DefineStmt *define) { effects.kills.insert(define->variable); })
      .Case<GemmStmt>([&](GemmStmt *gemm) { use(gemm->accumulator); })
      .Case<IfStmt>([&](IfStmt *branch) {
        Effects thenEffects = summarize(branch->thenBody);
        Effects elseEffects = summarize(branch->elseBody);
        addMaybe(thenEffects);
        addMaybe(elseEffects);
        for (Variable *variable : thenEffects.kills)
          if (elseEffects.kills.contains(variable))
            effects.kills.insert(variable);
      })
      .Case<LoopStmt>([&](LoopStmt *loop) {
        Effects body = summarize(loop->body);
        // The variable of the loop is its own.
        body.uses.remove(loop->variable);
        addMaybe(std::move(body));
      })
      .Case<WhileStmt>(
          [&](WhileStmt *loop) { addMaybe(summarize(loop->body)); })
      .Case<PersistentStmt>([&](PersistentStmt *loop) {
        Effects body = summarize(loop->body);
        for (Variable *variable : loop->variables)
          body.uses.remove(variable);
        addMaybe(std::move(body));
      })
      .Case<WarpgroupStmt>([&](WarpgroupStmt *teams) {
        for (const WarpgroupStmt::Team &team : teams->teams)
          addMaybe(summarize(team.body));
      })
      .Case<ParallelStmt>(
          [&](ParallelStmt *loop) { summarizeParallel(*loop, effects); })
      .Case<BlockStmt>(
          [&](BlockStmt *block) { effects = summarize(block->body); });
  forEachAssigned(stmt, [&](Variable *variable) {
    effects.kills.insert(variable);
    effects.assigns.insert(variable);
  });
  return summaries[&stmt] = std::move(effects);
}

//===----------------------------------------------------------------------===//
// Top down
//===----------------------------------------------------------------------===//

void CarriedFinder::mark(const StmtList &list, Variables live) {
  for (const StmtPtr &stmt : llvm::reverse(list)) {
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

/// Marks the statements of functions that expressions of a statement call;
/// `live` is read after the statement.
void CarriedFinder::markEvents(Stmt &stmt, Variables live) {
  // What else the statement does may come after any of its expressions.
  forEachList(stmt, [&](const StmtList &list) {
    live.insert_range(combine(list).uses);
  });
  forEachAssigned(stmt, [&](Variable *variable) { live.insert(variable); });
  // A loop evaluates its condition again.
  if (llvm::isa<WhileStmt>(stmt))
    live.insert_range(summaries[&stmt].uses);
  Events events = collectEvents(stmt);
  for (const Event &event : llvm::reverse(events)) {
    if (event.read) {
      live.insert(event.read);
      continue;
    }
    mark(event.block->statements, live);
    Effects effects = combine(event.block->statements);
    if (!event.isConditional)
      for (Variable *variable : effects.kills)
        live.remove(variable);
    live.insert_range(effects.uses);
  }
}

void CarriedFinder::mark(Stmt &stmt, const Variables &live) {
  // A copy: marking what is inside adds to the table.
  Effects effects = summaries[&stmt];
  if (effects.hasBlocks)
    markEvents(stmt, live);
  // Into the body of a loop flows what is read after it or by the next
  // iteration.
  auto getLoopLive = [&] {
    Variables inside = live;
    inside.insert_range(effects.uses);
    return inside;
  };
  llvm::TypeSwitch<Stmt *>(&stmt)
      .Case<IfStmt>([&](IfStmt *branch) {
        Effects sides = combine(branch->thenBody);
        append(sides, combine(branch->elseBody));
        branch->merged = intersect(sides.assigns, live);
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
      // Nothing assigned inside is read outside.
      .Case<PersistentStmt>(
          [&](PersistentStmt *loop) { mark(loop->body, Variables(live)); })
      .Case<WarpgroupStmt>([&](WarpgroupStmt *teams) {
        for (const WarpgroupStmt::Team &team : teams->teams)
          mark(team.body, Variables(live));
      })
      .Case<BlockStmt>(
          [&](BlockStmt *block) { mark(block->body, Variables(live)); });
}

void checked::findCarried(Kernel &kernel) { CarriedFinder().run(kernel); }
