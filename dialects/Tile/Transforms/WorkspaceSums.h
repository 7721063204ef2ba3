//===- WorkspaceSums.h - Sums that meet in global memory --------*- C++ -*-===//
//
// Blocks that share a loop and are no cluster store their sums to memory that
// the launch lends.  The last of them to come adds up all, in the order of the
// blocks, so that the result is the same in each run.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_WORKSPACESUMS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_WORKSPACESUMS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

class WorkspaceSums {
public:
  /// The sums of `loop`, which `shares` blocks share.
  WorkspaceSums(PipelinedOp loop, int64_t shares);

  /// Stores those of block `share` that are used.
  void emitStores(OpBuilder &builder, Value share);
  /// Adds up what all blocks stored; what nobody uses stays as it is.
  SmallVector<Value> emitTotals(OpBuilder &builder);
  /// Says what the kernel needs of its launch.
  void setLaunch();

private:
  Value addParts(OpBuilder &builder, Value array, RankedTensorType type);

  PipelinedOp loop;
  KernelOp kernel;
  int64_t shares;
  Location loc;
  /// Bytes for each place of the grid.
  int64_t placeBytes = 0;
  /// Where each sum is, and null for those that nobody uses.
  SmallVector<Value> arrays;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_WORKSPACESUMS_H
