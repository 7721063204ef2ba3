//===- AssignTensorMaps.cpp - What TMA copies are told of tensors ---------===//
//
// A copy by TMA reads a tensor map, which describes the whole tensor and the
// box that one copy moves.  Copies of equal boxes of one tensor share a map.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TensorMaps.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASSIGNTENSORMAPSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static LogicalResult assignMaps(KernelOp kernel) {
  TensorMaps maps(kernel);
  Builder builder(kernel.getContext());
  WalkResult walked = kernel.walk([&](TmaCopyOp op) -> WalkResult {
    if (op.getMap())
      return success();
    std::string obstacle;
    std::optional<TmaPlan> plan = planTmaCopy(op, obstacle);
    if (!plan)
      return op.emitError("this 'tma_copy' cannot be done: ") << obstacle;
    op.setMapAttr(builder.getI64IntegerAttr(
        maps.add(plan->tensor.getArgNumber(), plan->box, plan->swizzle)));
    return success();
  });
  if (!maps.empty())
    kernel.setTensorMapsAttr(maps.getAttr());
  return failure(walked.wasInterrupted());
}

namespace {
struct AssignTensorMaps
    : tile::impl::AssignTensorMapsPassBase<AssignTensorMaps> {
  void runOnOperation() override {
    // What is wrong with one variant of a kernel is wrong with the others.
    llvm::StringSet<> failed;
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (!failed.contains(kernel.getSourceName()) &&
          mlir::failed(assignMaps(kernel)))
        failed.insert(kernel.getSourceName());
    if (!failed.empty())
      signalPassFailure();
  }
};
} // namespace
