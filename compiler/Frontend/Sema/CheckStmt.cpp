//===- CheckStmt.cpp - Statements, if, while and calls --------------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkStmt(const ast::Stmt &stmt) {
  SourceRange range = stmt.getRange();
  if (!spend(range))
    return;
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
    return reportUnsupported(range, "break");
  case ast::StmtKind::Continue:
    return reportUnsupported(range, "continue");
  case ast::StmtKind::Return:
    return reportUnsupported(llvm::cast<ast::ReturnStmt>(stmt).wordRange,
                             "return");
  case ast::StmtKind::Warpgroup:
    return reportUnsupported(llvm::cast<ast::WarpgroupStmt>(stmt).wordRange,
                             "warpgroup");
  case ast::StmtKind::Block:
    return checkBlock(llvm::cast<ast::BlockStmt>(stmt));
  }
}

void Checker::checkBlock(const ast::BlockStmt &block) {
  Scope scope(*this);
  for (const ast::StmtPtr &stmt : block.statements)
    checkStmt(*stmt);
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
  stmt->thenBody = checkBody(*branch.thenBlock);
  VariableSet afterThen = std::exchange(undefined, before);
  checked::StmtList *outer = std::exchange(output, &stmt->elseBody);
  checkElse();
  output = outer;
  // What either side leaves unwritten may be unwritten.
  undefined.insert_range(afterThen);
  if (parallel)
    --parallel->conditions;
  if (isGood)
    emit(std::move(stmt));
}

void Checker::checkWhile(const ast::WhileStmt &loop) {
  ExprPtr condition = checkCondition(*loop.condition, "a condition");
  bool isGood = !condition->type.isInvalid();
  if (condition->constant && std::get<bool>(*condition->constant)) {
    error(loop.condition->getRange(), "this loop never ends");
    isGood = false;
  }
  auto stmt = std::make_unique<checked::WhileStmt>(loop.getRange(),
                                                   std::move(condition));
  VariableSet before = undefined;
  if (parallel)
    ++parallel->conditions;
  ++loopDepth;
  stmt->body = checkBody(*loop.body);
  --loopDepth;
  if (parallel)
    --parallel->conditions;
  undefined = before;
  if (isGood)
    emit(std::move(stmt));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Checker::checkCallStmt(const ast::CallExpr &call) {
  std::optional<Builtin> builtin = findBuiltin(call.callee.text);
  if (!builtin) {
    ExprPtr value = checkCall(call);
    if (!value->type.isInvalid())
      error(call.getRange(), "the value of this call is not used");
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
