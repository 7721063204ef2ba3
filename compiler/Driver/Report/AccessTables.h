//===- AccessTables.h - How fragments meet memory ---------------*- C++ -*-===//
//
// What each load, store and copy of a variant costs, computed from layouts
// alone by the library that the lowering asks too: widths and bank conflicts
// are exact.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_REPORT_ACCESSTABLES_H
#define TILE_COMPILER_DRIVER_REPORT_ACCESSTABLES_H

#include "compiler/Driver/Report/TextTable.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

/// After `insert-barriers`: accesses of shared memory, with the warp requests
/// of all warps and the wavefronts beyond the least that bank conflicts cost.
TextTable makeSharedAccessTable(mlir::tile::KernelOp kernel);

/// After `insert-barriers`: fragments read from and written to tensors, with
/// the bytes of each access of a thread.
TextTable makeGlobalAccessTable(mlir::tile::KernelOp kernel);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_ACCESSTABLES_H
