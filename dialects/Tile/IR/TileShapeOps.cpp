//===- TileShapeOps.cpp - Verifiers and folders of the shape family -------===//

#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult BroadcastOp::verify() {
  // broadcast-c1: the element type stays.
  if (getTileElementType(getResult().getType()) != getValue().getType())
    return emitOpError("broadcast-c1: element type is that of the scalar");
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (auto value = dyn_cast_or_null<TypedAttr>(adaptor.getValue()))
    return SplatElementsAttr::get(cast<ShapedType>(getResult().getType()),
                                  Attribute(value));
  return {};
}

std::optional<std::pair<unsigned, int64_t>>
tile::matchIndexGroups(AffineExpr expr) {
  int64_t divisor = 1;
  auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
  if (quotient && expr.getKind() == AffineExprKind::FloorDiv)
    if (auto constant = dyn_cast<AffineConstantExpr>(quotient.getRHS())) {
      divisor = constant.getValue();
      expr = quotient.getLHS();
    }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || divisor > INT32_MAX || !llvm::isPowerOf2_64(divisor))
    return std::nullopt;
  return std::pair(dim.getPosition(), divisor);
}

SmallVector<int, 4> ReindexOp::getDimMap() {
  SmallVector<int, 4> dims;
  for (AffineExpr expr : getMap().getResults()) {
    auto groups = matchIndexGroups(expr);
    dims.push_back(groups ? int(groups->first) : -1);
  }
  return dims;
}

SmallVector<int32_t, 4> ReindexOp::getDivisors() {
  SmallVector<int32_t, 4> divisors;
  for (AffineExpr expr : getMap().getResults()) {
    auto groups = matchIndexGroups(expr);
    divisors.push_back(groups ? int32_t(groups->second) : 1);
  }
  return divisors;
}

LogicalResult ReindexOp::verify() {
  AffineMap map = getMap();
  ArrayRef<int64_t> source = getTileShape(getSource().getType());
  ArrayRef<int64_t> result = getTileShape(getResult().getType());
  // reindex-c1: one map dimension for each of the result, one result for each
  // of the source.
  if (map.getNumDims() != result.size() ||
      map.getNumResults() != source.size() || map.getNumSymbols() != 0)
    return emitOpError(
        "reindex-c1: map goes from the dimensions of the result to "
        "those of the source");
  SmallVector<bool> seen(result.size(), false);
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), source)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      if (constant.getValue() != 0)
        return emitOpError("reindex-c2: a constant index is 0");
      continue;
    }
    auto groups = matchIndexGroups(expr);
    if (!groups)
      return emitOpError("reindex-c2: each index is a dimension, one over a "
                         "power of two, or 0");
    auto [dim, divisor] = *groups;
    // reindex-c3: no dimension twice, extents agree.
    if (seen[dim])
      return emitOpError("reindex-c3: a dimension is used once");
    seen[dim] = true;
    int64_t count = llvm::divideCeil(result[dim], divisor);
    if (count != extent)
      return emitOpError("reindex-c3: extents differ: ")
             << extent << " and " << count;
  }
  return success();
}

LogicalResult RelabelOp::verify() {
  Type source = getSource().getType(), result = getResult().getType();
  LayoutAttr from = getFragmentLayout(source), to = getFragmentLayout(result);
  // relabel-c1: register for register the same numbers.
  if (!from || !to ||
      getTileElementType(source) != getTileElementType(result) ||
      from.getLayout().elementsPerThread() !=
          to.getLayout().elementsPerThread() ||
      from.getLayout().numWarps() != to.getLayout().numWarps())
    return emitOpError("relabel-c1: takes and gives as many registers of as "
                       "many warps");
  return success();
}

OpFoldResult ReindexOp::fold(FoldAdaptor adaptor) {
  if (getMap().isIdentity() && getSource().getType() == getResult().getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getResult().getType()));
  return {};
}

LogicalResult CastOp::verify() {
  Type source = getSource().getType(), result = getResult().getType();
  // cast-c1: shape and layout stay.
  auto from = dyn_cast<RankedTensorType>(source),
       to = dyn_cast<RankedTensorType>(result);
  if (bool(from) != bool(to) || (from && from.getShape() != to.getShape()))
    return emitOpError("cast-c1: shapes differ: ")
           << source << " and " << result;
  // cast-c2: known modes.
  if (std::optional<StringRef> mode = getMode())
    if (*mode != "sat" && *mode != "nosat" && *mode != "up")
      return emitOpError("cast-c2: mode is 'sat', 'nosat' or 'up', found '")
             << *mode << "'";
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType() &&
      getSourceUnsigned() == getResultUnsigned())
    return getSource();
  return {};
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  // convert-layout-c1: only the layout changes.
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("convert-layout-c1: only the layout changes");
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return {};
}

