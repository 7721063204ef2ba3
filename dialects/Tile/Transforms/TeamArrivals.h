//===- TeamArrivals.h - Phases that wait for whole teams --------*- C++ -*-===//
//
// What one thread does for its team at a barrier may end a phase, upon which
// others go on and end further ones.  A thread that still waits for an earlier
// phase, which it knows by its parity only, would then wait for ever; so all
// are together in front of it (InsertBarriers.cpp).  That is not needed where
// the phase waits for an arrival of each thread behind.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TEAMARRIVALS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TEAMARRIVALS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether each thread of the team arrives behind `op`, with its copies, at the
/// barrier at which one thread arrives in `op`, counts bytes, or starts a copy
/// that does: the phase does not end before all have passed `op`.
bool waitsForAllThreads(Operation *op);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TEAMARRIVALS_H
