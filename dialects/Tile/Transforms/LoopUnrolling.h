//===- LoopUnrolling.h - Unrolling of loops of the scf dialect --*- C++ -*-===//
//
// In a file without the tile dialect: the header of MLIR that has it declares a
// function `mlir::tile`, which the namespace of that name excludes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_LOOPUNROLLING_H
#define TILE_DIALECTS_TILE_TRANSFORMS_LOOPUNROLLING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace loops {

/// Makes `factor` iterations of the loop one; a second loop has what is left
/// over.  Fails for a loop that MLIR cannot unroll.
mlir::LogicalResult unroll(mlir::scf::ForOp loop, uint64_t factor);

} // namespace loops

#endif // TILE_DIALECTS_TILE_TRANSFORMS_LOOPUNROLLING_H
