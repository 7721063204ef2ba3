//===- ElementIndex.cpp - Which elements the iterations of a loop name ----===//

#include "dialects/Tile/Transforms/ElementIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// Iterations whose indices are worth computing.
static constexpr int64_t maxIterations = 1 << 18;

IndexEvaluator::IndexEvaluator(ParallelOp loop) : loop(loop) {
  for (int64_t extent : loop.getExtents())
    if (llvm::MulOverflow(count, extent, count))
      count = maxIterations + 1;
}

const IterationValues *IndexEvaluator::evaluate(Value value) {
  if (count > maxIterations || !isa<IntegerType>(value.getType()) ||
      value.getType().getIntOrFloatBitWidth() > 64)
    return nullptr;
  if (auto found = known.find(value); found != known.end())
    return found->second.get();
  auto result = std::make_unique<IterationValues>(count);
  if (!compute(value, *result))
    result.reset();
  return (known[value] = std::move(result)).get();
}

/// One binary operation on values of `bits` bits, which are kept sign-extended;
/// none where it has no value.
static std::optional<int64_t> apply(Operation *op, int64_t a, int64_t b,
                                    unsigned bits) {
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  uint64_t ua = uint64_t(a) & mask, ub = uint64_t(b) & mask;
  bool overflows = b == 0 || (b == -1 && a == llvm::minIntN(bits));
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return int64_t(ua + ub); })
      .Case([&](arith::SubIOp) { return int64_t(ua - ub); })
      .Case([&](arith::MulIOp) { return int64_t(ua * ub); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::DivSIOp) { return overflows ? Result() : a / b; })
      .Case([&](arith::RemSIOp) { return overflows ? Result() : a % b; })
      .Case(
          [&](arith::DivUIOp) { return ub == 0 ? Result() : int64_t(ua / ub); })
      .Case(
          [&](arith::RemUIOp) { return ub == 0 ? Result() : int64_t(ua % ub); })
      .Case([&](arith::ShLIOp) {
        return ub >= bits ? Result() : int64_t(ua << ub);
      })
      .Case([&](arith::ShRUIOp) {
        return ub >= bits ? Result() : int64_t(ua >> ub);
      })
      .Case([&](arith::ShRSIOp) { return ub >= bits ? Result() : a >> ub; })
      .Case([&](arith::CmpIOp compare) {
        return int64_t(arith::applyCmpPredicate(
            compare.getPredicate(), APInt(bits, ua), APInt(bits, ub)));
      })
      .Default(Result());
}

bool IndexEvaluator::compute(Value value, IterationValues &result) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    std::fill(result.begin(), result.end(), constant.getSExtValue());
    return true;
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() != loop.getBodyBlock())
      return false;
    ArrayRef<int64_t> extents = loop.getExtents();
    int64_t stride = 1;
    for (int64_t extent : extents.drop_front(arg.getArgNumber() + 1))
      stride *= extent;
    for (auto [i, index] : llvm::enumerate(result))
      index = int64_t(i) / stride % extents[arg.getArgNumber()];
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->getNumOperands() > 3 || !isa<arith::ArithDialect>(op->getDialect()))
    return false;
  SmallVector<const IterationValues *, 3> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(operand));
    if (!operands.back())
      return false;
  }
  unsigned from = op->getOperand(0).getType().getIntOrFloatBitWidth();
  unsigned to = value.getType().getIntOrFloatBitWidth();
  for (size_t i = 0; i < result.size(); ++i) {
    std::optional<int64_t> number;
    if (isa<arith::SelectOp>(op))
      number = (*operands[0])[i] ? (*operands[1])[i] : (*operands[2])[i];
    else if (isa<arith::TruncIOp, arith::ExtSIOp>(op))
      number = (*operands[0])[i];
    else if (isa<arith::ExtUIOp>(op))
      number = (*operands[0])[i] & (from == 64 ? -1 : (int64_t(1) << from) - 1);
    else if (operands.size() == 2)
      number = apply(op, (*operands[0])[i], (*operands[1])[i], from);
    if (!number)
      return false;
    result[i] = llvm::SignExtend64(uint64_t(*number), to);
  }
  return true;
}

static layout::Coords getCoords(ArrayRef<int64_t> shape) {
  return layout::Coords(shape.begin(), shape.end());
}

std::optional<layout::IndexMap>
tile::getIndexMap(ParallelOp loop, ArrayRef<const IterationValues *> values,
                  ArrayRef<int64_t> shape) {
  if (llvm::is_contained(values, nullptr))
    return std::nullopt;
  layout::Coords extents = getCoords(loop.getExtents());
  return layout::IndexMap::create(
      extents, getCoords(shape), [&](ArrayRef<int32_t> at) {
        size_t iteration = 0;
        for (auto [index, extent] : llvm::zip_equal(at, extents))
          iteration = iteration * extent + index;
        layout::Coords place;
        for (const IterationValues *list : values) {
          // Outside of any tile where it does not fit a coordinate.
          int64_t number = (*list)[iteration];
          place.push_back(llvm::isInt<32>(number) ? int32_t(number) : -1);
        }
        return place;
      });
}

std::optional<layout::IndexMap> tile::getIndexMap(ParallelOp loop,
                                                  ElementOp element) {
  IndexEvaluator evaluator(loop);
  SmallVector<const IterationValues *> values;
  for (Value index : element.getIndices())
    values.push_back(evaluator.evaluate(index));
  return getIndexMap(loop, values,
                     getTileShape(element.getFragment().getType()));
}

std::optional<layout::IndexMap> tile::getResultMap(ParallelOp loop,
                                                   unsigned result) {
  AffineMap map = loop.getMap(result);
  return layout::IndexMap::create(
      getCoords(loop.getExtents()),
      getCoords(getTileShape(loop.getResult(result).getType())),
      [&](ArrayRef<int32_t> at) {
        SmallVector<int64_t> indices(at);
        SmallVector<int64_t> place = map.compose(indices);
        return layout::Coords(place.begin(), place.end());
      });
}
