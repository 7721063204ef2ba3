//===- ReindexLookup.h - Index maps that threads look up --------*- C++ -*-===//
//
// An index map is free where a layout of its source gives each thread what it
// reads.  Where warps are no power of two there may be none: of scales of 128
// rows each, three groups of warps with 64 rows have halves.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_REINDEXLOOKUP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_REINDEXLOOKUP_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Replaces an op, whose source and result have their layouts, by a loop that
/// reads each element from a shared tile.  Fails, with an error, for elements
/// of 4 bits.
LogicalResult lookUpInShared(ReindexOp reindex);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_REINDEXLOOKUP_H
