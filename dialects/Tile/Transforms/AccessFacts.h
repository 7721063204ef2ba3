//===- AccessFacts.h - What is known about addresses ----------------------===//
//
// Divisibility of indices and alignment of tensors, from which the width of an
// access follows.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_ACCESSFACTS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_ACCESSFACTS_H

#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Argument attribute (i64): base address and every pitch of the tensor are
/// multiples of this many bytes, by a guard of the variant.  An aligned packed
/// tensor also has an even extent along its packed dimension.
inline constexpr llvm::StringLiteral alignedAttrName = "tile.aligned";

/// Attribute of a `tile.store_element` of 4 bits in an element loop: no other
/// thread writes the byte before the next barrier.
inline constexpr llvm::StringLiteral ownsByteAttrName = "tile.owns_byte";

/// A number that is known to divide an integer value, at least 1.
int64_t getKnownDivisor(Value value);

/// The value of an expression attribute whose symbols are fixed.
std::optional<int64_t> evaluateExpression(KernelOp kernel,
                                          Attribute expression);

/// A number that is known to divide the value of an expression attribute, at
/// least 1.
int64_t getKnownDivisor(KernelOp kernel, Attribute expression);

/// The kernel argument that a global tensor is, or is the bytes of.
BlockArgument getTensorArgument(Value global);

/// Bytes that base and pitches of a tensor argument are multiples of: its
/// `tile.aligned`, else the size of an element (1 below a byte).
int64_t getArgAlignment(KernelOp kernel, BlockArgument argument);

/// The widest access in bytes, up to 16, that moves parts of rows of a tile of
/// `shape`, anchored at `indices` of a global tensor, so that each access is
/// aligned and lies within or outside the tensor as a whole.  0 if the tile
/// does not start on a whole byte or holds part of one, or lies in a part of a
/// packed tensor, which may start and end inside one.
int64_t getCopyBytes(Value global, ValueRange indices, ArrayRef<int64_t> shape);

/// How a thread moves its part of a fragment, held in `layout`, to or from the
/// tensor at `indices`: in the widest accesses that are aligned and lie within
/// or outside the tensor as a whole.  One of the last byte of an odd packed
/// dimension may hold a single element.
layout::VectorPlan planGlobalAccess(Value global, ValueRange indices,
                                    const layout::FragmentLayout &layout);

/// Whether a tile copied from `indices` of a packed tensor to a packed shared
/// tile is made of whole bytes on both sides.  The tensor's last byte may still
/// hold a single element.
bool movesWholeBytes(Value source, ValueRange indices, Value destination);

/// Indices of the bytes of a packed tensor: the one along the packed dimension,
/// which is even, is halved.
SmallVector<Value> getByteIndices(OpBuilder &builder, Location loc,
                                  Value source, ValueRange indices);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_ACCESSFACTS_H
