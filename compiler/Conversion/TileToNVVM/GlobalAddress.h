//===- GlobalAddress.h - Addresses and bounds in a global tensor ----------===//
//
// An access of a thread to a tensor is anchor + coordinates in the tile.  The
// thread's part is computed once; what differs between accesses is constant.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_GLOBALADDRESS_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_GLOBALADDRESS_H

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include <map>

namespace mlir::tile {

class GlobalAddresser {
public:
  /// `indices` (i64, one for each dimension of the tensor) is the anchor; the
  /// tile's `layout` covers the last dimensions.
  GlobalAddresser(KernelEmitter &emitter, const GlobalView &view,
                  ValueRange indices, const layout::FragmentLayout &layout);

  /// Makes the indices other values than those of accesses before: what these
  /// have compared is computed again, in place of staying in registers.
  void forgetIndices();

  /// Whether registers are 4-bit elements.
  bool isPacked() const { return view.type.getPackDim() >= 0; }
  /// The byte that holds the element in register `reg`.
  Value getPointer(int reg);
  /// Whether that element lies in the tensor (i1).
  Value getInBounds(int reg);
  /// For 4-bit elements: the bit position of the element in its byte (i8).
  Value getNibbleShift(int reg);
  /// Index of that element along a dimension of the tensor (i64).
  Value getIndex(int dim, int reg);

private:
  /// Constant part of an index; 0 for dimensions outside the tile.
  int32_t getConstant(int dim, int reg) const;

  KernelEmitter &emitter;
  const GlobalView &view;
  const layout::FragmentLayout &layout;
  int dropped;
  bool disjoint;
  /// Anchor plus the thread's part.
  SmallVector<Value> bases;
  /// Offset of that place in bytes, without the packed dimension.
  Value baseOffset;
  std::map<std::pair<int, int32_t>, Value> offsets, bounds;
};

/// Whether an index along a dimension lies in the tensor (i1).
Value getIndexInBounds(KernelEmitter &emitter, const GlobalView &view, int dim,
                       Value index);

/// An index along the packed dimension, counted from the start of a byte.
Value getPackedIndex(KernelEmitter &emitter, const GlobalView &view,
                     Value index);

/// Index and address of one element given by scalar indices.
Value getElementPointer(KernelEmitter &emitter, const GlobalView &view,
                        ValueRange indices);
Value getElementInBounds(KernelEmitter &emitter, const GlobalView &view,
                         ValueRange indices);

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_GLOBALADDRESS_H
