//===- PartialTiles.cpp - Parts of shared tiles that are no tiles ---------===//
//
// From the whole tile down: a part that is a tile stays, and its own parts are
// looked at; of any other each user is rewritten with the indices that it has
// in the tile around it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/PartialTiles.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/SharedParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Rewrites the users of one part.
class PartInliner {
public:
  PartInliner(SliceOp slice)
      : slice(slice), builder(slice), loc(slice.getLoc()),
        kept(slice.getKeptDims()), rank(slice.getSource().getType().getRank()) {
  }

  LogicalResult run();

private:
  LogicalResult inlineUser(Operation *user);
  SmallVector<Value> compose(ValueRange indices);
  template <typename Op> void inlineElement(Op op) {
    builder.setInsertionPoint(op);
    SmallVector<Value> indices = compose(op.getIndices());
    op.getMemoryMutable().assign(slice.getSource());
    op.getIndicesMutable().assign(indices);
  }
  bool isTrailing() const;
  void inlineLoad(LoadOp load);
  void inlineStore(StoreOp store);
  void inlineAtomic(AtomicOp atomic);
  void splitCopy(CopyOp copy);
  void inlineSlice(SliceOp inner);
  LogicalResult inlineAsyncElements(AsyncCopyElementsOp copy);
  LogicalResult splitAsyncCopy(AsyncCopyOp copy);
  LogicalResult copyOperand(Operation *user);
  SmallVector<Value> getPlaces(ValueRange corner, ValueRange at);
  ParallelOp makeLoop(Location where, ArrayRef<int64_t> extents,
                      ValueRange inits = {});
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }

  SliceOp slice;
  OpBuilder builder;
  Location loc;
  SmallVector<int64_t> kept;
  int64_t rank;
};
} // namespace

/// Indices of the part, none for its origin, as indices of the tile around it.
SmallVector<Value> PartInliner::compose(ValueRange indices) {
  SmallVector<Value> result(slice.getOffsets());
  for (auto [dim, index] : llvm::zip(kept, indices))
    result[dim] = builder.createOrFold<arith::AddIOp>(loc, result[dim], index);
  return result;
}

/// Whether the part lacks leading dimensions only.
bool PartInliner::isTrailing() const {
  for (auto [i, dim] : llvm::enumerate(kept))
    if (dim != rank - int64_t(kept.size() - i))
      return false;
  return true;
}

/// Indices, in the tile around the part, of an element of a fragment whose
/// corner is `corner` there: along the last kept dimensions.
SmallVector<Value> PartInliner::getPlaces(ValueRange corner, ValueRange at) {
  SmallVector<Value> places(corner);
  ArrayRef<int64_t> dims = ArrayRef(kept).take_back(at.size());
  for (auto [dim, index] : llvm::zip_equal(dims, at))
    places[dim] = builder.createOrFold<arith::AddIOp>(loc, places[dim], index);
  return places;
}

/// A loop with the insertion point in its body.
ParallelOp PartInliner::makeLoop(Location where, ArrayRef<int64_t> extents,
                                 ValueRange inits) {
  auto loop = ParallelOp::create(builder, where, extents, inits, ArrayAttr());
  if (inits.empty())
    builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBodyBlock());
  return loop;
}

void PartInliner::inlineLoad(LoadOp load) {
  builder.setInsertionPoint(load);
  SmallVector<Value> corner = compose(load.getIndices());
  if (isTrailing()) {
    load.getMemoryMutable().assign(slice.getSource());
    load.getIndicesMutable().assign(corner);
    return;
  }
  auto type = cast<RankedTensorType>(load.getResult().getType());
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  ParallelOp loop = makeLoop(load.getLoc(), type.getShape(), zero);
  Value element = LoadElementOp::create(
      builder, load.getLoc(), type.getElementType(), slice.getSource(),
      getPlaces(corner, loop.getBodyBlock()->getArguments()), Value());
  YieldOp::create(builder, load.getLoc(), element);
  load.replaceAllUsesWith(loop.getResult(0));
  load.erase();
}

