//===- StagedLoop.cpp - A pipelined loop over staged buffers --------------===//
//
// Copies by cp.async:
//
//     for d < stages - 1: start copies of iteration d; commit
//     for i: wait until the group of iteration i has landed
//            start copies of iteration i + stages - 1 (if there is one); commit
//            work on buffer i mod stages
//
// An iteration beyond the last starts nothing but commits all the same, so that
// the number of groups to wait for does not depend on the trip count.
//
// Copies through registers:
//
//     store (load tile 0) to buffer 0
//     for i: next = load tile i + 1
//            work on buffer i mod 2
//            store next to buffer (i + 1) mod 2
//
// The load of an iteration beyond the last is not used; what it reads lies in
// the tensor or is not read.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/StagedLoop.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Bits of neighbouring elements that a thread holds on the way through
/// registers: what it stores at once.  Loads are of single elements, and
/// neighbouring lanes still read neighbouring ones.
static constexpr int transitBits = 32;

RankedTensorType tile::getTransitType(CopyOp copy) {
  Type memory = copy.getDestination().getType();
  if (cast<SharedType>(memory).getPackDim() >= 0) {
    if (!movesWholeBytes(copy.getSource(), copy.getSourceIndices(),
                         copy.getDestination()))
      return {};
    memory = BytesOp::getBytesType(memory);
  }
  auto tile = cast<SharedType>(memory);
  layout::BlockedOptions options;
  options.elementBits = getElementBits(tile.getElementType());
  options.threads = getNumWarps(copy) * layout::lanesPerWarp;
  options.vectorBits = std::max(transitBits, options.elementBits);
  layout::FragmentLayout layout = layout::blocked(
      layout::Coords(tile.getShape().begin(), tile.getShape().end()), options);
  return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                               LayoutAttr::get(copy.getContext(), layout));
}

void tile::makeSerialLoop(PipelinedOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value step = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(loop.getStep()));
  auto serial = scf::ForOp::create(builder, loc, loop.getLower(),
                                   loop.getUpper(), step, loop.getInitArgs());
  Block *body = serial.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  SmallVector<Value> args(body->getArguments());
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  body->getOperations().splice(body->end(),
                               loop.getBodyBlock()->getOperations());
  for (auto [from, to] : llvm::zip_equal(loop.getBody().getArguments(), args))
    from.replaceAllUsesWith(to);
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, loc, yield.getOperands());
  yield.erase();
  loop.replaceAllUsesWith(serial.getResults());
  loop.erase();
}

namespace {
class LoopStager {
public:
  LoopStager(PipelinedOp loop, const StagedCopies &copies)
      : loop(loop), copies(copies), builder(loop), loc(loop.getLoc()) {}

  void run();

private:
  void countTrips();
  void emitPrologue(Value first);
  void emitCopies(Value iteration);
  SmallVector<Value> moveBody(scf::ForOp staged);
  void finish(scf::ForOp staged);
  void makeBuffers(ArrayRef<CopyOp> list, int64_t stages);
  IRMapping mapIteration(Value iteration, int64_t ahead);
  SmallVector<Value> computePlace(CopyOp copy, IRMapping &mapping);
  Value getSlot(CopyOp copy, Value iteration, int64_t ahead);
  void startAsyncCopies(Value iteration, int64_t ahead);
  SmallVector<Value> loadTiles(Value iteration, int64_t ahead);
  void storeTiles(ArrayRef<Value> tiles, Value iteration, int64_t ahead);
  Value recompute(Value value, IRMapping &mapping);
  Value getIndex(Value iteration);
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }

  PipelinedOp loop;
  const StagedCopies &copies;
  OpBuilder builder;
  Location loc;
  Value tripCount;
  /// The staged tile that replaces each tile.
  llvm::MapVector<AllocSharedOp, Value> buffers;
};
} // namespace

static AllocSharedOp getTile(CopyOp copy) {
  return copy.getDestination().getDefiningOp<AllocSharedOp>();
}

