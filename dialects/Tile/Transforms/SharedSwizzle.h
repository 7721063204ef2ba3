//===- SharedSwizzle.h - How shared tiles lie in memory ---------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Sets the swizzle with the fewest bank conflicts over the reads of all gemms
/// and the copies into the tile, or the one that the program asked for.
LogicalResult chooseSharedLayout(AllocSharedOp alloc);

/// The swizzle of a tile, or of the one that it is a part of, if TMA moves it:
/// then it is not chosen for those who read it.
std::optional<layout::Swizzle> getTmaSwizzle(Value tile);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H
