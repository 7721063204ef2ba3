//===- IterationShare.h - A block's share of a loop -------------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_ITERATIONSHARE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_ITERATIONSHARE_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Leaves to block `share` of `shares` its part of the iterations: successive
/// ones, and as many as the others have, but for one.
void cutToShare(OpBuilder &builder, PipelinedOp loop, Value share,
                int64_t shares);

/// Begins with the sums of the source in the first block, elsewhere with what
/// changes no sum.
void startSums(OpBuilder &builder, PipelinedOp loop, Value isFirst);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_ITERATIONSHARE_H
