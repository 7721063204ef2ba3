//===- ExpandDequant.cpp - Write dequantisation as arithmetic -------------===//
//
// (q - z) * s becomes a conversion, a subtraction and a multiplication of
// fragments.  Every step but the last is exact, or as good as the type in which
// the result is wanted:
//
//   - in the type T of the result where q - z and s are numbers of T, so that
//     only the product rounds;
//   - else in f32, rounded to T at the end (f64 beside zero-points of 64 bits).
//
// A zero-point that may have more than 16 bits is subtracted as an integer.
//
// Beside an operand of at most 8 bits numbers are multiplied as they are stored
// (GroupedProduct.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GroupedProduct.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDDEQUANTPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The steps of one dequantisation.
namespace {
struct DequantPlan {
  /// In which differences are multiplied.
  Type work;
  /// Whether integers are subtracted, as i64, before they become `work`.
  bool subtractsIntegers = false;
};
} // namespace

/// Whether every value of `range` is a number of `type`.
static bool holdsIntegers(Type type, const IntegerRange &range) {
  int64_t bound = int64_t(1) << cast<FloatType>(type).getFPMantissaWidth();
  return -bound <= range.lowest && range.highest <= bound;
}

/// Whether every number of `from` is one of `type`, f32 or a 16-bit float.
static bool holdsFloats(Type type, Type from) {
  const llvm::fltSemantics &to = cast<FloatType>(type).getFloatSemantics(),
                           &source = cast<FloatType>(from).getFloatSemantics();
  if (isa<Float8E8M0FNUType>(from)) // reaches from 2^-127 to 2^127
    return !type.isF16();
  return llvm::APFloat::isRepresentableBy(source, to);
}

static bool holdsScale(Type type, Value scale) {
  FloatAttr constant;
  if (!matchPattern(scale, m_Constant(&constant)))
    return holdsFloats(type, getTileElementType(scale.getType()));
  llvm::APFloat value = constant.getValue();
  bool loses = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  return !loses;
}

/// Whether all of q - z can be computed exactly in a float type.
static bool holdsDifference(Type type, DequantOp op) {
  Type source = getTileElementType(op.getSource().getType());
  if (isa<FloatType>(source))
    return !op.getZero() && holdsFloats(type, source);
  IntegerRange q = *findIntegerRange(op.getSource(), op.getUnsignedSource());
  if (!op.getZero())
    return holdsIntegers(type, q);
  auto z = findIntegerRange(op.getZero(), op.getUnsignedZero());
  return z && holdsIntegers(type, q) && holdsIntegers(type, *z) &&
         holdsIntegers(type, q - *z);
}

static DequantPlan planDequant(DequantOp op) {
  Type result = getTileElementType(op.getResult().getType());
  if (holdsDifference(result, op) &&
      (!op.getScale() || holdsScale(result, op.getScale())))
    return {result};
  OpBuilder builder(op);
  Value zero = op.getZero();
  if (!zero || findIntegerRange(zero, op.getUnsignedZero()))
    return {builder.getF32Type()};
  Type element = getTileElementType(zero.getType());
  if (element.getIntOrFloatBitWidth() == 64)
    return {builder.getF64Type()};
  bool isInteger =
      isa<IntegerType>(element) &&
      isa<IntegerType>(getTileElementType(op.getSource().getType()));
  return {builder.getF32Type(), isInteger};
}

static void expandDequant(DequantOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  DequantPlan plan = planDequant(op);
  ArrayRef<int64_t> shape = getTileShape(op.getSource().getType());
  Type first = plan.subtractsIntegers ? builder.getI64Type() : plan.work;
  Value value = castTo(builder, loc, readTile(builder, loc, op.getSource()),
                       first, op.getUnsignedSource());
  if (Factor zero = getFactor(op, op.getZero(), op.getUnsignedZero())) {
    Value zeros = spreadFactor(builder, loc, zero, first, shape);
    if (plan.subtractsIntegers)
      value = castTo(builder, loc,
                     arith::SubIOp::create(builder, loc, value, zeros),
                     plan.work, /*isUnsigned=*/false);
    else
      value = arith::SubFOp::create(builder, loc, value, zeros);
  }
  if (Factor scale = getFactor(op, op.getScale(), /*isUnsigned=*/false))
    value = arith::MulFOp::create(
        builder, loc, value,
        spreadFactor(builder, loc, scale, plan.work, shape));
  op.replaceAllUsesWith(castTo(builder, loc, value,
                               getTileElementType(op.getResult().getType()),
                               /*isUnsigned=*/false));
  op.erase();
}

//===----------------------------------------------------------------------===//
// Beside operands of at most 8 bits
//===----------------------------------------------------------------------===//

/// The dequantisation that an operand is, if its numbers are multiplied as they
/// are stored.
static DequantOp getQuantised(Value operand) {
  Type element = getTileElementType(operand.getType());
  bool isHalf = element.isF16() || element.isBF16();
  return isHalf ? DequantOp() : operand.getDefiningOp<DequantOp>();
}

static bool isGroupedProduct(GemmOp gemm) {
  auto isStored = [](Value operand) {
    return getQuantised(operand) ||
           getElementBits(getTileElementType(operand.getType())) <= 8;
  };
  return (getQuantised(gemm.getA()) || getQuantised(gemm.getB())) &&
         isStored(gemm.getA()) && isStored(gemm.getB());
}

/// What was in a tile when the dequantisation read it.
static Value readAt(DequantOp op, Value tile, GemmOp gemm) {
  if (!tile || !isa<SharedType>(tile.getType()) ||
      isUnchangedBetween(tile, op, gemm))
    return tile;
  OpBuilder builder(op);
  return readTile(builder, op.getLoc(), tile);
}

static GroupedOperand getOperand(GemmOp gemm, Value value, bool isUnsigned,
                                 int kDim) {
  DequantOp op = getQuantised(value);
  if (!op)
    return {value, isUnsigned, kDim, {}, {}};
  return {readAt(op, op.getSource(), gemm), op.getUnsignedSource(), kDim,
          getFactor(op, readAt(op, op.getScale(), gemm), /*isUnsigned=*/false),
          getFactor(op, readAt(op, op.getZero(), gemm), op.getUnsignedZero())};
}

static LogicalResult expandGroupedProduct(GemmOp gemm) {
  FailureOr<Value> sum =
      expandGroupedProduct(gemm,
                           getOperand(gemm, gemm.getA(), gemm.getUnsignedA(),
                                      gemm.getTransposeA() ? 0 : 1),
                           getOperand(gemm, gemm.getB(), gemm.getUnsignedB(),
                                      gemm.getTransposeB() ? 1 : 0),
                           gemm.getAccumulator(), gemm.getFastAccum());
  if (failed(sum))
    return failure();
  gemm.replaceAllUsesWith(*sum);
  gemm.erase();
  return success();
}

namespace {
struct ExpandDequant : tile::impl::ExpandDequantPassBase<ExpandDequant> {
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (isGroupedProduct(gemm))
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms)
      if (failed(expandGroupedProduct(gemm)))
        return signalPassFailure();
    SmallVector<DequantOp> dequants;
    getOperation().walk([&](DequantOp op) { dequants.push_back(op); });
    for (DequantOp op : dequants)
      if (op->use_empty())
        op->erase();
      else
        expandDequant(op);
  }
};
} // namespace
