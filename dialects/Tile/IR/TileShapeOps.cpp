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
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return emitOpError("reindex-c2: each index is a dimension or 0");
    // reindex-c3: no dimension twice, extents agree.
    if (seen[dim.getPosition()])
      return emitOpError("reindex-c3: a dimension is used once");
    seen[dim.getPosition()] = true;
    if (result[dim.getPosition()] != extent)
      return emitOpError("reindex-c3: extents differ: ")
             << extent << " and " << result[dim.getPosition()];
  }
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
