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
#include "mlir/IR/IRMapping.h"

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
  explicit AheadMaker(scf::ForOp loop)
      : AheadLoop(loop), builder(loop), loc(loop.getLoc()) {}

  void run();

private:
  Value makeConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  void mapCarried(IRMapping &mapping, ArrayRef<Value> values);
  void cloneEarly(IRMapping &mapping);
  void cloneShared(IRMapping &mapping);
  void cloneConversion(IRMapping &mapping, Value isNotLast);
  void handOver(const IRMapping &mapping, Value isNotLast);
  void handBackEarly(const IRMapping &mapping, Value index, Value last);
  SmallVector<Value> getYielded(const IRMapping &mapping);
  State startFirst(Value last);
  WgmmaOp startStep(const State &state, int64_t part, Value sums,
                    Value accumulates);
  void arrive(ArrayRef<Value> slots, Value predicate);
  State emitIteration(const State &state, Value index, Value last,
                      Value isLater, Value isLast);
  State emitPairs(const State &first, Value upper, Value last);
  SmallVector<Value> emitAll();
  SmallVector<Value> flatten(const State &state);
  State unflatten(ValueRange values, const State &like);
  SmallVector<Value> getResults(Value sums, ArrayRef<Value> carried);

  OpBuilder builder;
  Location loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

/// Maps the carried values but for the sums.
void AheadMaker::mapCarried(IRMapping &mapping, ArrayRef<Value> values) {
  for (unsigned i = 0, place = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (i != sumsIndex)
      mapping.map(loop.getRegionIterArg(i), values[place++]);
}

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

/// What the iteration of a mapping hands on, but for the sums.
SmallVector<Value> AheadMaker::getYielded(const IRMapping &mapping) {
  SmallVector<Value> values;
  for (auto [i, value] :
       llvm::enumerate(loop.getBody()->getTerminator()->getOperands()))
    if (i != sumsIndex)
      values.push_back(mapping.lookupOrDefault(value));
  return values;
}

/// Makes the operand of the first iteration.
State AheadMaker::startFirst(Value last) {
  State state;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (i != sumsIndex)
      state.here.push_back(init);
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
  for (ArriveOp arrive : arrivals)
    state.before.push_back(mapping.lookup(arrive.getIndex()));
  Value initial = loop.getInitArgs()[sumsIndex];
  state.sums = MmaCarryOp::create(builder, loc, product.getResult().getType(),
                                  startsAtZero ? Value() : initial);
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
  for (ArriveOp arrive : arrivals)
    ArriveOp::create(builder, arrive.getLoc(), arrive.getBarrier(),
                     mapping.lookup(arrive.getIndex()), isEarlier,
                     arrive.getPerWarpgroup(), arrive.getPerWarp());
}

/// Starts to multiply a part of the operand of an iteration.
WgmmaOp AheadMaker::startStep(const State &state, int64_t part, Value sums,
                              Value accumulates) {
  IRMapping mapping;
  mapCarried(mapping, state.here);
  if (readyWait && part == 0)
    builder.clone(*readyWait, mapping);
  builder.clone(*stage, mapping);
  mapping.map(getLeft(), state.operand[part]);
  mapping.map(product.getAccumulator(), sums);
  auto started = cast<WgmmaOp>(builder.clone(*product, mapping));
  started.setK(product.getK() + part * parts->getDepth());
  started.setDepth(parts->getDepth());
  if (startsAtZero && accumulates)
    started.getAccumulatesMutable().assign(accumulates);
  return started;
}

void AheadMaker::arrive(ArrayRef<Value> slots, Value predicate) {
  for (auto [arrive, slot] : llvm::zip_equal(arrivals, slots))
    ArriveOp::create(builder, arrive.getLoc(), arrive.getBarrier(), slot,
                     predicate, arrive.getPerWarpgroup(), arrive.getPerWarp());
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
      if (value.getType().isInteger(64))
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
  for (ArriveOp arrive : arrivals)
    result.before.push_back(current.lookup(arrive.getIndex()));
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
    if (value.getType().isInteger(64))
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
    state.here.push_back(value.getType().isInteger(64) ? take() : value);
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

/// The results of the loop: the sums, and the places in rings.
SmallVector<Value> AheadMaker::getResults(Value sums, ArrayRef<Value> carried) {
  SmallVector<Value> results{sums};
  for (Value value : carried)
    if (value.getType().isInteger(64))
      results.push_back(value);
  return results;
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
  SmallVector<Value> slots;
  for (ArriveOp arrive : arrivals)
    slots.push_back(current.lookup(arrive.getIndex()));
  arrive(slots, Value());
  scf::YieldOp::create(builder, loc, getResults(sums, state.next));
  builder.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(builder, loc, results);
  return rest.getResults();
}

void AheadMaker::run() {
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (i != sumsIndex)
      inits.push_back(init);
  SmallVector<Value> none = getResults(loop.getInitArgs()[sumsIndex], inits);
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto all = scf::IfOp::create(builder, loc, ValueRange(none).getTypes(), runs,
                               /*withElseRegion=*/true);
  builder.setInsertionPointToStart(all.thenBlock());
  SmallVector<Value> results = emitAll();
  builder.setInsertionPointToEnd(all.thenBlock());
  scf::YieldOp::create(builder, loc, results);
  builder.setInsertionPointToStart(all.elseBlock());
  scf::YieldOp::create(builder, loc, none);
  unsigned place = 1;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (i == sumsIndex)
      loop.getResult(i).replaceAllUsesWith(all.getResult(0));
    else if (isPlace(i))
      loop.getResult(i).replaceAllUsesWith(all.getResult(place++));
  loop.erase();
}

bool tile::makeOperandsAhead(scf::ForOp loop) {
  AheadMaker maker(loop);
  if (!maker.collect())
    return false;
  maker.run();
  return true;
}
