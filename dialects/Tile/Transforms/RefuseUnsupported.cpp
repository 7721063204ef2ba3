//===- RefuseUnsupported.cpp - What a kernel says that no pass lowers -----===//
//
// Stands first, so that the program is told in its own words and once.  Who
// teaches the passes an op removes it here.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/Passes.h"
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
      .Case([](PersistentOp) { return "persistent"; })
      .Case([](WarpgroupOp) { return "warpgroup"; })
      .Case([](SetMaxRegistersOp) { return "set_max_registers"; })
      .Case([](BarrierAllocOp) { return "alloc_barrier"; })
      .Case([](ArriveOp) { return "arrive"; })
      .Case([](ExpectOp) { return "expect_bytes"; })
      .Case([](WaitOp) { return "wait"; })
      .Case([](TmaCopyOp) { return "tma_copy"; })
      .Case([](DequantOp) { return "dequant"; })
      .Case([](GemmScaledOp) { return "gemm_scaled"; })
      .Case([](AssertOp) { return "assert"; })
      .Case([](PrintOp) { return "print"; })
      .Case([](AnnotateLayoutOp) { return "annotate(layout = ...)"; })
      .Default(StringRef());
}

/// Decisions of the kernel that the passes follow.
static bool isFollowed(StringRef decision) {
  return decision == "raster" || decision == "min_blocks";
}

static LogicalResult refuseDecisions(KernelOp kernel) {
  DictionaryAttr decisions = kernel.getDecisionsAttr();
  if (!decisions)
    return success();
  for (NamedAttribute decision : decisions)
    if (!isFollowed(decision.getName()))
      return kernel.emitError("'annotate(") << decision.getName().getValue()
                                            << " = ...)' is not supported yet";
  return success();
}

namespace {
struct RefuseUnsupported
    : tile::impl::RefuseUnsupportedPassBase<RefuseUnsupported> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      WalkResult walked =
          kernel.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
            StringRef statement = getRefusedStatement(op);
            if (statement.empty())
              return WalkResult::advance();
            return op->emitError("'") << statement << "' is not supported yet";
          });
      if (walked.wasInterrupted() || failed(refuseDecisions(kernel)))
        signalPassFailure();
    }
  }
};
} // namespace
