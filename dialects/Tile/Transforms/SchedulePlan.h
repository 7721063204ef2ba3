//===- SchedulePlan.h - How warpgroups share tiles --------------*- C++ -*-===//
//
// The schedule of a kernel whose products read tiles as TMA brings them: with
// `cooperative` its warpgroups share each tile, with `pingpong` each has tiles
// of its own, and while one multiplies the other stores (docs/decisions/0017).
// select-mma decides, since the threads of a tile follow from it, and says so
// by `schedule` of the kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SCHEDULEPLAN_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SCHEDULEPLAN_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Warpgroups that take turns: two hide all that one does beside its products.
inline constexpr int64_t pingPongTeams = 2;

/// Why the warpgroups of a kernel cannot have tiles of their own, as far as
/// that is known without an instruction; empty if they may.
std::string findPingPongObstacle(KernelOp kernel);

/// Gives a kernel of these products, which warpgroups are to do, the threads of
/// one tile, and its schedule if that is `pingpong`; an error if that was asked
/// for and cannot be.
LogicalResult choosePingPong(KernelOp kernel, ArrayRef<GemmOp> gemms);

/// Notes the schedule of a kernel that got no other.
void setCooperative(KernelOp kernel);

/// Notes the schedule of a kernel, or what stands in the way of any, for
/// `tilec report`.
void noteSchedule(KernelOp kernel, StringRef obstacle);

/// How many teams of warpgroups multiply.
int64_t getTeams(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SCHEDULEPLAN_H
