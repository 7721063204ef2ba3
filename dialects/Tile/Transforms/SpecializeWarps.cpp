//===- SpecializeWarps.cpp - A warpgroup that copies for the others -------===//
//
// The variant that TMA feeds (TmaVariant.h) becomes two teams that walk over
// the tiles of the grid together:
//
//     producer, one thread:                consumers:
//     for tiles                            for tiles
//       for k                                for k
//         wait empty[slot]                     wait full[slot]
//         expect full[slot], copies            products
//         next slot                            arrive empty[slot], next slot
//                                            the rest of what is done for a
//                                            tile
//
// A converted tile (ConvertedOperand.h) has a ring of its own among the
// consumers: each warp that has written its part of a buffer arrives at
// `ready`, and all wait for that in front of the product.  A warp arrives with
// the product of two iterations before done, at the latest, so that who has
// waited may write the buffer after next.
//
// Small tiles that TMA cannot move, as scales, are copied by all threads of the
// producer, which then go through its loops together; each arrives at `full`
// once its copies have.
//
// Each pipelined loop has a ring of buffers of its own, with two barriers for
// each of them: `full` ends its phase when all bytes are there, `empty` when
// every consuming warpgroup has read them.  Slot and phase go on from tile to
// tile, so that the producer is ahead by a whole ring at the start of each.
//
// In a kernel with clusters (ClusterPlan.h, TileWalk.h) each block loads half
// of what both need, to both; a buffer is free once the consumers of both have
// handed it back.  A block without a tile does the same in the loops, with what
// lies outside of the tensors, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Overlap.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/Transforms/WarpSpecializer.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPECIALIZEWARPSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// All that a multiprocessor has for a block (PTX ISA, "setmaxnreg"), by how
/// many blocks it works on at once, how many warpgroups consume and how much
/// their threads hold: sums, and an operand beside them. With one warpgroup
/// each thread has as many as it can use.
static RegisterShare shareRegisters(int64_t blocks, int64_t consumers,
                                    int64_t sums, bool hasOperand,
                                    bool hasThreadCopies) {
  auto choose = [&](int64_t fewSums, RegisterShare usual, RegisterShare most) {
    bool holdsMuch = hasOperand || sums > fewSums;
    // Addresses of copies by threads take more than those of TMA.
    return holdsMuch && !hasThreadCopies ? most : usual;
  };
  if (blocks == 2 && consumers == 2)
    return registersOfTwo;
  if (blocks > 1)
    return {};
  switch (consumers) {
  case 2:
    // A producer of 40 is tight for ptxas.
    return choose(128, {56, 224}, {40, 232});
  case 3:
    return choose(96, {56, 152}, {32, 160});
  case 4:
    return {32, 112};
  default:
    return {};
  }
}

