//===- SharedParts.h - How the parts of shared tiles lie in memory --------===//
//
// A `tile.slice` is a tile of its own to everything that reads or writes it:
// its type has the swizzle of the whole tile and, as padding, what a row of the
// whole is longer.  For that it must start where the pattern of the swizzle
// starts again.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHAREDPARTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHAREDPARTS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The storage of a tile as far as it is known before layouts are inferred:
/// with what the program asked for.
layout::SharedLayout getAskedStorage(AllocSharedOp alloc);

/// The type of a part, in a tile of `storage`, that is a tile of its own; null
/// if it is none.
SharedType getPartTile(SliceOp slice, const layout::SharedLayout &storage);

/// Whether all parts of a tile of `storage` start where they must.
bool haveAlignedParts(Value tile, const layout::SharedLayout &storage);

/// Gives all parts of a tile, which has its layout, theirs.  Fails with an
/// error at a part that cannot be described so.
LogicalResult inferPartLayouts(Value tile);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHAREDPARTS_H
