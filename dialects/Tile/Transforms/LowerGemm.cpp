//===- LowerGemm.cpp - Split matrix products into steps of K --------------===//
//
// Each step reads its part of both operands in the layouts of the plan
// (GemmPlan.h), turns what is stored transposed, computes what is more than a
// stored tile (OperandExpressions.h), converts what is narrow, and multiplies.
// Sums of 8-bit floats join the accumulator in f32 every so often. schedule-mma
// overlaps the steps.  Products of warpgroups read their operands from shared
// memory themselves, but for one that is converted or computed: all of its K is
// put into registers at once.  Scales of weights may be left to their sums
// (ScaledSums.h), and weights made smaller than they are (SixteenthWeights.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/ScaledSums.h"
#include "dialects/Tile/Transforms/SixteenthWeights.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERGEMMPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Reads what `step` needs of a stored operand and turns it to the orientation
/// of the product.
static Value loadStored(OpBuilder &builder, Location loc, Value memory,
                        const OperandStep &step) {
  Type stored = getTileElementType(memory.getType());
  SmallVector<int64_t> start(2, 0);
  start[step.kDim] = step.start;
  Value value = loadPart(builder, loc, memory, start, step.load);
  if (!step.transposed)
    return value;
  auto map = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                          builder.getContext());
  return ReindexOp::create(
      builder, loc, getFragmentType(step.load.permuteDims({1, 0}), stored),
      value, map);
}

/// The operand of a step, in the type and the registers of the instruction.
static Value emitStep(OpBuilder &builder, Location loc, Value operand,
                      bool isUnsigned, const OperandStep &step,
                      Type instructionType) {
  Value value = loadStored(builder, loc, getStoredOperand(operand), step);
  if (auto expression = operand.getDefiningOp<OperandOp>())
    value = emitOperand(builder, loc, expression, value, step);
  if (getTileElementType(value.getType()) == instructionType)
    return value;
  return CastOp::create(builder, loc,
                        getFragmentType(step.instruction, instructionType),
                        value, /*mode=*/StringAttr(), isUnsigned,
                        /*result_unsigned=*/false);
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
    // What begins at 0, as the sum of a group does, is the first sum.
    if (partial && matchPattern(accumulator, m_AnyZeroFloat()))
      accumulator = partial;
    else if (partial)
      accumulator = arith::AddFOp::create(builder, loc, accumulator, partial);
    partial = Value();
  }

  OpBuilder &builder;
  Location loc;
  Value accumulator, partial;
  bool promotes;
};
} // namespace

/// Erases operands that are no longer read.
static void eraseExpressions(ArrayRef<Value> operands) {
  for (Value operand : operands)
    if (auto expression = operand.getDefiningOp<OperandOp>();
        expression && expression->use_empty())
      expression.erase();
}

/// A product of warpgroups reads its operands from shared memory, one of them
/// from registers where it is converted or computed: all steps of K in one
/// group, or those between two promotions.
static void lowerToWgmma(GemmOp gemm, int64_t warps) {
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  MmaAttr mma = *gemm.getMma();
  GemmPlan plan = planGemm(gemm, warps);
  bool promotes = needsPromotion(mma) && !gemm.getFastAccum();
  PartialSums sums(builder, loc, gemm.getAccumulator(), promotes);
  for (int64_t k = 0; k < gemm.getTileK(); k += plan.kStep) {
    int64_t start = gemm.getBeginK() + k;
    Value a = gemm.getA(), b = gemm.getB();
    if (isFromRegisters(a, mma.getTypeA()))
      a = emitStep(builder, loc, a, gemm.getUnsignedA(),
                   getOperandStep(gemm, plan, /*isA=*/true, start),
                   mma.getTypeA());
    if (isFromRegisters(b, mma.getTypeB()))
      b = emitStep(builder, loc, b, gemm.getUnsignedB(),
                   getOperandStep(gemm, plan, /*isA=*/false, start),
                   mma.getTypeB());
    Value sum = sums.getSum();
    auto fragment = cast<RankedTensorType>(sum.getType());
    auto flying = InFlightType::get(gemm.getContext(), fragment);
    Value started = WgmmaOp::create(
        builder, loc, flying, a, b, sum,
        /*accumulates=*/Value(), gemm.getBeginK() + k, plan.kStep, mma,
        gemm.getTransposeA(), gemm.getTransposeB(), gemm.getUnsignedA(),
        gemm.getUnsignedB(), /*overwrite=*/promotes);
    sums.setSum(MmaWaitOp::create(builder, loc, fragment, started,
                                  /*pending=*/0),
                k + plan.kStep);
  }
  gemm.replaceAllUsesWith(sums.finish());
  SmallVector<Value> operands{gemm.getA(), gemm.getB()};
  gemm.erase();
  eraseExpressions(operands);
}

