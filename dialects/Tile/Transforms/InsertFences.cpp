//===- InsertFences.cpp - Show asynchronous accesses what was written -----===//
//
// Threads and TMA reach shared memory through different proxies (PTX ISA,
// "Proxies").  A fence of the thread that wrote, before it tells others, orders
// what they start behind its writes.  A walk over the control flow carries the
// tiles that were written since the last fence; what happens in a region is
// taken to happen any number of times.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INSERTFENCESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether an op reaches shared memory through the asynchronous proxy.
static bool isAsynchronous(Operation *op) { return isa<TmaCopyOp>(op); }

namespace {
/// Tiles that threads wrote, or where copies that they started will write, with
/// no fence since.
struct WrittenTiles {
  DenseSet<Value> written, inFlight;

  /// True if that was news.
  bool join(const WrittenTiles &other) {
    size_t before = written.size() + inFlight.size();
    written.insert(other.written.begin(), other.written.end());
    inFlight.insert(other.inFlight.begin(), other.inFlight.end());
    return written.size() + inFlight.size() != before;
  }
};

class FenceInserter {
public:
  explicit FenceInserter(KernelOp kernel) : kernel(kernel) {}

  void run();

private:
  void walk(Region &region, WrittenTiles &tiles);
  void visit(Operation *op, WrittenTiles &tiles);
  void visitAccesses(Operation *op, WrittenTiles &tiles);

  KernelOp kernel;
  /// The tiles that are used asynchronously somewhere.
  DenseSet<Value> shown;
};
} // namespace

void FenceInserter::visitAccesses(Operation *op, WrittenTiles &tiles) {
  if (isAsynchronous(op))
    return;
  SmallVector<MemoryAccess, 0> accesses;
  collectAccesses(op, accesses);
  for (const MemoryAccess &access : accesses) {
    if (!access.inShared || !access.isWrite)
      continue;
    DenseSet<Value> &into = access.isAsync ? tiles.inFlight : tiles.written;
    if (!access.root)
      into.insert(shown.begin(), shown.end());
    else if (shown.contains(access.root))
      into.insert(access.root);
  }
}

void FenceInserter::visit(Operation *op, WrittenTiles &tiles) {
  if (isa<FenceOp>(op)) {
    tiles.written.clear();
  } else if (isa<BarrierOp, ArriveOp>(op)) {
    // An arrival that needs no barrier may tell others all the same.
    if (tiles.written.empty())
      return;
    OpBuilder builder(op);
    FenceOp::create(builder, op->getLoc());
    tiles.written.clear();
  } else if (isa<WaitGroupOp>(op)) {
    tiles.written.insert(tiles.inFlight.begin(), tiles.inFlight.end());
  } else if (isa<BarrierAllocOp, WaitOp, ExpectOp, CommitGroupOp,
                 SetMaxRegistersOp>(op)) {
    return;
  } else if (op->getNumRegions() == 0 || isa<ParallelOp>(op)) {
    visitAccesses(op, tiles);
  } else {
    for (bool changed = true; changed;) {
      changed = false;
      for (Region &region : op->getRegions()) {
        WrittenTiles end = tiles;
        walk(region, end);
        changed |= tiles.join(end);
      }
    }
  }
}

void FenceInserter::walk(Region &region, WrittenTiles &tiles) {
  // Fences are inserted behind the iterator's back, in front of its op.
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, tiles);
}

void FenceInserter::run() {
  kernel.walk([&](Operation *op) {
    if (!isAsynchronous(op))
      return;
    SmallVector<MemoryAccess, 0> accesses;
    collectAccesses(op, accesses);
    for (const MemoryAccess &access : accesses)
      if (access.inShared && access.root)
        shown.insert(access.root);
  });
  WrittenTiles tiles;
  if (!shown.empty())
    walk(kernel.getBody(), tiles);
}

namespace {
struct InsertFences : tile::impl::InsertFencesPassBase<InsertFences> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      FenceInserter(kernel).run();
  }
};
} // namespace
