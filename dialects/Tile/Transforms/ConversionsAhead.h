//===- ConversionsAhead.h - Operands made while others multiply -*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_CONVERSIONSAHEAD_H
#define TILE_DIALECTS_TILE_TRANSFORMS_CONVERSIONSAHEAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {

/// Where the one product of warpgroups of a loop over a ring takes an operand
/// from registers, makes the operand of each iteration while the one before
/// multiplies.  False, with nothing changed, if the loop is another.
bool makeOperandsAhead(scf::ForOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_CONVERSIONSAHEAD_H
