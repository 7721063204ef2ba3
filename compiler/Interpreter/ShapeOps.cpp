//===- ShapeOps.cpp - Constants and fragments in other shapes -------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static double getFloat(NumberFormat format, const APFloat &value) {
  uint64_t code = value.bitcastToAPInt().getZExtValue();
  // An APFloat of tf32 has no bits below its fraction.
  return decodeFloat(format, format == NumberFormat::TF32 ? code << 13 : code);
}

static int64_t getInteger(NumberFormat format, const APInt &value) {
  return decodeInteger(format, value.getZExtValue());
}

static RuntimeValue getConstant(NumberFormat format, DenseElementsAttr attr) {
  if (isFloat(format)) {
    if (attr.isSplat())
      return Floats(getFloat(format, attr.getSplatValue<APFloat>()));
    std::vector<double> elements;
    for (const APFloat &element : attr.getValues<APFloat>())
      elements.push_back(getFloat(format, element));
    return Floats(std::move(elements));
  }
  if (attr.isSplat())
    return Integers(getInteger(format, attr.getSplatValue<APInt>()));
  std::vector<int64_t> elements;
  for (const APInt &element : attr.getValues<APInt>())
    elements.push_back(getInteger(format, element));
  return Integers(std::move(elements));
}

static LogicalResult executeConstant(BlockInterpreter &block,
                                     arith::ConstantOp op) {
  NumberFormat format = *findFormat(tile::getTileElementType(op.getType()));
  Attribute attr = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    block.set(op.getResult(), getConstant(format, dense));
  else if (auto number = dyn_cast<FloatAttr>(attr))
    block.set(op.getResult(), Floats(getFloat(format, number.getValue())));
  else if (auto integer = dyn_cast<IntegerAttr>(attr))
    block.set(op.getResult(), Integers(getInteger(format, integer.getValue())));
  else
    return block.fail(op,
                      "the interpreter has no values of this kind of constant");
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static LogicalResult executeBroadcast(BlockInterpreter &block,
                                      tile::BroadcastOp op) {
  const RuntimeValue &value = block.get(op.getValue());
  bool isUniform = value.isFloat() ? value.getFloats().isUniform()
                                   : value.getIntegers().isUniform();
  if (!isUniform)
    return block.fail(
        op,
        "iterations of 'parallel' cannot fill a tile with values of their own");
  block.set(op.getResult(), value);
  return success();
}

/// For each dimension of the result, how far apart the elements of the source
/// are that successive indices name.
static SmallVector<int64_t> getSourceStrides(AffineMap map,
                                             ArrayRef<int64_t> sourceShape) {
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  Extents dense =
      getDenseStrides(Extents(sourceShape.begin(), sourceShape.end()));
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), dense))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      strides[dim.getPosition()] = stride;
  return strides;
}

template <typename T>
static Elements<T> reindex(const Elements<T> &source, ArrayRef<int64_t> strides,
                           ArrayRef<int64_t> shape) {
  if (source.isUniform())
    return source;
  std::vector<T> elements(llvm::product_of(shape));
  int64_t length = shape.empty() ? 1 : shape.back();
  int64_t step = shape.empty() ? 0 : strides.back();
  for (int64_t row = 0, rows = int64_t(elements.size()) / length; row < rows;
       ++row) {
    int64_t first = 0, rest = row;
    for (size_t d = shape.empty() ? 0 : shape.size() - 1; d-- > 0;
         rest /= shape[d])
      first += rest % shape[d] * strides[d];
    for (int64_t j = 0; j < length; ++j)
      elements[row * length + j] = source[first + j * step];
  }
  return Elements<T>(std::move(elements));
}

static LogicalResult executeReindex(BlockInterpreter &block,
                                    tile::ReindexOp op) {
  const RuntimeValue &source = block.get(op.getSource());
  SmallVector<int64_t> strides = getSourceStrides(
      op.getMap(), tile::getTileShape(op.getSource().getType()));
  ArrayRef<int64_t> shape = tile::getTileShape(op.getResult().getType());
  if (source.isFloat())
    block.set(op.getResult(),
              RuntimeValue(reindex(source.getFloats(), strides, shape),
                           source.isWide()));
  else
    block.set(op.getResult(), reindex(source.getIntegers(), strides, shape));
  return success();
}

static LogicalResult executeConvertLayout(BlockInterpreter &block,
                                          tile::ConvertLayoutOp op) {
  block.set(op.getResult(), block.get(op.getSource()));
  return success();
}

void tilec::addShapeHandlers(HandlerTable &table) {
  table.add<arith::ConstantOp, executeConstant>();
  table.add<tile::BroadcastOp, executeBroadcast>();
  table.add<tile::ReindexOp, executeReindex>();
  table.add<tile::ConvertLayoutOp, executeConvertLayout>();
}
