//===- LowerGemm.cpp - Split matrix products into steps of K --------------===//
//
// Each step reads its part of both operands in the layouts of the plan
// (GemmPlan.h), turns what is stored transposed, converts what is stored
// narrow, and multiplies.  Sums of 8-bit floats join the accumulator in f32
// every so often.  schedule-mma overlaps the steps.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERGEMMPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// One operand of a gemm and how a step of it is read.
struct OperandStep {
  Value memory;
  bool transposed;
  bool isUnsigned;
  /// Position of K in the stored tile.
  int kDim;
  layout::FragmentLayout load, instruction;
};
} // namespace

static RankedTensorType getFragmentType(const layout::FragmentLayout &layout,
                                        Type element) {
  SmallVector<int64_t> shape(layout.shape());
  return RankedTensorType::get(shape, element,
                               LayoutAttr::get(element.getContext(), layout));
}

/// Reads the part of the operand from `k` on and brings it to the type, the
/// orientation and the registers of the instruction.
static Value loadStep(OpBuilder &builder, Location loc,
                      const OperandStep &operand, int64_t k,
                      Type instructionType) {
  Type stored = getTileElementType(operand.memory.getType());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  Value start =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(k));
  SmallVector<Value> indices(2, zero);
  indices[operand.kDim] = start;
  Value value =
      LoadOp::create(builder, loc, getFragmentType(operand.load, stored),
                     operand.memory, indices, /*pad=*/Value());
  if (operand.transposed) {
    auto map = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                            builder.getContext());
    value = ReindexOp::create(
        builder, loc, getFragmentType(operand.load.permuteDims({1, 0}), stored),
        value, map);
  }
  if (stored != instructionType)
    value = CastOp::create(
        builder, loc, getFragmentType(operand.instruction, instructionType),
        value, /*mode=*/StringAttr(), operand.isUnsigned,
        /*result_unsigned=*/false);
  return value;
}

namespace {
/// The sum that instructions add to: the accumulator, or, where the hardware
/// adds 8-bit floats with few bits, a sum of its own that joins the accumulator
/// every `promotionInterval` elements of K.
class PartialSums {
public:
  PartialSums(OpBuilder &builder, Location loc, Value accumulator,
              bool promotes)
      : builder(builder), loc(loc), accumulator(accumulator),
        promotes(promotes) {}

  Value getSum() {
    if (!promotes)
      return accumulator;
    if (!partial)
      partial = arith::ConstantOp::create(
          builder, loc,
          cast<TypedAttr>(builder.getZeroAttr(accumulator.getType())));
    return partial;
  }
  /// `endK`: the elements of K that are in the sum.
  void setSum(Value sum, int64_t endK) {
    (promotes ? partial : accumulator) = sum;
    if (endK % promotionInterval == 0)
      promote();
  }
  Value finish() {
    promote();
    return accumulator;
  }

private:
  void promote() {
    if (partial)
      accumulator = arith::AddFOp::create(builder, loc, accumulator, partial);
    partial = Value();
  }

  OpBuilder &builder;
  Location loc;
  Value accumulator, partial;
  bool promotes;
};
} // namespace

static LogicalResult lowerGemm(GemmOp gemm, int64_t warps, StringRef pass) {
  if (!getFragmentLayout(gemm.getResult().getType()))
    return gemm.emitError("internal error in ")
           << pass
           << ": 'tile.gemm' has no layout; run tile-infer-layouts first";
  GemmPlan plan = planGemm(gemm, warps);
  MmaAttr mma = *gemm.getMma();
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  OperandStep a{gemm.getA(),         gemm.getTransposeA(),
                gemm.getUnsignedA(), gemm.getTransposeA() ? 0 : 1,
                plan.loadA,          plan.a};
  OperandStep b{gemm.getB(),         gemm.getTransposeB(),
                gemm.getUnsignedB(), gemm.getTransposeB() ? 1 : 0,
                plan.loadB,          plan.b};
  PartialSums sums(builder, loc, gemm.getAccumulator(),
                   needsPromotion(mma) && !gemm.getFastAccum());
  for (int64_t k = 0; k < gemm.getTileK(); k += plan.kStep) {
    Value fragmentA = loadStep(builder, loc, a, k, mma.getTypeA());
    Value fragmentB = loadStep(builder, loc, b, k, mma.getTypeB());
    Value sum = sums.getSum();
    sums.setSum(MmaOp::create(builder, loc, sum.getType(), fragmentA, fragmentB,
                              sum, mma, gemm.getUnsignedA(),
                              gemm.getUnsignedB()),
                k + plan.kStep);
  }
  gemm.replaceAllUsesWith(sums.finish());
  gemm.erase();
  return success();
}

namespace {
struct LowerGemm : tile::impl::LowerGemmPassBase<LowerGemm> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (failed(checkGemms(kernel, getArgument())))
        return signalPassFailure();
      int64_t warps = getNumWarps(kernel);
      SmallVector<GemmOp> gemms;
      kernel.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
      for (GemmOp gemm : gemms)
        if (failed(lowerGemm(gemm, warps, getArgument())))
          return signalPassFailure();
    }
  }
};
} // namespace
