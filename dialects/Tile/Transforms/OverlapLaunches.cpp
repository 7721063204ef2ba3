//===- OverlapLaunches.cpp - Kernels that start before others end ---------===//

#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Overlap.h"
#include "dialects/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

Overlap tile::getOverlap(KernelOp kernel) {
  auto decided = getDecidedWord(kernel, "overlap");
  if (decided == StringRef("wait"))
    return Overlap::Wait;
  return decided == StringRef("weights") ? Overlap::Weights : Overlap::None;
}

/// Whether specialize-warps has placed the wait.
static bool hasWait(KernelOp kernel) {
  return kernel.walk([](AwaitLaunchesOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Lets all of the next kernel wait from the start, and waits itself.  Only
/// blocks that have waited may end: a kernel that does not wait for the one
/// before would let the next one start beside it.
static void waitAtStart(KernelOp kernel) {
  auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  AllowLaunchesOp::create(builder, kernel.getLoc());
  AwaitLaunchesOp::create(builder, kernel.getLoc());
}

namespace {
struct OverlapLaunches : tile::impl::OverlapLaunchesPassBase<OverlapLaunches> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (getOverlap(kernel) == Overlap::None)
        continue;
      if (!hasWait(kernel))
        waitAtStart(kernel);
      kernel->setAttr(overlapsAttrName, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace
