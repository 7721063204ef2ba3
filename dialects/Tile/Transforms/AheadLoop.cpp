//===- AheadLoop.cpp - A loop whose operands are made ahead ---------------===//

#include "dialects/Tile/Transforms/AheadLoop.h"

using namespace mlir;
using namespace mlir::tile;

bool AheadLoop::collectOps() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto start = dyn_cast<WgmmaOp>(op)) {
      if (product)
        return false;
      product = start;
    } else if (auto end = dyn_cast<MmaWaitOp>(op)) {
      wait = end;
    } else if (auto arrive = dyn_cast<ArriveOp>(op)) {
      if (!handsBack(arrive))
        return false;
      if (product)
        arrivals.push_back(arrive);
      else if (!std::exchange(ready, arrive))
        continue;
      else
        return false;
    } else if (auto store = dyn_cast<StoreOp>(op);
               store && isa<SharedType>(store.getMemory().getType())) {
      if (std::exchange(convertedStore, store))
        return false;
    } else if (auto wait = dyn_cast<WaitOp>(op);
               wait && ready && wait.getBarrier() == ready.getBarrier()) {
      readyWait = wait;
    } else if (op.getNumRegions() == 0 &&
               (isPure(&op) || isa<WaitOp, LoadOp>(op))) {
      others.push_back(&op);
    } else {
      return false;
    }
  }
  if (!product || !wait || wait.getPending() != 0 ||
      wait.getSums() != product.getResult() || product.getOverwrite() ||
      product.getAccumulates() || !product.getResult().hasOneUse())
    return false;
  stage = getRightOperand(product).getDefiningOp<StageOp>();
  return haveBuffers() && readsRing(product);
}

/// Finds what converts the operand in shared memory; false if it is done in
/// another way than SpecializeWarps.cpp does.
bool AheadLoop::collectConversion() {
  if (!convertedStore)
    return !ready;
  if (!ready || !readyWait || !convertedStore->isBeforeInBlock(ready) ||
      !ready->isBeforeInBlock(readyWait) ||
      !readyWait->isBeforeInBlock(product))
    return false;
  DenseSet<Operation *> makers;
  SmallVector<Value> worklist{convertedStore.getValue()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !llvm::is_contained(others, op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      continue;
    if (!op->hasOneUse())
      return false;
    makers.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  for (Operation *op : others)
    if (makers.contains(op))
      (isa<LoadOp>(op) ? conversionLoads : conversion).push_back(op);
  conversion.push_back(convertedStore);
  llvm::erase_if(others, [&](Operation *op) { return makers.contains(op); });
  return true;
}

/// Finds the arithmetic on what was loaded; false if something else needs it.
bool AheadLoop::collectArithmetic() {
  SmallVector<Value> worklist{getLeftOperand(product)};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isPure(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()) ||
        !arithmetic.insert(op).second)
      continue;
    llvm::append_range(worklist, op->getOperands());
  }
  return !arithmetic.empty() && llvm::all_of(others, [&](Operation *op) {
    return arithmetic.contains(op) ||
           llvm::none_of(op->getOperands(), [&](Value operand) {
             Operation *maker = operand.getDefiningOp();
             return maker && arithmetic.contains(maker);
           });
  });
}

bool AheadLoop::collect() {
  if (!collectOps() || !collectConversion() || !checkSums(product, wait) ||
      !checkCarried() || !collectArithmetic())
    return false;
  parts.emplace(product, arithmetic);
  return true;
}
