//===- TmaToNVVM.cpp - Copies by TMA --------------------------------------===//
//
// One thread of a team starts a copy.  A tile whose rows are cut in panels is
// moved panel by panel.  Where the blocks of a cluster load a tile together
// each moves some of its rows, or panels, to all of them.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "dialects/Tile/Transforms/TmaPlan.h"

using namespace mlir;
using namespace mlir::tile;

Value tile::getTensorMapAddress(KernelEmitter &e, int64_t index) {
  return LLVM::PtrToIntOp::create(e.builder, e.loc, e.builder.getI64Type(),
                                  e.getTensorMap(index));
}

/// A coordinate in 32 bits.  What lies outside of the tensor stays outside: it
/// has fewer than 2^31 elements along a dimension.
static Value emitCoordinate(KernelEmitter &e, ArrayRef<Value> terms,
                            bool isPacked) {
  Value sum = e.i64(0);
  for (Value term : terms)
    sum = e.add(sum, e.getScalar(term));
  if (isPacked)
    sum = e.builder.createOrFold<arith::ShRSIOp>(e.loc, sum, e.i64(1));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  sum = e.builder.createOrFold<arith::MinSIOp>(e.loc, sum, e.i64(most));
  sum = e.builder.createOrFold<arith::MaxSIOp>(e.loc, sum, e.i64(-most));
  return e.builder.createOrFold<arith::TruncIOp>(e.loc, e.builder.getI32Type(),
                                                 sum);
}

/// "{$2, $3}" for two operands from number 2 on.
static std::string listOperands(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

namespace {
/// Starts the copies of one op.
class TmaEmitter {
public:
  TmaEmitter(KernelEmitter &e, TmaCopyOp op, const TmaPlan &plan)
      : e(e), op(op), plan(plan), map(getTensorMapAddress(e, *op.getMap())) {
    for (auto [dim, terms] : llvm::enumerate(plan.start))
      start.push_back(emitCoordinate(e, terms, int(dim) == plan.packDim));
    tile = e.getSharedAddress(e.getShared(plan.tile).pointer);
    if (op.getBarrier())
      barrier = getBarrierAddress(e, op.getBarrier(), op.getIndex());
  }

  void emit() {
    if (plan.share)
      moveToShare(*plan.share);
    int64_t panels =
        plan.share && plan.share->panels ? plan.share->panels : plan.panels;
    for (int64_t panel = 0; panel < panels; ++panel)
      emitPanel(panel);
  }

private:
  void moveToShare(const TileShare &share);
  void emitPanel(int64_t panel);

  KernelEmitter &e;
  TmaCopyOp op;
  const TmaPlan &plan;
  Value map, tile, barrier;
  SmallVector<Value> start;
};
} // namespace

/// To the first part that this block of the cluster moves.
void TmaEmitter::moveToShare(const TileShare &share) {
  Value rank = emitBlockRank(e);
  int64_t dim = share.panels ? int64_t(start.size()) - 1 : plan.rowDim;
  int64_t elements = share.panels ? share.panels * plan.box.back() : share.rows;
  int64_t bytes =
      share.panels
          ? share.panels * plan.panelStride
          : share.rows * plan.box.back() *
                cast<SharedType>(plan.tile.getType()).getStorage().unitBytes();
  start[dim] = e.add(start[dim], e.mul(rank, e.i32(elements)));
  tile = e.add(tile, e.mul(rank, e.i32(bytes)));
}

void TmaEmitter::emitPanel(int64_t panel) {
  unsigned rank = start.size();
  SmallVector<Value> coordinates(llvm::reverse(start));
  Value place = tile;
  if (panel) {
    coordinates[0] = e.add(coordinates[0], e.i32(panel * plan.box.back()));
    place = e.add(tile, e.i32(panel * plan.panelStride));
  }
  std::string dims = std::to_string(rank) + "d";
  SmallVector<Value> operands;
  std::string text, constraints;
  if (barrier) {
    operands = {place, map};
    llvm::append_range(operands, coordinates);
    operands.push_back(barrier);
    text = "cp.async.bulk.tensor." + dims +
           ".shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
           (plan.share ? ".multicast::cluster" : "") + " [$0], [$1, " +
           listOperands(2, rank) + "], [$" + std::to_string(2 + rank) + "]" +
           (plan.share ? ", $" + std::to_string(3 + rank) : "") + ";";
    constraints = "r,l,";
  } else {
    operands = {map};
    llvm::append_range(operands, coordinates);
    operands.push_back(place);
    text = "cp.async.bulk.tensor." + dims +
           ".global.shared::cta.tile.bulk_group [$0, " + listOperands(1, rank) +
           "], [$" + std::to_string(1 + rank) + "];";
    constraints = "l,";
  }
  for (unsigned i = 0; i <= rank; ++i)
    constraints += "r,";
  if (plan.share) {
    // A bit for each block.
    int64_t blocks = (int64_t(1) << e.kernel.getClusterSize()) - 1;
    operands.push_back(arith::ConstantOp::create(
        e.builder, e.loc, e.builder.getI16IntegerAttr(int16_t(blocks))));
    constraints += "h,";
  }
  e.callVolatileAsm(text, constraints, operands);
}

LogicalResult tile::emitTmaCopy(KernelEmitter &e, TmaCopyOp op) {
  std::string obstacle;
  std::optional<TmaPlan> plan = planTmaCopy(op, obstacle);
  if (!plan || !op.getMap())
    return op.emitError("internal error in convert-tile-to-nvvm: no tensor map")
           << (obstacle.empty() ? "" : ": ") << obstacle;
  emitGuarded(e, e.emitIsLeader(), [&]() { TmaEmitter(e, op, *plan).emit(); });
  return success();
}
