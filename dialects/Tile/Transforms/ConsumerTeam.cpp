//===- ConsumerTeam.cpp - Teams that multiply what is in rings ------------===//

#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/WarpSpecializer.h"

using namespace mlir;
using namespace mlir::tile;

/// What the threads load for themselves for the iteration at `index`.  Beyond
/// the last one nothing is read, since it lies outside of the tensors or is not
/// used.
SmallVector<Value> WarpSpecializer::loadDirectly(Ring &ring,
                                                 const IRMapping &mapping,
                                                 Value index) {
  SmallVector<Value> loaded;
  IRMapping place(mapping);
  place.map(ring.loop.getInductionVar(), index);
  for (CopyOp copy : ring.direct) {
    SmallVector<Value> indices;
    for (Value sourceIndex : copy.getSourceIndices())
      indices.push_back(recompute(sourceIndex, place));
    Value pad = copy.getPad() ? recompute(copy.getPad(), place) : Value();
    for (const DirectRead &read : getDirectReads(copy))
      loaded.push_back(LoadOp::create(builder, read.user->getLoc(), read.type,
                                      copy.getSource(), indices, pad));
  }
  return loaded;
}

/// What a consumer does in an iteration, but for the barriers of the ring.
void WarpSpecializer::emitIteration(Ring &ring, IRMapping &mapping,
                                    const Positions &here) {
  if (ring.converted)
    mapping.map(ring.converted,
                getBuffer(ring.convertedRing, ring.converted.getResult(),
                          here.converted.slot));
  auto writesConverted = [&](Operation &op) {
    auto store = dyn_cast<StoreOp>(op);
    return store && ring.converted && store.getMemory() == ring.converted;
  };
  for (Operation &op : ring.loop.getBodyBlock()->without_terminator()) {
    if (isa<CopyOp, BlockIdOp>(op) ||
        llvm::any_of(op.getResults(),
                     [&](Value result) { return mapping.contains(result); }))
      continue;
    if (ring.converted && isa<GemmOp>(op))
      WaitOp::create(builder, loc, ring.ready, here.converted.slot,
                     here.converted.phase);
    builder.clone(op, mapping);
    if (writesConverted(op))
      ArriveOp::create(builder, loc, ring.ready, here.converted.slot,
                       /*predicate=*/Value(), /*per_warpgroup=*/false,
                       /*per_warp=*/true);
  }
}

void WarpSpecializer::consume(Ring &ring, IRMapping &mapping,
                              Positions &positions) {
  SmallVector<Value> inits;
  for (Value init : ring.loop.getInitArgs())
    inits.push_back(mapping.lookupOrDefault(init));
  positions.append(inits);
  Value lower = mapping.lookupOrDefault(ring.loop.getLower()),
        step = getConstant(ring.loop.getStep());
  // What the threads read for themselves is on its way two iterations ahead.
  // Unrolled by two, each iteration's registers are free for what it reads.
  Value following = arith::AddIOp::create(builder, loc, lower, step);
  SmallVector<Value> first = loadDirectly(ring, mapping, lower);
  llvm::append_range(inits, first);
  llvm::append_range(inits, loadDirectly(ring, mapping, following));
  auto loop = scf::ForOp::create(builder, ring.loop.getLoc(), lower,
                                 mapping.lookupOrDefault(ring.loop.getUpper()),
                                 step, inits);
  if (!first.empty())
    loop->setAttr(unrollAttrName, builder.getI64IntegerAttr(2));
  size_t carried = ring.loop.getInitArgs().size();
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = loop.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    builder.setInsertionPointToStart(body);
    Positions here(loop.getRegionIterArgs().slice(carried, positions.size()));
    WaitOp::create(builder, loc, ring.full, here.ring.slot, here.ring.phase);
    IRMapping inner(mapping);
    inner.map(ring.loop.getInductionVar(), loop.getInductionVar());
    for (auto [from, to] :
         llvm::zip(ring.loop.getRegionIterArgs(), loop.getRegionIterArgs()))
      inner.map(from, to);
    for (auto &[alloc, buffer] : ring.buffers)
      inner.map(alloc, getBuffer(buffer, alloc, here.ring.slot));
    ValueRange loaded =
        loop.getRegionIterArgs().drop_front(carried + positions.size());
    ValueRange onTheirWay = loaded.drop_front(first.size());
    for (CopyOp copy : ring.direct)
      for (const DirectRead &read : getDirectReads(copy)) {
        if (isa<LoadOp>(read.user))
          inner.map(read.user->getResult(0), loaded.front());
        else
          inner.map(copy.getDestination(), loaded.front());
        loaded = loaded.drop_front();
      }
    emitIteration(ring, inner, here);
    ArriveOp::create(builder, loc, ring.empty, here.ring.slot,
                     /*predicate=*/Value(),
                     /*per_warpgroup=*/!ring.readByThreads,
                     /*per_warp=*/ring.readByThreads);
    Value ahead = arith::AddIOp::create(
        builder, loc, loop.getInductionVar(),
        arith::MulIOp::create(builder, loc, step, getConstant(2)));
    SmallVector<Value> next = loadDirectly(ring, mapping, ahead);
    SmallVector<Value> yielded;
    for (Value value : ring.loop.getBodyBlock()->getTerminator()->getOperands())
      yielded.push_back(inner.lookupOrDefault(value));
    Positions following(here);
    following.ring = getNext(ring.stages, here.ring);
    if (ring.converted)
      following.converted = getNext(convertedBuffers, here.converted);
    following.append(yielded);
    llvm::append_range(yielded, onTheirWay);
    llvm::append_range(yielded, next);
    scf::YieldOp::create(builder, loc, yielded);
  }
  for (auto [from, to] : llvm::zip(ring.loop.getResults(), loop.getResults()))
    mapping.map(from, to);
  positions = Positions(loop.getResults().slice(carried, positions.size()));
}

void WarpSpecializer::emitConsumer(IRMapping &mapping,
                                   MutableArrayRef<Positions> positions,
                                   Value hasTile) {
  size_t next = 0;
  OpBuilder::InsertionGuard guard(builder);
  for (Operation &op : *parts.work) {
    if (isa<AllocSharedOp, BarrierAllocOp, BlockIdOp, WarpgroupOp>(op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (isa<PipelinedOp>(op)) {
      if (turns.takesTurns() && next == 0)
        turnParity = turns.awaitTurn(builder, team, turnParity);
      consume(rings[next], mapping, positions[next]);
      ++next;
      if (turns.takesTurns() && next == rings.size())
        turns.passTurn(builder);
      // What is left is for the results of the tile.
      if (next == rings.size() && hasTile) {
        auto branch = scf::IfOp::create(builder, loc, hasTile);
        builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      }
      continue;
    }
    auto store = dyn_cast<StoreOp>(op);
    if (!store || !stores.emit(builder, store, mapping))
      builder.clone(op, mapping);
  }
}
