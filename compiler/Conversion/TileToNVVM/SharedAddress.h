//===- SharedAddress.h - Addresses in a shared tile -----------------------===//
//
// The address of an element is the swizzle of its linear offset.  Where the
// strides are powers of two, offset and swizzle are linear over bits, so that
//
//     address(thread ^ constant) = address(thread) ^ address(constant)
//
// and each access costs at most one XOR; constant bits which no thread touches
// are added, and end up in the instruction's immediate offset.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_SHAREDADDRESS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_SHAREDADDRESS_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"

namespace mlir::tile {

/// Makes pointers to elements of one shared tile, for coordinates
///   start + ((threadPart ^ constantXor) + constantOffset).
class SharedAddresser {
public:
  /// `start` is the origin of the accessed part in the tile, and `extents` its
  /// shape; lane and warp bases give the thread's coordinates in the part.
  SharedAddresser(KernelEmitter &emitter, SharedView view,
                  ArrayRef<int64_t> start, ArrayRef<int64_t> extents,
                  ArrayRef<layout::Coords> laneBases,
                  ArrayRef<layout::Coords> warpBases);

  Value getPointer(const layout::Coords &constantXor,
                   const layout::Coords &constantOffset);

private:
  bool checkLinear(ArrayRef<int64_t> extents) const;
  bool carries(const layout::Coords &constantOffset) const;
  Value getPointerByArithmetic(const layout::Coords &constantXor,
                               const layout::Coords &constantOffset);

  KernelEmitter &emitter;
  SharedView view;
  layout::SharedLayout storage;
  layout::Coords start;
  SmallVector<layout::Coords> laneBases, warpBases;
  bool linear;
  /// Address bits that depend on the thread, and the thread's address.
  int32_t threadMask = 0;
  Value threadOffset;
  DenseMap<int32_t, Value> basePointers;
};

/// The byte that holds the element at run-time indices (i64).
Value getSharedElementPointer(KernelEmitter &emitter, const SharedView &view,
                              ValueRange indices);

/// Bytes from the start of a tile, before the swizzle, that `unit` steps along
/// a dimension of its storage make (i32).
Value emitStorageStep(KernelEmitter &emitter,
                      const layout::SharedLayout &storage, int dim, Value unit);

/// Applies a swizzle to a byte offset (i32).
Value emitSwizzle(KernelEmitter &emitter, layout::Swizzle swizzle,
                  Value offset);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_SHAREDADDRESS_H
