//===- TileDialect.h - The tile dialect, its types and attributes ---------===//
//
// Include TileOps.h for the operations.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_TILEDIALECT_H
#define TILE_DIALECTS_TILE_IR_TILEDIALECT_H

#include "dialects/Layout/FragmentLayout.h"
#include "dialects/Layout/PackedOrder.h"
#include "dialects/Layout/SharedLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "dialects/Tile/IR/TileDialect.h.inc"
#include "dialects/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.h.inc"

namespace mlir::tile {

/// Whether the language has elements of this type (docs/language.md, section
/// 3); signedness is not part of the type.
bool isElementType(Type type);

/// Bits of an element in memory: that of the type, but 8 for i1 and 32 for
/// tf32.
unsigned getElementBits(Type elementType);

/// Whether threads can hold a fragment of this type: rank 1 to 5, static and
/// positive extents, elements of the language.
bool isFragment(Type type);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_TILEDIALECT_H
