//===- StructureJumps.cpp - Jumps as flags and branches -------------------===//
//
// A finished tree is structured: it has no `break`, `continue` and `return`.
//
//  - What follows an `if` one side of which always jumps moves into the other
//    side.  Most jumps then stand last and need no more than that.
//  - What follows an `if` that may jump and may not runs under a flag, which
//    the jumps set.
//  - A loop with a `break` becomes a `while` that ends when a flag is set.
//  - A `return` in a loop sets a flag and leaves the loop, after which another
//    `return` stands under that flag.
//
// A loop is rewritten as soon as its body has been checked, so that inner loops
// hold no jumps any more.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using checked::Stmt;
using checked::StmtList;
using checked::StmtPtr;
using llvm::StringRef;

/// The flags of one loop, or of the kernel.
struct Checker::Jumps {
  /// Set by `break`, which ends the loop.  Null for the kernel, and for loops
  /// without one.
  Variable *broken = nullptr;
  /// Set by every jump, where a part of the body has to be skipped.
  Variable *left = nullptr;
  bool isLeftRead = false;
};

/// True if no path leads past the end of a list.
static bool alwaysJumps(const StmtList &list) {
  if (list.empty())
    return false;
  const Stmt &last = *list.back();
  if (llvm::isa<checked::BreakStmt, checked::ContinueStmt, checked::ReturnStmt>(
          last))
    return true;
  const auto *branch = llvm::dyn_cast<checked::IfStmt>(&last);
  return branch && alwaysJumps(branch->thenBody) &&
         alwaysJumps(branch->elseBody);
}

/// True if a list holds a jump.
static bool hasJump(const StmtList &list) {
  return llvm::any_of(list, [](const StmtPtr &stmt) {
    if (const auto *branch = llvm::dyn_cast<checked::IfStmt>(stmt.get()))
      return hasJump(branch->thenBody) || hasJump(branch->elseBody);
    return llvm::isa<checked::BreakStmt, checked::ContinueStmt,
                     checked::ReturnStmt>(*stmt);
  });
}

Checker::Variable *Checker::createFlag(StringRef name, SourceRange range) {
  Variable *flag =
      createVariable(name, range, Variable::Role::Var, Type::getBool());
  flag->known = parallel ? Known::PerIteration : Known::Uniform;
  flag->dependence = ~0u;
  return flag;
}

static checked::ExprPtr makeNot(checked::ExprPtr operand) {
  auto result = std::make_unique<checked::UnaryExpr>(
      Type::getBool(), operand->range, ast::UnaryOp::Not);
  result->known = operand->known;
  result->operands.push_back(std::move(operand));
  return result;
}

StmtPtr Checker::makeFlagAssign(Variable *flag, bool value, SourceRange range) {
  return std::make_unique<checked::AssignStmt>(
      range, flag, makeConstant(Type::getBool(), range, value));
}

/// A branch that does something on one side does it where its condition holds.
static void putThenFirst(checked::IfStmt &branch) {
  if (!branch.thenBody.empty() || branch.elseBody.empty())
    return;
  branch.condition = makeNot(std::move(branch.condition));
  std::swap(branch.thenBody, branch.elseBody);
}

void Checker::structureJumps(StmtList &list, Jumps &jumps, unsigned depth) {
  // Each jump puts what follows one level deeper.
  constexpr unsigned mostLevels = 100;
  for (size_t i = 0; i < list.size(); ++i) {
    SourceRange range = list[i]->range;
    bool isBreak = llvm::isa<checked::BreakStmt>(*list[i]);
    if (isBreak ||
        llvm::isa<checked::ContinueStmt, checked::ReturnStmt>(*list[i])) {
      // Nothing follows: what would is not reached.
      list.resize(i);
      if (isBreak && jumps.broken)
        list.push_back(makeFlagAssign(jumps.broken, true, range));
      if (jumps.left && jumps.left != jumps.broken)
        list.push_back(makeFlagAssign(jumps.left, true, range));
      return;
    }
    auto *branch = llvm::dyn_cast<checked::IfStmt>(list[i].get());
    if (!branch || !(hasJump(branch->thenBody) || hasJump(branch->elseBody)))
      continue;
    if (depth > mostLevels) {
      error(range, "more than " + llvm::Twine(mostLevels) +
                       " jumps out of one body follow each other")
          .withHelp("use 'else', or one condition for several of them");
      list.resize(i);
      return;
    }
    StmtList rest(std::make_move_iterator(list.begin() + i + 1),
                  std::make_move_iterator(list.end()));
    list.resize(i + 1);
    bool thenJumps = alwaysJumps(branch->thenBody),
         elseJumps = alwaysJumps(branch->elseBody);
    if (thenJumps != elseJumps) {
      StmtList &other = thenJumps ? branch->elseBody : branch->thenBody;
      std::move(rest.begin(), rest.end(), std::back_inserter(other));
      rest.clear();
    }
    structureJumps(branch->thenBody, jumps, depth + 1);
    structureJumps(branch->elseBody, jumps, depth + 1);
    putThenFirst(*branch);
    if (thenJumps && elseJumps)
      return;
    if (rest.empty())
      return;
    auto guard = std::make_unique<checked::IfStmt>(
        rest.front()->range, makeNot(makeRead(jumps.left, range)));
    jumps.isLeftRead = true;
    guard->thenBody = std::move(rest);
    structureJumps(guard->thenBody, jumps, depth + 1);
    list.push_back(std::move(guard));
    return;
  }
}

