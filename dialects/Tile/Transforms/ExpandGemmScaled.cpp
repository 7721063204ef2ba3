//===- ExpandGemmScaled.cpp - Block-scaled products as products -----------===//

#include "dialects/Tile/Transforms/GroupedProduct.h"
#include "dialects/Tile/Transforms/Passes.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDGEMMSCALEDPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Scales are [rows / granularity, groups], whatever the order of the operand,
/// and of rank 1 where there is one group.
static GroupedOperand getOperand(GemmScaledOp op, Value numbers, bool isRowOfK,
                                 Value scale, int64_t granularity) {
  GroupedOperand operand;
  operand.numbers = numbers;
  operand.kDim = isRowOfK ? 0 : 1;
  operand.scale.value = scale;
  int rowDim = 1 - operand.kDim;
  ArrayRef<int64_t> shape = getTileShape(scale.getType());
  for (auto [d, extent] : llvm::enumerate(shape)) {
    FactorDim dim =
        d == 0 ? FactorDim{rowDim, granularity}
               : FactorDim{operand.kDim, int64_t(op.getGranularityK())};
    operand.scale.dims.push_back(extent == 1 ? FactorDim() : dim);
  }
  return operand;
}

static LogicalResult expandGemmScaled(GemmScaledOp op) {
  FailureOr<Value> sum = expandGroupedProduct(
      op,
      getOperand(op, op.getA(), /*isRowOfK=*/op.getTransposeA(), op.getScaleA(),
                 op.getGranularityM()),
      getOperand(op, op.getB(), /*isRowOfK=*/!op.getTransposeB(),
                 op.getScaleB(), op.getGranularityN()),
      op.getAccumulator(), op.getFastAccum());
  if (failed(sum))
    return failure();
  op.replaceAllUsesWith(*sum);
  op.erase();
  return success();
}

namespace {
struct ExpandGemmScaled
    : tile::impl::ExpandGemmScaledPassBase<ExpandGemmScaled> {
  void runOnOperation() override {
    SmallVector<GemmScaledOp> products;
    getOperation().walk([&](GemmScaledOp op) { products.push_back(op); });
    for (GemmScaledOp op : products)
      if (failed(expandGemmScaled(op)))
        return signalPassFailure();
  }
};
} // namespace
