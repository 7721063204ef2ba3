//===- ShapeOps.cpp - Constants and fragments in other shapes -------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

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

namespace {
/// How a dimension of the result walks through the source: how many successive
/// indices name one element, and how far apart the elements are.
struct Walk {
  int64_t group = 1, stride = 0;
};
} // namespace

static SmallVector<Walk> getWalks(tile::ReindexOp op) {
  SmallVector<Walk> walks(op.getMap().getNumDims());
  ArrayRef<int64_t> shape = tile::getTileShape(op.getSource().getType());
  Extents dense = getDenseStrides(Extents(shape.begin(), shape.end()));
  for (auto [dim, group, stride] :
       llvm::zip_equal(op.getDimMap(), op.getDivisors(), dense))
    if (dim >= 0)
      walks[dim] = {group, stride};
  return walks;
}

template <typename T>
static Elements<T> reindex(const Elements<T> &source, ArrayRef<Walk> walks,
                           ArrayRef<int64_t> shape) {
  if (source.isUniform())
    return source;
  std::vector<T> elements(llvm::product_of(shape));
  int64_t length = shape.empty() ? 1 : shape.back();
  Walk along = shape.empty() ? Walk() : walks.back();
  for (int64_t row = 0, rows = int64_t(elements.size()) / length; row < rows;
       ++row) {
    int64_t first = 0, rest = row;
    for (size_t d = shape.empty() ? 0 : shape.size() - 1; d-- > 0;
         rest /= shape[d])
      first += rest % shape[d] / walks[d].group * walks[d].stride;
    for (int64_t j = 0; j < length; ++j)
      elements[row * length + j] =
          source[first + j / along.group * along.stride];
  }
  return Elements<T>(std::move(elements));
}

static LogicalResult executeReindex(BlockInterpreter &block,
                                    tile::ReindexOp op) {
  const RuntimeValue &source = block.get(op.getSource());
  SmallVector<Walk> walks = getWalks(op);
  ArrayRef<int64_t> shape = tile::getTileShape(op.getResult().getType());
  if (source.isFloat())
    block.set(op.getResult(),
              RuntimeValue(reindex(source.getFloats(), walks, shape),
                           source.isWide()));
  else
    block.set(op.getResult(), reindex(source.getIntegers(), walks, shape));
  return success();
}

/// Passes the elements on: reshapes keep their order, layouts say nothing of
/// what they are.
template <typename Op>
static LogicalResult executeIdentity(BlockInterpreter &block, Op op) {
  block.set(op.getResult(), block.get(op.getSource()));
  return success();
}

static LogicalResult executeIota(BlockInterpreter &block, tile::IotaOp op) {
  int64_t count = tile::getTileShape(op.getResult().getType())[0];
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), int64_t(0));
  block.set(op.getResult(), Integers(std::move(numbers)));
  return success();
}

template <typename T>
static Elements<T>
takePart(const Elements<T> &source, ArrayRef<int64_t> sourceShape,
         ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
  if (source.isUniform())
    return source;
  Extents strides =
      getDenseStrides(Extents(sourceShape.begin(), sourceShape.end()));
  std::vector<T> elements(llvm::product_of(shape));
  for (auto [number, element] : llvm::enumerate(elements)) {
    int64_t place = 0, rest = int64_t(number);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      place += (offsets[d] + rest % shape[d]) * strides[d];
    element = source[place];
  }
  return Elements<T>(std::move(elements));
}

static LogicalResult executePart(BlockInterpreter &block, tile::PartOp op) {
  const RuntimeValue source = block.get(op.getSource());
  ArrayRef<int64_t> from = tile::getTileShape(op.getSource().getType()),
                    to = tile::getTileShape(op.getResult().getType());
  if (source.isFloat())
    block.set(op.getResult(), RuntimeValue(takePart(source.getFloats(), from,
                                                    op.getOffsets(), to),
                                           source.isWide()));
  else
    block.set(op.getResult(),
              takePart(source.getIntegers(), from, op.getOffsets(), to));
  return success();
}

