//===- MatmulOps.cpp - Matrix products ------------------------------------===//
//
// Products and sums are made in f64: exact for every pair of operand types but
// f32 and f64, whose sums round in f64.  Sums of integers are exact and then
// wrap.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/MatmulOps.h"

#include "compiler/Numerics/NumberCast.h"

using namespace mlir;
using namespace tilec;

static Matrix transpose(const Matrix &matrix) {
  Matrix result = {matrix.columns, matrix.rows,
                   std::vector<double>(matrix.elements.size())};
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      result.elements[j * matrix.rows + i] =
          matrix.elements[i * matrix.columns + j];
  return result;
}

FailureOr<RuntimeValue> tilec::readOperand(BlockInterpreter &block,
                                           Operation *op, Value operand) {
  if (isa<RankedTensorType>(operand.getType()))
    return block.getNarrow(operand);
  const MemoryView &memory = block.get(operand).getMemory();
  FailureOr<TileBox> whole = makeBox(block, op, memory, {}, memory.shape);
  if (failed(whole))
    return failure();
  return readTile(block, op, memory, *whole, getPad(block, Value(), memory));
}

FailureOr<std::vector<double>> tilec::readNumbers(BlockInterpreter &block,
                                                  Operation *op, Value operand,
                                                  bool isUnsigned) {
  FailureOr<RuntimeValue> value = readOperand(block, op, operand);
  if (failed(value))
    return failure();
  int64_t size = llvm::product_of(tile::getTileShape(operand.getType()));
  if (value->isFloat())
    return value->getFloats().expand(size);
  NumberFormat format =
      *findFormat(tile::getTileElementType(operand.getType()), isUnsigned);
  return mapElements<double>(
             [&](int64_t x) {
               return double(decodeInteger(format, encodeInteger(format, x)));
             },
             value->getIntegers())
      .expand(size);
}

FailureOr<Matrix> tilec::makeMatrix(BlockInterpreter &block, Operation *op,
                                    Value operand, OperandRole role) {
  Type elementType = tile::getTileElementType(operand.getType());
  // Wider ones could leave the 53 bits in which sums are exact; differences of
  // quantised numbers and zero-points do not.
  if (isa<IntegerType>(elementType) &&
      elementType.getIntOrFloatBitWidth() > 16 &&
      !operand.getDefiningOp<tile::DequantOp>())
    return block.fail(
        op, "a product of integers wider than 16 bits is not supported");
  FailureOr<std::vector<double>> elements =
      readNumbers(block, op, operand, role.isUnsigned);
  if (failed(elements))
    return failure();
  ArrayRef<int64_t> shape = tile::getTileShape(operand.getType());
  Matrix matrix = {shape[0], shape[1], std::move(*elements)};
  if (role.roundToTF32 && elementType.isF32())
    for (double &element : matrix.elements)
      element = castToFloat(element, NumberFormat::TF32);
  return role.isTransposed ? transpose(matrix) : matrix;
}

/// c += a * b, for a of [m, k], b of [k, n], c of [m, n].  Each element of c
/// adds its products in the order of k.
static void multiplyAdd(const double *__restrict a, const double *__restrict b,
                        double *__restrict c, int64_t m, int64_t n, int64_t k) {
  // Four rows at a time read each row of b once.
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) {
    double *c0 = c + i * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
    for (int64_t p = 0; p < k; ++p) {
      double a0 = a[i * k + p], a1 = a[(i + 1) * k + p];
      double a2 = a[(i + 2) * k + p], a3 = a[(i + 3) * k + p];
      const double *row = b + p * n;
      for (int64_t j = 0; j < n; ++j) {
        double x = row[j];
        c0[j] += a0 * x;
        c1[j] += a1 * x;
        c2[j] += a2 * x;
        c3[j] += a3 * x;
      }
    }
  }
  for (; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
}

LogicalResult tilec::multiply(BlockInterpreter &block, Operation *op,
                              const Matrix &a, const Matrix &b,
                              Value accumulator) {
  int64_t m = a.rows, n = b.columns, k = a.columns;
  NumberFormat format =
      *findFormat(tile::getTileElementType(accumulator.getType()));
  const RuntimeValue &start = block.get(accumulator);
  if (isFloat(format)) {
    std::vector<double> sum = start.getFloats().expand(m * n);
    multiplyAdd(a.elements.data(), b.elements.data(), sum.data(), m, n, k);
    bool isWide = format != NumberFormat::F64;
    block.set(op->getResult(0), RuntimeValue(Floats(std::move(sum)), isWide));
    return success();
  }
  std::vector<double> sum(m * n, 0.0);
  multiplyAdd(a.elements.data(), b.elements.data(), sum.data(), m, n, k);
  block.set(op->getResult(0),
            mapElements<int64_t>(
                [&](int64_t old, double added) {
                  uint64_t total = uint64_t(old) + uint64_t(int64_t(added));
                  return decodeInteger(format,
                                       encodeInteger(format, int64_t(total)));
                },
                start.getIntegers(), Floats(std::move(sum))));
  return success();
}

/// Columns `begin` to `end` of a matrix.
static Matrix takeColumns(const Matrix &matrix, int64_t begin, int64_t end) {
  Matrix part = {matrix.rows, end - begin, {}};
  part.elements.reserve(part.rows * part.columns);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    const double *row = &matrix.elements[i * matrix.columns];
    part.elements.insert(part.elements.end(), row + begin, row + end);
  }
  return part;
}

static LogicalResult executeGemm(BlockInterpreter &block, tile::GemmOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  FailureOr<Matrix> a =
      makeMatrix(block, op, op.getA(),
                 {op.getTransposeA(), op.getUnsignedA(), op.getTf32()});
  if (failed(a))
    return failure();
  FailureOr<Matrix> b =
      makeMatrix(block, op, op.getB(),
                 {op.getTransposeB(), op.getUnsignedB(), op.getTf32()});
  if (failed(b))
    return failure();
  if (op.getKRange()) {
    int64_t begin = op.getBeginK(), end = begin + op.getTileK();
    *a = takeColumns(*a, begin, end);
    *b = transpose(takeColumns(transpose(*b), begin, end));
  }
  return multiply(block, op, *a, *b, op.getAccumulator());
}

static LogicalResult executeMma(BlockInterpreter &block, tile::MmaOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  bool roundToTF32 = isa<FloatTF32Type>(op.getMma().getTypeA());
  FailureOr<Matrix> a =
      makeMatrix(block, op, op.getA(), {false, op.getUnsignedA(), roundToTF32});
  if (failed(a))
    return failure();
  FailureOr<Matrix> b =
      makeMatrix(block, op, op.getB(), {false, op.getUnsignedB(), roundToTF32});
  if (failed(b))
    return failure();
  return multiply(block, op, *a, *b, op.getAccumulator());
}

void tilec::addMatmulHandlers(HandlerTable &table) {
  table.add<tile::GemmOp, executeGemm>();
  table.add<tile::MmaOp, executeMma>();
}
