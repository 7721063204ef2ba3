//===- PackedStores.cpp - Stores of 4-bit elements, a byte at a time ------===//
//
// A byte has one writer.  Where a tile may begin or end inside a byte, the loop
// runs over the bytes that it touches: the elements come from a copy in shared
// memory with a byte for each, and the half of a byte that is not the tile's
// stays as it is.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/PackedStores.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

int64_t tile::getMemoryPackDim(Type memory) {
  if (auto global = dyn_cast<GlobalType>(memory))
    return global.getPackDim();
  return cast<SharedType>(memory).getPackDim();
}

bool tile::storesWholeBytes(StoreOp store) {
  Type memory = store.getMemory().getType();
  ArrayRef<int64_t> shape = getTileShape(store.getValue().getType());
  int64_t pack = getMemoryPackDim(memory);
  int64_t inTile = pack - (getTileShape(memory).size() - shape.size());
  if (inTile < 0 || shape[inTile] % 2 != 0)
    return false;
  // Of a part of a tensor it is not known where in a byte it begins.
  if (isa<GlobalType>(memory) && !getTensorArgument(store.getMemory()))
    return false;
  return store.getIndices().empty() ||
         getKnownDivisor(store.getIndices()[pack]) % 2 == 0;
}

namespace {
class ByteStorer {
public:
  ByteStorer(StoreOp store)
      : store(store), builder(store), loc(store.getLoc()),
        type(cast<RankedTensorType>(store.getValue().getType())),
        packDim(getMemoryPackDim(store.getMemory().getType())),
        dropped(getTileShape(store.getMemory().getType()).size() -
                type.getRank()) {}

  void run();

private:
  Value getIndex(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  void stageElements();
  Value getOrigin();
  std::pair<Value, Value> getElement(ValueRange at, Value first,
                                     int64_t nibble);
  void storeByte(ValueRange at);

  StoreOp store;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  /// The packed dimension of the memory, and how many dimensions the memory has
  /// in front of those of the tile.
  int64_t packDim, dropped;
  /// The elements as bytes, where the tile begins in memory, where the memory
  /// begins, if it is part of a tensor, and the first byte that the tile
  /// touches, counted from where that tensor begins.
  Value elements, start, origin, firstByte;
  SmallVector<Value> corner;
};
} // namespace

/// Puts the elements in shared memory, a byte for each.
void ByteStorer::stageElements() {
  Type byte = builder.getI8Type();
  auto tile = SharedType::get(builder.getContext(), type.getShape(), byte,
                              /*packDim=*/-1, SharedLayoutAttr());
  elements = AllocSharedOp::create(
      builder, loc, tile, builder.getStringAttr("nibbles"), IntegerAttr());
  Value value = store.getValue();
  if (!type.getElementType().isInteger())
    value = arith::BitcastOp::create(builder, loc,
                                     type.clone(builder.getI4Type()), value);
  value = CastOp::create(builder, loc, type.clone(byte), value, StringAttr(),
                         /*source_unsigned=*/true, /*result_unsigned=*/true);
  StoreOp::create(builder, loc, value, elements, ValueRange());
}

/// Where the memory begins along its packed dimension in the tensor that it is
/// part of.
Value ByteStorer::getOrigin() {
  Value sum = getIndex(0), memory = store.getMemory();
  int64_t dim = packDim;
  while (auto view = memory.getDefiningOp<ViewOp>()) {
    dim = view.getKeptDims()[dim];
    sum = add(sum, view.getOffsets()[dim]);
    memory = view.getSource();
  }
  return sum;
}

/// The element of a byte that lies `nibble` behind its first one, and whether
/// the tile has it.  `at` is the byte, counted from the first, and the place
/// along other dimensions.
std::pair<Value, Value> ByteStorer::getElement(ValueRange at, Value first,
                                               int64_t nibble) {
  int64_t pack = packDim - dropped;
  Value inTile = builder.createOrFold<arith::SubIOp>(
      loc, add(first, getIndex(nibble)), start);
  int64_t extent = pack >= 0 ? type.getShape()[pack] : 1;
  Value isInside = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ult, inTile, getIndex(extent));
  SmallVector<Value> from(at);
  // Any element of the tile will do for one that is not written.
  if (pack >= 0)
    from[pack] = builder.createOrFold<arith::SelectOp>(loc, isInside, inTile,
                                                       getIndex(0));
  Type i4 = builder.getI4Type();
  Value element = LoadElementOp::create(builder, loc, builder.getI8Type(),
                                        elements, from, Value());
  element = CastOp::create(builder, loc, i4, element, StringAttr(),
                           /*source_unsigned=*/true, /*result_unsigned=*/true);
  if (type.getElementType() != i4)
    element =
        arith::BitcastOp::create(builder, loc, type.getElementType(), element);
  return {element, isInside};
}

void ByteStorer::storeByte(ValueRange at) {
  int64_t pack = packDim - dropped;
  SmallVector<Value> to(corner);
  for (auto [d, i] : llvm::enumerate(at))
    if (int64_t(d) != pack)
      to[dropped + d] = add(to[dropped + d], i);
  Value byte = pack >= 0 ? add(firstByte, at[pack]) : firstByte;
  Value first = builder.createOrFold<arith::MulIOp>(loc, byte, getIndex(2));
  first = builder.createOrFold<arith::SubIOp>(loc, first, origin);
  to[packDim] = first;
  auto [low, hasLow] = getElement(at, first, 0);
  auto [high, hasHigh] = getElement(at, first, 1);
  StorePairOp::create(builder, loc, low, hasLow, high, hasHigh,
                      store.getMemory(), to);
}

void ByteStorer::run() {
  stageElements();
  corner.assign(store.getIndices().begin(), store.getIndices().end());
  if (corner.empty())
    corner.assign(dropped + type.getRank(), getIndex(0));
  origin = getOrigin();
  start = corner[packDim];
  Value fromOrigin = add(start, origin);
  // The bytes that the tile may touch; along other dimensions all elements.
  SmallVector<int64_t> extents(type.getShape());
  if (packDim >= dropped) {
    int64_t &extent = extents[packDim - dropped];
    bool isEven = getKnownDivisor(fromOrigin) % 2 == 0;
    extent = isEven ? llvm::divideCeil(extent, 2) : extent / 2 + 1;
  }
  firstByte = arith::ShRSIOp::create(builder, loc, fromOrigin, getIndex(1));
  auto loop =
      ParallelOp::create(builder, loc, extents, ValueRange(), ArrayAttr());
  builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
  storeByte(loop.getBodyBlock()->getArguments());
  store.erase();
}

void tile::storeByteByByte(StoreOp store) { ByteStorer(store).run(); }
