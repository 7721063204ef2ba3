//===- SharedSums.cpp - Loops that several blocks may share ---------------===//

#include "dialects/Tile/Transforms/SharedSums.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What is carried
//===----------------------------------------------------------------------===//

/// Whether a value is used once, whichever branches are taken.  Loops over
/// elements read what they change, which is one use.
static bool isUsedOnce(Value value) {
  SmallVector<Operation *> users;
  for (Operation *user : value.getUsers())
    if (!isa<ElementOp>(user))
      users.push_back(user);
  if (users.size() < 2)
    return true;
  llvm::SmallDenseSet<Region *> branches;
  auto branch = dyn_cast<scf::IfOp>(users[0]->getParentOp());
  return branch && llvm::all_of(users, [&](Operation *user) {
           return user->getParentOp() == branch &&
                  branches.insert(user->getParentRegion()).second;
         });
}

namespace {
/// Follows a carried value from the start of an iteration to its end, through
/// ops that add to it.
class SumChain {
public:
  explicit SumChain(PipelinedOp loop) : loop(loop) {}

  /// Whether what uses `value` adds to it, and what that gives ends as carried
  /// value `index`.
  bool isSum(Value value, unsigned index) {
    return isUsedOnce(value) && llvm::all_of(value.getUses(), [&](auto &use) {
             Operation *op = use.getOwner();
             if (op == loop.getBodyBlock()->getTerminator())
               return use.getOperandNumber() == index;
             return addsTo(use, index);
           });
  }

private:
  bool addsTo(OpOperand &use, unsigned index);
  bool isSumInLoop(scf::ForOp inner, OpOperand &use, unsigned index);
  bool isSumInBranch(scf::YieldOp yield, OpOperand &use, unsigned index);
  bool isSumOfElements(ParallelOp parallel, OpOperand &use, unsigned index);

  PipelinedOp loop;
};
} // namespace

bool SumChain::addsTo(OpOperand &use, unsigned index) {
  Operation *op = use.getOwner();
  if (auto gemm = dyn_cast<GemmOp>(op))
    return &use == &gemm.getAccumulatorMutable() &&
           isSum(gemm.getResult(), index);
  if (auto gemm = dyn_cast<GemmScaledOp>(op))
    return &use == &gemm.getAccumulatorMutable() &&
           isSum(gemm.getResult(), index);
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return op->getOperand(0) != op->getOperand(1) &&
           isSum(op->getResult(0), index);
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return isSumInLoop(inner, use, index);
  if (auto yield = dyn_cast<scf::YieldOp>(op))
    return isSumInBranch(yield, use, index);
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return isSumOfElements(parallel, use, index);
  // Read by a loop over elements that adds to it, which is looked at above.
  if (auto element = dyn_cast<ElementOp>(op)) {
    auto parallel = element->getParentOfType<ParallelOp>();
    return parallel && llvm::is_contained(parallel.getInits(), use.get());
  }
  return false;
}

bool SumChain::isSumInLoop(scf::ForOp inner, OpOperand &use, unsigned index) {
  if (use.getOperandNumber() < inner.getNumControlOperands())
    return false;
  unsigned number = use.getOperandNumber() - inner.getNumControlOperands();
  BlockArgument argument = inner.getRegionIterArg(number);
  // Each iteration of the inner loop hands the sum to the next one.
  return isUsedOnce(argument) &&
         llvm::all_of(argument.getUses(),
                      [&](OpOperand &inside) {
                        Operation *op = inside.getOwner();
                        return op == inner.getBody()->getTerminator()
                                   ? inside.getOperandNumber() == number
                                   : addsTo(inside, index);
                      }) &&
         isSum(inner.getResult(number), index);
}

/// What a branch, or an iteration of an inner loop, ends with.
bool SumChain::isSumInBranch(scf::YieldOp yield, OpOperand &use,
                             unsigned index) {
  Operation *parent = yield->getParentOp();
  if (isa<scf::IfOp>(parent))
    return isSum(parent->getResult(use.getOperandNumber()), index);
  auto inner = dyn_cast<scf::ForOp>(parent);
  return inner && loop->isProperAncestor(inner);
}

/// A loop over elements that writes x + e for the element x of its own.
bool SumChain::isSumOfElements(ParallelOp parallel, OpOperand &use,
                               unsigned index) {
  unsigned number = use.getOperandNumber();
  Value yielded = parallel.getBodyBlock()->getTerminator()->getOperand(number);
  auto isOwn = [&](Value value) {
    auto element = value.getDefiningOp<ElementOp>();
    AffineMap map = parallel.getMap(number);
    return element && element.getFragment() == use.get() && map.isIdentity() &&
           llvm::equal(element.getIndices(),
                       parallel.getBodyBlock()->getArguments());
  };
  unsigned reads = 0;
  parallel.getBody().walk(
      [&](ElementOp element) { reads += element.getFragment() == use.get(); });
  Operation *sum = yielded.getDefiningOp();
  return isa_and_present<arith::AddFOp, arith::AddIOp>(sum) && reads == 1 &&
         isOwn(sum->getOperand(0)) != isOwn(sum->getOperand(1)) &&
         isSum(parallel.getResult(number), index);
}