/// Removes the assignments to a flag that nothing reads.
static void removeAssigns(StmtList &list, const checked::Variable *flag) {
  llvm::erase_if(list, [&](const StmtPtr &stmt) {
    const auto *assign = llvm::dyn_cast<checked::AssignStmt>(stmt.get());
    return assign && assign->variable == flag;
  });
  for (StmtPtr &stmt : list)
    if (auto *branch = llvm::dyn_cast<checked::IfStmt>(stmt.get())) {
      removeAssigns(branch->thenBody, flag);
      removeAssigns(branch->elseBody, flag);
      putThenFirst(*branch);
    }
}

/// A `return` inside a loop leaves it by way of a `break`.
static void replaceReturns(StmtList &list, checked::Variable *returned,
                           llvm::function_ref<StmtPtr(SourceRange)> makeSet) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (auto *branch = llvm::dyn_cast<checked::IfStmt>(list[i].get())) {
      replaceReturns(branch->thenBody, returned, makeSet);
      replaceReturns(branch->elseBody, returned, makeSet);
    }
    if (!llvm::isa<checked::ReturnStmt>(*list[i]))
      continue;
    SourceRange range = list[i]->range;
    list.resize(i);
    list.push_back(makeSet(range));
    list.push_back(std::make_unique<checked::BreakStmt>(range));
    return;
  }
}

/// `var flag = false;`
static StmtPtr makeFlagDefine(checked::Variable *flag, SourceRange range) {
  return std::make_unique<checked::DefineStmt>(
      range, flag,
      std::make_unique<checked::ConstantExpr>(Type::getBool(), range, false));
}

void Checker::emitLoop(std::unique_ptr<checked::WhileStmt> loop,
                       const Nesting &nest) {
  SourceRange range = loop->range;
  if (nest.hasReturn) {
    if (!returned)
      returned = createFlag("returned", range);
    replaceReturns(loop->body, returned, [&](SourceRange place) {
      return makeFlagAssign(returned, true, place);
    });
  }
  Jumps jumps;
  if (nest.hasBreak || nest.hasReturn) {
    jumps.broken = jumps.left = createFlag("broken", range);
    emit(makeFlagDefine(jumps.broken, range));
    ExprPtr runs = makeNot(makeRead(jumps.broken, range));
    if (!loop->condition->constant) {
      auto both = std::make_unique<checked::BinaryExpr>(
          Type::getBool(), loop->condition->range, ast::BinaryOp::LogicalAnd);
      both->known = std::max(runs->known, loop->condition->known);
      both->operands.push_back(std::move(runs));
      both->operands.push_back(std::move(loop->condition));
      runs = std::move(both);
    } else if (!std::get<bool>(*loop->condition->constant)) {
      runs = std::move(loop->condition);
    }
    loop->condition = std::move(runs);
  }
  if (nest.hasContinue)
    jumps.left = createFlag("left", range);
  if (jumps.left)
    structureJumps(loop->body, jumps, 0);
  if (nest.hasContinue && jumps.isLeftRead)
    loop->body.insert(loop->body.begin(), makeFlagDefine(jumps.left, range));
  else if (nest.hasContinue)
    removeAssigns(loop->body, jumps.left);
  emit(std::move(loop));
  if (!nest.hasReturn)
    return;
  auto leave =
      std::make_unique<checked::IfStmt>(range, makeRead(returned, range));
  leave->thenBody.push_back(std::make_unique<checked::ReturnStmt>(range));
  emit(std::move(leave));
}

