//===- ShiftedNibbles.h - 4-bit integers times 16 in products ---*- C++ -*-===//
//
// A 4-bit integer becomes a byte by extending its sign, five instructions for a
// word, or by clearing the four bits below it, one or two: then it is 16 times
// itself.  Sums of such products are exact multiples of 16 (or of 256, where
// both operands are such) as long as none leaves 32 bits, and a shift behind
// the loop takes that away:
//
//     acc + sum of a * q    ->    (sum of a * (16 * q)) >> 4
//
// How many products fit is known from the types: a loop with more of them takes
// the numbers as they are.  Where their number is known at launch, all that is
// done with tiles is there twice.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SHIFTEDNIBBLES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SHIFTEDNIBBLES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {

/// Where a product of warpgroups adds up from 0, in a loop, what is converted
/// from 4-bit integers, makes the conversion one to 16 times the numbers; where
/// it depends on the number of iterations, in a second loop over tiles.  Gives
/// the loops that stand for `loop` now.
SmallVector<scf::ForOp, 2> shiftNibbles(scf::ForOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SHIFTEDNIBBLES_H
