//===- PackedStores.h - Stores of 4-bit elements, a byte at a time --------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PACKEDSTORES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PACKEDSTORES_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The dimension along which memory packs 4-bit elements; -1 for others.
int64_t getMemoryPackDim(Type memory);

/// Whether a store of 4-bit elements writes whole bytes: it starts at an even
/// index of the packed dimension and covers an even number of elements.
bool storesWholeBytes(StoreOp store);

/// Replaces a store of 4-bit elements by a loop that writes each byte in one
/// iteration, keeping a neighbour that the tile does not cover.
void storeByteByByte(StoreOp store);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PACKEDSTORES_H
