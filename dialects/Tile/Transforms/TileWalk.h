//===- TileWalk.h - The tiles that a block works on in turn -----*- C++ -*-===//
//
// The blocks of the variant that TMA feeds walk over the tiles of the grid, or
// the tuples of a persistent loop, in the order of TileOrder.h.
//
// The blocks of a cluster (ClusterPlan.h) walk over pairs of tiles, neighbours
// along an axis.  Where the number of tiles along it is odd, one of them has no
// tile of the last pair.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TILEWALK_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TILEWALK_H

#include "dialects/Tile/Transforms/TmaVariant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

class TileWalk {
public:
  TileWalk(KernelOp kernel, const KernelParts &parts);

  /// What is done for a tile: it is given the mapping of the tile's indices,
  /// what the walk carries, and whether there is a tile (null: always), and
  /// returns what is carried on.
  using Body = function_ref<SmallVector<Value>(IRMapping &, ValueRange, Value)>;
  /// Emits the loop over a block's tiles.
  void emit(OpBuilder &builder, ValueRange inits, Body body);
  /// The teams of a block that have its tiles in turns, and which one walks.
  struct Turns {
    int64_t team = 0, teams = 1;
  };
  /// What becomes of what is carried where another team does a tile.
  using Skip = function_ref<void(IRMapping &, SmallVectorImpl<Value> &)>;
  /// The same for one team's tiles.
  void emit(OpBuilder &builder, ValueRange inits, Body body, Turns turns,
            Skip skip);
  /// In that loop: whether the tile is the block's first one.
  Value emitIsFirst(OpBuilder &builder);
  /// The same of its last one.
  Value emitIsLast(OpBuilder &builder);
  /// Emits what is done for the block's first tile, if it has one.
  void emitFirst(OpBuilder &builder, function_ref<void(IRMapping &)> body);

  /// Launches one block for each multiprocessor, or for each tile if those are
  /// fewer.
  void setBlocks();

private:
  /// What there is to walk over, tiles or pairs of them, and the part of it
  /// that a block, or cluster, does.
  struct Range {
    SmallVector<Value> extents;
    Value first, total, step;
    /// The number of tiles along the axis of the cluster.
    Value ofAxis;
  };
  Range emitRange(OpBuilder &builder);
  /// Maps the indices of a tile; whether there is one (null: always).
  Value mapTile(OpBuilder &builder, const Range &range, Value number,
                IRMapping &mapping);
  void mapSharedTile(OpBuilder &builder, IRMapping &mapping);
  void skipTile(OpBuilder &builder, const Range &range, Value first,
                int64_t ahead, SmallVectorImpl<Value> &carried, Skip skip);
  Value getConstant(OpBuilder &builder, int64_t value);
  int64_t getGroup();
  SmallVector<Value> getPlaces(OpBuilder &builder, Value tile,
                               ArrayRef<Value> extents);
  bool mayBeIdle();

  KernelOp kernel;
  KernelParts parts;
  Location loc;
  /// Blocks of a cluster, and the axis along which they have their tiles.
  int64_t cluster;
  unsigned clusterAxis = 0;
  /// The loop that is being emitted.
  scf::ForOp loop;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TILEWALK_H
