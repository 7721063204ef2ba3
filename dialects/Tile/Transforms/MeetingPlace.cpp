//===- MeetingPlace.cpp - Where blocks that share a loop meet -------------===//

#include "dialects/Tile/Transforms/MeetingPlace.h"
#include "dialects/Tile/Transforms/MmaTable.h"

using namespace mlir;
using namespace mlir::tile;

/// Blocks that form a cluster on every GPU that has them.
static constexpr int64_t mostClusterBlocks = 8;

std::string tile::findClusterObstacle(int64_t shares, StringRef target) {
  if (getComputeCapability(target) < 90)
    return (target + " has no clusters").str();
  if (shares > mostClusterBlocks)
    return "a cluster has " + std::to_string(mostClusterBlocks) +
           " blocks at most";
  return "";
}

std::string tile::findClusterDrawback(PipelinedOp loop, int64_t sharedLimit) {
  int64_t bits = 0;
  for (Value sum : loop.getResults())
    if (auto type = dyn_cast<RankedTensorType>(sum.getType());
        type && !sum.use_empty())
      bits += type.getNumElements() * getElementBits(type.getElementType());
  return bits / 8 > sharedLimit / 2
             ? "sums would take more than half of shared memory"
             : "";
}