void Checker::emitLoop(std::unique_ptr<checked::LoopStmt> loop,
                       const Nesting &nest) {
  SourceRange range = loop->range;
  if (!nest.hasBreak && !nest.hasReturn) {
    Jumps jumps;
    if (nest.hasContinue) {
      jumps.left = createFlag("left", range);
      structureJumps(loop->body, jumps, 0);
      if (jumps.isLeftRead)
        loop->body.insert(loop->body.begin(),
                          makeFlagDefine(jumps.left, range));
      else
        removeAssigns(loop->body, jumps.left);
    }
    emit(std::move(loop));
    return;
  }
  // The bounds are evaluated once; the variable of the loop is set anew from a
  // counter, so that `continue` finds it counted up already.
  Variable *upper =
      createVariable("upper", range, Variable::Role::Let, Type::getIndex());
  Variable *next =
      createVariable("next", range, Variable::Role::Var, Type::getIndex());
  upper->known = next->known = parallel ? Known::PerIteration : Known::Uniform;
  upper->dependence = next->dependence = ~0u;
  emit(std::make_unique<checked::DefineStmt>(range, next,
                                             std::move(loop->lower)));
  emit(std::make_unique<checked::DefineStmt>(range, upper,
                                             std::move(loop->upper)));
  auto makeInteger = [&](ast::BinaryOp op, Type type, ExprPtr left,
                         ExprPtr right) {
    auto result = std::make_unique<checked::BinaryExpr>(type, range, op);
    result->known = std::max(left->known, right->known);
    result->operands.push_back(std::move(left));
    result->operands.push_back(std::move(right));
    return result;
  };
  auto condition = makeInteger(ast::BinaryOp::Less, Type::getBool(),
                               makeRead(next, range), makeRead(upper, range));
  auto whileLoop =
      std::make_unique<checked::WhileStmt>(range, std::move(condition));
  StmtList &body = whileLoop->body;
  body.push_back(std::make_unique<checked::DefineStmt>(
      loop->variable->declared, loop->variable, makeRead(next, range)));
  body.push_back(std::make_unique<checked::AssignStmt>(
      range, next,
      makeInteger(ast::BinaryOp::Add, Type::getIndex(), makeRead(next, range),
                  makeConstant(Type::getIndex(), range, Integer(loop->step)))));
  std::move(loop->body.begin(), loop->body.end(), std::back_inserter(body));
  emitLoop(std::move(whileLoop), nest);
}

/// Structures the body of the kernel, once it is complete.
void Checker::structureReturns() {
  if (!hasReturn)
    return;
  Jumps jumps;
  bool isSetInLoop = returned != nullptr;
  if (!returned)
    returned = createFlag("returned", kernel.range);
  jumps.left = returned;
  structureJumps(kernel.body, jumps, 0);
  if (!jumps.isLeftRead)
    removeAssigns(kernel.body, returned);
  if (isSetInLoop || jumps.isLeftRead)
    kernel.body.insert(kernel.body.begin(),
                       makeFlagDefine(returned, kernel.range));
}

bool Checker::checkDepth(const StmtList &list, unsigned depth) {
  // Each level is a region in a region for MLIR, which walks them recursively.
  constexpr unsigned mostLevels = 256;
  for (const StmtPtr &stmt : list) {
    bool isGood = true;
    if (depth > mostLevels) {
      error(stmt->range, "functions and jumps make statements nest more than " +
                             llvm::Twine(mostLevels) + " levels deep");
      return false;
    }
    checked::forEachExpr(*stmt, [&](const Expr &expr) {
      isGood = isGood && checkDepth(expr, depth + 1);
    });
    checked::forEachList(*stmt, [&](const StmtList &inner) {
      isGood = isGood && checkDepth(inner, depth + 1);
    });
    if (!isGood)
      return false;
  }
  return true;
}

/// Statements of functions that an expression calls.
bool Checker::checkDepth(const Expr &expr, unsigned depth) {
  if (const auto *block = llvm::dyn_cast<checked::BlockExpr>(&expr))
    if (!checkDepth(block->statements, depth))
      return false;
  bool isGood = true;
  checked::forEachOperand(expr, [&](const Expr &operand) {
    isGood = isGood && checkDepth(operand, depth);
  });
  return isGood;
}
