//===- SharedSwizzle.h - How shared tiles lie in memory ---------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Sets the swizzle with the fewest bank conflicts over the reads of all gemms
/// and the copies into the tile, or the one that the program asked for.
LogicalResult chooseSharedLayout(AllocSharedOp alloc);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSWIZZLE_H
