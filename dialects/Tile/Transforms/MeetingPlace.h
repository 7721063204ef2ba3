//===- MeetingPlace.h - Where blocks that share a loop meet -----*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_MEETINGPLACE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_MEETINGPLACE_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Why as many blocks cannot be a cluster; empty if they can.
std::string findClusterObstacle(int64_t shares, StringRef target);

/// Why they had better meet in a workspace: sums in shared memory leave too
/// little of it to what is loaded ahead.
std::string findClusterDrawback(PipelinedOp loop, int64_t sharedLimit);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_MEETINGPLACE_H
