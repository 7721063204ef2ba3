//===- CheckReductions.cpp - Reductions and scans -------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

Checker::ExprPtr Checker::checkTileOperand(const ast::CallExpr &call,
                                           const ast::Expr &syntax) {
  ExprPtr operand = checkValue(syntax);
  if (operand->type.isInvalid())
    return operand;
  StringRef callee = call.callee.text;
  SourceRange range = syntax.getRange();
  std::string text = getQuotedText(range);
  if (!operand->type.isFragment()) {
    error(range, "'" + callee + "' takes a tile, and '" + text + "' is " +
                     operand->type.describe());
    return makeInvalid(range);
  }
  if (operand->type.getElement() == ElementType::Bool) {
    error(range, "'" + callee + "' is for numbers, and '" + text + "' is " +
                     operand->type.describe())
        .withHelp("write cast<int32>(" + text + ")");
    return makeInvalid(range);
  }
  return operand;
}

/// A dimension of a tile, as the option `dim` names it.
std::optional<unsigned> Checker::checkDim(const ast::Expr &syntax,
                                          const Expr &tile) {
  std::optional<Integer> dim = checkConstantInteger(syntax, "'dim'");
  if (!dim)
    return std::nullopt;
  unsigned rank = tile.type.getRank();
  if (*dim >= 0 && *dim < Integer(rank))
    return static_cast<unsigned>(*dim);
  error(syntax.getRange(), "'" + getQuotedText(tile.range) + "' has rank " +
                               llvm::Twine(rank) + ", and 'dim' is " +
                               formatConstant(Constant(*dim)));
  return std::nullopt;
}

/// The type of a reduction: sums need room, a maximum is one of the elements,
/// and the magnitude of the smallest integer is no integer of its type.
static ElementType getReducedElement(Builtin builtin, ElementType element) {
  switch (builtin) {
  case Builtin::ReduceSum:
    return getSumType(element);
  case Builtin::ReduceAbsMax:
    return isInt(element) && getBits(element) < 32 ? ElementType::Int32
                                                   : element;
  default:
    return element;
  }
}

Checker::ExprPtr Checker::checkReduction(const ast::CallExpr &call,
                                         Builtin builtin) {
  if (builtin == Builtin::CumSum)
    return checkScan(call);
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments =
      matchArguments(call, 1, call.callee.text.str() + "(x, dim = d)", {"dim"});
  if (!arguments || refuseInParallel(call))
    return makeInvalid(range);
  ExprPtr operand = checkTileOperand(call, *arguments->positional[0]);
  if (operand->type.isInvalid())
    return makeInvalid(range);
  std::optional<unsigned> dim;
  if (const ast::Expr *syntax = arguments->getOption("dim")) {
    dim = checkDim(*syntax, *operand);
    if (!dim)
      return makeInvalid(range);
  }
  Extents extents;
  if (dim) {
    extents.assign(operand->type.getExtents().begin(),
                   operand->type.getExtents().end());
    extents.erase(extents.begin() + *dim);
  }
  // Without its only dimension a tile is a scalar.
  if (extents.empty())
    dim = std::nullopt;
  ElementType element = getReducedElement(builtin, operand->type.getElement());
  auto result = std::make_unique<checked::ReduceExpr>(
      Type::getValue(element, extents), range, builtin);
  result->dim = dim;
  result->known = Known::Uniform;
  result->operands.push_back(std::move(operand));
  return result;
}

Checker::ExprPtr Checker::checkScan(const ast::CallExpr &call) {
  SourceRange range = call.getRange();
  std::optional<Arguments> arguments = matchArguments(
      call, 1, "cumsum(x, dim = d, reverse = false)", {"dim", "reverse"});
  if (!arguments || refuseInParallel(call))
    return makeInvalid(range);
  ExprPtr operand = checkTileOperand(call, *arguments->positional[0]);
  std::optional<bool> isReversed = checkFlag(*arguments, "reverse");
  if (operand->type.isInvalid() || !isReversed)
    return makeInvalid(range);
  std::optional<unsigned> dim = 0;
  if (const ast::Expr *syntax = arguments->getOption("dim")) {
    dim = checkDim(*syntax, *operand);
    if (!dim)
      return makeInvalid(range);
  } else if (operand->type.getRank() > 1) {
    error(call.callee.range, "'cumsum' adds along one dimension, and '" +
                                 getQuotedText(operand->range) + "' has " +
                                 llvm::Twine(operand->type.getRank()))
        .withHelp("write cumsum(" + getQuotedText(operand->range) +
                  ", dim = 0)");
    return makeInvalid(range);
  }
  Type type = operand->type.withElement(getSumType(operand->type.getElement()));
  auto result =
      std::make_unique<checked::ScanExpr>(type, range, *dim, *isReversed);
  result->known = Known::Uniform;
  result->operands.push_back(std::move(operand));
  return result;
}