/// Clones what makes a value, unless it stands outside of what is done for a
/// tile.
Value WarpSpecializer::recompute(Value value, IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !parts.work->findAncestorOpInBlock(*op))
    return value;
  for (Value operand : op->getOperands())
    recompute(operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

SmallVector<Positions> WarpSpecializer::takePositions(ValueRange &carried) {
  SmallVector<Positions> positions;
  for (Ring &ring : rings) {
    positions.emplace_back(carried.take_front(ring.converted ? 4 : 2));
    carried = carried.drop_front(positions.back().size());
  }
  return positions;
}

void WarpSpecializer::emitTiles(TileBody body, TileWalk::Turns turn) {
  SmallVector<Value> inits;
  for (Ring &ring : rings)
    inits.append(ring.converted ? 4 : 2, getConstant(0));
  if (turn.teams > 1)
    inits.push_back(turns.emitFirstParity(builder, turn.team));
  auto emitTile = [&](IRMapping &mapping, ValueRange carried, Value hasTile) {
    SmallVector<Positions> positions = takePositions(carried);
    if (turn.teams > 1)
      turnParity = carried.front();
    body(mapping, positions, hasTile);
    SmallVector<Value> yielded;
    for (Positions &position : positions)
      position.append(yielded);
    if (turn.teams > 1)
      yielded.push_back(turnParity);
    return yielded;
  };
  auto skipTile = [&](IRMapping &mapping, SmallVectorImpl<Value> &carried) {
    SmallVector<Value> moved;
    ValueRange left(carried);
    SmallVector<Positions> positions = takePositions(left);
    for (auto [ring, position] : llvm::zip_equal(rings, positions)) {
      position.ring = skipIterations(builder, loc, position.ring, ring.stages,
                                     recompute(ring.loop.getLower(), mapping),
                                     recompute(ring.loop.getUpper(), mapping),
                                     ring.loop.getStep());
      position.append(moved);
    }
    llvm::append_range(moved, left);
    carried.assign(moved.begin(), moved.end());
  };
  walk.emit(builder, inits, emitTile, turn, skipTile);
}

void WarpSpecializer::run() {
  makeRings();
  Block &body = kernel.getBody().front();
  builder.setInsertionPoint(body.getTerminator());
  SmallVector<SmallVector<int64_t>> teams{{0}};
  int64_t groups = 1;
  for (int64_t consumer = 0; consumer < turns.getTeams(); ++consumer) {
    teams.emplace_back();
    for (int64_t group = 0; group < consumers; ++group)
      teams.back().push_back(groups++);
  }
  auto split = WarpgroupOp::create(builder, loc, teams);
  stores.setPlace(split);
  int64_t sums = 0;
  bool hasOperand = false;
  kernel.walk([&](GemmOp gemm) {
    MmaAttr mma = *gemm.getMma();
    hasOperand |= mma.getSwap() ? isFromRegisters(gemm.getB(), mma.getTypeB())
                                : isFromRegisters(gemm.getA(), mma.getTypeA());
    int64_t held =
        gemm.getTileM() * gemm.getTileN() / (consumers * warpgroupThreads);
    bool doubles = hasSumsOfItsOwn(gemm, *gemm.getMma());
    sums = std::max(sums, doubles ? 2 * held : held);
  });
  bool hasThreadCopies = llvm::any_of(
      rings, [](const Ring &ring) { return !ring.byThreads.empty(); });
  RegisterShare share =
      shareRegisters(getDecidedInteger(kernel, "min_blocks").value_or(1),
                     groups - 1, sums, hasOperand, hasThreadCopies);
  auto setRegisters = [&](int64_t count) {
    if (count)
      SetMaxRegistersOp::create(builder, loc, count);
  };

  bool overlaps = getOverlap(kernel) != Overlap::None;
  auto await = [&]() {
    if (overlaps)
      AwaitLaunchesOp::create(builder, loc);
  };
  builder.setInsertionPointToStart(&split.getBodies()[0].front());
  setRegisters(share.producer);
  if (fillsEarly())
    fillRing();
  await();
  emitTiles([&](IRMapping &mapping, MutableArrayRef<Positions> positions,
                Value) { emitProducer(mapping, positions); });
  // The next kernel may fill its buffers while the last tiles are stored.
  if (overlaps)
    AllowLaunchesOp::create(builder, loc);

  for (team = 0; team < turns.getTeams(); ++team) {
    builder.setInsertionPointToStart(&split.getBodies()[1 + team].front());
    setRegisters(share.consumer);
    await();
    stores.startTeam();
    emitTiles([&](IRMapping &mapping, MutableArrayRef<Positions> positions,
                  Value hasTile) { emitConsumer(mapping, positions, hasTile); },
              {team, turns.getTeams()});
  }

  SmallVector<Value> replaced;
  for (Ring &ring : rings)
    for (CopyOp copy :
         llvm::concat<CopyOp>(ring.copies, ring.byThreads, ring.direct))
      replaced.push_back(copy.getDestination());
  if (parts.persistent)
    parts.persistent.erase();
  else
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (!isa<AllocSharedOp, BarrierAllocOp, WarpgroupOp, ReturnOp>(op))
        op.erase();
  for (Value alloc : replaced)
    if (alloc.use_empty())
      alloc.getDefiningOp()->erase();
  walk.setBlocks();
  kernel.setThreads(groups * warpgroupThreads);
  kernel.setTensorMapsAttr(stores.maps.getAttr());
}

namespace {
struct SpecializeWarps : tile::impl::SpecializeWarpsPassBase<SpecializeWarps> {
  using SpecializeWarpsPassBase::SpecializeWarpsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel.getVariant() == tmaVariantName)
        WarpSpecializer(kernel, sharedLimit).run();
  }
};
} // namespace
