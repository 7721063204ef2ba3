//===- ProducerTeam.cpp - The team that fills rings -----------------------===//

#include "dialects/Tile/Transforms/Overlap.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/WarpSpecializer.h"

using namespace mlir;
using namespace mlir::tile;

void WarpSpecializer::produce(Ring &ring, IRMapping &mapping,
                              RingPosition &position) {
  Value lower = recompute(ring.loop.getLower(), mapping),
        upper = recompute(ring.loop.getUpper(), mapping);
  auto loop = scf::ForOp::create(builder, loc, lower, upper,
                                 getConstant(ring.loop.getStep()),
                                 ValueRange{position.slot, position.phase});
  loop->setAttr(rolledAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (fillsEarly())
    allowLaunches(ring, lower, upper, loop.getInductionVar());
  RingPosition here{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  Value parity =
      arith::XOrIOp::create(builder, loc, here.phase, getConstant(1));
  WaitOp::create(builder, loc, ring.empty, here.slot, parity);
  auto copyAll = [&](function_ref<bool(CopyOp)> isWanted) {
    emitCopies(ring, mapping, loop.getInductionVar(), here.slot, isWanted);
  };
  auto expect = [&]() {
    ExpectOp::create(builder, loc, ring.full, here.slot,
                     getConstant(ring.bytes));
  };
  if (!fillsEarly()) {
    expect();
    copyAll([](CopyOp) { return true; });
  } else {
    // What came early is there, or on its way.
    Value isFirst = walk.emitIsFirst(builder);
    Value isEarlyStage =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              loop.getInductionVar(), emitRingEnd(ring, lower));
    Value isFilled = arith::AndIOp::create(builder, loc, isFirst, isEarlyStage);
    auto rest = scf::IfOp::create(builder, loc, TypeRange(), isFilled,
                                  /*withElseRegion=*/true);
    builder.setInsertionPointToStart(rest.elseBlock());
    expect();
    copyAll([&](CopyOp copy) { return isEarly(copy); });
    builder.setInsertionPointAfter(rest);
    copyAll([&](CopyOp copy) { return !isEarly(copy); });
  }
  copyByThreads(ring, mapping, loop.getInductionVar(), here.slot);
  RingPosition next = getNext(ring.stages, here);
  scf::YieldOp::create(builder, loc, ValueRange{next.slot, next.phase});
  position = {loop.getResult(0), loop.getResult(1)};
}

/// Emits copies of the iteration at `index` to the buffers of a slot.
void WarpSpecializer::emitCopies(Ring &ring, const IRMapping &mapping,
                                 Value index, Value slot,
                                 function_ref<bool(CopyOp)> isWanted) {
  IRMapping inner(mapping);
  inner.map(ring.loop.getInductionVar(), index);
  for (CopyOp copy : ring.copies) {
    if (!isWanted(copy))
      continue;
    SmallVector<Value> indices;
    for (Value index : copy.getSourceIndices())
      indices.push_back(recompute(index, inner));
    Value buffer = getBuffer(ring.buffers[copy.getDestination()],
                             copy.getDestination(), slot);
    auto tensor = cast<GlobalType>(copy.getSource().getType());
    auto tile = cast<SharedType>(buffer.getType());
    SmallVector<int64_t> box = getTmaBox(tensor, tile);
    std::string obstacle;
    if (isShared(copy))
      llvm::copy(shareTile(tile, cluster, obstacle)->box,
                 box.end() - tile.getRank());
    int64_t map =
        stores.maps.add(cast<BlockArgument>(copy.getSource()).getArgNumber(),
                        box, tile.getStorage());
    TmaCopyOp::create(builder, copy.getLoc(), copy.getSource(), indices, buffer,
                      ValueRange(), ring.full, slot,
                      builder.getI64IntegerAttr(map), isShared(copy));
  }
}

/// Emits the copies of small tiles by the threads of the team.
void WarpSpecializer::copyByThreads(Ring &ring, const IRMapping &mapping,
                                    Value index, Value slot) {
  if (ring.byThreads.empty())
    return;
  IRMapping inner(mapping);
  inner.map(ring.loop.getInductionVar(), index);
  for (CopyOp copy : ring.byThreads) {
    SmallVector<Value> indices;
    for (Value sourceIndex : copy.getSourceIndices())
      indices.push_back(recompute(sourceIndex, inner));
    AsyncCopyOp::create(builder, copy.getLoc(), copy.getSource(), indices,
                        getBuffer(ring.buffers[copy.getDestination()],
                                  copy.getDestination(), slot),
                        /*predicate=*/Value(), CopyPlanAttr());
  }
  ArriveOp::create(builder, loc, ring.full, slot, /*predicate=*/Value(),
                   /*per_warpgroup=*/false, /*per_warp=*/false,
                   /*after_copies=*/true);
}

/// Whether weights fill the ring before the kernels before this one are done.
bool WarpSpecializer::fillsEarly() {
  return getOverlap(kernel) == Overlap::Weights && rings.size() == 1 &&
         llvm::any_of(rings.front().copies,
                      [&](CopyOp copy) { return isEarly(copy); });
}

/// Whether a copy may be made before the kernels before this one are done.
bool WarpSpecializer::isEarly(CopyOp copy) {
  auto tensor = cast<BlockArgument>(copy.getSource());
  return bool(kernel.getArgPacking(tensor.getArgNumber()));
}

/// The index behind the iterations for which a ring has buffers.
Value WarpSpecializer::emitRingEnd(Ring &ring, Value lower) {
  return arith::AddIOp::create(builder, loc, lower,
                               getConstant(ring.stages * ring.loop.getStep()));
}

/// Lets the next kernel start where the buffers of the block's last tile are
/// filled for the last time: it takes as long to start as these take to be
/// used, and fills its own meanwhile.
void WarpSpecializer::allowLaunches(Ring &ring, Value lower, Value upper,
                                    Value index) {
  Value lastRound = arith::SubIOp::create(
      builder, loc, upper, getConstant(ring.stages * ring.loop.getStep()));
  Value place = arith::MaxSIOp::create(builder, loc, lower, lastRound);
  Value isPlace = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        index, place);
  Value isHere =
      arith::AndIOp::create(builder, loc, isPlace, walk.emitIsLast(builder));
  auto branch = scf::IfOp::create(builder, loc, isHere);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  AllowLaunchesOp::create(builder, loc);
}

