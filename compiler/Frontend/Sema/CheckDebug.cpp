//===- CheckDebug.cpp - assert and print ----------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkAssert(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchArguments(call, 2, "assert(condition, \"text\")");
  if (!arguments)
    return;
  ExprPtr condition = checkCondition(*arguments->positional[0], "a condition");
  const auto *text = llvm::dyn_cast<ast::StringExpr>(arguments->positional[1]);
  if (!text) {
    error(arguments->positional[1]->getRange(),
          "the second argument of 'assert' is a string");
    return;
  }
  if (condition->type.isInvalid())
    return;
  if (!condition->constant)
    emit(std::make_unique<checked::AssertStmt>(
        call.getRange(), std::move(condition), text->value));
  else if (!std::get<bool>(*condition->constant))
    error(condition->range, "assertion failed: " + text->value);
}

void Checker::checkPrint(const ast::CallExpr &call) {
  std::optional<Arguments> arguments =
      matchOptions("print", call.arguments, {});
  if (!arguments)
    return;
  const auto &given = arguments->positional;
  const auto *label =
      given.empty() ? nullptr : llvm::dyn_cast<ast::StringExpr>(given.front());
  if (!label) {
    error(given.empty() ? call.callee.range : given.front()->getRange(),
          "'print' begins with a string, which labels the values")
        .withHelp("write print(\"x\", x)");
    return;
  }
  auto stmt =
      std::make_unique<checked::PrintStmt>(call.getRange(), label->value);
  bool isGood = true;
  for (const ast::Expr *syntax : llvm::drop_begin(given)) {
    // Narrow types look like what they are computed as.
    ExprPtr value = promote(giveType(checkValue(*syntax)));
    isGood &= !value->type.isInvalid();
    stmt->values.push_back(std::move(value));
  }
  if (isGood)
    emit(std::move(stmt));
}
