//===- GemmTiling.h - How an instruction covers a product's tile ----------===//
#ifndef TILE_DIALECTS_TILE_IR_GEMMTILING_H
#define TILE_DIALECTS_TILE_IR_GEMMTILING_H

#include "dialects/Layout/MmaLayout.h"
#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether an operand that the instruction takes as `type` is converted or
/// computed, which happens in registers.
bool isFromRegisters(Value operand, Type type);

/// How `mma` covers the tile of `gemm`, whether it fits or not.
layout::MmaTiling getTiling(GemmOp gemm, MmaAttr mma);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_GEMMTILING_H
