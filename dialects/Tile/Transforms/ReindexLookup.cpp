//===- ReindexLookup.cpp - Index maps that threads look up ----------------===//

#include "dialects/Tile/Transforms/ReindexLookup.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult tile::lookUpInShared(ReindexOp reindex) {
  Location loc = reindex.getLoc();
  auto type = cast<RankedTensorType>(reindex.getResult().getType());
  if (getElementBits(type.getElementType()) == 4)
    return reindex.emitError("groups of 4-bit elements that warps do not share "
                             "evenly are not supported yet");
  OpBuilder builder(reindex);
  Value tile = storeInShared(builder, loc, reindex.getSource());
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  auto loop =
      ParallelOp::create(builder, loc, type.getShape(), zero, ArrayAttr());
  builder.setInsertionPointToEnd(loop.getBodyBlock());
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  SmallVector<Value> place;
  for (AffineExpr index : reindex.getMap().getResults()) {
    auto groups = matchIndexGroups(index);
    place.push_back(
        groups ? builder.createOrFold<arith::DivUIOp>(
                     loc, loop.getBodyBlock()->getArgument(groups->first),
                     getConstant(groups->second))
               : getConstant(0));
  }
  Value element = LoadElementOp::create(builder, loc, type.getElementType(),
                                        tile, place, /*pad=*/Value());
  YieldOp::create(builder, loc, element);
  reindex.replaceAllUsesWith(loop.getResult(0));
  reindex.erase();
  return success();
}
