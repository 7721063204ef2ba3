//===- TeamArrivals.cpp - Phases that wait for all threads of a team ------===//

#include "dialects/Tile/Transforms/TeamArrivals.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

/// The barriers, and the index of one of them, at which an op counts.
static std::pair<Value, Value> getBarrier(Operation *op) {
  if (auto expect = dyn_cast<ExpectOp>(op))
    return {expect.getBarrier(), expect.getIndex()};
  if (auto copy = dyn_cast<TmaCopyOp>(op))
    return {copy.getBarrier(), copy.getIndex()};
  if (auto arrive = dyn_cast<ArriveOp>(op))
    return {arrive.getBarrier(), arrive.getIndex()};
  return {};
}

bool tile::waitsForAllThreads(Operation *op) {
  std::pair<Value, Value> barrier = getBarrier(op);
  // Branches are taken by all threads alike.
  for (Operation *scope = op;; scope = scope->getParentOp()) {
    for (Operation *next = scope->getNextNode(); next;
         next = next->getNextNode())
      if (auto arrive = dyn_cast<ArriveOp>(next);
          arrive && arrive.getAfterCopies() && getBarrier(arrive) == barrier)
        return true;
    if (!isa<scf::IfOp>(scope->getParentOp()))
      return false;
  }
}
