//===- TileShareOps.h - Blocks that share a place of the grid ---*- C++ -*-===//
//
// The ops of the family, and what kernels and loops say of it in attributes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_TILESHAREOPS_H
#define TILE_DIALECTS_TILE_IR_TILESHAREOPS_H

#include "dialects/Tile/IR/TileOps.h"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileShareOps.h.inc"

namespace mlir::tile {

/// Of a `tile.pipelined`: as many blocks may share its iterations, since all
/// that is carried are sums.
inline constexpr StringLiteral splitAttrName = "tile.split";
/// Of a kernel (TileShareOps.td).
inline constexpr StringLiteral sharesAttrName = "tile.shares";
inline constexpr StringLiteral workspaceAttrName = "tile.workspace";

/// A number that an attribute holds, at least 1; 1 if there is none.
inline int64_t getCount(Operation *op, StringRef name) {
  auto count = op->getAttrOfType<IntegerAttr>(name);
  return count ? std::max<int64_t>(count.getInt(), 1) : 1;
}

/// Blocks at each place of the grid.
inline int64_t getShares(KernelOp kernel) {
  return getCount(kernel, sharesAttrName);
}

/// Blocks of a cluster that have tiles of their own, and load together what
/// several of them need.
inline int64_t getMulticastBlocks(KernelOp kernel) {
  return getShares(kernel) > 1 ? 1 : kernel.getClusterSize();
}

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_TILESHAREOPS_H
