//===- InsertBarriers.cpp - Order accesses to memory ----------------------===//
//
// A walk over the structured control flow of a kernel that carries the accesses
// not yet ordered by a barrier, and the asynchronous copies not yet waited for.
// An access that needs a barrier against one of the former gets it in front.
//
//   - Loops are walked until what flows round them is stable.  Accesses of the
//     previous iteration are expressed in the values of this one, which tells
//     the buffers of a staged tile apart across the back edge.
//   - A conflict of a loop's body with what stands before the loop is settled
//     once, in front of the loop.
//   - An asynchronous copy is ordered after earlier accesses where it starts,
//     and becomes an access like others at the wait that covers its group.
//   - A barrier that later ones made superfluous is removed at the end.
//   - Teams of warpgroups order what they do themselves, each by barriers of
//     its own; those of the block stand in front of them and behind.
//   - The barrier of the cluster is one of the block too, for what precedes the
//     arrival.
//   - An arrival is that of a whole team, by one of its threads: the others
//     have to be done with what they did, and with waiting for earlier phases.
//
// Global memory is ordered too: a block sees its own stores in program order,
// through any parameter that may overlap (docs/language.md section 11).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TeamArrivals.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What is unordered at a point of the kernel
//===----------------------------------------------------------------------===//

namespace {
/// An asynchronous copy, and how many groups were committed since it started.
struct InFlight {
  MemoryAccess access;
  int64_t commits = 0;
};

struct MemoryState {
  /// Accesses since the last barrier on some path.
  SmallVector<MemoryAccess, 0> pending;
  SmallVector<InFlight, 0> inFlight;
  /// Those of them from before an arrival at the barrier of the cluster for
  /// which nobody has waited yet.
  SmallVector<MemoryAccess, 0> arrived;
  /// Whether threads may still wait for a phase that another one saw end.
  bool waiting = false;

  void addPending(const MemoryAccess &access) {
    if (llvm::none_of(pending, [&](const MemoryAccess &old) {
          return covers(old, access);
        }))
      pending.push_back(access);
  }
  void addArrived(const MemoryAccess &access) {
    if (llvm::none_of(arrived, [&](const MemoryAccess &old) {
          return covers(old, access);
        }))
      arrived.push_back(access);
  }
  void addInFlight(const InFlight &copy) {
    if (llvm::none_of(inFlight, [&](const InFlight &old) {
          return old.commits == copy.commits && covers(old.access, copy.access);
        }))
      inFlight.push_back(copy);
  }

  /// Adds what may be unordered on another path; true if that was news.
  bool join(const MemoryState &other) {
    auto count = [&]() {
      return pending.size() + arrived.size() + inFlight.size() + waiting;
    };
    size_t before = count();
    waiting |= other.waiting;
    for (const MemoryAccess &access : other.arrived)
      addArrived(access);
    for (const MemoryAccess &access : other.pending)
      addPending(access);
    for (const InFlight &copy : other.inFlight)
      addInFlight(copy);
    return count() != before;
  }

  /// Rewrites every access; those that become equal are merged.
  void rewrite(function_ref<void(MemoryAccess &)> change) {
    MemoryState old;
    std::swap(old, *this);
    waiting = old.waiting;
    for (MemoryAccess &access : old.pending) {
      change(access);
      addPending(access);
    }
    for (MemoryAccess &access : old.arrived) {
      change(access);
      addArrived(access);
    }
    for (InFlight &copy : old.inFlight) {
      change(copy.access);
      addInFlight(copy);
    }
  }

  void passBarrier() {
    pending.clear();
    arrived.clear();
    waiting = false;
  }

  void arriveAtCluster() {
    for (const MemoryAccess &access : pending)
      addArrived(access);
    pending.clear();
  }
  void waitForCluster() { arrived.clear(); }

  /// Closes the open group.  Copies more than `limit` groups old are alike.
  void commit(int64_t limit) {
    MemoryState old;
    std::swap(old.inFlight, inFlight);
    for (InFlight &copy : old.inFlight)
      addInFlight({copy.access, std::min(copy.commits + 1, limit)});
  }

  /// Waits until only the latest `allowed` groups are unfinished, or only have
  /// to write to global memory.
  void wait(int64_t allowed, bool readOnly = false) {
    llvm::erase_if(inFlight, [&](const InFlight &copy) {
      if (copy.commits <= allowed || (readOnly && copy.access.inGlobal))
        return false;
      addPending(copy.access);
      return true;
    });
  }
};

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

class BarrierInserter {
public:
  explicit BarrierInserter(KernelOp kernel);

