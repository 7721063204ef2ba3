//===- ConvertedOperand.cpp - Operands converted in shared memory ---------===//

#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/TileBuilders.h"

using namespace mlir;
using namespace mlir::tile;

SharedType tile::getConvertedType(Value operand, Type type) {
  auto alloc = operand.getDefiningOp<AllocSharedOp>();
  if (!alloc ||
      getElementBits(alloc.getType().getElementType()) >= getElementBits(type))
    return {};
  return SharedType::get(type.getContext(), alloc.getType().getShape(), type,
                         /*packDim=*/-1, SharedLayoutAttr());
}

void tile::convertInShared(GemmOp gemm, bool isA, Type type) {
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  OpOperand &operand = isA ? gemm.getAMutable() : gemm.getBMutable();
  Value numbers = castTo(builder, loc, readTile(builder, loc, operand.get()),
                         type, isA ? gemm.getUnsignedA() : gemm.getUnsignedB());
  Value tile = storeInShared(builder, loc, numbers);
  auto alloc = tile.getDefiningOp<AllocSharedOp>();
  alloc->setAttr(convertedAttrName, builder.getUnitAttr());
  auto source = operand.get().getDefiningOp<AllocSharedOp>();
  if (auto name = source.getNameAttr())
    alloc.setNameAttr(builder.getStringAttr(name.getValue() + " converted"));
  operand.set(tile);
}

SmallVector<AllocSharedOp> tile::getConvertedTiles(PipelinedOp loop) {
  SmallVector<AllocSharedOp> tiles;
  loop.getBody().walk([&](StoreOp store) {
    auto alloc = store.getMemory().getDefiningOp<AllocSharedOp>();
    if (alloc && alloc->hasAttr(convertedAttrName))
      tiles.push_back(alloc);
  });
  return tiles;
}
