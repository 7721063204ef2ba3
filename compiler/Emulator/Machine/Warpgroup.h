//===- Warpgroup.h - Four warps that act as one -----------------*- C++ -*-===//
//
// Some instructions are executed by a warpgroup, four warps whose first has a
// number that is a multiple of four.  A warp whose lanes have all come waits
// for the other three.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H
#define TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H

#include "compiler/Emulator/Machine/Ordering.h"

namespace tilec::emulator {

struct Operation;
struct Thread;
struct WarpCall;

constexpr unsigned warpsPerWarpgroup = 4;
constexpr unsigned threadsPerWarpgroup = warpsPerWarpgroup * lanesPerWarp;

/// A warpgroup instruction with the calls of its warps, which stand on the
/// stacks of the threads that came last in their warps.
struct Warpgroup {
  unsigned index = 0;
  const Operation *operation = nullptr;
  unsigned arrived = 0;
  std::array<const WarpCall *, warpsPerWarpgroup> calls{};
  std::array<Thread *, warpsPerWarpgroup> parked{};
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H
