//===- CastExponent.h - Casts to numbers times a power of two ---*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_IR_CASTEXPONENT_H
#define TILE_DIALECTS_TILE_IR_CASTEXPONENT_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile {

/// Integer attribute of a `tile.cast` from integers to a wider type that holds
/// them all, a float or an integer: the results are times 2 to this power,
/// which the type holds too.  Whoever sets it undoes the power where the
/// results have gone.
inline constexpr llvm::StringLiteral castExponentAttrName = "tile.exponent";

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_CASTEXPONENT_H