/// Fills the buffers of the ring for the block's first tile with what may be
/// copied early.
void WarpSpecializer::fillRing() {
  Ring &ring = rings.front();
  walk.emitFirst(builder, [&](IRMapping &mapping) { fillRing(ring, mapping); });
}

void WarpSpecializer::fillRing(Ring &ring, IRMapping &mapping) {
  OpBuilder::InsertionGuard guard(builder);
  Value lower = recompute(ring.loop.getLower(), mapping),
        upper = recompute(ring.loop.getUpper(), mapping);
  Value end =
      arith::MinSIOp::create(builder, loc, upper, emitRingEnd(ring, lower));
  auto loop =
      scf::ForOp::create(builder, loc, lower, end,
                         getConstant(ring.loop.getStep()), getConstant(0));
  loop->setAttr(rolledAttrName, builder.getUnitAttr());
  builder.setInsertionPointToStart(loop.getBody());
  Value slot = loop.getRegionIterArg(0);
  ExpectOp::create(builder, loc, ring.full, slot, getConstant(ring.bytes));
  emitCopies(ring, mapping, loop.getInductionVar(), slot,
             [&](CopyOp copy) { return isEarly(copy); });
  scf::YieldOp::create(
      builder, loc,
      arith::AddIOp::create(builder, loc, slot, getConstant(1)).getResult());
}

void WarpSpecializer::emitProducer(IRMapping &mapping,
                                   MutableArrayRef<Positions> positions) {
  for (auto [ring, position] : llvm::zip_equal(rings, positions))
    produce(ring, mapping, position.ring);
}
