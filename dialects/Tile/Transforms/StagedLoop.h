//===- StagedLoop.h - A pipelined loop over staged buffers ----------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_STAGEDLOOP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_STAGEDLOOP_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The copies of a loop that run ahead of the iteration that reads them.  Each
/// fills a whole shared tile from a tensor at a place that can be computed for
/// any iteration; the tile is read by the loop only.
struct StagedCopies {
  /// By cp.async, `stages - 1` iterations ahead, into `stages` buffers.
  SmallVector<CopyOp> async;
  int64_t stages = 1;
  /// Through registers, one iteration ahead, into two buffers: for any
  /// alignment.
  SmallVector<CopyOp> throughRegisters;

  bool empty() const { return async.empty() && throughRegisters.empty(); }
};

/// Unit attribute of the `tile.store` that ends a copy through registers.
inline constexpr StringLiteral transitAttrName = "tile.transit";

/// Rewrites a loop with `copies` running ahead.  At least one does.
void stageLoop(PipelinedOp loop, const StagedCopies &copies);

/// Rewrites a loop into one without overlap.
void makeSerialLoop(PipelinedOp loop);

/// The type of the fragment that `copy` becomes on its way through registers:
/// of storage bytes for 4-bit elements.  Null where these do not move as whole
/// bytes.
RankedTensorType getTransitType(CopyOp copy);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_STAGEDLOOP_H
