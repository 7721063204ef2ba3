//===- TeamRings.cpp - Rings of buffers that teams share ------------------===//

#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/WarpSpecializer.h"

using namespace mlir;
using namespace mlir::tile;

/// The buffers of a tile.
AllocSharedOp WarpSpecializer::makeBuffers(AllocSharedOp alloc,
                                           int64_t stages) {
  SharedType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), stages);
  int64_t packDim = type.getPackDim() < 0 ? -1 : type.getPackDim() + 1;
  auto staged =
      SharedType::get(builder.getContext(), shape, type.getElementType(),
                      packDim, type.getLayout());
  auto buffers = AllocSharedOp::create(builder, alloc.getLoc(), staged,
                                       alloc.getNameAttr(), IntegerAttr());
  buffers->setAttr("tile.stages", builder.getI64IntegerAttr(stages));
  return buffers;
}

void WarpSpecializer::makeRing(PipelinedOp loop) {
  Ring &ring = rings.emplace_back();
  ring.loop = loop;
  ring.stages = loop.getStages().value_or(1);
  LoopCopies copies = getLoopCopies(loop);
  ring.copies = copies.byTma;
  ring.byThreads = copies.byThreads;
  ring.direct = copies.direct;
  for (CopyOp copy : llvm::concat<CopyOp>(ring.copies, ring.byThreads)) {
    auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
    SharedType type = alloc.getType();
    ring.readByThreads |= isReadByThreads(alloc);
    AllocSharedOp buffers = makeBuffers(alloc, ring.stages);
    ring.buffers[alloc.getResult()] = buffers;
    if (llvm::is_contained(ring.copies, copy))
      ring.bytes += type.getStorage().bytes();
    else
      buffers->setAttr(handedOverAttrName, builder.getUnitAttr());
  }
  auto makeBarriers = [&](StringRef name, int64_t stages, int64_t count,
                          bool ofCluster = false) {
    return BarrierAllocOp::create(
        builder, loop.getLoc(), BarrierType::get(builder.getContext(), stages),
        builder.getStringAttr(name), count, IntegerAttr(), ofCluster);
  };
  // One for all by TMA, and one of each thread that copies.
  ring.full = makeBarriers("full", ring.stages,
                           ring.byThreads.empty() ? 1 : 1 + warpgroupThreads);
  ring.full->setAttr(ringAttrName, builder.getUnitAttr());
  // What a block loads goes to buffers of others too.
  bool isShared = llvm::any_of(
      ring.copies, [&](CopyOp copy) { return this->isShared(copy); });
  constexpr int64_t warpsPerGroup = 4;
  int64_t arrivals = ring.readByThreads ? consumers * warpsPerGroup : consumers;
  ring.empty = makeBarriers("empty", ring.stages,
                            isShared ? arrivals * cluster : arrivals,
                            /*ofCluster=*/isShared);
  for (AllocSharedOp alloc : getConvertedTiles(loop)) {
    ring.converted = alloc;
    ring.convertedRing = makeBuffers(alloc, convertedBuffers);
    ring.convertedRing->setAttr(handedOverAttrName, builder.getUnitAttr());
    ring.ready =
        makeBarriers("ready", convertedBuffers, consumers * warpsPerGroup);
  }
}

void WarpSpecializer::makeRings() {
  // Other tiles stay, for the consumers.
  SmallVector<AllocSharedOp> allocs;
  kernel.walk([&](AllocSharedOp alloc) { allocs.push_back(alloc); });
  Block &body = kernel.getBody().front();
  for (AllocSharedOp alloc : llvm::reverse(allocs))
    alloc->moveBefore(&body, body.begin());
  builder.setInsertionPointToStart(&body);
  for (PipelinedOp loop : parts.loops)
    makeRing(loop);
  turns.makeBarriers(builder);
}

RingPosition WarpSpecializer::getNext(int64_t stages, RingPosition position) {
  Value next =
      arith::AddIOp::create(builder, loc, position.slot, getConstant(1));
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      next, getConstant(stages));
  Value flipped =
      arith::XOrIOp::create(builder, loc, position.phase, getConstant(1));
  return {
      arith::SelectOp::create(builder, loc, wraps, getConstant(0), next),
      arith::SelectOp::create(builder, loc, wraps, flipped, position.phase)};
}

Value WarpSpecializer::getBuffer(AllocSharedOp buffers, Value alloc,
                                 Value slot) {
  return StageOp::create(builder, alloc.getLoc(), alloc.getType(), buffers,
                         slot, /*offset=*/0, /*in_range=*/true);
}
