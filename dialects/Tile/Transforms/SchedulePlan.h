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

/// Makes a copy in front of a kernel of these products, which warpgroups are to
/// do, if its schedule is to be `pingpong`: with the threads of one tile, for
/// the variant that TMA feeds alone.  Null if it is not; an error if that was
/// asked for and cannot be.
FailureOr<KernelOp> forkPingPong(KernelOp kernel, ArrayRef<GemmOp> gemms);

/// Whether a kernel is such a copy, which plan-pipeline takes away again.
bool isPingPongCopy(KernelOp kernel);

/// Notes the schedule of a kernel that got no other.
void setCooperative(KernelOp kernel);

/// Notes the schedule of a kernel, or what stands in the way of any, for
/// `tilec report`.
void noteSchedule(KernelOp kernel, StringRef obstacle);

/// How many teams of warpgroups multiply.
int64_t getTeams(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SCHEDULEPLAN_H
