//===- StepsAhead.cpp - Operands made a step of K ahead -------------------===//
//
// Where the operand of all of a tile's K takes more registers than there are
// (OperandDepth.h), an iteration has several products, the steps of K.  Two
// sets of registers serve them in turn:
//
//     wait full[0]; load, make operand of step 0
//     for k, carrying that operand and the slot of k - 1:
//       start step 0; load the numbers of step 1
//       wait until 1 is pending; arrive empty of k - 1; make operand of step 1
//       ... the same for further steps
//       start the last step; wait full of k + 1; load the numbers of its step 0
//       wait until 1 is pending; make the operand of step 0 of k + 1
//     the last iteration: the same, but for what is for the next one
//     wait until none is pending; arrive empty of the last
//
// Steps are even in number, so that the operand which an iteration begins with
// is always in the same set.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/StepsAhead.h"
#include "dialects/Tile/Transforms/RingLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
struct Step {
  WgmmaOp product;
  MmaWaitOp wait;
  /// What makes its operand, in order: loads of shared memory, and arithmetic.
  SmallVector<Operation *> loads, arithmetic;

  Value getLeft() { return getLeftOperand(product); }
};

/// What an iteration begins with.
struct State {
  Value sums;    ///< in flight
  Value operand; ///< of step 0
  /// The carried values but for the sums.
  SmallVector<Value> here;
  /// Where the buffers of the iteration before are.
  SmallVector<Value> before;
};

class StepMaker : RingLoop {
public:
  using RingLoop::RingLoop;

  /// Finds the parts; false if the loop is another.
  bool collect();
  void run() {
    replace([&]() { return emitAll(); });
  }

private:
  bool collectOps();
  bool checkSteps();
  bool collectMakers(Step &step);

  IRMapping mapIteration(Value index, ArrayRef<Value> carried);
  void clone(ArrayRef<Operation *> ops, IRMapping &mapping) {
    for (Operation *op : ops)
      builder.clone(*op, mapping);
  }
  Value start(Step &step, IRMapping &mapping, Value operand, Value sums,
              Value accumulates);
  State begin();
  State emitIteration(const State &state, Value index, bool isLast);
  SmallVector<Value> flatten(const State &state);
  State unflatten(ValueRange values, const State &like);
  SmallVector<Value> emitAll();

  SmallVector<Step> steps;
  /// Waits for full buffers, loads of tensors for later iterations, and what
  /// has no effect.
  SmallVector<Operation *> waits, farLoads, places;
};
} // namespace

//===----------------------------------------------------------------------===//
// The parts of the loop
//===----------------------------------------------------------------------===//

bool StepMaker::collectOps() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      steps.emplace_back().product = product;
    } else if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      if (steps.empty() || std::exchange(steps.back().wait, wait))
        return false;
    } else if (auto arrive = dyn_cast<ArriveOp>(op)) {
      if (!handsBack(arrive) || steps.empty())
        return false;
      arrivals.push_back(arrive);
    } else if (op.getNumRegions() != 0) {
      return false;
    } else if (isa<WaitOp>(op)) {
      waits.push_back(&op);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      // Those of shared memory belong to the steps.
      if (!isa<SharedType>(load.getMemory().getType()))
        farLoads.push_back(&op);
    } else if (!isPure(&op)) {
      return false;
    }
  }
  return steps.size() >= 2 && steps.size() % 2 == 0 && haveBuffers() &&
         llvm::all_of(arrivals, [&](ArriveOp arrive) {
           return steps.back().product->isBeforeInBlock(arrive);
         });
}

/// Whether each step adds to the sums of the one before, and has its other
/// operand in a buffer of the ring.
bool StepMaker::checkSteps() {
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (!step.wait || step.wait.getPending() != 0 ||
        step.wait.getSums() != step.product.getResult() ||
        !step.product.getResult().hasOneUse() ||
        !step.wait.getResult().hasOneUse() || step.product.getOverwrite() ||
        step.product.getAccumulates() || !readsRing(step.product))
      return false;
    if (i != 0 &&
        step.product.getAccumulator() != steps[i - 1].wait.getResult())
      return false;
  }
  return true;
}

/// Finds what makes the operand of a step; false if it takes what is only
/// loaded from a tensor in this iteration.
bool StepMaker::collectMakers(Step &step) {
  SetVector<Operation *> makers;
  SmallVector<Value> worklist{step.getLeft()};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      continue;
    if (llvm::is_contained(farLoads, op) || isa<MmaWaitOp>(op))
      return false;
    if (makers.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  for (Operation &op : *loop.getBody())
    if (makers.contains(&op))
      (isa<LoadOp>(op) ? step.loads : step.arithmetic).push_back(&op);
  return !step.arithmetic.empty();
}

bool StepMaker::collect() {
  if (!collectOps() || !checkSteps() ||
      !checkSums(steps.front().product, steps.back().wait) || !checkCarried() ||
      !llvm::all_of(steps, [&](Step &step) { return collectMakers(step); }))
    return false;
  DenseSet<Operation *> made;
  for (Step &step : steps) {
    made.insert(step.loads.begin(), step.loads.end());
    made.insert(step.arithmetic.begin(), step.arithmetic.end());
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (made.contains(&op) || isa<WgmmaOp, MmaWaitOp, ArriveOp>(op))
      continue;
    // Nothing else may need what a step is made from.
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return operand.getDefiningOp() &&
                 made.contains(operand.getDefiningOp());
        }))
      return false;
    if (isPure(&op))
      places.push_back(&op);
    else if (!llvm::is_contained(waits, &op) &&
             !llvm::is_contained(farLoads, &op))
      return false;
  }
  auto isFarLoad = [&](Value value) {
    return llvm::is_contained(farLoads, value.getDefiningOp());
  };
  return llvm::none_of(places, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), isFarLoad);
  });
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

