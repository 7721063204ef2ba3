//===- GroupedProduct.h - Products of quantised numbers -------------------===//
//
// A product whose operands have a scale for each group of elements along K is
// the sum of one exact product for each group, multiplied by the scales.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_GROUPEDPRODUCT_H
#define TILE_DIALECTS_TILE_TRANSFORMS_GROUPEDPRODUCT_H

#include "dialects/Tile/Transforms/GroupFactors.h"

namespace mlir::tile {

/// An operand of such a product: (numbers - zero) * scale.
struct GroupedOperand {
  Value numbers; ///< shared tile or fragment
  bool isUnsigned = false;
  int kDim = 0;       ///< its dimension that is K
  Factor scale, zero; ///< dimensions are those of `numbers`

  Type getElementType() const { return getTileElementType(numbers.getType()); }
};

/// Writes accumulator + a * b in front of `op`, or says there why it cannot.
FailureOr<Value> expandGroupedProduct(Operation *op, GroupedOperand a,
                                      GroupedOperand b, Value accumulator,
                                      bool fastAccum);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_GROUPEDPRODUCT_H
