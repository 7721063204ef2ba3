//===- CheckControlFlow.cpp - Jumps, persistent loops and teams -----------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using llvm::StringRef;

StringRef Checker::getSpelling(Nesting::Kind kind) {
  switch (kind) {
  case Nesting::Kind::Range:
    return "range";
  case Nesting::Kind::While:
    return "while";
  case Nesting::Kind::Pipelined:
    return "pipelined";
  case Nesting::Kind::Unrolled:
    return "unrolled";
  case Nesting::Kind::Parallel:
    return "parallel";
  case Nesting::Kind::Persistent:
    return "persistent";
  case Nesting::Kind::Warpgroup:
    return "warpgroup";
  case Nesting::Kind::Function:
    return "fn";
  }
  llvm_unreachable("every kind has a spelling");
}

//===----------------------------------------------------------------------===//
// Lists of statements
//===----------------------------------------------------------------------===//

static bool isJump(const ast::Stmt &stmt) {
  return llvm::isa<ast::BreakStmt, ast::ContinueStmt, ast::ReturnStmt>(stmt);
}

/// Checks statements in order.  What no path reaches is checked too, but not
/// part of the kernel.
void Checker::checkStatements(llvm::ArrayRef<ast::StmtPtr> statements) {
  checked::StmtList unreachable;
  checked::StmtList *outer = output;
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &stmt = *statements[i];
    if (isUnreachable && output != &unreachable) {
      if (i > 0 && isJump(*statements[i - 1]))
        diagnostics.warning(stmt.getRange(), "this statement is never reached");
      output = &unreachable;
    }
    if (!llvm::isa<ast::WarpgroupStmt>(stmt)) {
      checkStmt(stmt);
      continue;
    }
    // Adjacent teams run at the same time.
    llvm::SmallVector<const ast::WarpgroupStmt *> blocks;
    for (; i < statements.size(); ++i) {
      const auto *block =
          llvm::dyn_cast<ast::WarpgroupStmt>(statements[i].get());
      if (!block)
        break;
      blocks.push_back(block);
    }
    --i;
    checkWarpgroups(blocks);
  }
  output = outer;
}

//===----------------------------------------------------------------------===//
// break, continue and return
//===----------------------------------------------------------------------===//

void Checker::checkBreakOrContinue(const ast::Stmt &stmt) {
  bool isBreak = llvm::isa<ast::BreakStmt>(stmt);
  SourceRange range = stmt.getRange();
  StringRef word = isBreak ? "break" : "continue";
  bool isInLoop = !nesting.empty() &&
                  nesting.back().kind != Nesting::Kind::Function &&
                  nesting.back().kind != Nesting::Kind::Warpgroup;
  if (!isInLoop) {
    // Perhaps there is a loop outside of the team. Those around a call are no
    // matter of the function.
    const Nesting *loop = nullptr;
    for (const Nesting &around : llvm::reverse(nesting)) {
      if (around.kind == Nesting::Kind::Function)
        break;
      if (around.kind == Nesting::Kind::Warpgroup)
        continue;
      loop = &around;
      break;
    }
    if (loop)
      error(range, "'" + word + "' cannot leave 'warpgroup'")
          .note(loop->range.Start, "the loop is here");
    else
      error(range, "'" + word + "' stands in no loop");
    return;
  }
  Nesting &loop = nesting.back();
  if (loop.kind != Nesting::Kind::Range && loop.kind != Nesting::Kind::While) {
    error(range, "'" + word +
                     "' is for 'range' and 'while', and this loop is '" +
                     getSpelling(loop.kind) + "'")
        .withHelp(isBreak ? "use 'range' or 'while' for this loop"
                          : "put the rest of the body into an 'if'");
    return;
  }
  (isBreak ? loop.hasBreak : loop.hasContinue) = true;
  isUnreachable = true;
  if (isBreak)
    emit(std::make_unique<checked::BreakStmt>(range));
  else
    emit(std::make_unique<checked::ContinueStmt>(range));
}

