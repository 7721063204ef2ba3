//===- CheckScaledGemm.cpp - gemm_scaled ----------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

void Checker::checkGemmScaled(const ast::CallExpr &call) {
  std::optional<Arguments> arguments = matchArguments(
      call, 5, "gemm_scaled(A, B, acc, sfa, sfb, granularity_k = g)",
      {"granularity_k", "granularity_m", "granularity_n", "transpose_a",
       "transpose_b", "fast_accum"});
  if (!arguments)
    return;
  bool isGood = true;
  bool flags[3] = {};
  unsigned next = 0;
  for (StringRef name : {"transpose_a", "transpose_b", "fast_accum"}) {
    std::optional<bool> value = checkFlag(*arguments, name);
    isGood &= value.has_value();
    flags[next++] = value.value_or(false);
  }
  ExprPtr a = checkGemmOperand(call, 0), b = checkGemmOperand(call, 1);
  Variable *accumulator = checkAccumulator(call, 2);
  ExprPtr scaleA = checkTileOrValue(*arguments->positional[3]),
          scaleB = checkTileOrValue(*arguments->positional[4]);
  for (const ExprPtr *operand : {&a, &b, &scaleA, &scaleB})
    isGood &= !(*operand)->type.isInvalid();
  int64_t granularity[3] = {1, 1, 1};
  next = 0;
  for (StringRef name : {"granularity_k", "granularity_m", "granularity_n"}) {
    int64_t &value = granularity[next++];
    const ast::Expr *syntax = arguments->getOption(name);
    if (!syntax)
      continue;
    std::optional<int64_t> given = checkExtent(*syntax, "'" + name.str() + "'");
    isGood &= given.has_value();
    value = given.value_or(1);
  }
  const ast::Expr *groupSyntax = arguments->getOption("granularity_k");
  if (!groupSyntax) {
    error(call.callee.range, "'gemm_scaled' needs 'granularity_k', the number "
                             "of elements along K that share a scale")
        .withHelp("pass granularity_k = 32");
    return;
  }
  if (!isGood || !accumulator)
    return;
  auto stmt = std::make_unique<checked::GemmStmt>(call.getRange(), std::move(a),
                                                  std::move(b), accumulator);
  stmt->transposeA = flags[0];
  stmt->transposeB = flags[1];
  stmt->fastAccum = flags[2];
  stmt->scaleA = std::move(scaleA);
  stmt->scaleB = std::move(scaleB);
  stmt->granularityK = granularity[0];
  stmt->granularityM = granularity[1];
  stmt->granularityN = granularity[2];
  if (!checkAccumulatorUnread(call, *stmt) || !checkScaledTypes(call, *stmt) ||
      !checkGemmShapes(call, *stmt))
    return;
  int64_t k = stmt->a->type.getExtents()[!stmt->transposeA];
  if (k % stmt->granularityK != 0 && stmt->granularityK % k != 0) {
    error(groupSyntax->getRange(),
          "'granularity_k' is " + llvm::Twine(stmt->granularityK) +
              ", and K of '" + getQuotedText(stmt->a->range) + "' is " +
              llvm::Twine(k) + ": one divides the other")
        .underline(stmt->a->range);
    return;
  }
  if (!checkScale(*stmt, /*isA=*/true) || !checkScale(*stmt, /*isA=*/false))
    return;
  recordGemmTiles(*stmt->a);
  recordGemmTiles(*stmt->b);
  emit(std::move(stmt));
}

bool Checker::checkScaledTypes(const ast::CallExpr &call,
                               const checked::GemmStmt &stmt) {
  for (const ExprPtr *operand : {&stmt.a, &stmt.b}) {
    ElementType element = (*operand)->type.getElement();
    if (isFP8(element) || element == ElementType::FP4E2M1)
      continue;
    error((*operand)->range, "operands of 'gemm_scaled' are fp8 or fp4, and '" +
                                 getQuotedText((*operand)->range) + "' is " +
                                 getName(element))
        .withHelp("use gemm with dequant for other types");
    return false;
  }
  const Variable &accumulator = *stmt.accumulator;
  if (accumulator.type.getElement() == ElementType::F32)
    return true;
  std::string extents;
  for (int64_t extent : accumulator.type.getExtents())
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  error(call.arguments[2].value->getRange(),
        "'gemm_scaled' adds up in f32, but '" + accumulator.name + "' is " +
            getName(accumulator.type.getElement()))
      .withHelp("allocate '" + accumulator.name + "' as f32[" + extents +
                "] and cast it after the loop");
  return false;
}

/// One factor for each group: [rows / granularity, K / granularity_k], or rank
/// 1 if there is one group along K.
bool Checker::checkScale(const checked::GemmStmt &stmt, bool isA) {
  const Expr &operand = isA ? *stmt.a : *stmt.b;
  const Expr &scale = isA ? *stmt.scaleA : *stmt.scaleB;
  SourceRange range = scale.range;
  std::string name = getQuotedText(range);
  ElementType element = scale.type.getElement();
  if (element != ElementType::F32 && element != ElementType::E8M0) {
    error(range, "scales of 'gemm_scaled' are f32 or e8m0, and '" + name +
                     "' is " + scale.type.describe());
    return false;
  }
  bool isTransposed = isA ? stmt.transposeA : stmt.transposeB;
  // Rows of A and columns of B.
  unsigned rowDim = isA == isTransposed ? 1 : 0;
  int64_t rows = operand.type.getExtents()[rowDim],
          k = operand.type.getExtents()[1 - rowDim];
  int64_t granularity = isA ? stmt.granularityM : stmt.granularityN;
  Extents wanted = {(rows + granularity - 1) / granularity,
                    (k + stmt.granularityK - 1) / stmt.granularityK};
  llvm::ArrayRef<int64_t> shape = scale.type.getExtents();
  bool isColumn =
      wanted[1] == 1 && shape == llvm::ArrayRef(wanted).take_front();
  if (shape == llvm::ArrayRef(wanted) || isColumn)
    return true;
  error(range, "'gemm_scaled' needs scales of " + formatShape(wanted) +
                   " for '" + getQuotedText(operand.range) + "', " +
                   (isA ? "M" : "N") + " = " + llvm::Twine(rows) + " by " +
                   llvm::Twine(granularity) + " and K = " + llvm::Twine(k) +
                   " by " + llvm::Twine(stmt.granularityK) + ", but '" + name +
                   "' is " + (shape.empty() ? "a scalar" : formatShape(shape)))
      .underline(operand.range)
      .withHelp("allocate '" + name + "' as [" + llvm::Twine(wanted[0]) + ", " +
                llvm::Twine(wanted[1]) + "]");
  return false;
}
