//===- PackedOperand.h - Operands packed for their reads ------------------===//
//
// A tile of a prepacked tensor lies in the order in which the threads read it,
// part by part, so that any layout of the parts is read in wide accesses.  The
// layouts of a product (GemmPlan.h) may then suit what comes after the read.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PACKEDOPERAND_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PACKEDOPERAND_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether a shared tile holds, in the order of its reads, elements of a
/// prepacked tensor; or will, once apply-prepack has run.
bool isPrepacked(Value tile);

/// The layout with its registers in the order in which a conversion to elements
/// of 16 bits takes them from a word: the halves of a pair half a word apart.
layout::FragmentLayout orderForPairs(const layout::FragmentLayout &layout,
                                     unsigned elementBits);

/// The layout of 4-bit elements with its registers in the order in which a
/// conversion to bytes takes them from a word: every other one is in one
/// register of the result.
layout::FragmentLayout orderForBytes(const layout::FragmentLayout &layout);

/// The order of a tile that is read in parts of a layout; none, with the reason
/// in `error`, if there is none.
std::optional<layout::PackedTile> packTile(SharedType tile,
                                           const layout::FragmentLayout &part,
                                           std::string *error = nullptr);

/// Reads the part of a shared tile that begins at `start`, from the rows of its
/// memory if it is packed.
Value loadPart(OpBuilder &builder, Location loc, Value tile,
               ArrayRef<int64_t> start, const layout::FragmentLayout &part);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PACKEDOPERAND_H