/// Puts the parts, which differ in `dim` only, one behind the other.
template <typename T>
static Elements<T> joinParts(ArrayRef<Elements<T>> parts,
                             ArrayRef<ArrayRef<int64_t>> shapes, size_t dim) {
  int64_t rows = llvm::product_of(shapes[0].take_front(dim));
  std::vector<T> elements;
  for (int64_t row = 0; row < rows; ++row)
    for (auto [part, shape] : llvm::zip_equal(parts, shapes)) {
      int64_t count = llvm::product_of(shape.drop_front(dim));
      for (int64_t i = 0; i < count; ++i)
        elements.push_back(part[row * count + i]);
    }
  return Elements<T>(std::move(elements));
}

static LogicalResult executeJoin(BlockInterpreter &block, tile::JoinOp op) {
  SmallVector<ArrayRef<int64_t>> shapes;
  SmallVector<Floats> floats;
  SmallVector<Integers> integers;
  bool isWide = false;
  for (Value part : op.getParts()) {
    const RuntimeValue value = block.get(part);
    shapes.push_back(tile::getTileShape(part.getType()));
    if (value.isFloat()) {
      floats.push_back(value.getFloats());
      isWide |= value.isWide();
    } else {
      integers.push_back(value.getIntegers());
    }
  }
  if (!floats.empty())
    block.set(
        op.getResult(),
        RuntimeValue(joinParts<double>(floats, shapes, op.getDim()), isWide));
  else
    block.set(op.getResult(),
              joinParts<int64_t>(integers, shapes, op.getDim()));
  return success();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The codes of a fragment's elements.
static std::vector<uint64_t> getCodes(BlockInterpreter &block, Value value) {
  NumberFormat format = *findFormat(tile::getTileElementType(value.getType()));
  RuntimeValue content = block.getNarrow(value);
  std::vector<uint64_t> codes;
  for (int64_t i = 0,
               count = llvm::product_of(tile::getTileShape(value.getType()));
       i < count; ++i)
    codes.push_back(content.isFloat()
                        ? encodeFloat(format, content.getFloats()[i])
                        : encodeInteger(format, content.getIntegers()[i]));
  return codes;
}

static LogicalResult executeReinterpret(BlockInterpreter &block,
                                        tile::ReinterpretOp op) {
  NumberFormat from =
      *findFormat(tile::getTileElementType(op.getSource().getType()));
  NumberFormat to =
      *findFormat(tile::getTileElementType(op.getResult().getType()));
  unsigned fromBits = getStorageBits(from), toBits = getStorageBits(to);
  std::vector<uint64_t> source = getCodes(block, op.getSource());
  // Rows hold whole elements of both types, so that the tile is one string of
  // bits, low ones first.
  std::vector<uint64_t> codes(source.size() * fromBits / toBits, 0);
  unsigned step = std::min(fromBits, toBits);
  uint64_t mask = step == 64 ? ~uint64_t(0) : (uint64_t(1) << step) - 1;
  for (uint64_t bit = 0; bit < source.size() * fromBits; bit += step)
    codes[bit / toBits] |= (source[bit / fromBits] >> bit % fromBits & mask)
                           << bit % toBits;
  if (isFloat(to)) {
    std::vector<double> values;
    for (uint64_t code : codes)
      values.push_back(decodeFloat(to, code));
    block.set(op.getResult(), Floats(std::move(values)));
    return success();
  }
  std::vector<int64_t> values;
  for (uint64_t code : codes)
    values.push_back(decodeInteger(to, code));
  block.set(op.getResult(), Integers(std::move(values)));
  return success();
}

void tilec::addShapeHandlers(HandlerTable &table) {
  table.add<arith::ConstantOp, executeConstant>();
  table.add<tile::BroadcastOp, executeBroadcast>();
  table.add<tile::ReindexOp, executeReindex>();
  table.add<tile::ConvertLayoutOp, executeIdentity<tile::ConvertLayoutOp>>();
  table.add<tile::AnnotateLayoutOp, executeIdentity<tile::AnnotateLayoutOp>>();
  table.add<tile::ReshapeOp, executeIdentity<tile::ReshapeOp>>();
  table.add<tile::ReinterpretOp, executeReinterpret>();
  table.add<tile::IotaOp, executeIota>();
  table.add<tile::PartOp, executePart>();
  table.add<tile::JoinOp, executeJoin>();
}
