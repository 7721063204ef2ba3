//===- ProductsInFlight.h - Products across the end of an iteration -------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PRODUCTSINFLIGHT_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PRODUCTSINFLIGHT_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {

/// In a loop of consuming warpgroups that adds one product to a carried
/// accumulator, waits for the product of the iteration before instead of this
/// one, whose buffers are handed back one iteration later.  In another one
/// hands buffers back as soon as the products are done.
void keepProductsInFlight(scf::ForOp loop);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PRODUCTSINFLIGHT_H
