//===- StageElements.cpp - Elements that other threads hold ---------------===//
//
// In a `tile.parallel` a thread runs the iterations of the elements that it
// holds.  Where indices are linear over bits, such as j / 2, a layout can
// follow them, so that what an iteration reads or writes is in its thread.  A
// fragment that is read or written at other indices goes through shared memory:
// stored in front of a loop that reads it, filled in by one that writes it, and
// loaded behind.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ElementIndex.h"
#include "dialects/Tile/Transforms/ParallelLayout.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_STAGEELEMENTSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Elements of a byte at least, so that threads write them independently.
static Type getStagedType(Type element) {
  return getElementBits(element) == 4
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

static Value stageTile(OpBuilder &builder, Location loc,
                       RankedTensorType type) {
  auto shared = SharedType::get(builder.getContext(), type.getShape(),
                                getStagedType(type.getElementType()),
                                /*packDim=*/-1, SharedLayoutAttr());
  return AllocSharedOp::create(
      builder, loc, shared, builder.getStringAttr("elements"), IntegerAttr());
}

/// A scalar or fragment with other elements: 4 bits of any type in a byte, or
/// back.
static Value castElements(OpBuilder &builder, Location loc, Value value,
                          Type element) {
  Type from = getTileElementType(value.getType());
  if (from == element)
    return value;
  auto withElement = [&](Type element) -> Type {
    auto fragment = dyn_cast<RankedTensorType>(value.getType());
    return fragment ? Type(fragment.clone(element)) : element;
  };
  auto toInteger = [&](Type type) -> Type {
    return builder.getIntegerType(getElementBits(type));
  };
  value = builder.createOrFold<arith::BitcastOp>(
      loc, withElement(toInteger(from)), value);
  value = CastOp::create(builder, loc, withElement(toInteger(element)), value,
                         StringAttr(), /*source_unsigned=*/true,
                         /*result_unsigned=*/true);
  return builder.createOrFold<arith::BitcastOp>(loc, withElement(element),
                                                value);
}

namespace {
/// How iterations find an element where they run: at loop indices, or through a
/// map that the layouts can follow.
struct Home {
  SmallVector<int, 4> dims;
  std::optional<layout::IndexMap> map;

  /// Whether a fragment lies beside both.
  bool agrees(const Home &other) const {
    if (map && other.map)
      return map->isShiftOf(*other.map);
    return !map && !other.map && dims == other.dims;
  }
};
} // namespace

/// None if iterations need elements that others hold.
static std::optional<Home> findHome(ParallelOp loop, ElementOp element) {
  auto dims = getLoopDims(loop, element.getIndices());
  ArrayRef<int64_t> shape = getTileShape(element.getFragment().getType());
  bool covers =
      dims && llvm::all_of(llvm::zip_equal(*dims, shape), [&](auto pair) {
        auto [dim, extent] = pair;
        return extent == (dim < 0 ? 1 : loop.getExtents()[dim]);
      });
  if (!covers) {
    auto map = dims ? std::nullopt : getIndexMap(loop, element);
    return map ? std::optional(Home{{}, map}) : std::nullopt;
  }
  // Transposed, it would have to be in two places if another read is not.
  int last = -1;
  for (int dim : *dims) {
    if (dim >= 0 && dim < last)
      return std::nullopt;
    last = std::max(last, dim);
  }
  return Home{*dims, std::nullopt};
}

/// Reads that are elsewhere come from a copy in shared memory.
static void stageReads(ParallelOp loop) {
  llvm::MapVector<Value, SmallVector<ElementOp>> reads;
  DenseMap<Value, Home> homes;
  loop.getBody().walk([&](ElementOp element) {
    // Of a fragment that is read in two ways only the first has its place.
    auto home = findHome(loop, element);
    if (!home || !homes.try_emplace(element.getFragment(), *home)
                      .first->second.agrees(*home))
      reads[element.getFragment()].push_back(element);
  });
  for (auto &[fragment, elements] : reads) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto type = cast<RankedTensorType>(fragment.getType());
    Type staged = getStagedType(type.getElementType());
    Value tile = stageTile(builder, loc, type);
    StoreOp::create(builder, loc, castElements(builder, loc, fragment, staged),
                    tile, ValueRange());
    for (ElementOp element : elements) {
      builder.setInsertionPoint(element);
      Value value = LoadElementOp::create(builder, element.getLoc(), staged,
                                          tile, element.getIndices(), Value());
      element.replaceAllUsesWith(castElements(builder, element.getLoc(), value,
                                              type.getElementType()));
      element.erase();
    }
  }
}

