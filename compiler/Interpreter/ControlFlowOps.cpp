//===- ControlFlowOps.cpp - Loops and branches ----------------------------===//
//
// In an element loop the lanes may disagree on a condition.  A branch is then
// executed with the lanes that take it, and a loop until no lane is left; after
// each, a value is that of the lanes that ran, and for the others what it was.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;

using Values = std::vector<RuntimeValue>;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The lanes of `mask` where `condition` is `taken`.
static LaneMask restrictMask(const LaneMask &mask, const Integers &condition,
                             bool taken) {
  std::vector<uint8_t> active(mask.count);
  for (int64_t lane = 0; lane < mask.count; ++lane)
    active[lane] = mask.runs(lane) && (condition[lane] != 0) == taken;
  LaneMask restricted = mask;
  restricted.active =
      std::make_shared<const std::vector<uint8_t>>(std::move(active));
  return restricted;
}

static bool isEmpty(const LaneMask &mask) {
  return mask.active &&
         llvm::none_of(*mask.active, [](uint8_t lane) { return lane != 0; });
}

template <typename T>
static Elements<T> mergeElements(const LaneMask &mask,
                                 const Elements<T> &inside,
                                 const Elements<T> &outside) {
  std::vector<T> merged(mask.count);
  for (int64_t lane = 0; lane < mask.count; ++lane)
    merged[lane] = mask.runs(lane) ? inside[lane] : outside[lane];
  return Elements<T>(std::move(merged));
}

/// The values of `inside` in the lanes of the mask, of `outside` elsewhere.
static FailureOr<Values> mergeValues(BlockInterpreter &block, Operation *op,
                                     const LaneMask &mask, const Values &inside,
                                     const Values &outside, TypeRange types) {
  Values merged;
  for (auto [in, out, type] : llvm::zip_equal(inside, outside, types)) {
    if (!type.isIntOrIndexOrFloat())
      return block.fail(op,
                        "iterations of 'parallel' cannot choose between tiles");
    if (in.isInteger())
      merged.push_back(
          mergeElements(mask, in.getIntegers(), out.getIntegers()));
    else
      merged.push_back(
          RuntimeValue(mergeElements(mask, in.getFloats(), out.getFloats()),
                       in.isWide() || out.isWide()));
  }
  return merged;
}

static void setResults(BlockInterpreter &block, Operation *op,
                       const Values &values) {
  for (auto [result, content] : llvm::zip_equal(op->getResults(), values))
    block.set(result, content);
}

static Values getValues(BlockInterpreter &block, ValueRange operands) {
  Values values;
  for (Value operand : operands)
    values.push_back(block.get(operand));
  return values;
}

//===----------------------------------------------------------------------===//
// Counted loops
//===----------------------------------------------------------------------===//

namespace {
struct Bounds {
  int64_t lower, upper, step;

  uint64_t countIterations() const {
    if (lower >= upper)
      return 0;
    return (uint64_t(upper) - uint64_t(lower) - 1) / uint64_t(step) + 1;
  }
};
} // namespace

