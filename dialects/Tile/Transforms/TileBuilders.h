//===- TileBuilders.h - Ops that several passes write -----------*- C++ -*-===//
//
// What the passes that replace ops by simpler ones have in common: reading a
// tile, converting it and putting it in shared memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TILEBUILDERS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TILEBUILDERS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A fragment of the layout's shape.
RankedTensorType getFragmentType(const layout::FragmentLayout &layout,
                                 Type element);

/// `tile` as a fragment: itself, or what is in the shared tile now.
Value readTile(OpBuilder &builder, Location loc, Value tile);

/// A scalar or fragment converted by value; itself if it has the type.
Value castTo(OpBuilder &builder, Location loc, Value value, Type element,
             bool isUnsigned);

/// A new shared tile with the elements of a fragment of rank 1 or 2: packed
/// along the last dimension if they have 4 bits.
Value storeInShared(OpBuilder &builder, Location loc, Value fragment);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TILEBUILDERS_H