/// Whether each iteration writes an element that its thread holds.
static bool writesAtHome(ParallelOp loop, unsigned result) {
  if (loop.getMap(result).isIdentity())
    return llvm::equal(getTileShape(loop.getResult(result).getType()),
                       loop.getExtents());
  return getResultMap(loop, result).has_value();
}

/// An index expression in the loop's indices, in i64 as they are.
static Value emitIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                       ParallelOp loop) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loop.getBodyBlock()->getArgument(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(constant.getValue()));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = emitIndex(builder, loc, binary.getLHS(), loop);
  Value b = emitIndex(builder, loc, binary.getRHS(), loop);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, a, b);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, a, b);
  case AffineExprKind::Mod: // indices are not negative
    return arith::RemSIOp::create(builder, loc, a, b);
  case AffineExprKind::FloorDiv:
    return arith::DivSIOp::create(builder, loc, a, b);
  default:
    return arith::CeilDivSIOp::create(builder, loc, a, b);
  }
}

/// Writes that are elsewhere go to a copy in shared memory.
static void stageWrites(ParallelOp loop) {
  unsigned count = loop.getNumResults();
  if (llvm::all_of(llvm::seq(count),
                   [&](unsigned i) { return writesAtHome(loop, i); }))
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  SmallVector<Value> inits, yielded, tiles(count);
  SmallVector<Attribute> maps;
  for (unsigned i = 0; i < count; ++i) {
    if (writesAtHome(loop, i)) {
      inits.push_back(loop.getInits()[i]);
      yielded.push_back(yield.getOperand(i));
      maps.push_back(AffineMapAttr::get(loop.getMap(i)));
      continue;
    }
    auto type = cast<RankedTensorType>(loop.getResult(i).getType());
    Type staged = getStagedType(type.getElementType());
    builder.setInsertionPoint(loop);
    tiles[i] = stageTile(builder, loc, type);
    StoreOp::create(builder, loc,
                    castElements(builder, loc, loop.getInits()[i], staged),
                    tiles[i], ValueRange());
    builder.setInsertionPoint(yield);
    SmallVector<Value> place;
    for (AffineExpr expr : loop.getMap(i).getResults())
      place.push_back(emitIndex(builder, loc, expr, loop));
    StoreElementOp::create(
        builder, loc, castElements(builder, loc, yield.getOperand(i), staged),
        tiles[i], place);
  }
  // The same loop without the results that are in memory now.
  builder.setInsertionPoint(loop);
  auto rest = ParallelOp::create(builder, loc, loop.getExtents(), inits,
                                 inits.empty() ? ArrayAttr()
                                               : builder.getArrayAttr(maps));
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, loc, yielded);
  yield.erase();
  rest.getBody().takeBody(loop.getBody());
  builder.setInsertionPointAfter(rest);
  unsigned next = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!tiles[i]) {
      loop.getResult(i).replaceAllUsesWith(rest.getResult(next++));
      continue;
    }
    auto type = cast<RankedTensorType>(loop.getResult(i).getType());
    Value loaded = LoadOp::create(
        builder, loc, type.clone(getStagedType(type.getElementType())),
        tiles[i], ValueRange(), Value());
    loop.getResult(i).replaceAllUsesWith(
        castElements(builder, loc, loaded, type.getElementType()));
  }
  loop.erase();
}

namespace {
struct StageElements : tile::impl::StageElementsPassBase<StageElements> {
  void runOnOperation() override {
    SmallVector<ParallelOp> loops;
    getOperation().walk([&](ParallelOp loop) { loops.push_back(loop); });
    for (ParallelOp loop : loops) {
      stageReads(loop);
      stageWrites(loop);
    }
  }
};
} // namespace
