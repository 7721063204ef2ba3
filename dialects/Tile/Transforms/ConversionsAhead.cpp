//===- ConversionsAhead.cpp - Operands made while others multiply ---------===//
//
// The registers from which a product takes an operand belong to the tensor
// cores until it is done.  With two sets of them, in two iterations written
// out:
//
//     wait full[0]; load, make operand 0
//     for k in pairs, carrying the operand and the slot of k:
//       first step of product k
//       wait full of k + 1; load its numbers
//       wait until 1 is pending; arrive empty of k - 1
//       make the first part of the operand of k + 1
//       for each other step: start it, make the next part of the operand
//       the same for k + 1 and k + 2
//     wait until none is pending; arrive empty of the last; an odd iteration
//
// A warp that has started a step waits to start the next one until the tensor
// cores are about to take it, and makes part of the next operand meanwhile.
//
// Where the other operand is converted in shared memory (ConvertedOperand.h),
// so is its part of k + 1, behind the start of product k; the threads tell of
// it once k - 1 is done, by which all know that its buffer may be written next.
//
// Arithmetic starts behind the wait that ends the use of its registers
// (WgmmaToNVVM.cpp).  Behind the last iteration its own numbers are read again,
// which still stand in its buffer: no branch around registers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ConversionsAhead.h"
#include "dialects/Tile/Transforms/AheadLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What an iteration begins with.
struct State {
  /// In flight.
  Value sums;
  /// The operand of the iteration, in parts.
  SmallVector<Value> operand;
  /// The carried values but for the sums: those of the iteration, where they
  /// are places in rings, and those of the next one.
  SmallVector<Value> here, next;
  /// Where the buffers of the iteration before are.
  SmallVector<Value> before;
};

class AheadMaker : public AheadLoop {
public:
  using AheadLoop::AheadLoop;

  void run() {
    replace([&]() { return emitAll(); });
  }

private:
  void cloneEarly(IRMapping &mapping);
  void cloneShared(IRMapping &mapping);
  void cloneConversion(IRMapping &mapping, Value isNotLast);
  void handOver(const IRMapping &mapping, Value isNotLast);
  void handBackEarly(const IRMapping &mapping, Value index, Value last);
  State startFirst(Value last);
  WgmmaOp startStep(const State &state, int64_t part, Value sums,
                    Value accumulates);
  State emitIteration(const State &state, Value index, Value last,
                      Value isLater, Value isLast);
  State emitPairs(const State &first, Value upper, Value last);
  SmallVector<Value> emitAll();
  SmallVector<Value> flatten(const State &state);
  State unflatten(ValueRange values, const State &like);
};
} // namespace

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

/// Clones the waits, the loads and the arithmetic on places.
void AheadMaker::cloneEarly(IRMapping &mapping) {
  for (Operation *op : others)
    if (!arithmetic.contains(op))
      builder.clone(*op, mapping);
  for (Operation *op : conversionLoads)
    builder.clone(*op, mapping);
}

/// Clones the arithmetic that all parts of the operand share.
void AheadMaker::cloneShared(IRMapping &mapping) {
  for (Operation *op : others)
    if (arithmetic.contains(op) && !parts->isByParts(op))
      builder.clone(*op, mapping);
}