void LoopStager::makeBuffers(ArrayRef<CopyOp> list, int64_t stages) {
  for (CopyOp copy : list) {
    AllocSharedOp alloc = getTile(copy);
    SharedType type = alloc.getType();
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), stages);
    auto staged = SharedType::get(
        builder.getContext(), shape, type.getElementType(),
        type.getPackDim() < 0 ? -1 : type.getPackDim() + 1, type.getLayout());
    auto buffer = AllocSharedOp::create(builder, alloc.getLoc(), staged,
                                        alloc.getNameAttr(), IntegerAttr());
    buffer->setAttr("tile.stages", builder.getI64IntegerAttr(stages));
    buffers[alloc] = buffer;
  }
}

Value LoopStager::recompute(Value value, IRMapping &mapping) {
  if (mapping.contains(value))
    return mapping.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isAncestor(op))
    return value;
  for (Value operand : op->getOperands())
    recompute(operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

/// The loop's index in an iteration, counted from 0.
Value LoopStager::getIndex(Value iteration) {
  Value scaled = arith::MulIOp::create(builder, loc, iteration,
                                       getConstant(loop.getStep()));
  return arith::AddIOp::create(builder, loc, loop.getLower(), scaled);
}

/// For `recompute`: the loop's index is that of iteration `iteration + ahead`.
IRMapping LoopStager::mapIteration(Value iteration, int64_t ahead) {
  Value target =
      arith::AddIOp::create(builder, loc, iteration, getConstant(ahead));
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), getIndex(target));
  return mapping;
}

/// Where `copy` reads in the iteration of the mapping.
SmallVector<Value> LoopStager::computePlace(CopyOp copy, IRMapping &mapping) {
  SmallVector<Value> indices;
  for (Value sourceIndex : copy.getSourceIndices())
    indices.push_back(recompute(sourceIndex, mapping));
  return indices;
}

Value LoopStager::getSlot(CopyOp copy, Value iteration, int64_t ahead) {
  AllocSharedOp alloc = getTile(copy);
  return StageOp::create(builder, copy.getLoc(), alloc.getType(),
                         buffers[alloc], iteration,
                         builder.getI64IntegerAttr(ahead));
}

/// Starts the copies of iteration `iteration + ahead`, if there is such, and
/// closes their group.
void LoopStager::startAsyncCopies(Value iteration, int64_t ahead) {
  Value target =
      arith::AddIOp::create(builder, loc, iteration, getConstant(ahead));
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       target, tripCount);
  for (CopyOp copy : copies.async) {
    IRMapping mapping = mapIteration(iteration, ahead);
    SmallVector<Value> indices = computePlace(copy, mapping);
    AsyncCopyOp::create(builder, copy.getLoc(), copy.getSource(), indices,
                        getSlot(copy, iteration, ahead), exists,
                        CopyPlanAttr());
  }
  CommitGroupOp::create(builder, loc);
}

SmallVector<Value> LoopStager::loadTiles(Value iteration, int64_t ahead) {
  SmallVector<Value> tiles;
  for (CopyOp copy : copies.throughRegisters) {
    Location copyLoc = copy.getLoc();
    IRMapping mapping = mapIteration(iteration, ahead);
    SmallVector<Value> indices = computePlace(copy, mapping);
    Value source = copy.getSource();
    if (cast<GlobalType>(source.getType()).getPackDim() >= 0) {
      indices = getByteIndices(builder, copyLoc, source, indices);
      source = BytesOp::create(builder, copyLoc, source);
    }
    Value pad = copy.getPad() ? recompute(copy.getPad(), mapping) : Value();
    tiles.push_back(LoadOp::create(builder, copyLoc, getTransitType(copy),
                                   source, indices, pad));
  }
  return tiles;
}

void LoopStager::storeTiles(ArrayRef<Value> tiles, Value iteration,
                            int64_t ahead) {
  for (auto [copy, tile] : llvm::zip_equal(copies.throughRegisters, tiles)) {
    Value slot = getSlot(copy, iteration, ahead);
    if (cast<SharedType>(slot.getType()).getPackDim() >= 0)
      slot = BytesOp::create(builder, copy->getLoc(), slot);
    auto store =
        StoreOp::create(builder, copy->getLoc(), tile, slot, ValueRange());
    store->setAttr(transitAttrName, builder.getUnitAttr());
  }
}

