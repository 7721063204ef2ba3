//===- ParallelLayout.h - Which thread runs which iteration ---------------===//
//
// A `tile.parallel` runs each iteration in the thread that holds the element it
// is about.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PARALLELLAYOUT_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PARALLELLAYOUT_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// For indices that are loop indices of `op` or the constant 0: the position of
/// each (-1 for 0).  None if an index is anything else.
std::optional<SmallVector<int, 4>> getLoopDims(ParallelOp op,
                                               ValueRange indices);

/// Whether every iteration reads the element at its own indices.
bool isAtIteration(ParallelOp op, ElementOp element);

/// The layout of the iteration space, once fragments have layouts: that of the
/// first result written at the loop's own element, else of the first fragment
/// read there, else a coalesced one over the warps of its team.
layout::FragmentLayout getIterationLayout(ParallelOp op);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PARALLELLAYOUT_H
