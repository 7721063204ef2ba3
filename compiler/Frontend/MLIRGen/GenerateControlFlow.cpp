//===- GenerateControlFlow.cpp - Persistent loops and teams ---------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace tilec;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Functions called in expressions
//===----------------------------------------------------------------------===//

namespace {
/// Finds what statements assign and do not define.
class AssignedFinder {
public:
  void visit(const checked::Expr &expr) {
    if (const auto *block = llvm::dyn_cast<checked::BlockExpr>(&expr))
      visit(block->statements);
    checked::forEachOperand(
        expr, [&](const checked::Expr &operand) { visit(operand); });
  }
  llvm::SmallVector<checked::Variable *> take() {
    return assigned.takeVector();
  }

private:
  void visit(const checked::StmtList &list) {
    for (const checked::StmtPtr &stmt : list) {
      checked::forEachExpr(*stmt,
                           [&](const checked::Expr &expr) { visit(expr); });
      checked::forEachList(
          *stmt, [&](const checked::StmtList &inner) { visit(inner); });
      if (const auto *define = llvm::dyn_cast<checked::DefineStmt>(stmt.get()))
        defined.insert(define->variable);
      checked::forEachAssigned(*stmt, [&](checked::Variable *variable) {
        if (!defined.contains(variable))
          assigned.insert(variable);
      });
    }
  }

  llvm::SmallSetVector<checked::Variable *, 4> assigned;
  llvm::SmallPtrSet<checked::Variable *, 8> defined;
};
} // namespace

llvm::SmallVector<checked::Variable *>
Generator::getAssigned(llvm::ArrayRef<const Expr *> exprs) {
  AssignedFinder finder;
  for (const Expr *expr : exprs)
    finder.visit(*expr);
  return finder.take();
}

//===----------------------------------------------------------------------===//
// Blocks and teams
//===----------------------------------------------------------------------===//

void Generator::generatePersistent(const checked::PersistentStmt &loop) {
  Location location = getLocation(loop.range);
  llvm::SmallVector<Value> extents;
  for (const checked::ExprPtr &extent : loop.extents)
    extents.push_back(generate(*extent));
  IntegerAttr group =
      loop.group ? builder.getI64IntegerAttr(*loop.group) : IntegerAttr();
  auto op = tile::PersistentOp::create(builder, location, extents, group);
  auto before = values;
  OpBuilder::InsertionGuard guard(builder);
  Block *body = op.getBodyBlock();
  for (auto [variable, argument] :
       llvm::zip_equal(loop.variables, body->getArguments())) {
    argument.setLoc(getLocation(*variable));
    values[variable] = argument;
  }
  builder.setInsertionPoint(body->getTerminator());
  generate(loop.body);
  values = std::move(before);
}

void Generator::generateWarpgroup(const checked::WarpgroupStmt &stmt) {
  Location location = getLocation(stmt.range);
  llvm::SmallVector<llvm::SmallVector<int64_t>> teams;
  for (const auto &team : stmt.teams)
    teams.emplace_back(team.groups.begin(), team.groups.end());
  auto op = tile::WarpgroupOp::create(builder, location, teams);
  auto before = values;
  for (auto [team, region] : llvm::zip_equal(stmt.teams, op.getBodies())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(region.front().getTerminator());
    generate(team.body);
    values = before;
  }
}
