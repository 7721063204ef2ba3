//===- SyncToNVVM.cpp - Barriers, fences, groups of copies ----------------===//
//
// Barriers with phases are mbarriers (PTX ISA, "Parallel Synchronization and
// Communication Instructions: mbarrier").  One thread makes them all before
// anything else; every thread waits by itself, and one thread of a team arrives
// for it.  insert-barriers has ordered the others before that.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

/// Size of an mbarrier.
static constexpr int64_t barrierBytes = 8;

/// Barriers of a row that are still made one by one in the text.
static constexpr int64_t unrolledBarriers = 16;

//===----------------------------------------------------------------------===//
// Prologue and epilogue
//===----------------------------------------------------------------------===//

static void initBarrier(KernelEmitter &e, Value address, int64_t count) {
  e.callVolatileAsm("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,",
                    {address, e.i32(count)});
}

static void initBarriers(KernelEmitter &e, BarrierAllocOp alloc) {
  e.loc = alloc.getLoc();
  int64_t barriers = alloc.getType().getCount(), count = alloc.getCount();
  Value base =
      e.getSharedAddress(e.getSharedPointer(alloc.getOffset().value_or(0)));
  if (barriers <= unrolledBarriers) {
    for (int64_t i = 0; i < barriers; ++i)
      initBarrier(e, e.add(base, e.i32(i * barrierBytes)), count);
    return;
  }
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.i32(0),
                         e.i32(barriers * barrierBytes), e.i32(barrierBytes));
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(loop.getBody());
  initBarrier(e, e.add(base, loop.getInductionVar()), count);
}

