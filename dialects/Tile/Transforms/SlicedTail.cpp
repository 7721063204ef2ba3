//===- SlicedTail.cpp - What follows a loop, a part at a time -------------===//
//
// From each store back to the sums: a part of the result of an op on elements
// is made of the same part of its operands, that of a read begins further on.
// What does not reach a store is left to be found unused.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/SlicedTail.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tile;

SlicedTail::SlicedTail(PipelinedOp loop, int64_t shares)
    : loop(loop), shares(shares) {}

static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (isa<CastOp>(op) ||
          isa<arith::ArithDialect, math::MathDialect>(op->getDialect()));
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Whether `dim` of a value can be told apart in the part that each block
/// makes.
bool SlicedTail::isSliceable(Value value, int64_t dim) {
  ArrayRef<int64_t> shape = getTileShape(value.getType());
  if (shape[dim] % shares != 0)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (op == loop)
    sums.push_back({value, dim});
  if (op == loop || isa<BroadcastOp>(op))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (!isa<GlobalType>(load.getMemory().getType()))
      return false;
    if (!llvm::is_contained(loads, load))
      loads.push_back(load);
    return true;
  }
  if (auto reindex = dyn_cast<ReindexOp>(op)) {
    for (auto [d, from, divisor] :
         llvm::zip_equal(llvm::seq<int64_t>(0, reindex.getDimMap().size()),
                         reindex.getDimMap(), reindex.getDivisors()))
      if (from == dim)
        return divisor == 1 && isSliceable(reindex.getSource(), d);
    // The same for all parts.
    return true;
  }
  return isElementwise(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isa<RankedTensorType>(operand.getType()) ||
                  isSliceable(operand, dim);
         });
}

/// Whether two stores may write the same element, which the blocks would do in
/// any order.
static bool mayWriteSame(StoreOp a, StoreOp b) {
  SmallVector<MemoryAccess, 0> first, second;
  collectAccesses(a, first);
  collectAccesses(b, second);
  return llvm::any_of(first, [&](const MemoryAccess &access) {
    return llvm::any_of(second, [&](const MemoryAccess &other) {
      return tile::mayOverlap(access, other);
    });
  });
}

bool SlicedTail::planStore(StoreOp store) {
  if (!isa<GlobalType>(store.getMemory().getType()) ||
      llvm::any_of(stores, [&](const auto &earlier) {
        return mayWriteSame(earlier.first, store);
      }))
    return false;
  Value value = store.getValue();
  for (int64_t dim = 0; dim < int64_t(getTileShape(value.getType()).size());
       ++dim) {
    SmallVector<LoadOp> before = loads;
    SmallVector<SlicedValue> sumsBefore = sums;
    if (isSliceable(value, dim)) {
      stores.push_back({store, dim});
      return true;
    }
    loads = before;
    sums = sumsBefore;
  }
  return false;
}

bool SlicedTail::plan() {
  // Where a branch ends, nothing may be left to do.
  for (Operation *op = loop->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!isPure(next) && !next->hasTrait<OpTrait::IsTerminator>())
        return false;
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      break;
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (!planStore(store))
        return false;
      continue;
    }
    // A read behind a store may have to see what that has written.
    auto load = dyn_cast<LoadOp>(op);
    if (load ? !stores.empty() : !isPure(op))
      return false;
    if (load)
      loads.push_back(load);
  }
  return !stores.empty();
}

/// Whether a value is there in front of the loop, or can be made there.
bool SlicedTail::isKnownEarly(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop->getBlock() || op->isBeforeInBlock(loop))
    return true;
  return op != loop && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownEarly(operand); });
}

/// The value in front of the loop.
Value SlicedTail::makeEarly(Value value, IRMapping &made) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop->getBlock() || op->isBeforeInBlock(loop))
    return value;
  if (!made.contains(value)) {
    for (Value operand : op->getOperands())
      made.map(operand, makeEarly(operand, made));
    OpBuilder(loop).clone(*op, made);
  }
  return made.lookup(value);
}

void SlicedTail::readEarly() {
  readsEarly = llvm::all_of(loads, [&](LoadOp load) {
    return llvm::all_of(load->getOperands(),
                        [&](Value operand) { return isKnownEarly(operand); });
  });
  if (!readsEarly)
    return;
  IRMapping made;
  for (LoadOp load : loads) {
    for (OpOperand &operand : load->getOpOperands())
      operand.set(makeEarly(operand.get(), made));
    load->moveBefore(loop);
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

int64_t SlicedTail::getLength(Value value, int64_t dim) {
  return getTileShape(value.getType())[dim] / shares;
}

RankedTensorType SlicedTail::getSliceType(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = getLength(value, dim);
  return RankedTensorType::get(shape, type.getElementType());
}

Value SlicedTail::getOffset(Value value, int64_t dim) {
  Location loc = value.getLoc();
  Value length = arith::ConstantOp::create(
      *builder, loc, builder->getI64IntegerAttr(getLength(value, dim)));
  return arith::MulIOp::create(*builder, loc, share, length);
}

/// The place of a part of `value` in memory, where `value` begins at `indices`.
SmallVector<Value> SlicedTail::shiftIndices(ValueRange indices, Value value,
                                            int64_t dim) {
  SmallVector<Value> shifted(indices);
  int64_t rank = getTileShape(value.getType()).size();
  Value &index = shifted[int64_t(shifted.size()) - rank + dim];
  index = arith::AddIOp::create(*builder, value.getLoc(), index,
                                getOffset(value, dim));
  return shifted;
}

Value SlicedTail::getSlice(Value value, int64_t dim) {
  Value &known = slices[{value, dim}];
  if (known)
    return known;
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  RankedTensorType type = getSliceType(value, dim);
  Value slice;
  if (op == loop) {
    slice = getSum({value, dim}, getOffset(value, dim));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    slice = arith::ConstantOp::create(
        *builder, loc,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    OpBuilder::InsertionGuard guard(*builder);
    if (readsEarly)
      builder->setInsertionPoint(loop);
    slice = LoadOp::create(*builder, loc, type, load.getMemory(),
                           shiftIndices(load.getIndices(), value, dim),
                           load.getPad());
  } else if (auto reindex = dyn_cast<ReindexOp>(op)) {
    Value source = reindex.getSource();
    for (auto [d, from] : llvm::enumerate(reindex.getDimMap()))
      if (from == dim)
        source = getSlice(source, d);
    slice = ReindexOp::create(*builder, loc, type, source, reindex.getMap());
  } else {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand, getSlice(operand, dim));
    Operation *clone = builder->clone(*op, mapping);
    clone->getResult(0).setType(type);
    slice = clone->getResult(0);
  }
  return slices[{value, dim}] = slice;
}

void SlicedTail::emitValues(OpBuilder &b, Value shareId,
                            function_ref<Value(SlicedValue, Value)> sum) {
  builder = &b;
  share = shareId;
  getSum = sum;
  for (auto &[store, dim] : stores)
    values.push_back(getSlice(store.getValue(), dim));
}

void SlicedTail::emitStores(OpBuilder &b) {
  builder = &b;
  for (auto [planned, value] : llvm::zip_equal(stores, values)) {
    auto [store, dim] = planned;
    StoreOp::create(b, store.getLoc(), value, store.getMemory(),
                    shiftIndices(store.getIndices(), store.getValue(), dim));
  }
  for (auto &[store, dim] : stores)
    store.erase();
}
