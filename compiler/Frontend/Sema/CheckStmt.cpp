//===- CheckStmt.cpp - Statements, if, while and calls --------------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkStmt(const ast::Stmt &stmt) {
  SourceRange range = stmt.getRange();
  if (!spend(range))
    return;
  // Functions nest statements deeper than the parser allows one of them to.
  constexpr unsigned weight = 4;
  depth += weight;
  llvm::scope_exit leave([&] { depth -= weight; });
  if (depth > maxDepth) {
    error(range, "functions and expressions nest too deep here");
    return;
  }
  switch (stmt.getKind()) {
  case ast::StmtKind::Let:
    return checkLet(llvm::cast<ast::LetStmt>(stmt));
  case ast::StmtKind::Assign:
    return checkAssign(llvm::cast<ast::AssignStmt>(stmt));
  case ast::StmtKind::Call:
    return checkCallStmt(
        llvm::cast<ast::CallExpr>(*llvm::cast<ast::CallStmt>(stmt).call));
  case ast::StmtKind::If:
    return checkIfStmt(llvm::cast<ast::IfStmt>(stmt));
  case ast::StmtKind::While:
    return checkWhile(llvm::cast<ast::WhileStmt>(stmt));
  case ast::StmtKind::For:
    return checkFor(llvm::cast<ast::ForStmt>(stmt));
  case ast::StmtKind::Break:
  case ast::StmtKind::Continue:
    return checkBreakOrContinue(stmt);
  case ast::StmtKind::Return:
    return checkReturn(llvm::cast<ast::ReturnStmt>(stmt));
  case ast::StmtKind::Warpgroup:
    return checkWarpgroups({&llvm::cast<ast::WarpgroupStmt>(stmt)});
  case ast::StmtKind::Block:
    return checkBlock(llvm::cast<ast::BlockStmt>(stmt));
  }
}

void Checker::checkBlock(const ast::BlockStmt &block) {
  Scope scope(*this);
  checkStatements(block.statements);
}

checked::StmtList Checker::checkBody(const ast::BlockStmt &block) {
  checked::StmtList body;
  checked::StmtList *outer = std::exchange(output, &body);
  checkBlock(block);
  output = outer;
  return body;
}

//===----------------------------------------------------------------------===//
// if and while
//===----------------------------------------------------------------------===//

void Checker::checkIfStmt(const ast::IfStmt &branch) {
  ExprPtr condition = checkCondition(*branch.condition, "a condition");
  auto checkElse = [&] {
    if (const auto *block =
            llvm::dyn_cast_or_null<ast::BlockStmt>(branch.elseBranch.get()))
      checkBlock(*block);
    else if (branch.elseBranch)
      checkStmt(*branch.elseBranch);
  };
  if (condition->constant) {
    if (std::get<bool>(*condition->constant))
      checkBlock(*branch.thenBlock);
    else
      checkElse();
    return;
  }
  bool isGood = !condition->type.isInvalid();
  auto stmt = std::make_unique<checked::IfStmt>(branch.getRange(),
                                                std::move(condition));
  if (parallel)
    ++parallel->conditions;
  VariableSet before = undefined;
  bool wasUnreachable = isUnreachable;
  ++branchDepth;
  stmt->thenBody = checkBody(*branch.thenBlock);
  VariableSet afterThen = std::exchange(undefined, before);
  bool thenJumps = std::exchange(isUnreachable, wasUnreachable);
  checked::StmtList *outer = std::exchange(output, &stmt->elseBody);
  checkElse();
  output = outer;
  --branchDepth;
  // What either side leaves unwritten may be unwritten, unless that side does
  // not lead here.
  if (isUnreachable)
    undefined = afterThen;
  else if (!thenJumps)
    undefined.insert_range(afterThen);
  isUnreachable &= thenJumps;
  if (parallel)
    --parallel->conditions;
  if (isGood)
    emit(std::move(stmt));
}