static LogicalResult lowerGemm(GemmOp gemm, int64_t warps, StringRef pass) {
  if (!getFragmentLayout(gemm.getResult().getType()))
    return gemm.emitError("internal error in ")
           << pass
           << ": 'tile.gemm' has no layout; run tile-infer-layouts first";
  MmaAttr mma = *gemm.getMma();
  if (mma.isWgmma()) {
    lowerToWgmma(gemm, warps);
    return success();
  }
  GemmPlan plan = planGemm(gemm, warps);
  if (gemm.getBeginK() % plan.kStep != 0)
    return gemm.emitError("the range of K begins at ")
           << gemm.getBeginK() << ", within a step of " << plan.kStep;
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  bool areSixteenths = hasSixteenthWeights(gemm);
  Value first = gemm.getAccumulator();
  if (areSixteenths)
    first = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(first.getType())));
  PartialSums sums(builder, loc, first,
                   needsPromotion(mma) && !gemm.getFastAccum());
  for (int64_t k = 0; k < gemm.getTileK(); k += plan.kStep) {
    int64_t start = gemm.getBeginK() + k;
    Value fragmentA = emitStep(builder, loc, gemm.getA(), gemm.getUnsignedA(),
                               getOperandStep(gemm, plan, /*isA=*/true, start),
                               mma.getTypeA());
    if (gemm->hasAttr(scaledSumsAttrName)) {
      OperandStep step = getOperandStep(gemm, plan, /*isA=*/false, start);
      sums.setSum(
          emitScaledSums(
              builder, gemm, plan, sums.getSum(), fragmentA,
              loadStored(builder, loc, getStoredOperand(gemm.getB()), step),
              step),
          k + plan.kStep);
      continue;
    }
    Value fragmentB = emitStep(builder, loc, gemm.getB(), gemm.getUnsignedB(),
                               getOperandStep(gemm, plan, /*isA=*/false, start),
                               mma.getTypeB());
    if (areSixteenths)
      fragmentB = takeSixteenths(builder, loc, fragmentB);
    Value sum = sums.getSum();
    sums.setSum(MmaOp::create(builder, loc, sum.getType(), fragmentA, fragmentB,
                              sum, mma, gemm.getUnsignedA(),
                              gemm.getUnsignedB()),
                k + plan.kStep);
  }
  Value result = sums.finish();
  if (areSixteenths)
    result = joinSixteenths(builder, loc, result, gemm.getAccumulator());
  gemm.replaceAllUsesWith(result);
  SmallVector<Value> operands{gemm.getA(), gemm.getB()};
  gemm.erase();
  eraseExpressions(operands);
  return success();
}

namespace {
struct LowerGemm : tile::impl::LowerGemmPassBase<LowerGemm> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (failed(checkGemms(kernel, getArgument())))
        return signalPassFailure();
      SmallVector<GemmOp> gemms;
      kernel.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
      for (GemmOp gemm : gemms)
        if (failed(lowerGemm(gemm, getNumWarps(gemm), getArgument())))
          return signalPassFailure();
    }
  }
};
} // namespace