/// Clones what writes a buffer of the converted tile, where there is a next
/// iteration (null: always).
void AheadMaker::cloneConversion(IRMapping &mapping, Value isNotLast) {
  OpBuilder::InsertionGuard guard(builder);
  if (isNotLast && !conversion.empty()) {
    auto branch = scf::IfOp::create(builder, loc, isNotLast);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  for (Operation *op : conversion)
    builder.clone(*op, mapping);
}

/// Tells that this warp has written its part of it.
void AheadMaker::handOver(const IRMapping &mapping, Value isNotLast) {
  if (ready)
    ArriveOp::create(builder, ready.getLoc(), ready.getBarrier(),
                     mapping.lookup(ready.getIndex()), isNotLast,
                     ready.getPerWarpgroup(), ready.getPerWarp());
}

/// Makes the operand of the first iteration.
State AheadMaker::startFirst(Value last) {
  State state;
  state.here = getInits();
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapCarried(mapping, state.here);
  cloneEarly(mapping);
  cloneConversion(mapping, /*isNotLast=*/Value());
  handBackEarly(mapping, loop.getLowerBound(), last);
  handOver(mapping, /*isNotLast=*/Value());
  cloneShared(mapping);
  for (int64_t part = 0; part < parts->count(); ++part)
    state.operand.push_back(parts->emit(builder, mapping, part));
  state.next = getYielded(mapping);
  state.before = getSlots(mapping);
  state.sums = startSums(product.getResult().getType());
  return state;
}

/// Where both operands are converted, nothing reads a buffer of the main ring
/// any more once its numbers are in registers: hands it back at once, unless it
/// is that of the last iteration, whose numbers are read again.
void AheadMaker::handBackEarly(const IRMapping &mapping, Value index,
                               Value last) {
  if (!ready)
    return;
  Value isEarlier = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, index, last);
  arrive(getSlots(mapping), isEarlier);
}

/// Starts to multiply a part of the operand of an iteration.
WgmmaOp AheadMaker::startStep(const State &state, int64_t part, Value sums,
                              Value accumulates) {
  IRMapping mapping;
  mapCarried(mapping, state.here);
  if (readyWait && part == 0)
    builder.clone(*readyWait, mapping);
  builder.clone(*stage, mapping);
  mapping.map(getLeftOperand(product), state.operand[part]);
  mapping.map(product.getAccumulator(), sums);
  auto started = cast<WgmmaOp>(builder.clone(*product, mapping));
  started.setK(product.getK() + part * parts->getDepth());
  started.setDepth(parts->getDepth());
  if (startsAtZero && accumulates)
    started.getAccumulatesMutable().assign(accumulates);
  return started;
}

/// `isLater`: whether there was an iteration before, null if there was.
/// `isLast`: whether there is none behind, null if there is.
State AheadMaker::emitIteration(const State &state, Value index, Value last,
                                Value isLater, Value isLast) {
  WgmmaOp started;
  if (!ready)
    started = startStep(state, 0, state.sums, isLater);
  IRMapping mapping;
  Value following = arith::AddIOp::create(builder, loc, index, loop.getStep());
  mapping.map(loop.getInductionVar(), following);
  SmallVector<Value> ahead(state.next);
  if (isLast)
    for (auto [value, here] : llvm::zip_equal(ahead, state.here))
      if (isPlace(value))
        value = arith::SelectOp::create(builder, loc, isLast, here, value);
  mapCarried(mapping, ahead);
  cloneEarly(mapping);
  // What is converted in shared memory takes long: it is loaded before this
  // warp waits for the others.
  if (ready)
    started = startStep(state, 0, state.sums, isLater);
  Value isNotLast;
  if (isLast && ready)
    isNotLast = arith::XOrIOp::create(
        builder, loc, isLast,
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  cloneConversion(mapping, isNotLast);
  handBackEarly(mapping, following, last);
  State result;
  result.sums =
      MmaWaitOp::create(builder, wait.getLoc(), started.getResult().getType(),
                        started, /*pending=*/1);
  if (!ready)
    arrive(state.before, isLater);
  handOver(mapping, isNotLast);
  cloneShared(mapping);
  result.operand.push_back(parts->emit(builder, mapping, 0));
  for (int64_t part = 1; part < parts->count(); ++part) {
    result.sums = startStep(state, part, result.sums, /*accumulates=*/Value());
    result.operand.push_back(parts->emit(builder, mapping, part));
  }
  result.here = state.next;
  result.next = getYielded(mapping);
  IRMapping current;
  mapCarried(current, state.here);
  result.before = getSlots(current);
  return result;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// All that a loop carries for a state.  Of `here` only places are of use.
SmallVector<Value> AheadMaker::flatten(const State &state) {
  SmallVector<Value> values{state.sums};
  llvm::append_range(values, state.operand);
  llvm::append_range(values, state.before);
  llvm::append_range(values, state.next);
  for (Value value : state.here)
    if (isPlace(value))
      values.push_back(value);
  return values;
}

State AheadMaker::unflatten(ValueRange values, const State &like) {
  State state;
  auto take = [&]() {
    Value value = values.front();
    values = values.drop_front();
    return value;
  };
  state.sums = take();
  for (size_t i = 0; i < like.operand.size(); ++i)
    state.operand.push_back(take());
  for (size_t i = 0; i < like.before.size(); ++i)
    state.before.push_back(take());
  for (size_t i = 0; i < like.next.size(); ++i)
    state.next.push_back(take());
  for (Value value : like.here)
    state.here.push_back(isPlace(value) ? take() : value);
  return state;
}

/// The iterations in pairs, up to `upper`; `last` is the last one's index.
State AheadMaker::emitPairs(const State &first, Value upper, Value last) {
  Value step =
      arith::MulIOp::create(builder, loc, loop.getStep(), makeConstant(2));
  auto pairs = scf::ForOp::create(builder, loc, loop.getLowerBound(), upper,
                                  step, flatten(first));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = pairs.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  builder.setInsertionPointToStart(body);
  Value index = pairs.getInductionVar();
  Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        index, loop.getLowerBound());
  State state = emitIteration(unflatten(pairs.getRegionIterArgs(), first),
                              index, last, isLater, /*isLast=*/Value());
  Value second = arith::AddIOp::create(builder, loc, index, loop.getStep());
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       second, last);
  state = emitIteration(state, second, last, /*isLater=*/Value(), isLast);
  scf::YieldOp::create(builder, loc, flatten(state));
  return unflatten(pairs.getResults(), first);
}

