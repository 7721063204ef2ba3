//===- TileBuilders.cpp - Ops that several passes write -------------------===//
#include "dialects/Tile/Transforms/TileBuilders.h"

using namespace mlir;
using namespace mlir::tile;

RankedTensorType tile::getFragmentType(const layout::FragmentLayout &layout,
                                       Type element) {
  SmallVector<int64_t> shape(layout.shape());
  return RankedTensorType::get(shape, element,
                               LayoutAttr::get(element.getContext(), layout));
}

Value tile::readTile(OpBuilder &builder, Location loc, Value tile) {
  auto shared = dyn_cast<SharedType>(tile.getType());
  if (!shared)
    return tile;
  auto type = RankedTensorType::get(shared.getShape(), shared.getElementType());
  return LoadOp::create(builder, loc, type, tile, ValueRange(),
                        /*pad=*/Value());
}

Value tile::castTo(OpBuilder &builder, Location loc, Value value, Type element,
                   bool isUnsigned) {
  if (getTileElementType(value.getType()) == element)
    return value;
  auto fragment = dyn_cast<RankedTensorType>(value.getType());
  return CastOp::create(builder, loc,
                        fragment ? Type(fragment.clone(element)) : element,
                        value, StringAttr(), isUnsigned,
                        /*result_unsigned=*/false);
}

Value tile::storeInShared(OpBuilder &builder, Location loc, Value fragment) {
  auto type = cast<RankedTensorType>(fragment.getType());
  int64_t packDim =
      getElementBits(type.getElementType()) == 4 ? type.getRank() - 1 : -1;
  auto shared =
      SharedType::get(builder.getContext(), type.getShape(),
                      type.getElementType(), packDim, SharedLayoutAttr());
  Value tile = AllocSharedOp::create(
      builder, loc, shared, builder.getStringAttr("operand"), IntegerAttr());
  StoreOp::create(builder, loc, fragment, tile, ValueRange());
  return tile;
}
