//===- StepsAhead.h - Operands made a step of K ahead -----------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_STEPSAHEAD_H
#define TILE_DIALECTS_TILE_TRANSFORMS_STEPSAHEAD_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {

/// Makes what a product of warpgroups takes from registers while the step of K
/// before multiplies, in a loop over a ring whose iterations have an even
/// number of steps; false, and nothing changed, if the loop is another.
bool makeStepsAhead(scf::ForOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_STEPSAHEAD_H