void PartInliner::inlineStore(StoreOp store) {
  builder.setInsertionPoint(store);
  SmallVector<Value> corner = compose(store.getIndices());
  if (isTrailing()) {
    store.getMemoryMutable().assign(slice.getSource());
    store.getIndicesMutable().assign(corner);
    return;
  }
  auto type = cast<RankedTensorType>(store.getValue().getType());
  ParallelOp loop = makeLoop(store.getLoc(), type.getShape());
  ValueRange at = loop.getBodyBlock()->getArguments();
  Value element = ElementOp::create(
      builder, store.getLoc(), type.getElementType(), store.getValue(), at);
  StoreElementOp::create(builder, store.getLoc(), element, slice.getSource(),
                         getPlaces(corner, at));
  store.erase();
}

void PartInliner::inlineAtomic(AtomicOp atomic) {
  builder.setInsertionPoint(atomic);
  SmallVector<Value> corner = compose(atomic.getIndices());
  auto type = cast<RankedTensorType>(atomic.getValue().getType());
  ParallelOp loop = makeLoop(atomic.getLoc(), type.getShape());
  ValueRange at = loop.getBodyBlock()->getArguments();
  Value element = ElementOp::create(
      builder, atomic.getLoc(), type.getElementType(), atomic.getValue(), at);
  AtomicElementOp::create(builder, atomic.getLoc(), type.getElementType(),
                          atomic.getKind(), element, slice.getSource(),
                          getPlaces(corner, at), atomic.getUnsignedValue(),
                          atomic.getAcqRel());
  atomic.erase();
}

/// A copy as a load and a store, which are inlined next.
void PartInliner::splitCopy(CopyOp copy) {
  builder.setInsertionPoint(copy);
  // The shape is that of a side that is named as a whole.
  Value whole = copy.getDestination() == slice.getResult() &&
                        copy.getDestinationIndices().empty()
                    ? copy.getDestination()
                    : copy.getSource();
  auto type =
      RankedTensorType::get(getTileShape(whole.getType()),
                            getTileElementType(copy.getSource().getType()));
  Value loaded = LoadOp::create(builder, copy.getLoc(), type, copy.getSource(),
                                copy.getSourceIndices(), copy.getPad());
  StoreOp::create(builder, copy.getLoc(), loaded, copy.getDestination(),
                  copy.getDestinationIndices());
  copy.erase();
}

/// A part of the part is one of the tile around it.
void PartInliner::inlineSlice(SliceOp inner) {
  builder.setInsertionPoint(inner);
  SmallVector<int64_t> dims;
  for (int64_t dim : inner.getKeptDims())
    dims.push_back(kept[dim]);
  auto composed = SliceOp::create(
      builder, inner.getLoc(), inner.getType(), slice.getSource(),
      compose(inner.getOffsets()), builder.getDenseI64ArrayAttr(dims));
  inner.replaceAllUsesWith(composed.getResult());
  inner.erase();
}

LogicalResult PartInliner::inlineAsyncElements(AsyncCopyElementsOp copy) {
  if (kept.back() != rank - 1)
    return copy.emitError("an async copy moves neighbours, but the elements of "
                          "its destination are not: the part leaves out the "
                          "last dimension of the tile");
  builder.setInsertionPoint(copy);
  SmallVector<Value> indices = compose(copy.getDestinationIndices());
  copy.getDestinationMutable().assign(slice.getSource());
  copy.getDestinationIndicesMutable().assign(indices);
  return success();
}

