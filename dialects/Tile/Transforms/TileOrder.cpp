//===- TileOrder.cpp - Which block works on which tile --------------------===//
//
// The first two indices count through a plane in groups of rows, each column of
// a group before the next one; further ones count the planes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/TileOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Arithmetic on numbers that are not negative.
class Counting {
public:
  Counting(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value, Type type) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  }
  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value sub(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return make<arith::MulIOp>(a, b); }
  Value div(Value a, Value b) { return make<arith::DivUIOp>(a, b); }
  Value rem(Value a, Value b) { return make<arith::RemUIOp>(a, b); }
  Value min(Value a, Value b) { return make<arith::MinUIOp>(a, b); }

private:
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

/// The column and row of place `number` of a plane.
static std::pair<Value, Value>
emitPlace(Counting &c, Value number, Value columns, Value rows, int64_t group) {
  if (group <= 1)
    return {c.rem(number, columns), c.div(number, columns)};
  // No more rows than there are: the places of a group are then no more than
  // those of the plane, which fit the type.
  Value rowsInGroup = c.min(rows, c.constant(group, number.getType()));
  Value placesInGroup = c.mul(columns, rowsInGroup);
  Value first = c.mul(c.div(number, placesInGroup), rowsInGroup);
  Value inGroup = c.rem(number, placesInGroup);
  // The last group may be smaller.
  Value height = c.min(c.sub(rows, first), rowsInGroup);
  return {c.div(inGroup, height), c.add(first, c.rem(inGroup, height))};
}

SmallVector<Value> tile::emitTuple(OpBuilder &builder, Location loc,
                                   Value number, ValueRange extents,
                                   int64_t group) {
  Counting c(builder, loc);
  size_t count = extents.size();
  if (count < 2)
    return SmallVector<Value>(count, number);
  SmallVector<Value> indices(count);
  Value inPlane = number, rest;
  if (count > 2) {
    Value plane = c.mul(extents[0], extents[1]);
    inPlane = c.rem(number, plane);
    rest = c.div(number, plane);
  }
  std::tie(indices[0], indices[1]) =
      emitPlace(c, inPlane, extents[0], extents[1], group);
  for (size_t i = 2; i < count; ++i) {
    bool isLast = i + 1 == count;
    indices[i] = isLast ? rest : c.rem(rest, extents[i]);
    rest = isLast ? rest : c.div(rest, extents[i]);
  }
  return indices;
}