static FailureOr<Values> runUniformLoop(BlockInterpreter &block, Region &body,
                                        Bounds bounds, Values carried) {
  uint64_t count = bounds.countIterations();
  for (uint64_t i = 0; i < count; ++i) {
    carried.insert(carried.begin(),
                   Integers(int64_t(bounds.lower + i * bounds.step)));
    FailureOr<Values> next = block.runRegion(body, carried);
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
  return carried;
}

/// A loop whose bounds differ between lanes.
static FailureOr<Values> runVaryingLoop(BlockInterpreter &block, Operation *op,
                                        Region &body, Integers index,
                                        const Integers &upper,
                                        const Integers &step, Values carried) {
  using I = int64_t;
  for (;;) {
    Integers more =
        mapElements<I>([](I i, I end) { return I(i < end); }, index, upper);
    LaneMask mask = restrictMask(block.getMask(), more, true);
    if (isEmpty(mask))
      return carried;
    Values arguments = carried;
    arguments.insert(arguments.begin(), index);
    FailureOr<Values> next;
    {
      MaskScope scope(block, mask);
      next = block.runRegion(body, arguments);
    }
    if (failed(next))
      return failure();
    FailureOr<Values> merged =
        mergeValues(block, op, mask, *next, carried, op->getResultTypes());
    if (failed(merged))
      return failure();
    carried = std::move(*merged);
    // A lane that has ended must not start again by wrapping round.
    index = mapElements<I>(
        [](I i, I end, I by) {
          return i < end && i <= INT64_MAX - by ? i + by : INT64_MAX;
        },
        index, upper, step);
  }
}

static LogicalResult executeFor(BlockInterpreter &block, scf::ForOp op) {
  // Copies: the body adds to the table that holds the values.
  const Integers lower = block.getIntegers(op.getLowerBound());
  const Integers upper = block.getIntegers(op.getUpperBound());
  const Integers step = block.getIntegers(op.getStep());
  for (int64_t i = 0; i < step.size(); ++i)
    if (step[i] <= 0)
      return block.fail(op, "a loop's step is positive, found " +
                                llvm::Twine(step[i]));
  Values inits = getValues(block, op.getInitArgs());
  FailureOr<Values> results;
  if (lower.isUniform() && upper.isUniform() && step.isUniform())
    results = runUniformLoop(block, op.getRegion(),
                             {lower[0], upper[0], step[0]}, inits);
  else
    results =
        runVaryingLoop(block, op, op.getRegion(), lower, upper, step, inits);
  if (failed(results))
    return failure();
  setResults(block, op, *results);
  return success();
}

static LogicalResult executePipelined(BlockInterpreter &block,
                                      tile::PipelinedOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  Bounds bounds = {block.getIntegers(op.getLower())[0],
                   block.getIntegers(op.getUpper())[0], int64_t(op.getStep())};
  FailureOr<Values> results = runUniformLoop(block, op.getBody(), bounds,
                                             getValues(block, op.getInits()));
  if (failed(results))
    return failure();
  setResults(block, op, *results);
  return success();
}

//===----------------------------------------------------------------------===//
// Branches and conditional loops
//===----------------------------------------------------------------------===//

/// Runs one side of a branch; a side that is left out yields nothing.
static FailureOr<Values> runBranch(BlockInterpreter &block, Region &region) {
  return region.empty() ? FailureOr<Values>(Values())
                        : block.runRegion(region, {});
}

static LogicalResult executeIf(BlockInterpreter &block, scf::IfOp op) {
  const Integers condition = block.getIntegers(op.getCondition());
  FailureOr<Values> results;
  if (condition.isUniform()) {
    results = runBranch(block,
                        condition[0] ? op.getThenRegion() : op.getElseRegion());
    if (failed(results))
      return failure();
    setResults(block, op, *results);
    return success();
  }

  LaneMask taken = restrictMask(block.getMask(), condition, true);
  LaneMask left = restrictMask(block.getMask(), condition, false);
  FailureOr<Values> inThen = Values(), inElse = Values();
  if (!isEmpty(taken)) {
    MaskScope scope(block, taken);
    inThen = runBranch(block, op.getThenRegion());
  }
  if (succeeded(inThen) && !isEmpty(left)) {
    MaskScope scope(block, left);
    inElse = runBranch(block, op.getElseRegion());
  }
  if (failed(inThen) || failed(inElse))
    return failure();
  if (isEmpty(left) || isEmpty(taken)) {
    setResults(block, op, isEmpty(left) ? *inThen : *inElse);
    return success();
  }
  results =
      mergeValues(block, op, taken, *inThen, *inElse, op.getResultTypes());
  if (failed(results))
    return failure();
  setResults(block, op, *results);
  return success();
}

static LogicalResult executeWhile(BlockInterpreter &block, scf::WhileOp op) {
  Values state = getValues(block, op.getInits());
  // A lane's result is what it passed to the condition that ended it.
  Values results;
  LaneMask mask = block.getMask();
  for (bool isFirst = true;; isFirst = false) {
    MaskScope scope(block, mask);
    FailureOr<Values> before = block.runRegion(op.getBefore(), state);
    if (failed(before))
      return failure();
    Integers goesOn = before->front().getIntegers();
    before->erase(before->begin());
    if (isFirst || !mask.active) {
      results = *before;
    } else {
      FailureOr<Values> merged =
          mergeValues(block, op, mask, *before, results, op.getResultTypes());
      if (failed(merged))
        return failure();
      results = std::move(*merged);
    }

    if (goesOn.isUniform() && !goesOn[0])
      break;
    if (!goesOn.isUniform())
      mask = restrictMask(mask, goesOn, true);
    if (isEmpty(mask))
      break;
    MaskScope bodyScope(block, mask);
    FailureOr<Values> after = block.runRegion(op.getAfter(), *before);
    if (failed(after))
      return failure();
    state = std::move(*after);
  }
  setResults(block, op, results);
  return success();
}

void tilec::addControlFlowHandlers(HandlerTable &table) {
  table.add<scf::ForOp, executeFor>();
  table.add<scf::IfOp, executeIf>();
  table.add<scf::WhileOp, executeWhile>();
  table.add<tile::PipelinedOp, executePipelined>();
}
