//===- PingPong.h - Teams that take a ring of buffers in turns --*- C++ -*-===//
//
// With the schedule `pingpong` (SchedulePlan.h) each multiplying team has tiles
// of its own, and all of them one ring of buffers, which the producer fills for
// tile after tile:
//
//     team 0:                              team 1:
//     for tiles 0, 2, ...                  skip the buffers of tile 0
//       wait for turn 0                    for tiles 1, 3, ...
//       for k: wait full; product;           wait for turn 1
//              arrive empty                  for k: ...
//       arrive at turn 1                     arrive at turn 0
//       the rest of what is done             the rest
//       skip the buffers of the next tile    skip ...
//
// A wait for a parity of `full` cannot tell a phase from the one two before, so
// that a team waits for a buffer only once the team before has found all of its
// own full: that is its turn.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_PINGPONG_H
#define TILE_DIALECTS_TILE_TRANSFORMS_PINGPONG_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Where a team is in a ring (i64).
struct RingPosition {
  Value slot, phase;
};

/// Moves a position past the iterations of a loop from `lower` to `upper`, in a
/// ring of so many buffers.
RingPosition skipIterations(OpBuilder &builder, Location loc,
                            RingPosition position, int64_t stages, Value lower,
                            Value upper, int64_t step);

/// The turns of the teams of a kernel; without other teams nobody waits.
class PingPong {
public:
  explicit PingPong(KernelOp kernel);

  int64_t getTeams() const { return teams; }
  bool takesTurns() const { return teams > 1; }

  /// Makes the barriers of the turns, one for each team.
  void makeBarriers(OpBuilder &builder);

  /// Emits the parity that ends the wait of a team's first turn.
  Value emitFirstParity(OpBuilder &builder, int64_t team);
  /// Waits for the turn of this parity; the parity of the next one.
  Value awaitTurn(OpBuilder &builder, int64_t team, Value parity);
  /// Gives the turn that was awaited to the next team.
  void passTurn(OpBuilder &builder);

private:
  Value getConstant(OpBuilder &builder, int64_t value);

  KernelOp kernel;
  Location loc;
  int64_t teams;
  BarrierAllocOp turns;
  /// The number of the team whose turn is next.
  Value following;
};

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_PINGPONG_H