/// The iterations, of which there is at least one.
SmallVector<Value> AheadMaker::emitAll() {
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value span = arith::SubIOp::create(builder, loc, loop.getUpperBound(), lower);
  Value trips = arith::CeilDivSIOp::create(builder, loc, span, step);
  Value odd = arith::AndIOp::create(builder, loc, trips, makeConstant(1));
  Value even = arith::SubIOp::create(builder, loc, trips, odd);
  auto getIndex = [&](Value count) -> Value {
    return arith::AddIOp::create(
        builder, loc, lower, arith::MulIOp::create(builder, loc, count, step));
  };
  Value last =
      getIndex(arith::SubIOp::create(builder, loc, trips, makeConstant(1)));
  State first = startFirst(last);
  State state = emitPairs(first, getIndex(even), last);
  RankedTensorType fragment = product.getResult().getType().getFragment();
  Value done = MmaWaitOp::create(builder, wait.getLoc(), fragment, state.sums,
                                 /*pending=*/0);
  auto isNot0 = [&](Value value) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 makeConstant(0));
  };
  Value hadPair = isNot0(even), hasRest = isNot0(odd);
  // Only the last buffer has not been handed back where that is done early.
  arrive(state.before,
         ready ? arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       odd, makeConstant(0))
                     .getResult()
               : hadPair);
  SmallVector<Value> results = getResults(done, state.here);
  auto rest = scf::IfOp::create(builder, loc, ValueRange(results).getTypes(),
                                hasRest, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(rest.thenBlock());
  Value sums = startStep(state, 0, done, hadPair);
  for (int64_t part = 1; part < parts->count(); ++part)
    sums = startStep(state, part, sums, /*accumulates=*/Value());
  sums = MmaWaitOp::create(builder, wait.getLoc(), fragment, sums,
                           /*pending=*/0);
  IRMapping current;
  mapCarried(current, state.here);
  arrive(getSlots(current), Value());
  scf::YieldOp::create(builder, loc, getResults(sums, state.next));
  builder.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(builder, loc, results);
  return rest.getResults();
}

bool tile::makeOperandsAhead(scf::ForOp loop) {
  AheadMaker maker(loop);
  if (!maker.collect())
    return false;
  maker.run();
  return true;
}
