//===- ElementIndex.h - Which elements the iterations of a loop name ------===//
//
// Indices in a `tile.parallel` as maps from its index tuples.  What is known of
// them while compiling is found by computing them for every iteration, so that
// it does not matter how they are written: shifts, masks, divisions.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_ELEMENTINDEX_H
#define TILE_DIALECTS_TILE_TRANSFORMS_ELEMENTINDEX_H

#include "dialects/Layout/IndexMap.h"
#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// A value of each iteration, in row-major order of their index tuples.
using IterationValues = std::vector<int64_t>;

/// Computes integer values of the iterations of one loop.
class IndexEvaluator {
public:
  explicit IndexEvaluator(ParallelOp loop);

  /// The values that `value` takes; null if they are not known while compiling,
  /// or too many.
  const IterationValues *evaluate(Value value);

private:
  bool compute(Value value, IterationValues &result);

  ParallelOp loop;
  int64_t count = 1;
  DenseMap<Value, std::unique_ptr<IterationValues>> known;
};

/// Where the iterations find an element of a tile of `shape`: values of each of
/// its dimensions as a map.  None if they are no such map.
std::optional<layout::IndexMap>
getIndexMap(ParallelOp loop, ArrayRef<const IterationValues *> values,
            ArrayRef<int64_t> shape);

/// The same for the element that an op reads of a fragment.
std::optional<layout::IndexMap> getIndexMap(ParallelOp loop, ElementOp element);

/// The map from iterations to the elements of a result that they write.
std::optional<layout::IndexMap> getResultMap(ParallelOp loop, unsigned result);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_ELEMENTINDEX_H
