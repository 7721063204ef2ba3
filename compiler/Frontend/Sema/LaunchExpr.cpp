//===- LaunchExpr.cpp - Expressions evaluated before a launch -------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using checked::LaunchExpr;
using llvm::StringRef;

static LaunchExpr makeInteger(int64_t value) {
  return {LaunchExpr::Kind::Integer, value, "", {}};
}
static LaunchExpr makeOperation(StringRef op,
                                std::vector<LaunchExpr> operands) {
  return {LaunchExpr::Kind::Operation, 0, op.str(), std::move(operands)};
}

/// The operator of the artifact format; empty if it has none.
static StringRef getOperator(const checked::Expr &expr) {
  if (const auto *binary = llvm::dyn_cast<checked::BinaryExpr>(&expr))
    return ast::getSpelling(binary->op);
  if (const auto *unary = llvm::dyn_cast<checked::UnaryExpr>(&expr))
    return unary->op == ast::UnaryOp::Negate ? "neg"
           : unary->op == ast::UnaryOp::Not  ? "!"
                                             : "";
  if (llvm::isa<checked::IfExpr>(expr))
    return "select";
  if (const auto *call = llvm::dyn_cast<checked::CallExpr>(&expr))
    switch (call->builtin) {
    case Builtin::Min:
    case Builtin::Max:
    case Builtin::CeilDiv:
    case Builtin::Select:
      return getSpelling(call->builtin);
    default:
      return "";
    }
  return "";
}

std::optional<LaunchExpr> Checker::makeLaunchExpr(const Expr &expr,
                                                  StringRef what) {
  const Expr *culprit = nullptr;
  unsigned budget = mostLaunchSteps;
  std::optional<LaunchExpr> launch = findLaunchExpr(expr, budget, &culprit);
  if (!launch && culprit)
    error(culprit->range, what +
                              " is made of sizes, integer parameters and "
                              "constants, and '" +
                              getQuotedText(culprit->range) + "' is not");
  return launch;
}

void Checker::recordLaunchValue(const Variable *variable, const Expr &value) {
  bool isLaunchInteger = value.known <= Known::Launch && !value.constant &&
                         value.type.isScalar() &&
                         isInt(value.type.getElement());
  if (isLaunchInteger)
    launchValues[variable] = &value;
}

std::optional<LaunchExpr> Checker::findLaunchExpr(const Expr &expr) {
  unsigned budget = mostLaunchSteps;
  const Expr *culprit = nullptr;
  return findLaunchExpr(expr, budget, &culprit);
}

std::optional<LaunchExpr> Checker::findLaunchExpr(const Expr &expr,
                                                  unsigned &budget,
                                                  const Expr **culprit) {
  if (expr.type.isInvalid())
    return std::nullopt;
  // Names that stand for others can double the size with each step.
  if (budget == 0 || --budget == 0) {
    *culprit = &expr;
    return std::nullopt;
  }
  if (expr.constant) {
    if (const auto *boolean = std::get_if<bool>(&*expr.constant))
      return makeInteger(*boolean);
    const auto *integer = std::get_if<Integer>(&*expr.constant);
    if (integer && fitsInteger(*integer, ElementType::Int64))
      return makeInteger(static_cast<int64_t>(*integer));
  }
  bool isInteger = expr.type.isUntyped() ||
                   (expr.type.isScalar() && !isFloat(expr.type.getElement()));
  if (const auto *read = llvm::dyn_cast<checked::ReadExpr>(&expr)) {
    if (auto found = launchValues.find(read->variable);
        found != launchValues.end())
      return findLaunchExpr(*found->second, budget, culprit);
    bool isName = read->variable->role == Variable::Role::Symbol ||
                  read->variable->role == Variable::Role::ScalarParameter;
    if (isInteger && isName && expr.known <= Known::Launch)
      return LaunchExpr{LaunchExpr::Kind::Name, 0, read->variable->name, {}};
  } else if (const auto *extent = llvm::dyn_cast<checked::ExtentExpr>(&expr)) {
    if (extent->known == Known::Launch)
      return kernel.parameters[extent->variable->index].dims[extent->dim];
  } else if (const auto *convert =
                 llvm::dyn_cast<checked::ConvertExpr>(&expr)) {
    // Widening keeps the value, and launch arithmetic has 64 bits anyway.
    const Expr &operand = *convert->operands[0];
    if (isInteger && operand.type.isScalar() &&
        holdsEveryValue(operand.type.getElement(), expr.type.getElement()))
      return findLaunchExpr(operand, budget, culprit);
  } else if (StringRef op = getOperator(expr); !op.empty()) {
    std::vector<LaunchExpr> operands;
    for (const ExprPtr &operand : expr.operands) {
      std::optional<LaunchExpr> launch =
          findLaunchExpr(*operand, budget, culprit);
      if (!launch)
        return std::nullopt;
      operands.push_back(std::move(*launch));
    }
    return makeOperation(op, std::move(operands));
  }
  *culprit = &expr;
  return std::nullopt;
}
