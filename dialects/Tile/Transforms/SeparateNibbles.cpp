//===- SeparateNibbles.cpp - Bytes that iterations write from two sides ---===//
//
// Two 4-bit elements that share a byte may be written by iterations of
// different threads.  Such a loop only collects what it writes, as fragments
// with an element for each iteration: the value, its place, and whether it is
// written. Two loops behind it write, first the elements in the low halves of
// bytes, then those in the high ones; the barrier between them
// (insert-barriers) gives each byte one writer at a time.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/PackedStores.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SEPARATENIBBLESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What one op writes, as fragments behind the loop: the element as an integer,
/// its indices, and whether it is written.
struct Write {
  Location loc;
  Value memory;
  SmallVector<Value> parts;
};

class NibbleSeparator {
public:
  explicit NibbleSeparator(ParallelOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult check(StoreElementOp store);
  Write collect(StoreElementOp store);
  void carryOut(scf::IfOp branch, bool inThen, SmallVector<Value> &values);
  void yieldWrites(MutableArrayRef<Write> writes);
  void emitPhase(ArrayRef<Write> writes, int64_t nibble);
  Value getZero(Type type) {
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  }

  ParallelOp loop;
  OpBuilder builder;
  Location loc;
};
} // namespace

static bool mayOverlap(Operation *a, Operation *b) {
  SmallVector<MemoryAccess, 2> first, second;
  collectAccesses(a, first);
  collectAccesses(b, second);
  for (const MemoryAccess &x : first)
    for (const MemoryAccess &y : second)
      if (tile::mayOverlap(x, y))
        return true;
  return false;
}

/// A write moves to the end of its iteration: it stands in branches only, and
/// nothing behind it in the iteration may see it.
LogicalResult NibbleSeparator::check(StoreElementOp store) {
  for (Operation *op = store; op != loop; op = op->getParentOp()) {
    if (op != store && !isa<scf::IfOp>(op))
      return store.emitError("writing 4-bit elements in a loop inside "
                             "'parallel' is not supported yet");
    for (Operation *later = op->getNextNode(); later;
         later = later->getNextNode())
      if (!isa<StoreElementOp>(later) && mayOverlap(store, later))
        return store.emitError("reading 4-bit elements behind a write in one "
                               "iteration of 'parallel' is not supported yet");
  }
  return success();
}

/// Makes values of a branch results of it; zeros on the other side.
void NibbleSeparator::carryOut(scf::IfOp branch, bool inThen,
                               SmallVector<Value> &values) {
  builder.setInsertionPoint(branch);
  SmallVector<Type> types(branch.getResultTypes());
  SmallVector<Value> zeros;
  for (Value value : values) {
    types.push_back(value.getType());
    zeros.push_back(getZero(value.getType()));
  }
  bool hadElse = !branch.getElseRegion().empty();
  auto wider = scf::IfOp::create(builder, branch.getLoc(), types,
                                 branch.getCondition(), /*withElse=*/true);
  auto move = [&](Region &from, Region &to, ArrayRef<Value> more) {
    if (!from.empty())
      to.takeBody(from);
    Block &block = to.front();
    SmallVector<Value> yielded;
    if (!block.empty() && isa<scf::YieldOp>(block.back())) {
      llvm::append_range(yielded, block.back().getOperands());
      block.back().erase();
    }
    llvm::append_range(yielded, more);
    builder.setInsertionPointToEnd(&block);
    scf::YieldOp::create(builder, branch.getLoc(), yielded);
  };
  move(branch.getThenRegion(), wider.getThenRegion(), inThen ? values : zeros);
  if (hadElse)
    move(branch.getElseRegion(), wider.getElseRegion(),
         inThen ? zeros : values);
  else
    move(branch.getElseRegion(), wider.getElseRegion(), zeros);
  unsigned old = branch.getNumResults();
  branch.replaceAllUsesWith(wider.getResults().take_front(old));
  branch.erase();
  values.assign(wider.getResults().begin() + old, wider.getResults().end());
}

/// Takes a write out of the loop's body: its parts become operands of the
/// yield, where they follow what is done to branches for other writes.
Write NibbleSeparator::collect(StoreElementOp store) {
  builder.setInsertionPoint(store);
  Value bits = store.getValue();
  if (!bits.getType().isInteger())
    bits = arith::BitcastOp::create(builder, store.getLoc(),
                                    builder.getI4Type(), bits);
  // A byte each, so that the fragments are as any other.
  bits = CastOp::create(builder, store.getLoc(), builder.getI8Type(), bits,
                        StringAttr(), /*source_unsigned=*/true,
                        /*result_unsigned=*/true);
  SmallVector<Value> parts{bits};
  llvm::append_range(parts, store.getIndices());
  parts.push_back(
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  while (auto branch = dyn_cast<scf::IfOp>(store->getParentOp())) {
    bool inThen = store->getParentRegion() == &branch.getThenRegion();
    // The store stands for its place in the branch, which is rebuilt.
    Operation *inBranch = branch;
    store->moveBefore(inBranch);
    carryOut(branch, inThen, parts);
  }
  Operation *yield = loop.getBodyBlock()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), parts);
  Write write{store.getLoc(), store.getMemory(), {}};
  write.parts.resize(parts.size());
  store.erase();
  return write;
}

