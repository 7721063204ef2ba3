//===- TmaPlan.h - What TMA moves for a copy ------------------------------===//
//
// TMA moves a box of a whole tensor argument, described by a tensor map that
// the launch encodes, from or to consecutive rows in shared memory (PTX ISA,
// "Asynchronous copy: tensor copy"; CUDA driver API, cuTensorMapEncodeTiled).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TMAPLAN_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TMAPLAN_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Alignment in bytes of base and pitches of a tensor that TMA needs.
inline constexpr int64_t tmaGlobalAlignment = 16;

/// Elements of a box along one dimension that it can have at most.
inline constexpr int64_t mostBoxExtent = 256;

/// Extents of the box that fills a tile, or one of its panels, in elements as
/// stored: one for each dimension of the tile.
SmallVector<int64_t> getTileBox(SharedType tile);

/// How the blocks of a cluster share the load of a tile: by rows, or by the
/// panels that its rows are cut in.
struct TileShare {
  /// The box that one block moves at a time, as `getTileBox` gives it.
  SmallVector<int64_t> box;
  /// Panels that one block moves, where they are shared out; else 0, and it
  /// moves `rows` rows of each.
  int64_t panels = 0, rows = 0;
};
/// None, with the reason in `obstacle`, if TMA cannot move such parts.
std::optional<TileShare> shareTile(SharedType tile, int64_t blocks,
                                   std::string &obstacle);

struct TmaPlan {
  BlockArgument tensor;
  /// The shared side.
  Value tile;
  /// Where the box starts along each dimension of the tensor, outermost first,
  /// as a sum of indices in elements.
  SmallVector<SmallVector<Value, 2>> start;
  /// Extents of the box in elements as stored: bytes for 4-bit types.
  SmallVector<int64_t> box;
  /// The dimension of the tensor along which elements share bytes, or -1.
  int packDim = -1;
  /// Bytes that the swizzle permutes, or 0.
  int64_t swizzle = 0;
  /// Boxes side by side along the last dimension, and the bytes between their
  /// places in shared memory.
  int64_t panels = 1, panelStride = 0;
  /// What each block of the cluster moves of it, if they do it together; `box`
  /// is that of one of them.
  std::optional<TileShare> share;
  /// The dimension of the tensor along which rows of the tile run.
  int64_t rowDim = 0;
};

/// The plan of a copy whose shared side has its layout; none, with a reason
/// that follows "cannot be done:", if TMA cannot do it.
std::optional<TmaPlan> planTmaCopy(TmaCopyOp op, std::string &obstacle);

/// Whether TMA can write a tile stored so, for itself or a panel at a time.
bool isTmaStorage(const layout::SharedLayout &storage);

/// The layout in which a tile of this type is moved by TMA with the widest
/// swizzle that its rows allow.
SharedLayoutAttr getTmaLayout(SharedType type);

/// The tensor argument that a copy by TMA touches, or null.
BlockArgument getTmaTensor(TmaCopyOp op);

/// Whether a tile, or a part of it, is moved by TMA.
bool isMovedByTma(Value tile);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TMAPLAN_H
