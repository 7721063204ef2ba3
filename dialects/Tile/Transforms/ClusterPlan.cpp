//===- ClusterPlan.cpp - Blocks that load tiles together ------------------===//

#include "dialects/Tile/Transforms/ClusterPlan.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/TmaVariant.h"

using namespace mlir;
using namespace mlir::tile;

/// Blocks of a cluster.  Two always fit: multiprocessors come in pairs.
static constexpr int64_t clusterSize = 2;

/// Axes along which tiles are neighbours (TileOrder.h).
static constexpr unsigned planeAxes = 2;

//===----------------------------------------------------------------------===//
// What depends on an axis
//===----------------------------------------------------------------------===//

/// Whether a value that is computed from places of blocks and indices of loops
/// depends on the place along an axis.
static bool dependsOn(Value value, unsigned axis) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<PersistentOp>(argument.getOwner()->getParentOp()) &&
           argument.getArgNumber() == axis;
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<BlockIdOp>(op))
    return id.getAxis() == axis;
  return isa<BlockNumberOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, axis); });
}

bool tile::isSameAlong(CopyOp copy, unsigned axis) {
  return llvm::none_of(copy.getSourceIndices(),
                       [&](Value index) { return dependsOn(index, axis); });
}

/// Why what a block does up to the end of its loops cannot be done by one that
/// has no tile of its own, and only helps the other of its cluster.
static std::string findIdleObstacle(const KernelParts &parts) {
  std::string obstacle;
  for (Operation &op : *parts.work) {
    op.walk([&](Operation *inner) {
      bool touchesTensor =
          llvm::any_of(inner->getOperandTypes(),
                       [](Type type) { return isa<GlobalType>(type); });
      // Copies and loads of tiles know the bounds of their tensors.
      if (isa<PrintOp, AssertOp>(inner) ||
          (touchesTensor && !isPure(inner) && !isa<CopyOp, LoadOp>(inner)))
        obstacle = "something is done for a tile before its products are, and "
                   "a block of a cluster may have no tile";
    });
    if (&op == parts.loops.back())
      break;
  }
  return obstacle;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Rows and columns of a tile from which on there are neighbours to expect.
static constexpr int64_t leastExtent = 128;

namespace {
/// What clusters along an axis would bring.
struct AxisShare {
  /// Bytes of an iteration's tiles, and those of them that both blocks need.
  int64_t bytes = 0, shared = 0;
  std::string obstacle;
};
} // namespace

static size_t countAxes(KernelOp kernel, KernelParts &parts) {
  return parts.persistent ? parts.persistent.getExtents().size()
                          : kernel.getAxes().size();
}

static AxisShare measureAxis(const KernelParts &parts, unsigned axis) {
  AxisShare share;
  for (PipelinedOp loop : parts.loops) {
    if (dependsOn(loop.getLower(), axis) || dependsOn(loop.getUpper(), axis))
      share.obstacle = "blocks along the axis have loops of different lengths";
    for (CopyOp copy : getLoopCopies(loop).byTma) {
      auto tile = cast<SharedType>(copy.getDestination().getType());
      share.bytes += tile.getStorage().bytes();
      std::string why;
      if (!isSameAlong(copy, axis))
        continue;
      if (shareTile(tile, clusterSize, why))
        share.shared += tile.getStorage().bytes();
      else if (share.obstacle.empty())
        share.obstacle = why;
    }
  }
  if (share.shared == 0 && share.obstacle.empty())
    share.obstacle = "neighbouring blocks have no tile in common";
  return share;
}

/// Whether clusters are faster than blocks on their own.  Measured on an H200:
/// where an eighth of a step's bytes differ (4-bit weights beside 256 rows of
/// 16 bits) by 1.5 to 2 %, with four buffers, but slower with three; with a
/// fifth or more only with eight buffers, and from a third on as fast or
/// slower.
static bool doesPay(KernelOp kernel, const KernelParts &parts,
                    const AxisShare &share) {
  constexpr int64_t leastBuffers = 4;
  bool pays = share.shared * 8 >= share.bytes * 7;
  for (PipelinedOp loop : parts.loops)
    pays &= int64_t(loop.getStages().value_or(1)) >= leastBuffers;
  kernel.walk([&](GemmOp gemm) {
    pays &= gemm.getTileM() >= leastExtent && gemm.getTileN() >= leastExtent;
  });
  return pays;
}

LogicalResult tile::refuseCluster(KernelOp kernel, const Twine &obstacle) {
  auto decided = getDecidedInteger(kernel, "cluster");
  if (decided.value_or(1) == 1)
    return success();
  return kernel.emitError("decision 'cluster' = ")
         << *decided << " cannot be honoured: " << obstacle;
}

LogicalResult tile::chooseCluster(KernelOp variant) {
  KernelParts parts = getParts(variant);
  auto decided = getDecidedInteger(variant, "cluster"),
       decidedAxis = getDecidedInteger(variant, "cluster_axis");
  std::optional<unsigned> best;
  AxisShare bestShare;
  std::string obstacle =
      getShares(variant) > 1
          ? "the blocks at one place share the iterations of a loop"
          : findIdleObstacle(parts);
  for (unsigned axis = 0; axis < planeAxes && obstacle.empty(); ++axis) {
    if (axis >= countAxes(variant, parts) || decidedAxis.value_or(axis) != axis)
      continue;
    AxisShare share = measureAxis(parts, axis);
    if (share.obstacle.empty() && share.shared >= bestShare.shared) {
      best = axis;
      bestShare = share;
    } else if (!best) {
      bestShare.obstacle = share.obstacle;
    }
  }
  if (obstacle.empty() && !best)
    obstacle = bestShare.obstacle.empty() ? "there is no such axis"
                                          : bestShare.obstacle;
  auto note = [&](StringRef value, const Twine &reason) {
    noteChoice(variant, variant.getLoc(),
               {"cluster", value.str(), "1, 2", reason.str()});
  };
  if (!best) {
    if (failed(refuseCluster(variant, obstacle)))
      return failure();
    note("1", obstacle);
    return success();
  }
  bool pays = doesPay(variant, parts, bestShare);
  std::string common = std::to_string(bestShare.shared) + " of " +
                       std::to_string(bestShare.bytes) +
                       " bytes of a step are common to two blocks";
  if (decided ? *decided == 1 : !pays) {
    note("1", common + ": too few, or with too few buffers, to pay for "
                       "waiting for each other");
    return success();
  }
  variant.setCluster(clusterSize);
  variant->setAttr(clusterAxisName,
                   Builder(variant.getContext()).getI64IntegerAttr(*best));
  note(std::to_string(clusterSize), common);
  noteChoice(variant, variant.getLoc(),
             {"cluster_axis", std::to_string(*best), "0, 1",
              "there the blocks have most in common"});
  return success();
}
