//===- TensorMaps.h - What TMA is told of tensors ---------------*- C++ -*-===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TENSORMAPS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TENSORMAPS_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The tensor maps of a kernel; those that it has already come first.
class TensorMaps {
public:
  explicit TensorMaps(KernelOp kernel);

  /// The index of the map of a tensor argument for boxes of these extents and a
  /// swizzle of so many bytes, 0 for none.
  int64_t add(unsigned argument, ArrayRef<int64_t> box, int64_t swizzleBytes);
  /// The same for the swizzle of a tile.
  int64_t add(unsigned argument, ArrayRef<int64_t> box,
              const layout::SharedLayout &storage);

  bool empty() const { return maps.empty(); }
  ArrayAttr getAttr() { return builder.getArrayAttr(maps); }

private:
  Builder builder;
  SmallVector<Attribute> maps;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TENSORMAPS_H
