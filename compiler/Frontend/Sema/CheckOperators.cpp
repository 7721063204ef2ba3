//===- CheckOperators.cpp - Unary and binary operators --------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using ast::BinaryOp;
using llvm::StringRef;

static std::optional<ElementType> getTypedElement(const Type &type) {
  if (type.isUntyped())
    return std::nullopt;
  return type.getElement();
}

/// True for integers, typed or not.
static bool isIntegerType(const Type &type) {
  return type.getKind() == Type::Kind::UntypedInt ||
         (!type.isUntyped() && isInt(type.getElement()));
}
static bool isBoolType(const Type &type) {
  return !type.isUntyped() && type.getElement() == ElementType::Bool;
}

Checker::ExprPtr Checker::checkUnary(const ast::UnaryExpr &unary) {
  SourceRange range = unary.getRange();
  std::string op = ast::getSpelling(unary.op).str();
  ExprPtr operand = checkValue(*unary.operand);
  if (operand->type.isInvalid())
    return makeInvalid(range);
  StringRef wanted;
  if (unary.op == ast::UnaryOp::Not && !isBoolType(operand->type))
    wanted = "bools";
  else if (unary.op == ast::UnaryOp::Complement &&
           !isIntegerType(operand->type))
    wanted = "integers";
  else if (unary.op == ast::UnaryOp::Negate && isBoolType(operand->type))
    wanted = "numbers";
  if (!wanted.empty()) {
    error(operand->range, "'" + op + "' is for " + wanted + ", and '" +
                              getQuotedText(operand->range) + "' is " +
                              operand->type.describe());
    return makeInvalid(range);
  }
  operand = promote(std::move(operand));
  if (operand->constant) {
    std::optional<Constant> value =
        foldUnary(unary.op, *operand->constant, getTypedElement(operand->type));
    if (value)
      return makeConstant(operand->type, range, *value);
    error(range, "this constant needs more than 128 bits");
    return makeInvalid(range);
  }
  auto result =
      std::make_unique<checked::UnaryExpr>(operand->type, range, unary.op);
  result->known = operand->known;
  result->operands.push_back(std::move(operand));
  return result;
}

Checker::ExprPtr Checker::checkBinary(const ast::BinaryExpr &binary) {
  if (ast::isLogical(binary.op))
    return checkLogical(binary);
  SourceRange range = binary.getRange();
  ExprPtr left = check(*binary.left), right = check(*binary.right);
  // Types compare too.
  bool areTypes = left->type.getKind() == Type::Kind::TypeName &&
                  right->type.getKind() == Type::Kind::TypeName;
  if (areTypes &&
      (binary.op == BinaryOp::Equal || binary.op == BinaryOp::NotEqual))
    return makeConstant(
        Type::getBool(), range,
        *foldBinary(binary.op, *left->constant, *right->constant, {}));

  left = toValue(std::move(left));
  right = toValue(std::move(right));
  if (left->type.isInvalid() || right->type.isInvalid())
    return makeInvalid(range);
  return makeBinary(binary.op, range, std::move(left), std::move(right));
}

Checker::ExprPtr Checker::checkLogical(const ast::BinaryExpr &binary) {
  SourceRange range = binary.getRange();
  std::string op = ast::getSpelling(binary.op).str();
  ExprPtr left = checkValue(*binary.left);
  // The right side is evaluated under the condition of the left one.
  if (parallel)
    ++parallel->conditions;
  VariableSet before = undefined;
  ExprPtr right = checkValue(*binary.right);
  undefined.insert_range(before);
  if (parallel)
    --parallel->conditions;
  if (left->type.isInvalid() || right->type.isInvalid())
    return makeInvalid(range);
  for (const ExprPtr *operand : {&left, &right}) {
    if (isBoolType((*operand)->type))
      continue;
    error((*operand)->range, "'" + op + "' is for bools, and '" +
                                 getQuotedText((*operand)->range) + "' is " +
                                 (*operand)->type.describe());
    return makeInvalid(range);
  }
  // `false && x` and `true || x` do not depend on x.
  bool isAnd = binary.op == BinaryOp::LogicalAnd;
  bool areScalars = left->type.isBool() && right->type.isBool();
  if (areScalars && left->constant)
    return std::get<bool>(*left->constant) == isAnd ? std::move(right)
                                                    : std::move(left);
  return makeBinary(binary.op, range, std::move(left), std::move(right));
}

/// What an operator takes, as a message names it; empty if `type` will do.
static StringRef getWanted(BinaryOp op, const Type &type) {
  if (ast::isShift(op))
    return isIntegerType(type) ? "" : "integers";
  if (ast::isBitwise(op))
    return isIntegerType(type) || isBoolType(type) ? "" : "integers and bools";
  if (op == BinaryOp::Equal || op == BinaryOp::NotEqual || ast::isLogical(op))
    return "";
  return isBoolType(type) ? "numbers" : "";
}