IRMapping StepMaker::mapIteration(Value index, ArrayRef<Value> carried) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapCarried(mapping, carried);
  return mapping;
}

/// Starts to multiply a step; `accumulates`: whether there were sums before,
/// null if there were.
Value StepMaker::start(Step &step, IRMapping &mapping, Value operand,
                       Value sums, Value accumulates) {
  mapping.map(step.getLeft(), operand);
  mapping.map(step.product.getAccumulator(), sums);
  auto started = cast<WgmmaOp>(builder.clone(*step.product, mapping));
  if (startsAtZero && accumulates)
    started.getAccumulatesMutable().assign(accumulates);
  return started.getResult();
}

/// Makes the operand of the first step of all.
State StepMaker::begin() {
  State state;
  state.here = getInits();
  IRMapping mapping = mapIteration(loop.getLowerBound(), state.here);
  clone(places, mapping);
  clone(waits, mapping);
  clone(steps.front().loads, mapping);
  clone(steps.front().arithmetic, mapping);
  state.operand = mapping.lookup(steps.front().getLeft());
  state.before = getSlots(mapping);
  state.sums = startSums(steps.front().product.getResult().getType());
  return state;
}

/// `isLast`: nothing is made for an iteration behind.
State StepMaker::emitIteration(const State &state, Value index, bool isLast) {
  Value isLater = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        index, loop.getLowerBound());
  IRMapping mapping = mapIteration(index, state.here), following;
  clone(places, mapping);
  State result;
  result.sums = state.sums;
  result.operand = state.operand;
  for (auto [i, step] : llvm::enumerate(steps)) {
    result.sums = start(step, mapping, result.operand, result.sums,
                        i == 0 ? isLater : Value());
    if (i == 0) {
      clone(farLoads, mapping);
      result.here = getYielded(mapping);
    }
    bool isInNext = i + 1 == steps.size();
    if (isInNext && isLast)
      break;
    Step &next = steps[isInNext ? 0 : i + 1];
    if (isInNext) {
      following = mapIteration(
          arith::AddIOp::create(builder, loc, index, loop.getStep()),
          result.here);
      clone(places, following);
      clone(waits, following);
    }
    IRMapping &ofNext = isInNext ? following : mapping;
    clone(next.loads, ofNext);
    result.sums = MmaWaitOp::create(builder, step.wait.getLoc(),
                                    result.sums.getType(), result.sums,
                                    /*pending=*/1);
    if (i == 0)
      arrive(state.before, isLater);
    clone(next.arithmetic, ofNext);
    result.operand = ofNext.lookup(next.getLeft());
  }
  result.before = getSlots(mapping);
  return result;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

SmallVector<Value> StepMaker::flatten(const State &state) {
  SmallVector<Value> values{state.sums, state.operand};
  llvm::append_range(values, state.here);
  llvm::append_range(values, state.before);
  return values;
}

State StepMaker::unflatten(ValueRange values, const State &like) {
  State state;
  state.sums = values[0];
  state.operand = values[1];
  llvm::append_range(state.here, values.slice(2, like.here.size()));
  llvm::append_range(state.before, values.drop_front(2 + like.here.size()));
  return state;
}

/// The iterations, of which there is at least one: the sums, and the places in
/// rings.
SmallVector<Value> StepMaker::emitAll() {
  Value lower = loop.getLowerBound(), step = loop.getStep();
  Value span = arith::SubIOp::create(builder, loc, loop.getUpperBound(), lower);
  Value trips = arith::CeilDivSIOp::create(builder, loc, span, step);
  Value before = arith::SubIOp::create(builder, loc, trips, makeConstant(1));
  Value last = arith::AddIOp::create(
      builder, loc, lower, arith::MulIOp::create(builder, loc, before, step));
  State first = begin();
  auto ahead =
      scf::ForOp::create(builder, loc, lower, last, step, flatten(first));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = ahead.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    builder.setInsertionPointToStart(body);
    State state = emitIteration(unflatten(ahead.getRegionIterArgs(), first),
                                ahead.getInductionVar(), /*isLast=*/false);
    scf::YieldOp::create(builder, loc, flatten(state));
  }
  State end = emitIteration(unflatten(ahead.getResults(), first), last,
                            /*isLast=*/true);
  Value done = MmaWaitOp::create(
      builder, steps.back().wait.getLoc(),
      steps.back().product.getResult().getType().getFragment(), end.sums,
      /*pending=*/0);
  arrive(end.before, Value());
  return getResults(done, end.here);
}

bool tile::makeStepsAhead(scf::ForOp loop) {
  StepMaker maker(loop);
  if (!maker.collect())
    return false;
  maker.run();
  return true;
}
