//===- GroupFactors.cpp - Scales and zero-points of groups ----------------===//
//
// Groups whose size is a power of two are found by an index map, with which
// layouts compose: each thread holds the entries of its own elements.  Others
// are looked up element by element.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GroupFactors.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

Factor tile::getFactor(DequantOp op, Value value, bool isUnsigned) {
  Factor factor{value, isUnsigned, {}};
  if (!value || value.getType().isIntOrFloat())
    return factor;
  ArrayRef<int64_t> source = getTileShape(op.getSource().getType());
  ArrayRef<int64_t> shape = getTileShape(value.getType());
  int dim = int(op.getDim());
  if (shape.size() < source.size()) { // one for each line along `dim`
    factor.dims.push_back({1 - dim, 1});
    return factor;
  }
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t group =
        int(d) == dim ? int64_t(op.getGroup().value_or(source[d])) : int64_t(1);
    factor.dims.push_back(extent == 1 ? FactorDim() : FactorDim{int(d), group});
  }
  return factor;
}

std::optional<IntegerRange> tile::findIntegerRange(Value value,
                                                   bool isUnsigned) {
  constexpr int64_t bound = int64_t(1) << 16;
  APInt integer;
  APFloat number(0.0);
  std::optional<int64_t> constant;
  if (matchPattern(value, m_ConstantInt(&integer)))
    constant = isUnsigned ? int64_t(integer.getLimitedValue(bound))
                          : integer.getSExtValue();
  else if (matchPattern(value, m_ConstantFloat(&number)) &&
           number.isInteger() &&
           std::abs(number.convertToDouble()) < double(bound))
    constant = int64_t(number.convertToDouble());
  if (constant && -bound < *constant && *constant < bound)
    return IntegerRange{*constant, *constant};
  auto type = dyn_cast<IntegerType>(getTileElementType(value.getType()));
  if (!type || type.getWidth() > 16)
    return std::nullopt;
  int64_t count = int64_t(1) << type.getWidth();
  return isUnsigned ? IntegerRange{0, count - 1}
                    : IntegerRange{-count / 2, count / 2 - 1};
}

/// Looks entries up one by one, where the compiler has no index map for them.
static Value lookUpFactor(OpBuilder &builder, Location loc,
                          const Factor &factor, Type element,
                          RankedTensorType type) {
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  auto loop =
      ParallelOp::create(builder, loc, type.getShape(), zero, ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBodyBlock());
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  SmallVector<Value> place;
  for (const FactorDim &dim : factor.dims)
    place.push_back(dim.tileDim < 0
                        ? getConstant(0)
                        : builder.createOrFold<arith::DivUIOp>(
                              loc,
                              loop.getBodyBlock()->getArgument(dim.tileDim),
                              getConstant(dim.group)));
  Value entry;
  if (isa<SharedType>(factor.value.getType()))
    entry = LoadElementOp::create(builder, loc, factor.getElementType(),
                                  factor.value, place, Value());
  else
    entry = ElementOp::create(builder, loc, factor.getElementType(),
                              factor.value, place);
  YieldOp::create(builder, loc,
                  castTo(builder, loc, entry, element, factor.isUnsigned));
  return loop.getResult(0);
}

Value tile::spreadFactor(OpBuilder &builder, Location loc, const Factor &factor,
                         Type element, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element);
  if (factor.value.getType().isIntOrFloat())
    return BroadcastOp::create(
        builder, loc, type,
        castTo(builder, loc, factor.value, element, factor.isUnsigned));
  if (llvm::any_of(factor.dims, [](const FactorDim &dim) {
        return !llvm::isPowerOf2_64(dim.group);
      }))
    return lookUpFactor(builder, loc, factor, element, type);
  SmallVector<AffineExpr> indices;
  for (const FactorDim &dim : factor.dims)
    indices.push_back(
        dim.tileDim < 0
            ? builder.getAffineConstantExpr(0)
            : builder.getAffineDimExpr(dim.tileDim).floorDiv(dim.group));
  auto map = AffineMap::get(shape.size(), 0, indices, builder.getContext());
  // Converted before it is spread: there are fewer entries than elements.
  Value entries = castTo(builder, loc, readTile(builder, loc, factor.value),
                         element, factor.isUnsigned);
  if (map.isIdentity() && entries.getType() == type)
    return entries;
  return ReindexOp::create(builder, loc, type, entries, map);
}
