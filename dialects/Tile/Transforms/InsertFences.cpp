//===- InsertFences.cpp - Show asynchronous accesses what was written -----===//
//
// Threads, and TMA and products of warpgroups, reach memory through different
// proxies (PTX ISA, "Proxies").
// A fence of the thread that wrote, before it tells others, orders what they
// start behind its writes.  A walk over the control flow carries the memory
// that was written since the last fence; a loop is taken to run any number of
// times.
//
// One fence serves all writes in front of it, so it waits for the last barrier
// before an asynchronous access.
//
// What a warpgroup tells by an arrival of its own concerns shared memory only:
// compilers write those, in loops that a fence of global memory would slow
// down.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INSERTFENCESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether an op reaches memory through the asynchronous proxy.
static bool isAsynchronous(Operation *op) {
  return isa<TmaCopyOp, WgmmaOp, StoreThroughOp>(op);
}

static bool isTensor(Value memory) { return isa<GlobalType>(memory.getType()); }

namespace {
/// Tiles and tensors that threads wrote, or where copies that they started will
/// write, with no fence since.
struct WrittenMemory {
  DenseSet<Value> written, inFlight;

  /// True if that was news.
  bool join(const WrittenMemory &other) {
    size_t before = written.size() + inFlight.size();
    written.insert(other.written.begin(), other.written.end());
    inFlight.insert(other.inFlight.begin(), other.inFlight.end());
    return written.size() + inFlight.size() != before;
  }

  void passFence(bool tensors) {
    SmallVector<Value> old(written.begin(), written.end());
    for (Value value : old)
      if (tensors || !isTensor(value))
        written.erase(value);
  }
};

class FenceInserter {
public:
  explicit FenceInserter(KernelOp kernel) : kernel(kernel) {}

  void run();

private:
  void walk(Region &region, WrittenMemory &memory);
  void visit(Operation *op, WrittenMemory &memory);
  void visitAccesses(Operation *op, WrittenMemory &memory);
  void fence(Operation *op, WrittenMemory &memory, bool withTensors);

  KernelOp kernel;
  /// What is used asynchronously somewhere, as a whole.
  SmallVector<MemoryAccess, 0> shown;
};
} // namespace

/// The tile or tensor that an access is to, as a whole.
static MemoryAccess makeWhole(MemoryAccess access) {
  access.box.clear();
  access.stage.reset();
  return access;
}

void FenceInserter::visitAccesses(Operation *op, WrittenMemory &memory) {
  if (isAsynchronous(op))
    return;
  SmallVector<MemoryAccess, 0> accesses;
  collectAccesses(op, accesses);
  for (const MemoryAccess &access : accesses) {
    if (!access.isWrite)
      continue;
    DenseSet<Value> &into = access.isAsync ? memory.inFlight : memory.written;
    for (const MemoryAccess &asynchronous : shown)
      if (mayOverlap(asynchronous, makeWhole(access)))
        into.insert(asynchronous.root);
  }
}

/// Whether the same threads meet at another barrier of this block before
/// anything asynchronous happens: a fence there shows all that one here would.
static bool isFollowedByBarrier(BarrierOp barrier) {
  auto tellsOrReads = [](Operation *op) {
    return isAsynchronous(op) || isa<ArriveOp>(op);
  };
  for (Operation *op = barrier->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<BarrierOp>(op))
      return next->getAttrDictionary() == barrier->getAttrDictionary() &&
             next->getOperands() == barrier->getOperands();
    if (op->walk([&](Operation *inner) {
            return tellsOrReads(inner) ? WalkResult::interrupt()
                                       : WalkResult::advance();
          }).wasInterrupted())
      return false;
  }
  return false;
}

/// Puts a fence in front of an op, if there is something to show.
void FenceInserter::fence(Operation *op, WrittenMemory &memory,
                          bool withTensors) {
  bool tensors = withTensors && llvm::any_of(memory.written, isTensor);
  bool tiles = llvm::any_of(memory.written,
                            [](Value written) { return !isTensor(written); });
  if (!tensors && !tiles)
    return;
  OpBuilder builder(op);
  FenceOp::create(builder, op->getLoc(), /*tensors=*/tensors);
  memory.passFence(tensors);
}

void FenceInserter::visit(Operation *op, WrittenMemory &memory) {
  if (auto known = dyn_cast<FenceOp>(op)) {
    memory.passFence(known.getTensors());
  } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
    if (!isFollowedByBarrier(barrier))
      fence(op, memory, /*withTensors=*/true);
  } else if (auto arrive = dyn_cast<ArriveOp>(op)) {
    // An arrival that needs no barrier may tell others all the same.
    fence(op, memory, /*withTensors=*/!arrive.isByParts());
  } else if (isa<WaitGroupOp>(op)) {
    memory.written.insert(memory.inFlight.begin(), memory.inFlight.end());
  } else if (isa<BarrierAllocOp, WaitOp, ExpectOp, CommitGroupOp,
                 SetMaxRegistersOp, AwaitLaunchesOp, AllowLaunchesOp>(op)) {
    return;
  } else if (op->getNumRegions() == 0 || isa<ParallelOp>(op)) {
    visitAccesses(op, memory);
  } else if (isa<WarpgroupOp, scf::IfOp>(op)) {
    WrittenMemory before = memory;
    for (Region &region : op->getRegions()) {
      WrittenMemory end = before;
      walk(region, end);
      memory.join(end);
    }
  } else {
    for (bool changed = true; changed;) {
      changed = false;
      for (Region &region : op->getRegions()) {
        WrittenMemory end = memory;
        walk(region, end);
        changed |= memory.join(end);
      }
    }
  }
}

void FenceInserter::walk(Region &region, WrittenMemory &memory) {
  // Fences are inserted behind the iterator's back, in front of its op.
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, memory);
}

void FenceInserter::run() {
  kernel.walk([&](Operation *op) {
    if (!isAsynchronous(op))
      return;
    SmallVector<MemoryAccess, 0> accesses;
    collectAccesses(op, accesses);
    for (const MemoryAccess &access : accesses)
      if (access.root)
        shown.push_back(makeWhole(access));
  });
  WrittenMemory memory;
  if (!shown.empty())
    walk(kernel.getBody(), memory);
}

namespace {
struct InsertFences : tile::impl::InsertFencesPassBase<InsertFences> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      FenceInserter(kernel).run();
  }
};
} // namespace
