//===- ScaledOps.cpp - Quantised tiles and block-scaled products ----------===//
//
// Scales multiply numbers in f64, where a product of a number of at most 8
// bits, a scale of at most 24 and another such pair is rounded below what any
// accumulator can see.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/MatmulOps.h"

#include "compiler/Numerics/NumberCast.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {
/// A scale or zero-point for each element of a tile.
class GroupValues {
public:
  GroupValues(std::vector<double> values, ArrayRef<int64_t> shape,
              ArrayRef<int64_t> tileShape, int64_t dim, int64_t group)
      : values(std::move(values)), dim(dim), group(group) {
    strides.assign(tileShape.size(), 0);
    if (shape.empty()) // a scalar goes with every element
      return;
    if (shape.size() < tileShape.size()) { // one for each line across `dim`
      strides[1 - dim] = 1;
      return;
    }
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
      strides[d] = shape[d] == 1 ? 0 : stride;
  }

  double get(ArrayRef<int64_t> index) const {
    int64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d)
      place += (int64_t(d) == dim ? index[d] / group : index[d]) * strides[d];
    return values[place];
  }

private:
  std::vector<double> values;
  int64_t dim, group;
  SmallVector<int64_t> strides;
};
} // namespace

/// A scale or zero operand; all are `otherwise` if it is absent.
static FailureOr<GroupValues> readGroups(BlockInterpreter &block,
                                         tile::DequantOp op, Value operand,
                                         bool isUnsigned, double otherwise) {
  ArrayRef<int64_t> tileShape = tile::getTileShape(op.getSource().getType());
  int64_t dim = op.getDim(), group = op.getGroup().value_or(tileShape[dim]);
  if (!operand)
    return GroupValues({otherwise}, {}, tileShape, dim, group);
  if (operand.getType().isIntOrFloat()) {
    const RuntimeValue value = block.getNarrow(operand);
    NumberFormat format = *findFormat(operand.getType(), isUnsigned);
    double number =
        value.isFloat()
            ? value.getFloats()[0]
            : double(decodeInteger(
                  format, encodeInteger(format, value.getIntegers()[0])));
    return GroupValues({number}, {}, tileShape, dim, group);
  }
  FailureOr<std::vector<double>> values =
      readNumbers(block, op, operand, isUnsigned);
  if (failed(values))
    return failure();
  return GroupValues(std::move(*values), tile::getTileShape(operand.getType()),
                     tileShape, dim, group);
}

static LogicalResult executeDequant(BlockInterpreter &block,
                                    tile::DequantOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  FailureOr<std::vector<double>> numbers =
      readNumbers(block, op, op.getSource(), op.getUnsignedSource());
  FailureOr<GroupValues> scales =
      readGroups(block, op, op.getScale(), /*isUnsigned=*/false, 1.0);
  FailureOr<GroupValues> zeros =
      readGroups(block, op, op.getZero(), op.getUnsignedZero(), 0.0);
  if (failed(numbers) || failed(scales) || failed(zeros))
    return failure();
  ArrayRef<int64_t> shape = tile::getTileShape(op.getSource().getType());
  SmallVector<int64_t> index(shape.size());
  for (auto [number, value] : llvm::enumerate(*numbers)) {
    int64_t rest = int64_t(number);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      index[d] = rest % shape[d];
    value = (value - zeros->get(index)) * scales->get(index);
  }
  NumberFormat format =
      *findFormat(tile::getTileElementType(op.getResult().getType()));
  if (isFloat(format)) {
    for (double &value : *numbers)
      value = castToFloat(value, format);
    block.set(op.getResult(), Floats(std::move(*numbers)));
    return success();
  }
  std::vector<int64_t> integers(numbers->begin(), numbers->end());
  block.set(op.getResult(), Integers(std::move(integers)));
  return success();
}

/// Multiplies element (row, k) of a matrix of `rows` rows by
/// scales[row / granularity, k / groupOfK]; `isRowOfK`: the matrix is [K,
/// rows].
static LogicalResult scaleMatrix(BlockInterpreter &block, tile::GemmScaledOp op,
                                 Matrix &matrix, Value scales,
                                 int64_t granularity, bool isRowOfK) {
  FailureOr<std::vector<double>> factors =
      readNumbers(block, op, scales, /*isUnsigned=*/false);
  if (failed(factors))
    return failure();
  int64_t extentK = isRowOfK ? matrix.rows : matrix.columns;
  int64_t group = op.getGranularityK();
  int64_t groups = llvm::divideCeil(extentK, group);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j) {
      int64_t row = isRowOfK ? j : i, k = isRowOfK ? i : j;
      matrix.elements[i * matrix.columns + j] *=
          (*factors)[row / granularity * groups + k / group];
    }
  return success();
}

static LogicalResult executeGemmScaled(BlockInterpreter &block,
                                       tile::GemmScaledOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  FailureOr<Matrix> a =
      makeMatrix(block, op, op.getA(), {op.getTransposeA(), false, false});
  FailureOr<Matrix> b =
      makeMatrix(block, op, op.getB(), {op.getTransposeB(), false, false});
  if (failed(a) || failed(b) ||
      failed(scaleMatrix(block, op, *a, op.getScaleA(), op.getGranularityM(),
                         /*isRowOfK=*/false)) ||
      failed(scaleMatrix(block, op, *b, op.getScaleB(), op.getGranularityN(),
                         /*isRowOfK=*/true)))
    return failure();
  return multiply(block, op, *a, *b, op.getAccumulator());
}

void tilec::addScaledHandlers(HandlerTable &table) {
  table.add<tile::DequantOp, executeDequant>();
  table.add<tile::GemmScaledOp, executeGemmScaled>();
}