void Checker::checkReturn(const ast::ReturnStmt &stmt) {
  SourceRange range = stmt.wordRange;
  if (!inlining.empty()) {
    error(range, "'return' is the last statement of a function")
        .withHelp("put what follows into an 'else'");
    return;
  }
  if (stmt.value) {
    error(stmt.value->getRange(), "a kernel gives no value: 'return' ends the "
                                  "work of the block")
        .withHelp("write return;");
    return;
  }
  for (const Nesting &around : llvm::reverse(nesting)) {
    bool isRefused = around.kind == Nesting::Kind::Pipelined ||
                     around.kind == Nesting::Kind::Persistent ||
                     around.kind == Nesting::Kind::Parallel ||
                     around.kind == Nesting::Kind::Warpgroup;
    if (!isRefused)
      continue;
    error(range, "'return' ends the work of the block and cannot be used "
                 "inside '" +
                     getSpelling(around.kind) + "'")
        .withHelp("put the rest of the body into an 'if'");
    return;
  }
  for (Nesting &around : nesting)
    around.hasReturn = true;
  hasReturn = true;
  isUnreachable = true;
  emit(std::make_unique<checked::ReturnStmt>(range));
}

//===----------------------------------------------------------------------===//
// persistent
//===----------------------------------------------------------------------===//

void Checker::checkPersistent(const ast::ForStmt &loop) {
  if (!isTopLevel()) {
    error(loop.loopRange, "'persistent' stands at the top level of a kernel")
        .withHelp("use 'range' inside other statements");
    return;
  }
  if (hasPersistent) {
    error(loop.loopRange, "a kernel has one 'persistent' loop")
        .withHelp("give one loop all the variables, or use a second kernel");
    return;
  }
  hasPersistent = true;
  if (hasReturn) {
    error(loop.loopRange,
          "'persistent' after an early 'return' is not supported yet")
        .withHelp("put the condition into the loop, or let it have no tuples");
    return;
  }
  std::optional<Arguments> arguments =
      matchOptions("persistent", loop.arguments, {"group"});
  if (!arguments)
    return;
  const auto &given = arguments->positional;
  bool isGood = given.size() == loop.variables.size();
  if (!isGood)
    error(loop.loopRange,
          "'persistent' has " + llvm::Twine(loop.variables.size()) +
              (loop.variables.size() == 1 ? " loop variable and "
                                          : " loop variables and ") +
              llvm::Twine(given.size()) +
              (given.size() == 1 ? " extent" : " extents"));
  auto stmt = std::make_unique<checked::PersistentStmt>(loop.getRange());
  if (const ast::Expr *syntax = arguments->getOption("group")) {
    stmt->group = checkExtent(*syntax, "'group'");
    isGood &= stmt->group.has_value();
  }
  for (const ast::Expr *syntax : given) {
    ExprPtr extent = convertTo(
        checkScalar(*syntax, "an extent of 'persistent'"), ElementType::Int64);
    isGood &= !extent->type.isInvalid();
    stmt->extents.push_back(std::move(extent));
  }
  if (isGood && !hasGrid)
    addPersistentGrid(loop, *stmt);

  Scope scope(*this);
  unsigned outerRegion = std::exchange(region, ++regionCount);
  for (const auto &[index, name] : llvm::enumerate(loop.variables)) {
    Variable *variable =
        declare(name, Variable::Role::LoopIndex, Type::getIndex());
    variable->range = {{0, INT64_MAX}};
    stmt->variables.push_back(variable);
  }
  nesting.push_back({Nesting::Kind::Persistent, loop.loopRange});
  VariableSet before = undefined;
  stmt->body = checkBody(*loop.body);
  undefined = before;
  nesting.pop_back();
  region = outerRegion;
  if (isGood)
    emit(std::move(stmt));
}

