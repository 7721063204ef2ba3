//===- AlignedVariants.h - Variants of a kernel by alignment --------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_ALIGNEDVARIANTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_ALIGNEDVARIANTS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Makes, in front of a kernel, the variants that assume something of the
/// alignment of its tensors, in the order in which a launch tries their guards;
/// an aligned tensor carries `tile.aligned`.  The kernel itself becomes the
/// variant `general`, which assumes nothing.  Only variants that some launch
/// can need are made.  Test: plan-pipeline.mlir.
SmallVector<KernelOp> forkAlignedVariants(KernelOp kernel,
                                          bool withWidest = true);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_ALIGNEDVARIANTS_H