/// Makes what the loop collects its results.
void NibbleSeparator::yieldWrites(MutableArrayRef<Write> writes) {
  builder.setInsertionPoint(loop);
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  SmallVector<Value> inits(loop.getInits());
  SmallVector<Attribute> maps;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    maps.push_back(AffineMapAttr::get(loop.getMap(i)));
  AffineMap identity = builder.getMultiDimIdentityMap(loop.getExtents().size());
  for (Value part : yield.getOperands().drop_front(loop.getNumResults())) {
    inits.push_back(
        getZero(RankedTensorType::get(loop.getExtents(), part.getType())));
    maps.push_back(AffineMapAttr::get(identity));
  }
  auto wider = ParallelOp::create(builder, loc, loop.getExtents(), inits,
                                  builder.getArrayAttr(maps));
  wider.getBody().takeBody(loop.getBody());
  unsigned next = loop.getNumResults();
  loop.replaceAllUsesWith(wider.getResults().take_front(next));
  loop.erase();
  loop = wider;
  for (Write &write : writes)
    for (Value &part : write.parts)
      part = wider.getResult(next++);
}

/// Writes the elements that are half `nibble` of their bytes.
void NibbleSeparator::emitPhase(ArrayRef<Write> writes, int64_t nibble) {
  builder.setInsertionPointAfter(loop);
  auto phase = ParallelOp::create(builder, loc, loop.getExtents(), ValueRange(),
                                  ArrayAttr());
  builder.setInsertionPoint(phase.getBodyBlock()->getTerminator());
  ValueRange at = phase.getBodyBlock()->getArguments();
  for (const Write &write : writes) {
    SmallVector<Value> parts;
    for (Value part : write.parts)
      parts.push_back(ElementOp::create(
          builder, write.loc, getTileElementType(part.getType()), part, at));
    ArrayRef<Value> indices = ArrayRef(parts).slice(1, parts.size() - 2);
    auto getIndex = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, write.loc,
                                       builder.getI64IntegerAttr(value));
    };
    Value index = indices[getMemoryPackDim(write.memory.getType())];
    Value half = arith::AndIOp::create(builder, write.loc, index, getIndex(1));
    Value isHalf = arith::CmpIOp::create(
        builder, write.loc, arith::CmpIPredicate::eq, half, getIndex(nibble));
    Value condition =
        arith::AndIOp::create(builder, write.loc, isHalf, parts.back());
    auto branch = scf::IfOp::create(builder, write.loc, condition,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Type element = getTileElementType(write.memory.getType());
    Value value = CastOp::create(builder, write.loc, builder.getI4Type(),
                                 parts.front(), StringAttr(),
                                 /*source_unsigned=*/true,
                                 /*result_unsigned=*/true);
    if (!element.isInteger())
      value = arith::BitcastOp::create(builder, write.loc, element, value);
    auto store = StoreElementOp::create(builder, write.loc, value, write.memory,
                                        indices);
    store->setAttr(ownsByteAttrName, builder.getUnitAttr());
  }
}

LogicalResult NibbleSeparator::run() {
  SmallVector<StoreElementOp> stores;
  loop.getBody().walk([&](StoreElementOp store) {
    if (getMemoryPackDim(store.getMemory().getType()) >= 0)
      stores.push_back(store);
  });
  if (stores.empty())
    return success();
  for (StoreElementOp store : stores)
    if (failed(check(store)))
      return failure();
  SmallVector<Write> writes;
  for (StoreElementOp store : stores)
    writes.push_back(collect(store));
  yieldWrites(writes);
  // Each goes right behind the loop.
  emitPhase(writes, 1);
  emitPhase(writes, 0);
  return success();
}

namespace {
struct SeparateNibbles : tile::impl::SeparateNibblesPassBase<SeparateNibbles> {
  void runOnOperation() override {
    SmallVector<ParallelOp> loops;
    getOperation().walk([&](ParallelOp loop) { loops.push_back(loop); });
    for (ParallelOp loop : loops)
      if (failed(NibbleSeparator(loop).run()))
        return signalPassFailure();
  }
};
} // namespace
