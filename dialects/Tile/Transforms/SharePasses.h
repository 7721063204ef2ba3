//===- SharePasses.h - Passes for blocks that share a place -----*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHAREPASSES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHAREPASSES_H

#include "dialects/Tile/IR/TileDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "dialects/Tile/Transforms/SharePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Tile/Transforms/SharePasses.h.inc"

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHAREPASSES_H
