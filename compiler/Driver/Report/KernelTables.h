//===- KernelTables.h - Decisions of the passes as tables -----------------===//
//
// Reads what each pass wrote into the module after it: the instruction of each
// matrix product, the layout of each tile, the way of each copy, the place of
// each buffer.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_REPORT_KERNELTABLES_H
#define TILE_COMPILER_DRIVER_REPORT_KERNELTABLES_H

#include "compiler/Driver/Report/TextTable.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

/// After `select-mma`: operands, instruction, and how warps share the tile.
TextTable makeProductTable(mlir::tile::KernelOp kernel);

/// After `select-mma`: what the chosen way of each product costs in one
/// execution, over all warps, and what the runner-up would.
TextTable makeCandidateTable(mlir::tile::KernelOp kernel);

/// After `infer-layouts`: swizzle and padding of the shared tiles.
TextTable makeSharedLayoutTable(mlir::tile::KernelOp kernel);

/// After `infer-layouts`: tile and order of each packed tensor.
TextTable makePackedTensorTable(mlir::tile::KernelOp kernel);

/// The view by which products read a tile of a packed tensor; null for others.
mlir::tile::UnpackedOp findUnpacked(mlir::tile::AllocSharedOp alloc);

/// After `infer-layouts`: which thread holds what of each accumulator.
TextTable makeFragmentTable(mlir::tile::KernelOp kernel);

/// After `lower-copies`: engine and width of each copy.
TextTable makeCopyTable(mlir::tile::KernelOp kernel);

/// After `allocate-shared`: each buffer with stages, offset and size.
TextTable makeBufferTable(mlir::tile::KernelOp kernel);

/// After `insert-barriers`: barriers in the text of the kernel.
int64_t countBarriers(mlir::tile::KernelOp kernel);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_KERNELTABLES_H