//===----------------------------------------------------------------------===//
// What is touched
//===----------------------------------------------------------------------===//

static SmallVector<MemoryAccess, 0> getAccesses(Operation *op) {
  SmallVector<MemoryAccess, 0> accesses;
  collectAccesses(op, accesses);
  return accesses;
}

/// Whether an op fills a whole shared tile.
static bool fillsTile(Operation *op, Value tile) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getDestination() == tile &&
           copy.getDestinationIndices().empty();
  auto store = dyn_cast<StoreOp>(op);
  return store && store.getMemory() == tile && store.getIndices().empty();
}

/// Whether an op, one in it, or a part of a tile that one names, uses `tile`.
static bool usesTile(Operation *op, Value tile) {
  return llvm::any_of(getAccesses(op), [&](const MemoryAccess &access) {
    return access.inShared && (!access.root || access.root == tile);
  });
}

/// Whether each iteration fills a tile before it reads it, and nobody else
/// does.
static bool isOfOneIteration(Value tile, PipelinedOp loop) {
  if (loop->isProperAncestor(tile.getDefiningOp()))
    return true;
  SmallVector<Value> names = {tile};
  while (!names.empty())
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (loop->isProperAncestor(user)) {
        for (Value result : user->getResults())
          if (isa<SharedType>(result.getType()))
            names.push_back(result);
        continue;
      }
      return false;
    }
  for (Operation &op : *loop.getBodyBlock())
    if (usesTile(&op, tile))
      return fillsTile(&op, tile);
  return true;
}

static std::string findMemoryObstacle(PipelinedOp loop) {
  llvm::SetVector<Value> written;
  for (Operation &op : *loop.getBodyBlock())
    for (const MemoryAccess &access : getAccesses(&op)) {
      if (!access.isWrite)
        continue;
      if (access.inGlobal)
        return "a loop that writes to a tensor is not supported yet";
      if (!access.root || !access.root.getDefiningOp<AllocSharedOp>())
        return "a loop with barriers of its own is not supported yet";
      written.insert(access.root);
    }
  for (Value tile : written)
    if (!isOfOneIteration(tile, loop))
      return "a loop whose shared tiles hold what other iterations, or "
             "statements outside of it, have written is not supported yet";
  return "";
}

/// What stands in front of a loop is done by each block.
static std::string findObstacleInFront(PipelinedOp loop) {
  for (Operation *op = loop; !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation &earlier : *op->getBlock()) {
      if (&earlier == op)
        break;
      for (const MemoryAccess &access : getAccesses(&earlier))
        if (access.isWrite && access.inGlobal)
          return "a loop behind a statement that writes to a tensor is not "
                 "supported yet";
    }
  return "";
}

/// Of an `if` around the loop, blocks that take the branch without it all do
/// what stands there.
static std::string findObstacleBeside(PipelinedOp loop) {
  for (Operation *op = loop; !isa<KernelOp>(op); op = op->getParentOp())
    for (Region &region : op->getParentOp()->getRegions()) {
      if (&region == op->getParentRegion())
        continue;
      for (Operation &other : region.getOps())
        for (const MemoryAccess &access : getAccesses(&other))
          if (access.isWrite && access.inGlobal)
            return "a loop beside a branch that writes to a tensor is not "
                   "supported yet";
    }
  return "";
}

static std::string findPlaceObstacle(PipelinedOp loop) {
  for (Operation *parent = loop->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp()) {
    if (!isa<scf::IfOp>(parent))
      return "a loop inside another one, or in a part of the block, is not "
             "supported yet";
    if (parent->getNumResults() != 0)
      return "a loop inside an 'if' that changes variables is not supported "
             "yet";
  }
  return "";
}

std::string tile::findSharingObstacle(PipelinedOp loop) {
  if (std::string why = findPlaceObstacle(loop); !why.empty())
    return why;
  for (auto [index, value] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return "a loop that carries a number is not supported yet";
    if (!SumChain(loop).isSum(value, index))
      return "what an iteration hands to the next one is no sum";
    Type element = type.getElementType();
    if (getElementBits(element) < 8)
      return "sums of less than 8 bits are not supported yet";
  }
  if (std::string why = findMemoryObstacle(loop); !why.empty())
    return why;
  if (std::string why = findObstacleBeside(loop); !why.empty())
    return why;
  return findObstacleInFront(loop);
}
