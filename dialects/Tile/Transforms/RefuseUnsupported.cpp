//===- RefuseUnsupported.cpp - What a kernel says that no pass lowers -----===//
//
// Stands first, so that the program is told in its own words and once.  Who
// teaches the passes an op removes it here.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tile {
#define GEN_PASS_DEF_REFUSEUNSUPPORTEDPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// What the source says where the dialect has this op; empty if it is lowered.
static StringRef getRefusedStatement(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](AssertOp) { return "assert"; })
      .Case([](PrintOp) { return "print"; })
      .Case([](AnnotateLayoutOp) { return "annotate(layout = ...)"; })
      .Default(StringRef());
}

/// What the source says where the dialect has this op, if it is one of those
/// that GPUs have since sm_90; empty for others.
static StringRef getHopperStatement(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](WarpgroupOp) { return "warpgroup"; })
      .Case([](SetMaxRegistersOp) { return "set_max_registers"; })
      .Case([](BarrierAllocOp) { return "alloc_barrier"; })
      .Case([](TmaCopyOp) { return "tma_copy"; })
      .Default(StringRef());
}

/// Elements of a fragment that a thread may hold: more spill, and the code for
/// each of them takes minutes to compile.
static constexpr int64_t maxElementsPerThread = 2048;

static LogicalResult checkSize(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto fragment = dyn_cast<RankedTensorType>(type);
    if (!fragment || !fragment.hasStaticShape())
      continue;
    int64_t elements =
        llvm::divideCeil(fragment.getNumElements(), getTeamThreads(op));
    if (elements <= maxElementsPerThread)
      continue;
    InFlightDiagnostic error =
        op->emitError() << elements << " elements a thread; the limit is "
                        << maxElementsPerThread;
    error.attachNote() << "help: use a smaller tile or more threads";
    return error;
  }
  return success();
}

/// A team that waits for registers which nobody gives up waits for ever.
static LogicalResult checkRegisterTotals(KernelOp kernel) {
  int64_t share = getRegisterShare(kernel);
  WalkResult walked = kernel.walk([&](WarpgroupOp teams) -> WalkResult {
    int64_t total = 0, all = 0;
    SetMaxRegistersOp last;
    for (Region &team : teams.getBodies()) {
      int64_t groups = teams.getTeamThreads(team.getRegionNumber()) /
                       WarpgroupOp::threadsPerGroup;
      auto limit = dyn_cast<SetMaxRegistersOp>(team.front().front());
      total += groups * (limit ? int64_t(limit.getCount()) : share);
      all += groups * share;
      last = limit ? limit : last;
    }
    if (!last || total <= all)
      return success();
    return last.emitError("warpgroups take ")
           << total << " registers a thread in all, and the block has " << all;
  });
  return failure(walked.wasInterrupted());
}

/// Registers are given up and taken from what the block began with, so that a
/// warpgroup changes their number once.
static LogicalResult checkRegisters(KernelOp kernel) {
  DenseMap<int64_t, int64_t> counts;
  WalkResult walked = kernel.walk([&](SetMaxRegistersOp op) -> WalkResult {
    auto teams = cast<WarpgroupOp>(op->getParentOp());
    unsigned region = op->getParentRegion()->getRegionNumber();
    int64_t count = op.getCount();
    for (int64_t group :
         cast<DenseI64ArrayAttr>(teams.getTeams()[region]).asArrayRef())
      if (int64_t known = counts.try_emplace(group, count).first->second;
          known != count)
        return op.emitError("'set_max_registers' that changes the ")
               << known << " registers of warpgroup " << group << " to "
               << count << " is not supported yet";
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  return checkRegisterTotals(kernel);
}

/// GPUs before sm_90 start a kernel when those before it in the stream are
/// done.
static LogicalResult checkOverlap(KernelOp kernel, StringRef target) {
  auto overlap = getDecidedWord(kernel, "overlap");
  if (!overlap || *overlap == "none" || getComputeCapability(target) >= 90)
    return success();
  return kernel.emitError("decision 'overlap' = ")
         << *overlap << " needs sm_90a, and the target is " << target;
}

namespace {
struct RefuseUnsupported
    : tile::impl::RefuseUnsupportedPassBase<RefuseUnsupported> {
  using RefuseUnsupportedPassBase::RefuseUnsupportedPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      WalkResult walked =
          kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
            if (StringRef refused = getRefusedStatement(op); !refused.empty())
              return op->emitError("'") << refused << "' is not supported yet";
            StringRef hopper = getHopperStatement(op);
            if (!hopper.empty() && getComputeCapability(target) < 90)
              return op->emitError("'") << hopper << "' needs sm_90a, and the "
                                        << "target is " << target;
            return checkSize(op);
          });
      if (walked.wasInterrupted() || failed(checkRegisters(kernel)) ||
          failed(checkDecisions(kernel)) ||
          failed(checkOverlap(kernel, target)))
        signalPassFailure();
    }
  }
};
} // namespace