  LogicalResult run();

private:
  void walkBlock(Block &block, MemoryState &state);
  void visit(Operation *op, MemoryState &state);
  void visitAccesses(Operation *op, MemoryState &state);
  void visitArrival(Operation *op, MemoryState &state);
  void visitCount(Operation *op, MemoryState &state);
  void visitTma(TmaCopyOp op, MemoryState &state);
  void visitTeams(WarpgroupOp op, MemoryState &state);
  void visitIf(scf::IfOp op, MemoryState &state);
  void visitLoop(Operation *loop, MemoryState &state);
  /// The state where the loop ends, for one where it starts.
  MemoryState walkLoop(Operation *loop, MemoryState head);
  MemoryState walkCountedLoop(LoopLikeOpInterface loop, MemoryState head);
  MemoryState walkWhile(scf::WhileOp loop, MemoryState head);

  /// Whether the kernel, or a loop entered in `state`, lacks a barrier.
  bool lacksBarrier(function_ref<void()> walk);
  void insertBarrier(Operation *before, MemoryState &state);
  void settleOverlaidCopies(Operation *op, MemoryState &state);
  void settleCopies(Operation *op, MemoryState &state);
  void waitForAll(Operation *op, MemoryState &state, bool open);
  void removeSuperfluousBarriers();

  ArrayRef<MemoryAccess> getAccesses(Operation *op);

  KernelOp kernel;
  /// Whether the walk inserts barriers or only notes that one is missing.
  bool inserting = true;
  bool missing = false;
  /// The first op that the walk does not understand.
  Operation *unknownControlFlow = nullptr;
  /// Groups beyond which no wait tells copies apart.
  int64_t commitLimit = 1;
  SmallVector<BarrierOp> inserted;
  DenseMap<Operation *, SmallVector<MemoryAccess, 0>> accesses;
};
} // namespace

BarrierInserter::BarrierInserter(KernelOp kernel) : kernel(kernel) {
  kernel.walk([&](WaitGroupOp wait) {
    commitLimit = std::max(commitLimit, int64_t(wait.getPending()) + 1);
  });
}

ArrayRef<MemoryAccess> BarrierInserter::getAccesses(Operation *op) {
  auto [entry, isNew] = accesses.try_emplace(op);
  if (isNew)
    collectAccesses(op, entry->second);
  return entry->second;
}

void BarrierInserter::walkBlock(Block &block, MemoryState &state) {
  // Barriers are inserted behind the iterator's back, in front of its op.
  for (Operation &op : block)
    visit(&op, state);
}

void BarrierInserter::visit(Operation *op, MemoryState &state) {
  if (isa<BarrierOp>(op))
    state.passBarrier();
  else if (isa<LastShareOp>(op))
    visitCount(op, state);
  else if (isa<ClusterArriveOp>(op))
    state.arriveAtCluster();
  else if (isa<ClusterWaitOp>(op))
    state.waitForCluster();
  else if (isa<BarrierAllocOp, SetMaxRegistersOp, AwaitLaunchesOp,
               AllowLaunchesOp, FenceOp>(op))
    return;
  else if (isa<WaitOp>(op))
    state.waiting = true;
  else if (isa<ArriveOp, ExpectOp>(op))
    visitArrival(op, state);
  else if (auto copy = dyn_cast<TmaCopyOp>(op))
    visitTma(copy, state);
  else if (auto teams = dyn_cast<WarpgroupOp>(op))
    visitTeams(teams, state);
  else if (isa<CommitGroupOp>(op))
    state.commit(commitLimit);
  else if (auto wait = dyn_cast<WaitGroupOp>(op))
    state.wait(wait.getPending(), wait.getReadOnly());
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    visitIf(branch, state);
  else if (isa<scf::ForOp, scf::WhileOp, PipelinedOp>(op))
    visitLoop(op, state);
  else if (op->getNumRegions() == 0 || isa<ParallelOp>(op))
    visitAccesses(op, state);
  else if (!unknownControlFlow)
    unknownControlFlow = op;
}

/// Whether accesses need a barrier against earlier ones.
static bool conflicts(ArrayRef<MemoryAccess> accesses,
                      const MemoryState &state) {
  return llvm::any_of(accesses, [&](const MemoryAccess &access) {
    auto isNeeded = [&](const MemoryAccess &earlier) {
      return needBarrier(earlier, access);
    };
    return llvm::any_of(state.pending, isNeeded) ||
           llvm::any_of(state.arrived, isNeeded);
  });
}

