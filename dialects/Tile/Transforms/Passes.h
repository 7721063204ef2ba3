//===- Passes.h - Passes of the tile dialect ------------------------------===//
//
// The order in which they run is in compiler/Pipeline.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PASSES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PASSES_H

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#include "dialects/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Tile/Transforms/Passes.h.inc"

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PASSES_H
