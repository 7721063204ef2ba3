//===- OperandDepth.h - K of an operand made at a time ----------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_OPERANDDEPTH_H
#define TILE_DIALECTS_TILE_TRANSFORMS_OPERANDDEPTH_H

#include "dialects/Layout/MmaLayout.h"
#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Elements of K that a product of warpgroups, whose left operand is made in
/// registers, takes at a time: all of the tile's, or, where that is long or two
/// sets of so many registers do not fit beside the sums, a half of it, a
/// quarter or less; what `depth` decides if it does.  `tiling` is that of
/// `mma`.
int64_t getOperandDepth(GemmOp gemm, MmaAttr mma,
                        const layout::MmaTiling &tiling);

/// Notes the depth of a product that has its `mma`, if it takes an operand from
/// registers in steps; an error if it cannot have the one decided on.
LogicalResult settleOperandDepth(GemmOp gemm);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_OPERANDDEPTH_H
