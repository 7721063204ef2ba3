//===- ReductionOps.cpp - Reductions and scans ----------------------------===//
//
// Float sums are made in f64 and rounded to their type when an op other than a
// move reads them, as the sums of products are.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "compiler/Numerics/NumberCast.h"
#include <cmath>

using namespace mlir;
using namespace tilec;

namespace {
/// How elements are combined, on values as they are held (integers
/// sign-extended from the result's width).
struct Combiner {
  tile::ReductionKind kind;
  bool isUnsigned;

  double combine(double a, double b) const {
    if (kind == tile::ReductionKind::Sum)
      return a + b;
    if (std::isnan(a))
      return b;
    if (std::isnan(b))
      return a;
    bool isMin = kind == tile::ReductionKind::Min;
    if (a == b)
      return std::signbit(a) == isMin ? a : b;
    return (a < b) == isMin ? a : b;
  }
  int64_t combine(int64_t a, int64_t b) const {
    if (kind == tile::ReductionKind::Sum)
      return int64_t(uint64_t(a) + uint64_t(b));
    bool isLess = isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
    return isLess == (kind == tile::ReductionKind::Min) ? a : b;
  }
  double prepare(double x) const {
    return kind == tile::ReductionKind::AbsMax ? std::fabs(x) : x;
  }
  int64_t prepare(int64_t x) const {
    if (kind != tile::ReductionKind::AbsMax || isUnsigned || x >= 0)
      return x;
    return int64_t(0 - uint64_t(x));
  }
};

/// The elements along one dimension: `outer` runs of `extent`, `inner` apart.
struct Axis {
  Axis(ArrayRef<int64_t> shape, int64_t dim)
      : outer(llvm::product_of(shape.take_front(dim))), extent(shape[dim]),
        inner(llvm::product_of(shape.drop_front(dim + 1))) {}
  Axis(int64_t count) : outer(1), extent(count), inner(1) {}

  int64_t locate(int64_t line, int64_t i) const {
    return (line / inner * extent + i) * inner + line % inner;
  }
  int64_t outer, extent, inner;
};
} // namespace

/// The source with the values of its unsigned type, if it is one.
static Integers readIntegers(BlockInterpreter &block, Value source,
                             bool isUnsigned) {
  NumberFormat format =
      *findFormat(tile::getTileElementType(source.getType()), isUnsigned);
  return mapElements<int64_t>(
      [=](int64_t x) {
        return decodeInteger(format, encodeInteger(format, x));
      },
      block.getIntegers(source));
}

/// Rounds or wraps what is held to the result's type.
static int64_t hold(Value result, int64_t value) {
  NumberFormat format = *findFormat(tile::getTileElementType(result.getType()));
  return decodeInteger(format, encodeInteger(format, value));
}

template <typename T>
static std::vector<T> reduceLines(const Elements<T> &source, const Axis &axis,
                                  const Combiner &combiner) {
  std::vector<T> results(axis.outer * axis.inner);
  for (int64_t line = 0; line < int64_t(results.size()); ++line) {
    T value = combiner.prepare(source[axis.locate(line, 0)]);
    for (int64_t i = 1; i < axis.extent; ++i)
      value = combiner.combine(value,
                               combiner.prepare(source[axis.locate(line, i)]));
    results[line] = value;
  }
  return results;
}

static LogicalResult executeReduce(BlockInterpreter &block, tile::ReduceOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  ArrayRef<int64_t> shape = op.getSource().getType().getShape();
  Axis axis =
      op.getDim() ? Axis(shape, *op.getDim()) : Axis(llvm::product_of(shape));
  Combiner combiner = {op.getKind(), op.getUnsignedSource()};
  bool isTile = isa<RankedTensorType>(op.getResult().getType());
  if (block.get(op.getSource()).isFloat()) {
    std::vector<double> results =
        reduceLines(block.getRounded(op.getSource()), axis, combiner);
    bool isWide = combiner.kind == tile::ReductionKind::Sum &&
                  !tile::getTileElementType(op.getResult().getType()).isF64();
    block.set(op.getResult(), RuntimeValue(isTile ? Floats(std::move(results))
                                                  : Floats(results[0]),
                                           isWide));
    return success();
  }
  std::vector<int64_t> results = reduceLines(
      readIntegers(block, op.getSource(), combiner.isUnsigned), axis, combiner);
  for (int64_t &result : results)
    result = hold(op.getResult(), result);
  block.set(op.getResult(),
            isTile ? Integers(std::move(results)) : Integers(results[0]));
  return success();
}

template <typename T>
static std::vector<T> scanLines(const Elements<T> &source, const Axis &axis,
                                const Combiner &combiner, bool reverse) {
  std::vector<T> results(axis.outer * axis.extent * axis.inner);
  for (int64_t line = 0; line < axis.outer * axis.inner; ++line) {
    T value = T();
    for (int64_t i = 0; i < axis.extent; ++i) {
      int64_t place = axis.locate(line, reverse ? axis.extent - 1 - i : i);
      T element = combiner.prepare(source[place]);
      value = i == 0 ? element : combiner.combine(value, element);
      results[place] = value;
    }
  }
  return results;
}

static LogicalResult executeScan(BlockInterpreter &block, tile::ScanOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  Axis axis(op.getSource().getType().getShape(), op.getDim());
  Combiner combiner = {op.getKind(), op.getUnsignedSource()};
  if (block.get(op.getSource()).isFloat()) {
    bool isWide = !tile::getTileElementType(op.getResult().getType()).isF64();
    block.set(op.getResult(),
              RuntimeValue(Floats(scanLines(block.getRounded(op.getSource()),
                                            axis, combiner, op.getReverse())),
                           isWide));
    return success();
  }
  std::vector<int64_t> results =
      scanLines(readIntegers(block, op.getSource(), combiner.isUnsigned), axis,
                combiner, op.getReverse());
  for (int64_t &result : results)
    result = hold(op.getResult(), result);
  block.set(op.getResult(), Integers(std::move(results)));
  return success();
}

void tilec::addReductionHandlers(HandlerTable &table) {
  table.add<tile::ReduceOp, executeReduce>();
  table.add<tile::ScanOp, executeScan>();
}
