//===- FragmentTies.h - Fragments that should have one layout -------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_FRAGMENTTIES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_FRAGMENTTIES_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Calls `tie` for pairs of fragments of one shape between which the op moves
/// no element: operands and result of elementwise ops and casts, what a loop
/// carries, what the sides of a branch give, a product's accumulator.
void forEachTie(Operation *op, llvm::function_ref<void(Value, Value)> tie);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_FRAGMENTTIES_H
