//===- AheadLoop.cpp - A loop whose operands are made ahead ---------------===//

#include "dialects/Tile/Transforms/AheadLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// Buffers of a ring: one is read by a product, one is handed back when the
/// next product has started, and one comes meanwhile.
static constexpr int64_t fewestBuffers = 3;

bool AheadLoop::collectOps() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto start = dyn_cast<WgmmaOp>(op)) {
      if (product)
        return false;
      product = start;
    } else if (auto end = dyn_cast<MmaWaitOp>(op)) {
      wait = end;
    } else if (auto arrive = dyn_cast<ArriveOp>(op)) {
      if (!arrive.isByParts() || arrive.getPredicate() ||
          !isa_and_nonnull<BlockArgument>(arrive.getIndex()))
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
  if (!product || !wait || arrivals.empty() || wait.getPending() != 0 ||
      wait.getSums() != product.getResult())
    return false;
  stage = getRight().getDefiningOp<StageOp>();
  if (llvm::any_of(arrivals, [](ArriveOp arrive) {
        return arrive.getBarrier().getType().getCount() < fewestBuffers;
      }))
    return false;
  return isa<RankedTensorType>(getLeft().getType()) && stage &&
         stage->getBlock() == loop.getBody() && stage.getInRange() &&
         stage.getSource().getType().getShape().front() >= fewestBuffers;
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

/// Whether sums go from one iteration to the next, and nowhere else.
bool AheadLoop::checkSums() {
  auto sums = dyn_cast<BlockArgument>(product.getAccumulator());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() ||
      product.getOverwrite() || product.getAccumulates() ||
      !product.getResult().hasOneUse() || !wait.getResult().hasOneUse())
    return false;
  sumsIndex = sums.getArgNumber() - loop.getNumInductionVars();
  OpOperand &use = *wait.getResult().use_begin();
  Value initial = loop.getInitArgs()[sumsIndex];
  startsAtZero = matchPattern(initial, m_AnyZeroFloat()) ||
                 matchPattern(initial, m_Zero());
  return isa<scf::YieldOp>(use.getOwner()) &&
         use.getOperandNumber() == sumsIndex;
}

/// Whether the rest of what is carried are places in rings, and fragments that
/// nobody needs behind the loop.
bool AheadLoop::checkCarried() {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (i != sumsIndex && !isPlace(i) &&
        (!isa<RankedTensorType>(loop.getRegionIterArg(i).getType()) ||
         !loop.getResult(i).use_empty()))
      return false;
  return true;
}

/// Finds the arithmetic on what was loaded; false if something else needs it.
bool AheadLoop::collectArithmetic() {
  SmallVector<Value> worklist{getLeft()};
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
  if (!collectOps() || !collectConversion() || !checkSums() ||
      !checkCarried() || !collectArithmetic())
    return false;
  parts.emplace(product, arithmetic);
  return true;
}
