//===- RefuseUnsupported.cpp - What a kernel says that no pass lowers -----===//
//
// Stands first, so that the program is told in its own words and once.  Who
// teaches the passes an op removes it here.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
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
      .Case([](AssertOp) { return "assert"; })
      .Case([](PrintOp) { return "print"; })
      .Case([](AnnotateLayoutOp) { return "annotate(layout = ...)"; })
      .Default(StringRef());
}

/// Elements of a fragment that a thread may hold: more spill, and the code for
/// each of them takes minutes to compile.
static constexpr int64_t maxElementsPerThread = 2048;

static LogicalResult checkSize(Operation *op, int64_t threads) {
  for (Type type : op->getResultTypes()) {
    auto fragment = dyn_cast<RankedTensorType>(type);
    if (!fragment || !fragment.hasStaticShape())
      continue;
    int64_t elements = llvm::divideCeil(fragment.getNumElements(), threads);
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

/// Says of qualifiers that are taken, but change nothing yet.
static void remarkOnQualifiers(KernelOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), "tile.prepack"))
      emitRemark(argument.getLoc())
          << "'prepack' is not supported yet and is ignored: the elements lie "
             "in the order of a plain tensor";
}

namespace {
struct RefuseUnsupported
    : tile::impl::RefuseUnsupportedPassBase<RefuseUnsupported> {
  using RefuseUnsupportedPassBase::RefuseUnsupportedPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      remarkOnQualifiers(kernel);
      WalkResult walked =
          kernel.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
            StringRef statement = getRefusedStatement(op);
            if (statement.empty())
              return checkSize(op, kernel.getThreads());
            return op->emitError("'") << statement << "' is not supported yet";
          });
      if (walked.wasInterrupted() || failed(checkDecisions(kernel, target)))
        signalPassFailure();
    }
  }
};
} // namespace