void Checker::checkWhile(const ast::WhileStmt &loop) {
  ExprPtr condition = checkCondition(*loop.condition, "a condition");
  bool isGood = !condition->type.isInvalid();
  auto stmt = std::make_unique<checked::WhileStmt>(loop.getRange(),
                                                   std::move(condition));
  Nesting jumps = checkLoopBody(
      *loop.body, {Nesting::Kind::While, loop.getRange()}, stmt->body);
  bool isEndless =
      stmt->condition->constant && std::get<bool>(*stmt->condition->constant);
  if (isEndless && !jumps.hasBreak && !jumps.hasReturn) {
    error(loop.condition->getRange(), "this loop never ends");
    return;
  }
  // Only a `return` leads out of it.
  isUnreachable |= isEndless && !jumps.hasBreak;
  if (isGood)
    emitLoop(std::move(stmt), jumps);
}

/// Checks the body of a loop that may run any number of times, and says how it
/// is left.
Checker::Nesting Checker::checkLoopBody(const ast::BlockStmt &body,
                                        Nesting around,
                                        checked::StmtList &list) {
  // The body may not run at all, so what it writes may stay unwritten.
  VariableSet before = undefined;
  bool wasUnreachable = isUnreachable;
  if (parallel)
    ++parallel->conditions;
  ++loopDepth;
  nesting.push_back(around);
  list = checkBody(body);
  Nesting jumps = nesting.back();
  nesting.pop_back();
  --loopDepth;
  if (parallel)
    --parallel->conditions;
  undefined = before;
  isUnreachable = wasUnreachable;
  return jumps;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// True if a function can be called for what it does to its arguments.
static bool mayChangeArguments(const ast::FunctionDecl &function) {
  return llvm::any_of(
      function.parameters, [](const ast::FunctionParameter &parameter) {
        return parameter.mode != ast::FunctionParameter::Mode::Value;
      });
}

void Checker::checkCallStmt(const ast::CallExpr &call) {
  std::optional<Builtin> builtin = findBuiltin(call.callee.text);
  if (!builtin) {
    ExprPtr value = checkCall(call);
    // A function without a result has left its statements here.
    bool isValue =
        !value->type.isInvalid() && value->type.getKind() != Type::Kind::Void;
    if (!isValue)
      return;
    if (mayChangeArguments(*program.functions.lookup(call.callee.text)))
      emit(std::make_unique<checked::EvaluateStmt>(call.getRange(),
                                                   std::move(value)));
    else
      error(call.getRange(), "the value of this call is not used")
          .withHelp("write let x = " + getQuotedText(call.getRange()) + ";");
    return;
  }
  bool isStatement = getGroup(*builtin) == BuiltinGroup::Statement;
  bool isAllowedInParallel = *builtin == Builtin::Assert ||
                             *builtin == Builtin::Print ||
                             *builtin == Builtin::AsyncCopy ||
                             getGroup(*builtin) == BuiltinGroup::Atomic;
  if (isStatement && !isAllowedInParallel && refuseInParallel(call))
    return;
  switch (*builtin) {
  case Builtin::Copy:
    return checkCopy(call);
  case Builtin::Clear:
    return checkFill(call, /*isClear=*/true);
  case Builtin::Fill:
    return checkFill(call, /*isClear=*/false);
  case Builtin::Gemm:
    return checkGemm(call);
  case Builtin::GemmScaled:
    return checkGemmScaled(call);
  case Builtin::Assert:
    return checkAssert(call);
  case Builtin::Print:
    return checkPrint(call);
  case Builtin::AtomicAdd:
  case Builtin::AtomicMax:
  case Builtin::AtomicMin:
    checkAtomic(call, *builtin, /*isStatement=*/true);
    return;
  case Builtin::AsyncCopy:
    return checkAsyncCopy(call);
  case Builtin::CommitGroup:
    return checkCommitGroup(call);
  case Builtin::WaitGroup:
    return checkWaitGroup(call);
  case Builtin::TmaCopy:
    return checkTmaCopy(call);
  case Builtin::Arrive:
  case Builtin::ExpectBytes:
  case Builtin::Wait:
    return checkBarrierCall(call, *builtin);
  case Builtin::SetMaxRegisters:
    return checkSetMaxRegisters(call);
  case Builtin::Annotate:
    return checkAnnotate(call);
  default:
    break;
  }
  if (isStatement)
    return reportUnsupported(call.callee.range, call.callee.text);
  ExprPtr value = checkCall(call);
  if (!value->type.isInvalid())
    error(call.getRange(), "the value of this call is not used")
        .withHelp("write let x = " + getQuotedText(call.getRange()) + ";");
}
