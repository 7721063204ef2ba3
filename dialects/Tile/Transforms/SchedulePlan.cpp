//===- SchedulePlan.cpp - How warpgroups share tiles ----------------------===//

#include "dialects/Tile/Transforms/SchedulePlan.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"

using namespace mlir;
using namespace mlir::tile;

/// Sums of a thread that leave registers for the rest.
static constexpr int64_t mostSums = 192;

int64_t tile::getTeams(KernelOp kernel) {
  auto schedule = kernel.getSchedule();
  return schedule ? schedule->getTeams() : 1;
}

std::string tile::findPingPongObstacle(KernelOp kernel) {
  int64_t threads = kernel.getThreads();
  if (threads != warpgroupThreads &&
      threads != pingPongTeams * warpgroupThreads)
    return "two warpgroups take turns, and the kernel has " +
           std::to_string(threads) + " threads";
  if (getShares(kernel) > 1)
    return "blocks share the iterations of a loop";
  if (getDecidedInteger(kernel, "min_blocks").value_or(1) > 1)
    return "a multiprocessor holds several blocks";
  std::string obstacle;
  kernel.walk([&](GemmOp gemm) {
    if (gemm.getA().getDefiningOp<OperandOp>() ||
        gemm.getB().getDefiningOp<OperandOp>())
      obstacle = "an operand is computed in registers";
    if (gemm.getTileM() * gemm.getTileN() > mostSums * warpgroupThreads)
      obstacle = "the sums of a tile do not fit into the registers of one "
                 "warpgroup";
  });
  return obstacle;
}

/// Why one warpgroup cannot do a product for itself.
static std::string findProductObstacle(GemmOp gemm) {
  std::string obstacle;
  SmallVector<GemmCandidate> candidates =
      findWgmmaCandidates(gemm, warpgroupThreads / 32, obstacle);
  if (candidates.empty())
    return "one warpgroup cannot have the tile: " + obstacle;
  MmaAttr mma = candidates.front().mma;
  if (isFromRegisters(gemm.getA(), mma.getTypeA()) ||
      isFromRegisters(gemm.getB(), mma.getTypeB()))
    return "an operand is converted in registers";
  return "";
}

LogicalResult tile::choosePingPong(KernelOp kernel, ArrayRef<GemmOp> gemms) {
  auto decided = getDecidedWord(kernel, "schedule");
  if (decided != StringRef("pingpong"))
    return success();
  int64_t threads = kernel.getThreads();
  std::string obstacle = findPingPongObstacle(kernel);
  if (obstacle.empty()) {
    kernel.setThreads(warpgroupThreads);
    for (GemmOp gemm : gemms)
      if (obstacle.empty())
        obstacle = findProductObstacle(gemm);
  }
  if (obstacle.empty()) {
    kernel.setScheduleAttr(ScheduleAttr::get(
        kernel.getContext(), ScheduleKind::PingPong, pingPongTeams,
        /*groups=*/1));
    return success();
  }
  kernel.setThreads(threads);
  return kernel.emitError("decision 'schedule' = pingpong cannot be "
                          "honoured: ")
         << obstacle;
}

void tile::noteSchedule(KernelOp kernel, StringRef obstacle) {
  std::string candidates = "cooperative, none";
  if (findPingPongObstacle(kernel).empty())
    candidates = "cooperative, pingpong, none";
  Choice choice{"schedule", "none", candidates, obstacle.str()};
  if (obstacle.empty()) {
    bool takesTurns = getTeams(kernel) > 1;
    choice.value = takesTurns ? "pingpong" : "cooperative";
    choice.reason =
        takesTurns ? "one thread copies by TMA for two warpgroups, each of "
                     "which stores a tile while the other multiplies"
                   : "one thread copies by TMA for all others";
  }
  noteChoice(kernel, kernel.getLoc(), choice);
}

void tile::setCooperative(KernelOp kernel) {
  if (!kernel.getSchedule())
    kernel.setScheduleAttr(ScheduleAttr::get(
        kernel.getContext(), ScheduleKind::Cooperative, /*teams=*/1,
        int64_t(kernel.getThreads()) / warpgroupThreads));
}
