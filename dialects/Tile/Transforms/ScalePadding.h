//===- ScalePadding.h - Scales outside of their tensor ----------*- C++ -*-===//
//
// What lies outside a tensor of scales reads as 1.0, which neither cp.async nor
// TMA can write.  Where a product multiplies each scale with a number of the
// operand that lies outside too, and is 0, any number will do.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SCALEPADDING_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SCALEPADDING_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Drops the pad value of copies of e8m0 from `tensor` where every product that
/// reads them multiplies what lies outside by 0: no code but that of NaN, which
/// nothing is filled with, makes another difference.
void dropScalePads(KernelOp kernel, BlockArgument tensor);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SCALEPADDING_H
