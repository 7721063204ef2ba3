//===- ScaledSums.cpp - Scales of weights on their sums -------------------===//

#include "dialects/Tile/Transforms/ScaledSums.h"
#include "dialects/Tile/IR/CastExponent.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Of two, by which converted weights are multiplied.
static constexpr int64_t sumsExponent = -13;
static_assert(swappedDepth * 15 < 1 << -sumsExponent, "sums stay in range");

namespace {
/// What the body of an operand computes: numbers * scale.
struct ScaledBody {
  CastOp numbers;
  /// The input of the operand that is the scale.
  unsigned scale;
};
} // namespace

static std::optional<unsigned> getInput(OperandOp operand, Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != operand.getBodyBlock())
    return std::nullopt;
  return argument.getArgNumber();
}

static std::optional<ScaledBody> matchBody(OperandOp operand) {
  auto product = operand.getBodyBlock()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::MulFOp>();
  if (!product || product->getParentOp() != operand)
    return std::nullopt;
  for (bool isFirst : {true, false}) {
    Value left = product->getOperand(isFirst ? 0 : 1),
          right = product->getOperand(isFirst ? 1 : 0);
    auto numbers = left.getDefiningOp<CastOp>();
    std::optional<unsigned> scale = getInput(operand, right);
    if (numbers && getInput(operand, left) == 0u && scale && *scale != 0)
      return ScaledBody{numbers, *scale};
  }
  return std::nullopt;
}

/// Whether an input has one entry for `extent` elements along K, stored
/// dimension `kDim`, beginning at `begin`.
static bool isSameAlongK(OperandOp operand, unsigned input, unsigned kDim,
                         int64_t begin, int64_t extent) {
  return llvm::all_of(operand.getMap(input).getResults(), [&](AffineExpr expr) {
    auto groups = matchIndexGroups(expr);
    return !groups || groups->first != kDim ||
           begin / groups->second == (begin + extent - 1) / groups->second;
  });
}

bool tile::hasScaleOfSums(GemmOp gemm) {
  auto operand = gemm.getB().getDefiningOp<OperandOp>();
  std::optional<ScaledBody> body = operand ? matchBody(operand) : std::nullopt;
  if (!body || !getTileElementType(gemm.getAccumulator().getType()).isF32())
    return false;
  int64_t step = std::gcd(swappedDepth, gemm.getTileK());
  for (int64_t k = 0; k < gemm.getTileK(); k += step)
    if (!isSameAlongK(operand, body->scale, gemm.getTransposeB() ? 1 : 0,
                      gemm.getBeginK() + k, step))
      return false;
  Type stored = getTileElementType(operand.getInputs()[0].getType());
  return stored.isInteger(4) && body->numbers.getResult().getType().isBF16() &&
         !body->numbers.getMode();
}

/// The scale of each element of the accumulator, in f32.
static Value spreadScale(OpBuilder &builder, Location loc, OperandOp operand,
                         unsigned input, const GemmPlan &plan,
                         const OperandStep &step) {
  InputPart part = getInputPart(operand, input, step);
  // Columns of the accumulator lie where those of the operand do.
  OperandStep sums = step;
  sums.instruction = plan.accumulator;
  InputPart ofSums = getInputPart(operand, input, sums);
  assert(part.layout == ofSums.layout &&
         "threads that hold weights hold their sums");
  Value scale = operand.getInputs()[input];
  Type element = getTileElementType(scale.getType());
  if (isa<SharedType>(scale.getType()))
    scale = loadPart(builder, loc, scale, part.start, part.layout);
  scale = ReindexOp::create(builder, loc,
                            getFragmentType(plan.accumulator, element), scale,
                            ofSums.map);
  return castTo(builder, loc, scale, builder.getF32Type(),
                /*isUnsigned=*/false);
}

Value tile::emitScaledSums(OpBuilder &builder, GemmOp gemm,
                           const GemmPlan &plan, Value accumulator, Value a,
                           Value stored, const OperandStep &step) {
  Location loc = gemm.getLoc();
  auto operand = gemm.getB().getDefiningOp<OperandOp>();
  ScaledBody body = *matchBody(operand);
  MmaAttr mma = *gemm.getMma();
  auto type = cast<RankedTensorType>(accumulator.getType());
  auto splat = [&](double value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        SplatElementsAttr::get(type, builder.getF32FloatAttr(float(value))));
  };
  auto numbers = CastOp::create(
      builder, loc, getFragmentType(plan.b, mma.getTypeB()), stored,
      /*mode=*/StringAttr(), body.numbers.getSourceUnsigned(),
      /*result_unsigned=*/false);
  numbers->setAttr(castExponentAttrName,
                   builder.getI64IntegerAttr(sumsExponent));
  Value scale = spreadScale(builder, loc, operand, body.scale, plan, step);
  Value sums =
      MmaOp::create(builder, loc, type, a, numbers, splat(0.0), mma,
                    gemm.getUnsignedA(), body.numbers.getSourceUnsigned());
  Value scaled = arith::MulFOp::create(builder, loc, sums, scale);
  return math::FmaOp::create(builder, loc, scaled,
                             splat(std::ldexp(1.0, -int(sumsExponent))),
                             accumulator);
}
