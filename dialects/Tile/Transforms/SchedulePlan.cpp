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
    int64_t sums = gemm.getTileM() * gemm.getTileN();
    if (gemm.getMma() && hasSumsOfItsOwn(gemm, *gemm.getMma()))
      sums *= 2;
    if (sums > mostSums * warpgroupThreads)
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

/// Whether turns pay, as measured on an H200 (docs/decisions/0017): where the
/// sums of a tile fill the registers of a warpgroup.
static bool pays(KernelOp kernel, ArrayRef<GemmOp> gemms) {
  constexpr int64_t fewSums = 128;
  bool isPacked = false;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    isPacked |= kernel.getArgAttr(i, "tile.prepack") != nullptr;
  if (gemms.size() != 1 || isPacked ||
      int64_t(kernel.getThreads()) != pingPongTeams * warpgroupThreads)
    return false;
  GemmOp gemm = gemms.front();
  return gemm.getTileM() * gemm.getTileN() > fewSums * warpgroupThreads;
}

bool tile::isPingPongCopy(KernelOp kernel) {
  return getTeams(kernel) > 1 && !kernel.getVariant();
}

FailureOr<KernelOp> tile::forkPingPong(KernelOp kernel,
                                       ArrayRef<GemmOp> gemms) {
  auto decided = getDecidedWord(kernel, "schedule");
  bool isAsked = decided == StringRef("pingpong");
  if (!isAsked && (decided || !pays(kernel, gemms)))
    return KernelOp();
  int64_t threads = kernel.getThreads();
  std::string obstacle = findPingPongObstacle(kernel);
  if (obstacle.empty()) {
    // Candidates are those of the threads.
    kernel.setThreads(warpgroupThreads);
    for (GemmOp gemm : gemms)
      if (obstacle.empty())
        obstacle = findProductObstacle(gemm);
    kernel.setThreads(threads);
  }
  if (!obstacle.empty() && isAsked)
    return kernel.emitError("decision 'schedule' = pingpong cannot be "
                            "honoured: ")
           << obstacle;
  if (!obstacle.empty())
    return KernelOp();
  OpBuilder builder(kernel);
  auto copy = cast<KernelOp>(builder.clone(*kernel));
  copy.setOriginAttr(builder.getStringAttr(kernel.getSourceName()));
  copy.setSymName((kernel.getSymName() + "__pingpong").str());
  copy.setThreads(warpgroupThreads);
  copy.setScheduleAttr(ScheduleAttr::get(kernel.getContext(),
                                         ScheduleKind::PingPong, pingPongTeams,
                                         /*groups=*/1));
  return copy;
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
