//===- ScheduleMma.cpp - Load the next step while one multiplies ----------===//
//
// For each pair of consecutive `tile.mma` of a block: the ops between them that
// only serve to make the operands of the second move in front of the first, so
// that loads and conversions run while the first multiplies.  Products of
// warpgroups go on while the next iteration starts its own
// (ProductsInFlight.h), and while it makes what it takes from registers
// (ConversionsAhead.h); what is loaded for later iterations starts behind them.
// 4-bit integers that they take as bytes are 16 times as large where sums allow
// it (ShiftedNibbles.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ConversionsAhead.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/ProductsInFlight.h"
#include "dialects/Tile/Transforms/ShiftedNibbles.h"
#include "dialects/Tile/Transforms/StepsAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SCHEDULEMMAPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether an op reads nothing but shared memory.
static bool isSharedLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return load && isa<SharedType>(load.getMemory().getType());
}

/// Whether loads of shared memory must stay behind an op.
static bool holdsBackLoads(Operation *op) {
  if (isa<BarrierOp, CommitGroupOp, WaitGroupOp>(op))
    return true;
  SmallVector<MemoryAccess, 0> accesses;
  collectAccesses(op, accesses);
  return llvm::any_of(accesses, [](const MemoryAccess &access) {
    return access.inShared && access.isWrite;
  });
}

/// Adds the ops after `first`, in its block, that `value` is made by.
static void collectMakers(Value value, Operation *first,
                          DenseSet<Operation *> &makers) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != first->getBlock() ||
      !first->isBeforeInBlock(op) || !makers.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    collectMakers(operand, first, makers);
}

/// Moves what makes the operands of `next` in front of `current`, as far as it
/// can go.
static void hoistOperands(MmaOp current, MmaOp next) {
  DenseSet<Operation *> makers, staying;
  collectMakers(next.getA(), current, makers);
  collectMakers(next.getB(), current, makers);
  staying.insert(current);
  bool loadsHeldBack = false;
  for (Operation *op = current->getNextNode(); op != next;) {
    Operation *following = op->getNextNode();
    bool canMove = makers.contains(op) && op->getNumRegions() == 0 &&
                   (isPure(op) || (isSharedLoad(op) && !loadsHeldBack)) &&
                   llvm::none_of(op->getOperands(), [&](Value operand) {
                     return staying.contains(operand.getDefiningOp());
                   });
    if (canMove) {
      op->moveBefore(current);
    } else {
      staying.insert(op);
      loadsHeldBack |= holdsBackLoads(op);
    }
    op = following;
  }
}

/// Whether a value is only handed on to the next iteration.
static bool isForLater(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Moves loads of tensors for later iterations to where the first product of
/// warpgroups has just begun: what makes their addresses does not hold it up,
/// and they arrive while it runs.
static void loadBehindProduct(scf::ForOp loop) {
  auto products = loop.getBody()->getOps<WgmmaOp>();
  if (products.empty())
    return;
  WgmmaOp first = *products.begin();
  SmallVector<LoadOp> loads;
  for (Operation &op : *loop.getBody()) {
    auto load = dyn_cast<LoadOp>(op);
    if (load && isa<GlobalType>(load.getMemory().getType()) &&
        isForLater(load.getResult()) && first->isBeforeInBlock(load))
      loads.push_back(load);
    // Nothing that a load may see passes it; barriers order the ring only.
    if (isa<WaitOp, ArriveOp>(op))
      continue;
    SmallVector<MemoryAccess, 0> accesses;
    collectAccesses(&op, accesses);
    if (llvm::any_of(accesses, [](const MemoryAccess &access) {
          return access.inGlobal && access.isWrite;
        }))
      return;
  }
  Operation *place = first;
  for (LoadOp load : loads) {
    DenseSet<Operation *> makers;
    for (Value index : load->getOperands())
      collectMakers(index, first, makers);
    if (!llvm::all_of(makers, [](Operation *op) { return isPure(op); }))
      continue;
    SmallVector<Operation *> ordered;
    for (Operation &op : *loop.getBody())
      if (makers.contains(&op))
        ordered.push_back(&op);
    for (Operation *op : ordered)
      op->moveBefore(first);
    load->moveAfter(place);
    place = load;
  }
}

namespace {
struct ScheduleMma : tile::impl::ScheduleMmaPassBase<ScheduleMma> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) {
      SmallVector<MmaOp> products(block->getOps<MmaOp>());
      for (size_t i = 0; i + 1 < products.size(); ++i)
        hoistOperands(products[i], products[i + 1]);
    });
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp whole : loops)
      for (scf::ForOp loop : shiftNibbles(whole)) {
        if (makeOperandsAhead(loop) || makeStepsAhead(loop))
          continue;
        loadBehindProduct(loop);
        keepProductsInFlight(loop);
      }
  }
};
} // namespace