/// reduce-c2: the element type that a reduction or scan gives.
static LogicalResult verifyReducedType(Operation *op, ReductionKind kind,
                                       Type source, Type result) {
  bool isWider = false;
  unsigned from = source.getIntOrFloatBitWidth();
  if (kind == ReductionKind::Sum && from < 32)
    isWider = isa<IntegerType>(source) ? result.isInteger(32) : result.isF32();
  else if (kind == ReductionKind::AbsMax && isa<IntegerType>(source))
    isWider = result.isInteger(from < 32 ? 32 : from);
  else
    isWider = source == result;
  if (!isWider)
    return op->emitOpError("reduce-c2: '")
           << stringifyReductionKind(kind) << "' of " << source
           << " does not give " << result;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  Type result = getResult().getType();
  SmallVector<int64_t> shape(source.getShape());
  if (std::optional<uint64_t> dim = getDim()) {
    // reduce-c1: the result lacks the dimension, or is a scalar without one.
    if (*dim >= shape.size())
      return emitOpError("reduce-c1: there is no dimension ") << int64_t(*dim);
    shape.erase(shape.begin() + *dim);
  } else {
    shape.clear();
  }
  auto fragment = dyn_cast<RankedTensorType>(result);
  if (shape.empty() ? bool(fragment)
                    : !fragment || fragment.getShape() != ArrayRef(shape))
    return emitOpError("reduce-c1: the result lacks dimension 'dim', and is a "
                       "scalar where none is left");
  return verifyReducedType(*this, getKind(), source.getElementType(),
                           getTileElementType(result));
}

LogicalResult ScanOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // scan-c1: sums, along a dimension that exists; the shape stays.
  if (getKind() != ReductionKind::Sum)
    return emitOpError("scan-c1: only 'sum' is known");
  if (getDim() >= uint64_t(source.getRank()) ||
      source.getShape() != result.getShape())
    return emitOpError("scan-c1: keeps the shape, along one of its dimensions");
  return verifyReducedType(*this, getKind(), source.getElementType(),
                           result.getElementType());
}

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // reshape-c1: elements stay.
  if (source.getElementType() != result.getElementType() ||
      source.getNumElements() != result.getNumElements())
    return emitOpError("reshape-c1: keeps type and number of elements");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getResult().getType()));
  return {};
}

LogicalResult ReinterpretOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // reinterpret-c1: each row keeps its bits.
  if (source.getRank() == 0 || source.getRank() != result.getRank() ||
      source.getShape().drop_back() != result.getShape().drop_back() ||
      source.getShape().back() * source.getElementTypeBitWidth() !=
          result.getShape().back() * result.getElementTypeBitWidth())
    return emitOpError("reinterpret-c1: each row keeps its bits");
  return success();
}

OpFoldResult ReinterpretOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return {};
}

LogicalResult IotaOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  // iota-c1: a row of i32.
  if (result.getRank() != 1 || !result.getElementType().isInteger(32))
    return emitOpError("iota-c1: gives i32 of rank 1");
  return success();
}

LogicalResult PartOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // part-c3: the part lies inside the fragment.
  if (source.getElementType() != result.getElementType() ||
      source.getRank() != result.getRank() ||
      int64_t(getOffsets().size()) != source.getRank())
    return emitOpError("part-c3: keeps rank and element type, and has an "
                       "offset for each dimension");
  for (auto [offset, count, extent] :
       llvm::zip_equal(getOffsets(), result.getShape(), source.getShape()))
    if (offset < 0 || offset + count > extent)
      return emitOpError("part-c3: ")
             << offset << " to " << offset + count
             << " lies outside an extent of " << extent;
  return success();
}

OpFoldResult PartOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getResult().getType()));
  return {};
}

LogicalResult JoinOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t dim = getDim(), extent = 0;
  bool fits = dim >= 0 && dim < result.getRank();
  for (Type type : getParts().getTypes()) {
    auto part = cast<RankedTensorType>(type);
    fits &= part.getRank() == result.getRank() &&
            part.getElementType() == result.getElementType();
    if (!fits)
      break;
    SmallVector<int64_t> shape(result.getShape());
    shape[dim] = part.getDimSize(dim);
    fits = part.getShape() == ArrayRef(shape);
    extent += shape[dim];
  }
  // join-c1: the parts make up the result.
  if (!fits || extent != result.getDimSize(dim))
    return emitOpError("join-c1: the parts do not make up ") << result;
  return success();
}

LogicalResult AnnotateLayoutOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  // annotate-layout-c1: a layout of this shape.
  if (!llvm::equal(getLayout().getLayout().shape(), source.getShape()))
    return emitOpError("annotate-layout-c1: the layout is that of another "
                       "shape than ")
           << source;
  return success();
}