/// Iterations are counted from 0, whatever the bounds.
void LoopStager::countTrips() {
  Value extent =
      arith::SubIOp::create(builder, loc, loop.getUpper(), loop.getLower());
  tripCount = loop.getStep() == 1
                  ? extent
                  : arith::CeilDivSIOp::create(builder, loc, extent,
                                               getConstant(loop.getStep()))
                        .getResult();
}

/// In front of the loop: the copies of the first iterations.
void LoopStager::emitPrologue(Value first) {
  if (!copies.async.empty())
    for (int64_t ahead = 0; ahead < copies.stages - 1; ++ahead)
      startAsyncCopies(first, ahead);
  storeTiles(loadTiles(first, /*ahead=*/0), first, /*ahead=*/0);
}

/// At the start of an iteration: waits for its buffers and starts the copies of
/// a later one.
void LoopStager::emitCopies(Value iteration) {
  if (copies.async.empty())
    return;
  if (copies.stages > 1)
    WaitGroupOp::create(builder, loc,
                        builder.getI64IntegerAttr(copies.stages - 2));
  startAsyncCopies(iteration, copies.stages - 1);
  if (copies.stages == 1)
    WaitGroupOp::create(builder, loc, /*pending=*/0);
}

/// Moves the body to the insertion point; its readers take the buffers of this
/// iteration.  Returns what it yields.
SmallVector<Value> LoopStager::moveBody(scf::ForOp staged) {
  Value iteration = staged.getInductionVar();
  for (auto &[alloc, buffer] : buffers) {
    Value slot =
        StageOp::create(builder, alloc.getLoc(), alloc.getType(), buffer,
                        iteration, builder.getI64IntegerAttr(0));
    for (OpOperand &use :
         llvm::make_early_inc_range(alloc.getResult().getUses()))
      if (!isa<CopyOp>(use.getOwner()))
        use.set(slot);
  }
  loop.getInductionVar().replaceAllUsesWith(getIndex(iteration));
  for (auto [from, to] :
       llvm::zip_equal(loop.getRegionIterArgs(), staged.getRegionIterArgs()))
    from.replaceAllUsesWith(to);
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  yield.erase();
  Block *body = staged.getBody();
  body->getOperations().splice(body->end(),
                               loop.getBodyBlock()->getOperations());
  builder.setInsertionPointToEnd(body);
  return yielded;
}

/// Behind the loop, which takes the place of the pipelined one.
void LoopStager::finish(scf::ForOp staged) {
  for (CopyOp copy :
       llvm::concat<const CopyOp>(copies.async, copies.throughRegisters))
    copy->erase();
  for (auto &[alloc, buffer] : buffers)
    if (alloc.getResult().use_empty())
      alloc.erase();
  loop.replaceAllUsesWith(staged.getResults());
  // The last groups may be empty, but a later pipeline counts from here.
  builder.setInsertionPointAfter(staged);
  if (!copies.async.empty() && copies.stages > 1)
    WaitGroupOp::create(builder, loc, /*pending=*/0);
  loop.erase();
}

void LoopStager::run() {
  makeBuffers(copies.async, copies.stages);
  makeBuffers(copies.throughRegisters, /*stages=*/2);
  Value zero = getConstant(0), one = getConstant(1);
  countTrips();
  emitPrologue(zero);

  auto staged = scf::ForOp::create(builder, loc, zero, tripCount, one,
                                   loop.getInitArgs());
  Block *body = staged.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);
  Value iteration = staged.getInductionVar();
  emitCopies(iteration);
  SmallVector<Value> next = loadTiles(iteration, /*ahead=*/1);
  SmallVector<Value> yielded = moveBody(staged);
  storeTiles(next, iteration, /*ahead=*/1);
  scf::YieldOp::create(builder, loc, yielded);
  finish(staged);
}

void tile::stageLoop(PipelinedOp loop, const StagedCopies &copies) {
  LoopStager(loop, copies).run();
}
