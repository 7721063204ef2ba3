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

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/ClusterPlan.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Overlap.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/PingPong.h"
#include "dialects/Tile/Transforms/TileWalk.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/TmaStore.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPECIALIZEWARPSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Registers of a thread in the producer and in the consumers.
struct RegisterShare {
  int64_t producer = 0, consumer = 0;
};

/// All that a multiprocessor has for a block (PTX ISA, "setmaxnreg"), by how
/// many blocks it works on at once, how many warpgroups consume and how many
/// sums each of their threads has.  With one warpgroup each thread has as many
/// as it can use.
static RegisterShare shareRegisters(int64_t blocks, int64_t consumers,
                                    int64_t sums) {
  // 80 for each of 384 threads of two blocks.
  if (blocks == 2 && consumers == 2)
    return {32, 104};
  if (blocks > 1)
    return {};
  switch (consumers) {
  case 2:
    // A producer of 40 is tight for ptxas.
    return sums > 128 ? RegisterShare{40, 232} : RegisterShare{56, 224};
  case 4:
    return {32, 112};
  default:
    return {};
  }
}

using Position = RingPosition;

namespace {
/// The buffers of one loop.
struct Ring {
  PipelinedOp loop;
  /// By TMA, by the other threads of the copying warpgroup, and by those that
  /// read the tile.
  SmallVector<CopyOp> copies, byThreads, direct;
  int64_t stages = 0, bytes = 0;
  /// Whether threads read buffers themselves, so that each warp hands them
  /// back; else the first thread does for all whose product has read them.
  bool readByThreads = false;
  llvm::MapVector<Value, AllocSharedOp> buffers;
  BarrierAllocOp full, empty;
  /// The tile that the consumers convert, and its ring; null if there is none.
  AllocSharedOp converted, convertedRing;
  BarrierAllocOp ready;
};

/// Where a team is in the ring of a loop, and in that of its converted tile, if
/// there is one.
struct Positions {
  Position ring, converted;

  explicit Positions(ValueRange values) : ring{values[0], values[1]} {
    if (values.size() > 2)
      converted = {values[2], values[3]};
  }
  size_t size() const { return converted.slot ? 4 : 2; }
  void append(SmallVectorImpl<Value> &values) const {
    llvm::append_values(values, ring.slot, ring.phase);
    if (converted.slot)
      llvm::append_values(values, converted.slot, converted.phase);
  }
};

class WarpSpecializer {
public:
  WarpSpecializer(KernelOp kernel, int64_t sharedLimit)
      : kernel(kernel), parts(getParts(kernel)), builder(kernel),
        loc(kernel.getLoc()),
        consumers(int64_t(kernel.getThreads()) / warpgroupThreads),
        cluster(getMulticastBlocks(kernel)), stores(kernel, sharedLimit),
        walk(kernel, parts), turns(kernel) {
    if (auto axis = kernel->getAttrOfType<IntegerAttr>(clusterAxisName))
      clusterAxis = axis.getInt();
  }

  void run();

private:
  void makeRings();
  void makeRing(PipelinedOp loop);
  AllocSharedOp makeBuffers(AllocSharedOp alloc, int64_t stages);
  bool isShared(CopyOp copy) {
    return cluster > 1 && isSameAlong(copy, clusterAxis);
  }

  /// Emits the loop over tiles; `body` is given the mapping of a tile's values,
  /// the positions in the rings, which it moves on, and whether there is a tile
  /// (TileWalk.h).
  using TileBody =
      function_ref<void(IRMapping &, MutableArrayRef<Positions>, Value)>;
  void emitTiles(TileBody body, TileWalk::Turns turn = {});
  SmallVector<Positions> takePositions(ValueRange &carried);
  void emitProducer(IRMapping &mapping, MutableArrayRef<Positions> positions);
  void emitConsumer(IRMapping &mapping, MutableArrayRef<Positions> positions,
                    Value hasTile);
  void produce(Ring &ring, IRMapping &mapping, Position &position);
  void emitCopies(Ring &ring, const IRMapping &mapping, Value index, Value slot,
                  function_ref<bool(CopyOp)> isWanted);
  bool isEarly(CopyOp copy);
  bool fillsEarly();
  void fillRing();
  void fillRing(Ring &ring, IRMapping &mapping);
  void copyByThreads(Ring &ring, const IRMapping &mapping, Value index,
                     Value slot);
  void consume(Ring &ring, IRMapping &mapping, Positions &positions);
  void emitIteration(Ring &ring, IRMapping &mapping, const Positions &here);

  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value recompute(Value value, IRMapping &mapping);
  Value emitRingEnd(Ring &ring, Value lower);
  SmallVector<Value> loadDirectly(Ring &ring, const IRMapping &mapping,
                                  Value index);
  Position getNext(int64_t stages, Position position);
  Value getBuffer(AllocSharedOp buffers, Value alloc, Value slot);

  KernelOp kernel;
  KernelParts parts;
  OpBuilder builder;
  Location loc;
  int64_t consumers;
  /// Blocks of a cluster, and the axis along which they have their tiles.
  int64_t cluster;
  unsigned clusterAxis = 0;
  TmaStores stores;
  TileWalk walk;
  PingPong turns;
  /// The team whose turn is awaited in front of its loops, and given on behind
  /// them, and the parity of that turn.
  int64_t team = 0;
  Value turnParity;
  SmallVector<Ring, 1> rings;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

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

Position WarpSpecializer::getNext(int64_t stages, Position position) {
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

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

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

void WarpSpecializer::produce(Ring &ring, IRMapping &mapping,
                              Position &position) {
  Value lower = recompute(ring.loop.getLower(), mapping),
        upper = recompute(ring.loop.getUpper(), mapping);
  auto loop = scf::ForOp::create(builder, loc, lower, upper,
                                 getConstant(ring.loop.getStep()),
                                 ValueRange{position.slot, position.phase});
  loop->setAttr(rolledAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Position here{loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
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
  Position next = getNext(ring.stages, here);
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

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

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
  kernel.walk([&](GemmOp gemm) {
    int64_t held =
        gemm.getTileM() * gemm.getTileN() / (consumers * warpgroupThreads);
    bool doubles = hasSumsOfItsOwn(gemm, *gemm.getMma());
    sums = std::max(sums, doubles ? 2 * held : held);
  });
  // Addresses of copies by threads take more than those of TMA.
  bool hasThreadCopies = llvm::any_of(
      rings, [](const Ring &ring) { return !ring.byThreads.empty(); });
  RegisterShare share =
      shareRegisters(getDecidedInteger(kernel, "min_blocks").value_or(1),
                     groups - 1, hasThreadCopies ? 128 : sums);
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