/// Whether other blocks of the cluster send to this one.
static bool receives(KernelOp kernel) {
  return kernel.walk([](SendOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether other blocks of the cluster arrive at barriers of this one.
static bool isReachedByOthers(KernelOp kernel) {
  return kernel
      .walk([](BarrierAllocOp alloc) {
        return alloc.getCluster() ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

void tile::emitSyncPrologue(KernelEmitter &e) {
  SmallVector<BarrierAllocOp> allocs;
  e.kernel.walk([&](BarrierAllocOp alloc) { allocs.push_back(alloc); });
  size_t maps = e.kernel.getTensorMaps() ? e.kernel.getTensorMaps()->size() : 0;
  if (allocs.empty() && maps == 0)
    return;
  Value isFirst = e.compare(arith::CmpIPredicate::eq, e.thread, e.i32(0));
  emitGuarded(e, isFirst, [&]() {
    for (size_t i = 0; i < maps; ++i)
      e.callVolatileAsm("prefetch.tensormap [$0];", "l,",
                        getTensorMapAddress(e, i));
    for (BarrierAllocOp alloc : allocs)
      initBarriers(e, alloc);
    e.loc = e.kernel.getLoc();
    // TMA, which arrives at barriers too, sees them.
    if (!allocs.empty())
      e.callVolatileAsm("fence.mbarrier_init.release.cluster;", "", {});
  });
  if (isReachedByOthers(e.kernel) || receives(e.kernel))
    emitClusterBarrier(e);
  else if (!allocs.empty())
    e.callIntrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", Type(), e.i32(0));
}

/// Whether the kernel stores by TMA, in groups of their own.
static bool hasTmaStores(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto copy = dyn_cast<TmaCopyOp>(op);
        return isa<StoreThroughOp>(op) || (copy && !copy.getBarrier())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasAsyncCopies(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<AsyncCopyOp, AsyncCopyElementsOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A block that ends takes its shared memory along, from which stores may still
/// be reading, and to which other blocks of the cluster may be writing.
void tile::emitSyncEpilogue(KernelEmitter &e) {
  if (hasTmaStores(e.kernel)) {
    e.callVolatileAsm("cp.async.bulk.commit_group;", "", {});
    e.callVolatileAsm("cp.async.bulk.wait_group 0;", "", {});
  }
  if (isReachedByOthers(e.kernel))
    emitClusterBarrier(e);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Whether a thread may start a copy by TMA behind a barrier, or arrive for
/// others so that another one does, to where the others have read in front of
/// it.  Arrivals of warps and warpgroups wait for their own reads.
static bool leadsToFills(BarrierOp barrier) {
  Operation *scope = barrier;
  while (!isa<KernelOp>(scope) && !isa<WarpgroupOp>(scope->getParentOp()))
    scope = scope->getParentOp();
  Region &region = isa<KernelOp>(scope) ? cast<KernelOp>(scope).getBody()
                                        : *scope->getParentRegion();
  return region
      .walk([](Operation *op) {
        auto copy = dyn_cast<TmaCopyOp>(op);
        auto arrive = dyn_cast<ArriveOp>(op);
        bool fills =
            (copy && copy.getBarrier()) ||
            (arrive && !arrive.isByParts() && !arrive.getAfterCopies());
        return fills ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether rows are sent behind a barrier, upon which other blocks may write
/// what this one has read in front of it.
static bool leadsToSends(BarrierOp barrier) {
  for (Operation *next = barrier->getNextNode(); next;
       next = next->getNextNode()) {
    if (isa<SendOp>(next))
      return true;
    if (next->getNumRegions() != 0)
      return false;
  }
  return false;
}

LogicalResult tile::emitBarrier(KernelEmitter &e, BarrierOp op) {
  // Loads in front of bar.sync may be under way behind it, and bulk copies pass
  // them (docs/decisions/0016-arrivals.md); so may what others write who have
  // what was sent.
  if (leadsToFills(op) || leadsToSends(op))
    e.callVolatileAsm("fence.acq_rel.cta;", "", {});
  if (e.teamBarrier == 0)
    e.callIntrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", Type(), e.i32(0));
  else
    e.callIntrinsic("llvm.nvvm.barrier.cta.sync.aligned.count", Type(),
                    {e.i32(e.teamBarrier), e.i32(e.threads)});
  return success();
}

LogicalResult tile::emitBarrierAlloc(KernelEmitter &e, BarrierAllocOp op) {
  Value base =
      e.getSharedAddress(e.getSharedPointer(op.getOffset().value_or(0)));
  e.setBarriers(op, base);
  if (!op.getCluster())
    return success();
  int64_t blocks = e.kernel.getClusterSize();
  Value rank = e.remui(e.andi(e.thread, e.i32(31)), e.i32(blocks));
  e.setBarriersOfLane(
      op, e.callVolatileAsm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r,",
                            {base, rank}, e.builder.getI32Type()));
  return success();
}

/// The barrier at `index` of those at `base`.
static Value offsetBarrier(KernelEmitter &e, Value base, Value index) {
  if (!index)
    return base;
  Value narrow = e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI32Type(), e.getScalar(index));
  return e.add(base, e.mul(narrow, e.i32(barrierBytes)));
}

Value tile::getBarrierAddress(KernelEmitter &e, Value barriers, Value index) {
  return offsetBarrier(e, e.getBarriers(barriers), index);
}

/// One arrival where `condition` holds (null: always).  Without a branch, which
/// would keep what stands around it apart.
static void arriveIf(KernelEmitter &e, Value address, Value condition) {
  if (condition)
    e.callVolatileAsm("@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,",
                      {address, condition});
  else
    e.callVolatileAsm("mbarrier.arrive.shared::cta.b64 _, [$0];", "r,",
                      address);
}

/// One arrival in each block of the cluster, by as many neighbouring threads,
/// the first of which is that where `thread` is 0.  Nothing but the barrier is
/// ordered beyond the block: with `.release.cluster` there would be a MEMBAR of
/// the whole GPU in front of it.
static void arriveInCluster(KernelEmitter &e, ArriveOp op, Value thread) {
  Value address =
      offsetBarrier(e, e.getBarriersOfLane(op.getBarrier()), op.getIndex());
  Value condition = e.compare(arith::CmpIPredicate::ult, thread,
                              e.i32(e.kernel.getClusterSize()));
  if (op.getPredicate())
    condition = e.andi(condition, e.getScalar(op.getPredicate()));
  e.callVolatileAsm("@$1 mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,b,",
                    {address, condition});
}

LogicalResult tile::emitArrive(KernelEmitter &e, ArriveOp op) {
  if (op.getAfterCopies()) {
    // One of those that the phase waits for: `noinc`.
    e.callVolatileAsm("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
                      "r,",
                      getBarrierAddress(e, op.getBarrier(), op.getIndex()));
    return success();
  }
  // What the other lanes did is part of it.
  if (op.getPerWarp())
    e.callVolatileAsm("bar.warp.sync -1;", "", {}, Type());
  Value inPart = e.thread;
  if (op.isByParts())
    inPart = e.andi(
        e.thread,
        e.i32((op.getPerWarp() ? 32 : WarpgroupOp::threadsPerGroup) - 1));
  if (e.getBarriersOfLane(op.getBarrier())) {
    arriveInCluster(e, op, inPart);
    return success();
  }
  Value address = getBarrierAddress(e, op.getBarrier(), op.getIndex());
  Value condition = op.isByParts()
                        ? e.compare(arith::CmpIPredicate::eq, inPart, e.i32(0))
                        : e.emitIsLeader();
  if (op.getPredicate()) {
    Value predicate = e.getScalar(op.getPredicate());
    condition = condition ? e.andi(condition, predicate) : predicate;
  }
  arriveIf(e, address, condition);
  return success();
}

LogicalResult tile::emitExpect(KernelEmitter &e, ExpectOp op) {
  Value address = getBarrierAddress(e, op.getBarrier(), op.getIndex());
  Value bytes = e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI32Type(), e.getScalar(op.getBytes()));
  emitGuarded(e, e.emitIsLeader(), [&]() {
    e.callVolatileAsm("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
                      "r,r,", {address, bytes});
  });
  return success();
}

LogicalResult tile::emitWait(KernelEmitter &e, WaitOp op) {
  // Who waits to multiply has made the operand meanwhile: LLVM would do it
  // where it is used.
  if (auto product = dyn_cast<WgmmaOp>(op->getNextNode()))
    pinOperand(e, product);
  Value address = getBarrierAddress(e, op.getBarrier(), op.getIndex());
  Value parity = e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI32Type(), e.getScalar(op.getParity()));
  parity = e.andi(parity, e.i32(1));
  e.callVolatileAsm("{\n.reg .pred p;\nwait_${:uid}: "
                    "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n"
                    "@!p bra wait_${:uid};\n}",
                    "r,r,", {address, parity});
  return success();
}

LogicalResult tile::emitFence(KernelEmitter &e, FenceOp op) {
  e.callVolatileAsm(op.getTensors() ? "fence.proxy.async;"
                                    : "fence.proxy.async.shared::cta;",
                    "", {});
  return success();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Stores by TMA have groups of their own, which are closed and waited for with
/// the others so that both count alike.  The threads that did not start a store
/// have empty ones.
LogicalResult tile::emitCommitGroup(KernelEmitter &e, CommitGroupOp) {
  bool stores = hasTmaStores(e.kernel);
  if (stores)
    e.callVolatileAsm("cp.async.bulk.commit_group;", "", {});
  if (!stores || hasAsyncCopies(e.kernel))
    e.callIntrinsic("llvm.nvvm.cp.async.commit.group", Type(), {});
  return success();
}

LogicalResult tile::emitWaitGroup(KernelEmitter &e, WaitGroupOp op) {
  bool stores = hasTmaStores(e.kernel);
  if (stores)
    e.callVolatileAsm((Twine("cp.async.bulk.wait_group") +
                       (op.getReadOnly() ? ".read " : " ") +
                       Twine(op.getPending()) + ";")
                          .str(),
                      "", {});
  if (!stores || hasAsyncCopies(e.kernel))
    e.callIntrinsic("llvm.nvvm.cp.async.wait.group", Type(),
                    e.i32(op.getPending()));
  return success();
}
