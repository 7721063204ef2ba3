//===- BlockWork.h - What one block does, in clocks and bytes ---*- C++ -*-===//
//
// Counted on the kernel as it is before its variants are made.  The clocks were
// fitted to launches of six kernels with 4-bit weights in 187 ways on an H200
// (docs/tuning.md, "The model").
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_BLOCKWORK_H
#define TILE_COMPILER_DRIVER_TUNE_BLOCKWORK_H

#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

struct BlockWork {
  /// Of products and what threads convert for them.
  double clocks = 0;
  /// With waits, which other blocks of a multiprocessor fill.
  double alone = 0;
  /// Moved between tensors and the block.
  double bytes = 0;
  /// Asked for before they are needed, at a time, by loops without products; 0
  /// if nothing is.
  double bytesAhead = 0;
  /// Bytes of what loops carry and end with.
  double sums = 0;
  /// Tiles of a persistent loop that all blocks share; 0 if there is none.
  double tiles = 0;
};

/// Counts the work of a block of a kernel whose sizes are constants; loops
/// whose extent is not known count once.  `countBuffers` gives those of a loop.
BlockWork countBlockWork(
    mlir::tile::KernelOp kernel,
    llvm::function_ref<int64_t(mlir::tile::PipelinedOp)> countBuffers);

/// The clocks of two works that overlap.
double overlapWork(double one, double other);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_BLOCKWORK_H
