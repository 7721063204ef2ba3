//===- SixteenthWeights.cpp - Scaled 4-bit floats, made smaller -----------===//

#include "dialects/Tile/Transforms/SixteenthWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

/// What a value is converted from; null if it is no plain conversion.
static Type getConvertedType(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && !cast.getMode() ? getElementTypeOrSelf(cast.getSource())
                                 : Type();
}

bool tile::hasSixteenthWeights(GemmOp gemm) {
  MmaAttr mma = *gemm.getMma();
  auto operand = gemm.getB().getDefiningOp<OperandOp>();
  if (!operand || !mma.getSwap() || mma.isWgmma() || !mma.getTypeB().isBF16() ||
      !getTileElementType(gemm.getAccumulator().getType()).isF32())
    return false;
  auto product = operand.getBodyBlock()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isBF16())
    return false;
  Type left = getConvertedType(product.getLhs()),
       right = getConvertedType(product.getRhs());
  if (right && isa<Float4E2M1FNType>(right))
    std::swap(left, right);
  return left && right && isa<Float4E2M1FNType>(left) &&
         isa<Float8E8M0FNUType>(right);
}

static Value splat(OpBuilder &builder, Location loc, Value like, double value) {
  auto type = cast<RankedTensorType>(like.getType());
  return arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(
          type, builder.getFloatAttr(type.getElementType(), value)));
}

Value tile::takeSixteenths(OpBuilder &builder, Location loc, Value weights) {
  return arith::MulFOp::create(builder, loc, weights,
                               splat(builder, loc, weights, 1.0 / 16));
}

Value tile::joinSixteenths(OpBuilder &builder, Location loc, Value sums,
                           Value accumulator) {
  return math::FmaOp::create(builder, loc, sums,
                             splat(builder, loc, sums, 16.0), accumulator);
}
