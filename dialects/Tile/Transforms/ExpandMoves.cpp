//===- ExpandMoves.cpp - Moves of parts as accesses that have addresses ---===//
//
// What later passes plan are copies of whole tiles from global memory, loads of
// shared tiles from constant places, and stores to those of them that vectors
// are aligned at.  Other copies become a load and a store.  A load or store
// elsewhere becomes one of a slice, if that is known to be aligned, else an
// element loop.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/PackedStores.h"
#include "dialects/Tile/Transforms/PartialTiles.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/SharedParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDMOVESPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Vectors of any width are aligned at multiples of this many bytes.
static constexpr int64_t vectorBytes = 16;

/// Copies other than of a whole shared tile from global memory.
static void expandCopy(CopyOp copy) {
  bool fromGlobal = isa<GlobalType>(copy.getSource().getType());
  bool toGlobal = isa<GlobalType>(copy.getDestination().getType());
  if (fromGlobal && !toGlobal && copy.getDestinationIndices().empty())
    return;
  OpBuilder builder(copy);
  // The shape is that of the side that is named as a whole tile.
  bool isShapeOfSource = toGlobal || !copy.getDestinationIndices().empty();
  Type shaped = isShapeOfSource && !fromGlobal
                    ? copy.getSource().getType()
                    : copy.getDestination().getType();
  auto type = RankedTensorType::get(
      getTileShape(shaped), getTileElementType(copy.getSource().getType()));
  Value loaded = LoadOp::create(builder, copy.getLoc(), type, copy.getSource(),
                                copy.getSourceIndices(), copy.getPad());
  StoreOp::create(builder, copy.getLoc(), loaded, copy.getDestination(),
                  copy.getDestinationIndices());
  copy.erase();
}

/// Where a fragment begins in a shared tile.
static bool isAlignedPlace(Value tile, ValueRange indices, bool asTile) {
  auto alloc = tile.getDefiningOp<AllocSharedOp>();
  layout::SharedLayout storage =
      alloc ? getAskedStorage(alloc)
            : cast<SharedType>(tile.getType()).getStorage();
  // A tile of its own has the swizzle of the whole.
  int64_t alignment = asTile ? storage.alignment() : vectorBytes;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t divisor = getKnownDivisor(index);
    if (int(dim) == storage.packDim()) {
      if (divisor % 2 != 0)
        return false;
      divisor /= 2;
    }
    if (divisor * storage.strideBytes(dim) % alignment != 0)
      return false;
  }
  return true;
}

/// Whether the lowering finds addresses for a part as it is.
static bool isDirect(Value tile, ValueRange indices, int64_t rank) {
  return cast<SharedType>(tile.getType()).getRank() == rank && rank <= 2 &&
         llvm::all_of(indices,
                      [](Value v) { return matchPattern(v, m_Constant()); });
}

/// The part as a tile of its own, or null if it is not known to be aligned.
static Value makeSlice(OpBuilder &builder, Location loc, Value tile,
                       ValueRange indices, ArrayRef<int64_t> shape) {
  auto type = cast<SharedType>(tile.getType());
  int64_t dropped = type.getRank() - int64_t(shape.size());
  int64_t pack = type.getPackDim() < 0 ? -1 : type.getPackDim() - dropped;
  if (!isAlignedPlace(tile, indices, /*asTile=*/true) ||
      (type.getPackDim() >= 0 && pack < 0))
    return {};
  // Distances but that of rows follow from the extents.
  for (size_t d = 1; d + 1 < shape.size(); ++d)
    if (shape[d] != type.getShape()[dropped + d])
      return {};
  auto part = SharedType::get(builder.getContext(), shape,
                              type.getElementType(), pack, SharedLayoutAttr());
  return SliceOp::create(builder, loc, part, tile, indices,
                         DenseI64ArrayAttr());
}

/// Indices of the elements of a part in an element loop over it.
static SmallVector<Value> getPlaces(OpBuilder &builder, Location loc,
                                    ValueRange corner, ValueRange at) {
  SmallVector<Value> places(corner);
  size_t dropped = corner.size() - at.size();
  for (auto [d, index] : llvm::enumerate(at))
    places[dropped + d] =
        builder.createOrFold<arith::AddIOp>(loc, places[dropped + d], index);
  return places;
}

static void expandLoad(LoadOp load) {
  auto shared = dyn_cast<SharedType>(load.getMemory().getType());
  auto type = cast<RankedTensorType>(load.getResult().getType());
  if (!shared || load.getIndices().empty() ||
      isDirect(load.getMemory(), load.getIndices(), type.getRank()))
    return;
  OpBuilder builder(load);
  Location loc = load.getLoc();
  if (Value part = makeSlice(builder, loc, load.getMemory(), load.getIndices(),
                             type.getShape())) {
    load.replaceAllUsesWith(
        LoadOp::create(builder, loc, type, part, ValueRange(), Value())
            .getResult());
    load.erase();
    return;
  }
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  auto loop =
      ParallelOp::create(builder, loc, type.getShape(), zero, ArrayAttr());
  builder.setInsertionPointToEnd(loop.getBodyBlock());
  Value element = LoadElementOp::create(
      builder, loc, type.getElementType(), load.getMemory(),
      getPlaces(builder, loc, load.getIndices(),
                loop.getBodyBlock()->getArguments()),
      Value());
  YieldOp::create(builder, loc, element);
  load.replaceAllUsesWith(loop.getResult(0));
  load.erase();
}

static void expandStore(StoreOp store) {
  if (getMemoryPackDim(store.getMemory().getType()) >= 0 &&
      !storesWholeBytes(store))
    return storeByteByByte(store);
  auto shared = dyn_cast<SharedType>(store.getMemory().getType());
  auto type = cast<RankedTensorType>(store.getValue().getType());
  // A store must not begin in the middle of a byte.
  if (!shared || store.getIndices().empty() ||
      (isDirect(store.getMemory(), store.getIndices(), type.getRank()) &&
       isAlignedPlace(store.getMemory(), store.getIndices(),
                      /*asTile=*/false)))
    return;
  OpBuilder builder(store);
  Location loc = store.getLoc();
  if (Value part = makeSlice(builder, loc, store.getMemory(),
                             store.getIndices(), type.getShape())) {
    StoreOp::create(builder, loc, store.getValue(), part, ValueRange());
    store.erase();
    return;
  }
  if (shared.getPackDim() >= 0)
    return storeByteByByte(store);
  auto loop = ParallelOp::create(builder, loc, type.getShape(), ValueRange(),
                                 ArrayAttr());
  builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
  ValueRange at = loop.getBodyBlock()->getArguments();
  Value element = ElementOp::create(builder, loc, type.getElementType(),
                                    store.getValue(), at);
  StoreElementOp::create(builder, loc, element, store.getMemory(),
                         getPlaces(builder, loc, store.getIndices(), at));
  store.erase();
}

namespace {
struct ExpandMoves : tile::impl::ExpandMovesPassBase<ExpandMoves> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      // Where bytes begin depends on the packed dimension.
      adoptPacking(kernel);
      if (failed(resolvePartialTiles(kernel)))
        return signalPassFailure();
    }
    SmallVector<CopyOp> copies;
    getOperation().walk([&](CopyOp copy) { copies.push_back(copy); });
    for (CopyOp copy : copies)
      expandCopy(copy);
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      if (auto load = dyn_cast<LoadOp>(op))
        expandLoad(load);
      else
        expandStore(cast<StoreOp>(op));
    }
  }
};
} // namespace