/// An op, or a loop over elements: its iterations are independent and run in
/// different threads, so that a barrier can only stand in front of it.
void BarrierInserter::visitAccesses(Operation *op, MemoryState &state) {
  ArrayRef<MemoryAccess> own = getAccesses(op);
  if (own.empty())
    return;
  settleOverlaidCopies(op, state);
  if (conflicts(own, state))
    insertBarrier(op, state);
  for (const MemoryAccess &access : own) {
    if (access.isAsync)
      state.addInFlight({access});
    // A copy may read its source at once; that it has written is known to
    // nobody before the wait.
    if (!access.isAsync || !access.isWrite)
      state.addPending(access);
  }
}

/// A tile may lie where another one was whose last copies were never waited
/// for: they must not arrive now.  (To touch a tile while its own copy runs is
/// the program's mistake, which a wait would only hide.)
void BarrierInserter::settleOverlaidCopies(Operation *op, MemoryState &state) {
  bool open = false, conflict = false;
  for (const InFlight &copy : state.inFlight)
    for (const MemoryAccess &access : getAccesses(op))
      if (copy.access.isWrite && copy.access.inShared &&
          copy.access.root != access.root && access.root &&
          mayOverlap(copy.access, access)) {
        conflict = true;
        open |= copy.commits == 0;
      }
  if (conflict)
    waitForAll(op, state, open);
}

/// Ends all copies in front of an op; `open`: some belong to no group yet.
void BarrierInserter::waitForAll(Operation *op, MemoryState &state, bool open) {
  if (inserting) {
    OpBuilder builder(op);
    if (open)
      CommitGroupOp::create(builder, op->getLoc());
    WaitGroupOp::create(builder, op->getLoc(), /*pending=*/0);
  }
  missing = true;
  if (open)
    state.commit(commitLimit);
  state.wait(0);
}

/// Groups are those of a team: none stays open where teams begin or end.
void BarrierInserter::settleCopies(Operation *op, MemoryState &state) {
  bool open = llvm::any_of(
      state.inFlight, [](const InFlight &copy) { return copy.commits == 0; });
  if (!state.inFlight.empty())
    waitForAll(op, state, open);
}

void BarrierInserter::insertBarrier(Operation *before, MemoryState &state) {
  missing = true;
  if (inserting) {
    OpBuilder builder(before);
    inserted.push_back(BarrierOp::create(builder, before->getLoc()));
  }
  state.passBarrier();
}

/// One thread arrives for its team.
void BarrierInserter::visitArrival(Operation *op, MemoryState &state) {
  if (auto arrive = dyn_cast<ArriveOp>(op); arrive && arrive.isByParts())
    return;
  // What copies read is read before their threads arrive.
  bool waitsForAll = waitsForAllThreads(op);
  bool isDone = llvm::all_of(state.pending, [&](const MemoryAccess &access) {
    return waitsForAll && access.isAsync && !access.isWrite;
  });
  if ((state.waiting && !waitsForAll) || !isDone || !state.arrived.empty())
    insertBarrier(op, state);
}

/// One thread counts for its block, what all have written, and the barrier by
/// which they learn of it stands behind all before.
void BarrierInserter::visitCount(Operation *op, MemoryState &state) {
  if (!state.pending.empty() || !state.arrived.empty())
    insertBarrier(op, state);
  state.passBarrier();
}

/// One thread starts the copy.  Who reads what a load brings waits for its
/// barrier, and a store is done when its group is; touching their tiles before
/// is the program's mistake.
void BarrierInserter::visitTma(TmaCopyOp op, MemoryState &state) {
  ArrayRef<MemoryAccess> own = getAccesses(op);
  settleOverlaidCopies(op, state);
  // Its bytes may end a phase, as an arrival does.
  if ((op.getBarrier() && state.waiting && !waitsForAllThreads(op)) ||
      conflicts(own, state))
    insertBarrier(op, state);
  if (!op.getBarrier())
    for (const MemoryAccess &access : own)
      state.addInFlight({access});
}