bool Checker::checkDivisor(StringRef op, const Expr &divisor) {
  const auto *value =
      divisor.constant ? std::get_if<Integer>(&*divisor.constant) : nullptr;
  if (!value || *value != 0)
    return true;
  error(divisor.range, "'" + op + "' divides by zero");
  return false;
}

Checker::ExprPtr Checker::makeBinary(BinaryOp op, SourceRange range,
                                     ExprPtr left, ExprPtr right) {
  std::string spelling = ast::getSpelling(op).str();
  for (const ExprPtr *operand : {&left, &right}) {
    StringRef wanted = getWanted(op, (*operand)->type);
    if (wanted.empty())
      continue;
    error((*operand)->range, "'" + spelling + "' is for " + wanted + ", and '" +
                                 getQuotedText((*operand)->range) + "' is " +
                                 (*operand)->type.describe());
    return makeInvalid(range);
  }
  if (ast::isShift(op))
    return makeShift(op, range, std::move(left), std::move(right));

  // A message names the types as written, so promotion comes after the check.
  if (!left->type.isUntyped() && !right->type.isUntyped()) {
    ElementType a = getComputeType(left->type.getElement());
    ElementType b = getComputeType(right->type.getElement());
    if (!convertsImplicitly(a, b) && !convertsImplicitly(b, a)) {
      reportMixedTypes(spelling, *left, *right);
      return makeInvalid(range);
    }
  }
  left = promote(std::move(left));
  right = promote(std::move(right));
  if (!unifyElements(spelling, left, right))
    return makeInvalid(range);
  bool divides = op == BinaryOp::Divide || op == BinaryOp::Remainder;
  if (divides && isIntegerType(left->type) && !checkDivisor(spelling, *right))
    return makeInvalid(range);
  std::optional<checked::IntegerRange> rightRange = getRange(*right);
  if (!unifyShapes(spelling, left, right))
    return makeInvalid(range);
  std::optional<ElementType> element = getTypedElement(left->type);

  bool givesBool = ast::isComparison(op) || ast::isLogical(op);
  Type type = !givesBool
                  ? left->type
                  : Type::getValue(ElementType::Bool, left->type.getExtents());
  if (left->constant && right->constant) {
    std::optional<Constant> value =
        foldBinary(op, *left->constant, *right->constant, element);
    if (value)
      return makeConstant(type, range, *value);
    error(range, "this constant needs more than 128 bits");
    return makeInvalid(range);
  }
  auto result = std::make_unique<checked::BinaryExpr>(type, range, op);
  result->known = std::max(left->known, right->known);
  result->isProven = divides && rightRange && rightRange->low > 0;
  result->isNotNegative = divides && rightRange && rightRange->low >= 0;
  result->operands.push_back(std::move(left));
  result->operands.push_back(std::move(right));
  return result;
}

/// A shift keeps the left type; the amount is any integer.
Checker::ExprPtr Checker::makeShift(BinaryOp op, SourceRange range,
                                    ExprPtr left, ExprPtr right) {
  left = promote(std::move(left));
  if (left->type.isUntyped() && !right->constant)
    left = giveType(std::move(left));
  if (left->type.isInvalid())
    return makeInvalid(range);
  if (left->constant && right->constant) {
    std::optional<Constant> value = foldShift(
        op == BinaryOp::ShiftLeft, std::get<Integer>(*left->constant),
        std::get<Integer>(*right->constant), getTypedElement(left->type));
    if (value)
      return makeConstant(left->type, range, *value);
    error(range, "this constant needs more than 128 bits");
    return makeInvalid(range);
  }
  if (right->type.isUntyped()) {
    // Every amount beyond the width means the same, so that a large constant
    // need not be an error.
    Integer amount = std::get<Integer>(*right->constant);
    Integer bits = getBits(left->type.getElement());
    Integer clamped = amount < 0 || amount > bits ? bits : amount;
    right = makeConstant(Type::getScalar(left->type.getElement()), right->range,
                         clamped);
  } else {
    right = promote(std::move(right));
  }
  std::optional<checked::IntegerRange> amount = getRange(*right);
  if (!unifyShapes(ast::getSpelling(op), left, right))
    return makeInvalid(range);
  auto result = std::make_unique<checked::BinaryExpr>(left->type, range, op);
  result->known = std::max(left->known, right->known);
  if (amount)
    result->isProven =
        amount->low >= 0 && amount->high < getBits(left->type.getElement());
  result->operands.push_back(std::move(left));
  result->operands.push_back(std::move(right));
  return result;
}