/// A copy of a tile as copies of 4 bytes.
LogicalResult PartInliner::splitAsyncCopy(AsyncCopyOp copy) {
  constexpr int64_t pieceBits = 32;
  SharedType type = slice.getType();
  int64_t bits = getElementBits(type.getElementType());
  int64_t count = pieceBits / bits;
  if (type.getPackDim() >= 0 && type.getPackDim() != type.getRank() - 1)
    return copy.emitError("an async copy to this part of a shared tile, whose "
                          "elements are packed along dimension ")
           << type.getPackDim() << ", is not supported yet";
  if (bits > pieceBits || type.getShape().back() % count != 0)
    return copy.emitError(
               "an async copy moves 4, 8 or 16 bytes, which rows of ")
           << type.getShape().back() << " elements of " << bits
           << " bits are not made of";
  SmallVector<int64_t> extents(type.getShape());
  extents.back() /= count;
  builder.setInsertionPoint(copy);
  if (copy.getPredicate()) {
    auto branch = scf::IfOp::create(builder, copy.getLoc(), copy.getPredicate(),
                                    /*withElse=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  ParallelOp loop = makeLoop(copy.getLoc(), extents);
  SmallVector<Value> at(loop.getBodyBlock()->getArguments());
  at.back() =
      arith::MulIOp::create(builder, loc, at.back(), getConstant(count));
  SmallVector<Value> from(copy.getSourceIndices());
  size_t dropped = from.size() - at.size();
  for (auto [d, index] : llvm::enumerate(at))
    from[dropped + d] =
        builder.createOrFold<arith::AddIOp>(loc, from[dropped + d], index);
  AsyncCopyElementsOp::create(builder, copy.getLoc(), copy.getSource(), from,
                              slice.getResult(), at, copy.getFillPredicate(),
                              count);
  copy.erase();
  return success();
}

/// Who needs a tile gets a copy of the part.
LogicalResult PartInliner::copyOperand(Operation *user) {
  if (!isa<GemmOp, GemmScaledOp, DequantOp>(user))
    return user->emitError("this use of a part of a shared tile is not "
                           "supported yet");
  builder.setInsertionPoint(user);
  SharedType type = slice.getType();
  Value tile = AllocSharedOp::create(
      builder, loc, type, builder.getStringAttr("part"), IntegerAttr());
  auto fragment = RankedTensorType::get(type.getShape(), type.getElementType());
  Value loaded = LoadOp::create(builder, user->getLoc(), fragment,
                                slice.getResult(), ValueRange(), Value());
  StoreOp::create(builder, user->getLoc(), loaded, tile, ValueRange());
  user->replaceUsesOfWith(slice.getResult(), tile);
  return success();
}

LogicalResult PartInliner::inlineUser(Operation *user) {
  auto done = [](auto &&action) {
    action();
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(user)
      .Case<LoadElementOp, StoreElementOp, AtomicElementOp>(
          [&](auto op) { return done([&]() { inlineElement(op); }); })
      .Case([&](LoadOp op) { return done([&]() { inlineLoad(op); }); })
      .Case([&](StoreOp op) { return done([&]() { inlineStore(op); }); })
      .Case([&](AtomicOp op) { return done([&]() { inlineAtomic(op); }); })
      .Case([&](CopyOp op) { return done([&]() { splitCopy(op); }); })
      .Case([&](SliceOp op) { return done([&]() { inlineSlice(op); }); })
      .Case([&](AsyncCopyElementsOp op) { return inlineAsyncElements(op); })
      .Case([&](AsyncCopyOp op) { return splitAsyncCopy(op); })
      .Default([&](Operation *op) { return copyOperand(op); });
}

LogicalResult PartInliner::run() {
  while (!slice.getResult().use_empty())
    if (failed(inlineUser(*slice.getResult().user_begin())))
      return failure();
  slice.erase();
  return success();
}

static LogicalResult resolveParts(Value tile,
                                  const layout::SharedLayout &storage) {
  // Inlining a part may add parts of the tile.
  llvm::SmallPtrSet<Operation *, 8> done;
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || !done.insert(slice).second)
        continue;
      changed = true;
      SharedType part = getPartTile(slice, storage);
      if (failed(part ? resolveParts(slice.getResult(), part.getStorage())
                      : PartInliner(slice).run()))
        return failure();
      break;
    }
  }
  return success();
}

LogicalResult tile::resolvePartialTiles(KernelOp kernel) {
  SmallVector<AllocSharedOp> allocs;
  kernel.walk([&](AllocSharedOp alloc) { allocs.push_back(alloc); });
  for (AllocSharedOp alloc : allocs)
    if (failed(resolveParts(alloc.getResult(), getAskedStorage(alloc))))
      return failure();
  return success();
}
