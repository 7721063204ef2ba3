//===- GroupFactors.h - Scales and zero-points of groups ------------------===//
//
// What `expand-dequant` and `expand-gemm-scaled` share: a factor that goes with
// groups of elements of a tile, spread over the elements.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_GROUPFACTORS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_GROUPFACTORS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// How a dimension of a factor follows one of the tile that it goes with: entry
/// i / group for element i.
struct FactorDim {
  int tileDim = -1; ///< -1: the entry is 0
  int64_t group = 1;
};

/// A scalar, fragment or shared tile with an entry for each element of a tile.
struct Factor {
  Value value; ///< null if there is none
  bool isUnsigned = false;
  /// One for each dimension of `value`.
  SmallVector<FactorDim, 4> dims;

  explicit operator bool() const { return value != nullptr; }
  Type getElementType() const { return getTileElementType(value.getType()); }
};

/// The scale or zero-point (which may be null) of a dequant.
Factor getFactor(DequantOp op, Value value, bool isUnsigned);

/// Integers from `lowest` to `highest`.
struct IntegerRange {
  int64_t lowest, highest;
  IntegerRange operator-(const IntegerRange &other) const {
    return {lowest - other.highest, highest - other.lowest};
  }
};

/// What integers, of at most 16 bits, a tile or scalar may hold by its type or,
/// for a constant, its value.  None for other integers and for floats that are
/// no such constant.
std::optional<IntegerRange> findIntegerRange(Value value, bool isUnsigned);

/// The entries of a factor, as `element`, for each element of a tile of
/// `shape`.
Value spreadFactor(OpBuilder &builder, Location loc, const Factor &factor,
                   Type element, ArrayRef<int64_t> shape);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_GROUPFACTORS_H
