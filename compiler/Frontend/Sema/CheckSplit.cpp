//===- CheckSplit.cpp - Loops whose iterations several blocks share -------===//
//
// Blocks that share the iterations of a loop add up what they computed, so
// whatever one iteration hands to the next must be a sum.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Dataflow.h"

#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

using namespace tilec;
using namespace tilec::checked;

namespace {
/// Finds the variables that a loop body changes other than by adding to them,
/// or reads, with the place of the first such use.
class OtherUses {
public:
  explicit OtherUses(const StmtList &body) { visit(body); }
  const SourceRange *find(const Variable *variable) const {
    auto found = uses.find(variable);
    return found == uses.end() ? nullptr : &found->second;
  }

private:
  void visit(const StmtList &list) {
    for (const StmtPtr &stmt : list)
      visit(*stmt);
  }
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);
  void visitWrite(Variable *variable, const Expr &value, SourceRange range);

  llvm::DenseMap<const Variable *, SourceRange> uses;
};
} // namespace

void OtherUses::visit(const Expr &expr) {
  if (const auto *read = llvm::dyn_cast<ReadExpr>(&expr))
    uses.try_emplace(read->variable, expr.range);
  if (const auto *element = llvm::dyn_cast<ElementExpr>(&expr))
    uses.try_emplace(element->variable, expr.range);
  if (const auto *block = llvm::dyn_cast<BlockExpr>(&expr))
    visit(block->statements);
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
}

/// `x = x + e` is `x += e`.
void OtherUses::visitWrite(Variable *variable, const Expr &value,
                           SourceRange range) {
  const auto *sum = llvm::dyn_cast<BinaryExpr>(&value);
  if (!sum || sum->op != ast::BinaryOp::Add) {
    uses.try_emplace(variable, range);
    return visit(value);
  }
  const Expr &left = *sum->operands[0];
  const auto *read = llvm::dyn_cast<ReadExpr>(&left);
  const auto *element = llvm::dyn_cast<ElementExpr>(&left);
  if ((read && read->variable == variable) ||
      (element && element->variable == variable))
    return visit(*sum->operands[1]);
  uses.try_emplace(variable, range);
  visit(value);
}

void OtherUses::visit(const Stmt &stmt) {
  const auto *assign = llvm::dyn_cast<AssignStmt>(&stmt);
  const auto *write = llvm::dyn_cast<WriteElementStmt>(&stmt);
  if (assign)
    visitWrite(assign->variable, *assign->value, stmt.range);
  else if (write)
    visitWrite(write->variable, *write->value, stmt.range);
  else
    forEachExpr(stmt, [&](const Expr &expr) { visit(expr); });
  forEachList(stmt, [&](const StmtList &list) { visit(list); });
}

static void checkSplit(const LoopStmt &loop, DiagnosticEngine &diagnostics) {
  OtherUses others(loop.body);
  for (const Variable *variable : loop.carried) {
    const SourceRange *use = others.find(variable);
    if (!use)
      continue;
    diagnostics
        .error(loop.splitRange,
               "'split' adds up what several blocks computed, but '" +
                   variable->name +
                   "', which each iteration hands to the next, is no sum")
        .note(use->Start, "'" + variable->name + "' is used here")
        .withHelp("in the loop change it by gemm, gemm_scaled or += only, and "
                  "read it afterwards");
  }
}

static void checkSplits(const StmtList &list, DiagnosticEngine &diagnostics) {
  for (const StmtPtr &stmt : list) {
    const auto *loop = llvm::dyn_cast<LoopStmt>(stmt.get());
    if (loop && loop->split > 1)
      checkSplit(*loop, diagnostics);
    forEachList(
        *stmt, [&](const StmtList &inner) { checkSplits(inner, diagnostics); });
  }
}

void checked::checkSplits(const Kernel &kernel, DiagnosticEngine &diagnostics) {
  ::checkSplits(kernel.body, diagnostics);
}