/// Without a grid of its own the kernel fills the device, or has one block for
/// each tuple if these are fewer.
void Checker::addPersistentGrid(const ast::ForStmt &loop,
                                const checked::PersistentStmt &stmt) {
  using checked::LaunchExpr;
  LaunchExpr count;
  for (const auto &[index, extent] : llvm::enumerate(stmt.extents)) {
    std::optional<LaunchExpr> launch =
        makeLaunchExpr(*extent, "an extent of 'persistent' without 'grid'");
    if (!launch)
      return;
    count = index == 0 ? std::move(*launch)
                       : LaunchExpr{LaunchExpr::Kind::Operation,
                                    0,
                                    "*",
                                    {std::move(count), std::move(*launch)}};
  }
  LaunchExpr blocks{LaunchExpr::Kind::Name, 0, "sm_count", {}};
  kernel.axes.push_back(
      {"block", LaunchExpr{LaunchExpr::Kind::Operation,
                           0,
                           "min",
                           {std::move(blocks), std::move(count)}}});
}

//===----------------------------------------------------------------------===//
// warpgroup
//===----------------------------------------------------------------------===//

/// Reads the numbers of the groups; each has to appear once.
bool Checker::checkTeams(llvm::ArrayRef<const ast::WarpgroupStmt *> blocks,
                         checked::WarpgroupStmt &stmt) {
  constexpr Integer mostGroups = 8;
  llvm::DenseMap<int64_t, SourceRange> seen;
  bool isGood = true;
  int64_t highest = -1;
  SourceRange highestRange;
  for (const ast::WarpgroupStmt *block : blocks) {
    checked::WarpgroupStmt::Team &team = stmt.teams.emplace_back();
    for (const ast::ExprPtr &syntax : block->groups) {
      std::optional<Integer> number =
          checkConstantInteger(*syntax, "the number of a warpgroup");
      if (!number) {
        isGood = false;
        continue;
      }
      SourceRange range = syntax->getRange();
      if (*number < 0 || *number >= mostGroups) {
        error(range, "a block has warpgroups 0 to 7, and this is " +
                         formatConstant(Constant(*number)));
        isGood = false;
        continue;
      }
      auto group = static_cast<int64_t>(*number);
      auto [earlier, isNew] = seen.try_emplace(group, range);
      if (!isNew) {
        error(range, "warpgroup " + llvm::Twine(group) + " has a block already")
            .note(earlier->second.Start, "it is named here");
        isGood = false;
        continue;
      }
      if (group > highest) {
        highest = group;
        highestRange = range;
      }
      team.groups.push_back(group);
    }
  }
  for (int64_t group = 0; isGood && group < highest; ++group) {
    if (seen.count(group))
      continue;
    error(highestRange, "warpgroup " + llvm::Twine(group) +
                            " has no block, and there is one for warpgroup " +
                            llvm::Twine(highest))
        .withHelp("each group appears exactly once in adjacent blocks; number "
                  "them from 0");
    isGood = false;
  }
  return isGood;
}

