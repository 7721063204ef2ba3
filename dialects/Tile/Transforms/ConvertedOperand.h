//===- ConvertedOperand.h - Operands converted in shared memory -*- C++ -*-===//
//
// Warpgroups take one operand from registers, where it may be converted; the
// other one lies in shared memory as the instruction takes it.  Where both are
// narrower, threads write that one anew, in the instruction's type, into a
// tile that the products read: a *converted* tile.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_CONVERTEDOPERAND_H
#define TILE_DIALECTS_TILE_TRANSFORMS_CONVERTEDOPERAND_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Unit attribute of the allocation of a converted tile.
inline constexpr StringLiteral convertedAttrName = "tile.converted";

/// Unit attribute of an allocation whose readers wait for its writers, and
/// these for them, by barriers with phases.
inline constexpr StringLiteral handedOverAttrName = "tile.handed_over";

/// Buffers of a converted tile: one is read, one may be read by warpgroups
/// that are behind, and one is written.
inline constexpr int64_t convertedBuffers = 3;

/// The converted tile of an operand that is a whole shared tile of narrower
/// elements; null if it is anything else.
SharedType getConvertedType(Value operand, Type type);

/// The order of K (MmaLayout.h) in which 4-bit elements become bytes with the
/// fewest instructions: of each word the even ones are one register, the odd
/// ones another, and the words of a lane lie together.
SmallVector<int64_t> getConvertedOrder(int64_t tileK);

/// Whether `warps` can write a tile of this type in an order of K.
bool canConvertInOrder(SharedType type, ArrayRef<int64_t> order, int64_t warps);

/// Writes an operand of a product, for which there is a converted type, into a
/// converted tile in front of it.  K lies there in the order of `mma`.
void convertInShared(GemmOp gemm, bool isA, MmaAttr mma);

/// Whether what is read goes to a converted tile.
bool feedsConvertedTile(LoadOp load);

/// The converted tiles that a loop of one product writes in each iteration,
/// once.  Others, which it writes under a condition or for several products,
/// have no turn in a ring: they are tiles like any other, with barriers around
/// what is done to them.
SmallVector<AllocSharedOp> getConvertedTiles(PipelinedOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_CONVERTEDOPERAND_H
