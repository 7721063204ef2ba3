//===- SlicedTail.h - What follows a loop, a part at a time -----*- C++ -*-===//
//
// Where all that follows a shared loop is arithmetic on elements and stores,
// each block can finish a part of the rows or columns.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SLICEDTAIL_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SLICEDTAIL_H

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

/// Rows of a matrix (0), columns (1), or what else counts along a dimension of
/// a fragment.
struct SlicedValue {
  Value value;
  int64_t dim;
};

class SlicedTail {
public:
  /// What follows `loop`, of which `shares` blocks take a part each.
  SlicedTail(PipelinedOp loop, int64_t shares);

  /// Plans to do all behind the loop in parts; false if it cannot be.
  bool plan();

  /// Whether something is read from tensors behind the loop, in front of all
  /// stores.
  bool readsTensors() const { return !readsEarly && !loads.empty(); }
  /// Whether that is done in front of the loop.
  bool hasReadEarly() const { return readsEarly && !loads.empty(); }

  /// Reads what is read from tensors in front of the loop, if that can be done
  /// for all of it.
  void readEarly();

  /// The sums of the loop that are used, and along what they are cut.
  ArrayRef<SlicedValue> getSums() const { return sums; }

  /// Writes what comes before the stores, for the part that begins at
  /// `share` parts; `getSum` gives parts of the sums.
  void emitValues(OpBuilder &builder, Value share,
                  function_ref<Value(SlicedValue, Value offset)> getSum);
  /// Writes the stores, and erases what was planned.
  void emitStores(OpBuilder &builder);

private:
  bool planStore(StoreOp store);
  bool isSliceable(Value value, int64_t dim);
  Value getSlice(Value value, int64_t dim);
  Value getOffset(Value value, int64_t dim);
  RankedTensorType getSliceType(Value value, int64_t dim);
  int64_t getLength(Value value, int64_t dim);
  bool isKnownEarly(Value value);
  Value makeEarly(Value value, IRMapping &made);
  SmallVector<Value> shiftIndices(ValueRange indices, Value value, int64_t dim);

  PipelinedOp loop;
  int64_t shares;
  SmallVector<std::pair<StoreOp, int64_t>> stores;
  SmallVector<LoadOp> loads;
  SmallVector<SlicedValue> sums;
  bool readsEarly = false;
  // While it is written.
  OpBuilder *builder = nullptr;
  Value share;
  function_ref<Value(SlicedValue, Value)> getSum;
  DenseMap<std::pair<Value, int64_t>, Value> slices;
  SmallVector<Value> values;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SLICEDTAIL_H
