//===- PartialTiles.h - Parts of shared tiles that are no tiles -----------===//
//
// A part of a shared tile whose rows lie as those of a tile, and which starts
// where vectors do, is one to all that reads and writes it (SharedParts.h). Any
// other part is accessed as elements of the whole: it may lack an inner
// dimension or start anywhere, even inside a byte.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PARTIALTILES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PARTIALTILES_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Rewrites all that uses such parts in terms of the whole tiles.  Fails with
/// an error where an asynchronous copy cannot be done so.
LogicalResult resolvePartialTiles(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PARTIALTILES_H
