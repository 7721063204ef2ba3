//===- SharedSums.h - Loops that several blocks may share -------*- C++ -*-===//
//
// Blocks can share the iterations of a loop if all that one iteration hands to
// the next is a sum, to which they add, and if nothing shows which block ran
// which iteration.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSUMS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSUMS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Why blocks cannot share the iterations of a loop, in words that follow the
/// name of the loop or of the option; empty if they can.
std::string findSharingObstacle(PipelinedOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHAREDSUMS_H