void Checker::checkWarpgroups(
    llvm::ArrayRef<const ast::WarpgroupStmt *> blocks) {
  const ast::WarpgroupStmt &first = *blocks.front();
  SourceRange word = first.wordRange;
  for (const Nesting &around : nesting) {
    bool isRefused = around.kind == Nesting::Kind::Parallel ||
                     around.kind == Nesting::Kind::Pipelined ||
                     around.kind == Nesting::Kind::Warpgroup;
    if (!isRefused)
      continue;
    error(word, "'warpgroup' cannot be used inside '" +
                    getSpelling(around.kind) + "'");
    return;
  }
  auto stmt = std::make_unique<checked::WarpgroupStmt>(first.getRange());
  bool isGood = checkTeams(blocks, *stmt);
  int64_t count = 0;
  for (const auto &team : stmt->teams)
    count += team.groups.size();
  constexpr int64_t threadsPerGroup = 128;
  if (isGood && !hasThreads) {
    kernel.threads = count * threadsPerGroup;
    // A second set of teams has to agree.
    hasThreads = true;
  }
  if (isGood && kernel.threads != count * threadsPerGroup) {
    error(word, "'threads' is 128 times the number of warpgroups: " +
                    llvm::Twine(count) +
                    (count == 1 ? " group needs " : " groups need ") +
                    llvm::Twine(count * threadsPerGroup) + ", and there are " +
                    llvm::Twine(kernel.threads))
        .withHelp("write threads(" + llvm::Twine(count * threadsPerGroup) +
                  ")");
    isGood = false;
  }

  VariableSet before = undefined;
  for (auto [block, checkedTeam] : llvm::zip_equal(blocks, stmt->teams)) {
    unsigned outerRegion = std::exchange(region, ++regionCount);
    unsigned outerTeam = std::exchange(team, region);
    nesting.push_back({Nesting::Kind::Warpgroup});
    firstOfTeam = block->body->statements.empty()
                      ? nullptr
                      : block->body->statements.front().get();
    checkedTeam.body = checkBody(*block->body);
    firstOfTeam = nullptr;
    nesting.pop_back();
    team = outerTeam;
    region = outerRegion;
    undefined = before;
  }
  if (isGood)
    checkRegisterTotal(blocks, *stmt);
  if (isGood)
    emit(std::move(stmt));
}

/// A block starts with equal shares of the registers; what its teams ask for
/// comes out of them.
void Checker::checkRegisterTotal(
    llvm::ArrayRef<const ast::WarpgroupStmt *> blocks,
    const checked::WarpgroupStmt &stmt) {
  constexpr int64_t registersOfBlock = 65536;
  constexpr int64_t mostPerThread = 256;
  int64_t share =
      std::min(registersOfBlock / kernel.threads / 8 * 8, mostPerThread);
  int64_t total = 0, groups = 0;
  bool isSet = false;
  std::string sum;
  SourceRange range;
  for (auto [block, team] : llvm::zip_equal(blocks, stmt.teams)) {
    int64_t each = share;
    const auto *first = team.body.empty()
                            ? nullptr
                            : llvm::dyn_cast<checked::SetMaxRegistersStmt>(
                                  team.body.front().get());
    if (first) {
      each = first->count;
      isSet = true;
      range = first->range;
    }
    for (size_t i = 0; i < team.groups.size(); ++i)
      sum += (sum.empty() ? "" : " + ") + std::to_string(each);
    total += each * static_cast<int64_t>(team.groups.size());
    groups += static_cast<int64_t>(team.groups.size());
  }
  if (!isSet || total <= share * groups)
    return;
  error(range, "these warpgroups take " + sum + " = " + llvm::Twine(total) +
                   " registers a thread, and a block of " +
                   llvm::Twine(kernel.threads) + " threads has " +
                   llvm::Twine(groups) + " x " + llvm::Twine(share) + " = " +
                   llvm::Twine(share * groups) + " to share")
      .withHelp("let producers have fewer, e.g. set_max_registers(40)");
}

bool Checker::checkVisible(const Variable &variable, SourceRange range) {
  if (!team || variable.region >= team || !variable.type.isFragment())
    return true;
  error(range, "'" + variable.name +
                   "' is a fragment of the whole block, and a 'warpgroup' has "
                   "only its own")
      .note(variable.declared.Start, "'" + variable.name + "' is declared here")
      .withHelp("declare it inside the warpgroup, or pass it on in a shared "
                "tile");
  return false;
}

bool Checker::checkAssignedHere(const Variable &variable, SourceRange range) {
  if (variable.region >= region)
    return true;
  StringRef word = team ? "warpgroup" : "persistent";
  error(range, "'" + variable.name + "' is declared outside '" + word +
                   "' and cannot be assigned in it")
      .note(variable.declared.Start, "'" + variable.name + "' is declared here")
      .withHelp(team ? "warpgroups run at the same time; pass values on in a "
                       "shared tile"
                     : "tuples are independent; declare it inside the loop");
  return false;
}
