//===- LowerCopies.cpp - Choose how each copy moves its bytes -------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// cp.async moves 4, 8 or 16 bytes.
static LogicalResult planAsyncCopy(AsyncCopyOp copy) {
  SharedType tile = copy.getDestination().getType();
  int64_t bytes =
      getCopyBytes(copy.getSource(), copy.getSourceIndices(), tile.getShape());
  // An element is aligned as it is wide.
  bytes = std::max<int64_t>(bytes, getElementBits(tile.getElementType()) / 8);
  if (bytes < 4)
    return copy.emitError("an async copy moves 4, 8 or 16 bytes, but only ")
           << bytes << " are known to be aligned";
  copy.setPlanAttr(
      CopyPlanAttr::get(copy.getContext(), CopyEngine::CpAsync, bytes));
  return success();
}

static void planCopy(CopyOp copy) {
  bool fromGlobal = isa<GlobalType>(copy.getSource().getType());
  Value global = fromGlobal ? copy.getSource() : copy.getDestination();
  auto tile = dyn_cast<SharedType>(fromGlobal ? copy.getDestination().getType()
                                              : copy.getSource().getType());
  int64_t bytes = 0;
  bool wholeTile = fromGlobal ? copy.getDestinationIndices().empty()
                              : copy.getSourceIndices().empty();
  if (tile && isa<GlobalType>(global.getType()) && wholeTile &&
      !copy.getPad() && getElementBits(tile.getElementType()) >= 8)
    bytes = getCopyBytes(global,
                         fromGlobal ? copy.getSourceIndices()
                                    : copy.getDestinationIndices(),
                         tile.getShape());
  int64_t elementBytes = std::max<int64_t>(
      getElementBits(getTileElementType(global.getType())) / 8, 1);
  CopyEngine engine =
      bytes > elementBytes ? CopyEngine::Vector : CopyEngine::Scalar;
  copy.setPlanAttr(
      CopyPlanAttr::get(copy.getContext(), engine,
                        engine == CopyEngine::Vector ? bytes : elementBytes));
}

namespace {
struct LowerCopies : tile::impl::LowerCopiesPassBase<LowerCopies> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<AsyncCopyOp>(op))
        failedAny |= failed(planAsyncCopy(copy));
      else if (auto copy = dyn_cast<CopyOp>(op))
        planCopy(copy);
    });
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
