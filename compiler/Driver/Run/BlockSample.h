//===- BlockSample.h - Which blocks of a large grid to look at ------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_BLOCKSAMPLE_H
#define TILE_COMPILER_DRIVER_RUN_BLOCKSAMPLE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace tilec {

/// Numbers of the blocks (first axis fastest) that are first or last along
/// every axis, in ascending order.  No extent is 0.
std::vector<int64_t> pickCornerBlocks(llvm::ArrayRef<int64_t> extents);

/// Up to `count` more blocks, none of `taken`, in ascending order: half of them
/// on an edge, that is first or last along some axis, the others anywhere.  The
/// same for the same seed.
std::vector<int64_t> pickBlocks(llvm::ArrayRef<int64_t> extents, size_t count,
                                llvm::ArrayRef<int64_t> taken, uint64_t seed);

/// Every block that is not in `taken`, which is in ascending order.
std::vector<int64_t> pickOtherBlocks(llvm::ArrayRef<int64_t> extents,
                                     llvm::ArrayRef<int64_t> taken);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_BLOCKSAMPLE_H