/// Teams start together, after everything that precedes them, and what follows
/// comes after all of them: barriers of the block see to both.
void BarrierInserter::visitTeams(WarpgroupOp op, MemoryState &state) {
  settleCopies(op, state);
  if (state.waiting || !state.pending.empty() || !state.arrived.empty())
    insertBarrier(op, state);
  for (Region &body : op.getBodies()) {
    if (isForOneThread(body.front()))
      continue;
    MemoryState own;
    walkBlock(body.front(), own);
    settleCopies(body.front().getTerminator(), own);
  }
  MemoryAccess &all = state.pending.emplace_back();
  all.inGlobal = all.inShared = all.isWrite = true;
}

/// Conditions are the same in all threads, so that a barrier may stand in a
/// branch.
void BarrierInserter::visitIf(scf::IfOp op, MemoryState &state) {
  MemoryState taken = state;
  walkBlock(*op.thenBlock(), taken);
  if (op.elseBlock())
    walkBlock(*op.elseBlock(), state);
  state.join(taken);
  state.rewrite([&](MemoryAccess &access) { leaveScope(access, op); });
}

void BarrierInserter::visitLoop(Operation *loop, MemoryState &state) {
  if (inserting) {
    // First the barriers that the loop needs by itself.
    MemoryState inner = state;
    inner.passBarrier();
    walkLoop(loop, inner);
    if (lacksBarrier([&]() { walkLoop(loop, state); }))
      insertBarrier(loop, state);
  }
  state = walkLoop(loop, state);
  state.rewrite([&](MemoryAccess &access) { leaveScope(access, loop); });
}

MemoryState BarrierInserter::walkLoop(Operation *loop, MemoryState head) {
  if (auto whileOp = dyn_cast<scf::WhileOp>(loop))
    return walkWhile(whileOp, std::move(head));
  return walkCountedLoop(cast<LoopLikeOpInterface>(loop), std::move(head));
}

MemoryState BarrierInserter::walkCountedLoop(LoopLikeOpInterface loop,
                                             MemoryState head) {
  for (bool changed = true; changed;) {
    MemoryState end = head;
    walkBlock(loop.getLoopRegions().front()->front(), end);
    end.rewrite([&](MemoryAccess &access) { advanceIteration(access, loop); });
    changed = head.join(end);
  }
  // The loop ends where an iteration would begin.
  return head;
}

MemoryState BarrierInserter::walkWhile(scf::WhileOp loop, MemoryState head) {
  MemoryState exit;
  for (bool changed = true; changed;) {
    exit = head;
    walkBlock(*loop.getBeforeBody(), exit);
    MemoryState end = exit;
    walkBlock(*loop.getAfterBody(), end);
    end.rewrite([&](MemoryAccess &access) { leaveScope(access, loop); });
    changed = head.join(end);
  }
  return exit;
}

bool BarrierInserter::lacksBarrier(function_ref<void()> walk) {
  bool outerInserting = std::exchange(inserting, false);
  bool outerMissing = std::exchange(missing, false);
  walk();
  inserting = outerInserting;
  return std::exchange(missing, outerMissing);
}

void BarrierInserter::removeSuperfluousBarriers() {
  // Barriers of inner loops cost most, and of two in a row the later one is
  // tried first.
  auto countLoops = [](Operation *op) {
    int depth = 0;
    while ((op = op->getParentOp()))
      depth += isa<LoopLikeOpInterface>(op);
    return depth;
  };
  SmallVector<std::tuple<int, size_t, BarrierOp>> candidates;
  for (auto [number, barrier] : llvm::enumerate(inserted))
    candidates.emplace_back(countLoops(barrier), number, barrier);
  llvm::sort(candidates, [](const auto &a, const auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) >
           std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (auto &[depth, number, barrier] : candidates) {
    Block::iterator place = std::next(barrier->getIterator());
    Block *block = barrier->getBlock();
    barrier->remove();
    bool needed = lacksBarrier([&]() {
      MemoryState state;
      walkBlock(kernel.getBody().front(), state);
    });
    if (needed)
      block->getOperations().insert(place, barrier);
    else
      barrier->destroy();
  }
}

LogicalResult BarrierInserter::run() {
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError(
        "internal error in tile-insert-barriers: the kernel has "
        "unstructured control flow");
  MemoryState state;
  walkBlock(kernel.getBody().front(), state);
  if (unknownControlFlow)
    return unknownControlFlow->emitError(
               "internal error in tile-insert-barriers: unknown "
               "control flow '")
           << unknownControlFlow->getName() << "'";
  removeSuperfluousBarriers();
  return success();
}

namespace {
struct InsertBarriers : tile::impl::InsertBarriersPassBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(BarrierInserter(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
