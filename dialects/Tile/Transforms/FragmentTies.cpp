//===- FragmentTies.cpp - Fragments that should have one layout -----------===//

#include "dialects/Tile/Transforms/FragmentTies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

using Tie = llvm::function_ref<void(Value, Value)>;

/// What the condition of a loop passes on is what its body takes and the loop
/// gives; what the body yields is what the condition takes.
static void tieWhile(scf::WhileOp loop, Tie tie) {
  for (auto [init, arg, yield] :
       llvm::zip_equal(loop.getInits(), loop.getBeforeArguments(),
                       loop.getYieldOp().getOperands())) {
    tie(init, arg);
    tie(init, yield);
  }
  for (auto [passed, arg, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(),
                       loop.getAfterArguments(), loop.getResults())) {
    tie(passed, arg);
    tie(passed, result);
  }
}

static void tieLoop(LoopLikeOpInterface loop, Tie tie) {
  auto yielded = loop.getYieldedValuesMutable();
  auto results = loop.getLoopResults();
  if (!yielded || !results)
    return;
  for (auto [init, arg, yield, result] :
       llvm::zip_equal(loop.getInitsMutable(), loop.getRegionIterArgs(),
                       *yielded, *results)) {
    tie(init.get(), arg);
    tie(init.get(), yield.get());
    tie(init.get(), result);
  }
}

static void tieBranch(scf::IfOp branch, Tie tie) {
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty())
      for (auto [yield, result] :
           llvm::zip(region->front().getTerminator()->getOperands(),
                     branch.getResults()))
        tie(yield, result);
}

void tile::forEachTie(Operation *op, Tie tie) {
  auto tieFragments = [&](Value a, Value b) {
    auto from = dyn_cast<RankedTensorType>(a.getType()),
         to = dyn_cast<RankedTensorType>(b.getType());
    if (from && to && from.getShape() == to.getShape())
      tie(a, b);
  };
  if (auto gemm = dyn_cast<GemmOp>(op))
    tieFragments(gemm.getAccumulator(), gemm.getResult());
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    tieWhile(loop, tieFragments);
  else if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    tieLoop(loop, tieFragments);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    tieBranch(branch, tieFragments);
  else if (isa<CastOp, ConvertLayoutOp>(op) ||
           isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    for (Value operand : op->getOperands())
      tieFragments(operand, op->getResult(0));
}
