//===- TileOrder.h - Which block works on which tile ------------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TILEORDER_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TILEORDER_H

#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// The indices of tuple `number` of those below `extents`, all of one integer
/// type and not negative: the first index is fastest, and of the second `group`
/// stand together, so that tuples of about the same time share operands in L2
/// (docs/decisions/0001).  The numbers 0 to the product of the extents give
/// each tuple once.
SmallVector<Value> emitTuple(OpBuilder &builder, Location loc, Value number,
                             ValueRange extents, int64_t group);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TILEORDER_H
