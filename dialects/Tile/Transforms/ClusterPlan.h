//===- ClusterPlan.h - Blocks that load tiles together ----------*- C++ -*-===//
//
// Two neighbouring blocks along an axis of the grid (or of the tuples of a
// persistent loop) may form a cluster.  A tile whose place does not depend on
// that axis is the same for both: each then loads half of it by TMA, to both of
// them, so that it is read from L2 once instead of twice.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_CLUSTERPLAN_H
#define TILE_DIALECTS_TILE_TRANSFORMS_CLUSTERPLAN_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Integer attribute of a kernel with clusters: the axis along which their
/// blocks are neighbours.
inline constexpr StringLiteral clusterAxisName = "tile.cluster_axis";

/// Whether the blocks of a cluster along `axis` copy the same tile.
bool isSameAlong(CopyOp copy, unsigned axis);

/// Chooses the clusters of a variant that TMA feeds, once its loops have their
/// number of buffers, and says so in the kernel; an error if what was decided
/// from outside cannot be.
LogicalResult chooseCluster(KernelOp variant);
/// The error of a kernel that has no such variant, because of `obstacle`, and
/// was to have clusters.
LogicalResult refuseCluster(KernelOp kernel, const Twine &obstacle);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_CLUSTERPLAN_H
