//===- RaiseElements.cpp - Elements that loops read and write, as tiles ---===//
//
// What canonicalize-kernel leaves as a loop, because it computes with its
// indices, still reads and writes whole boxes of memory:
//
//     %x = load_element %s[%i, %j / 2]   ->   %t = load %s  in front,
//                                             %x = element %t[%i, %j / 2]
//     store_element %y, %C[%a + %i, %b + %j]   ->   a result of the loop,
//                                             store %r, %C[%a, %b]  behind
//
// so that one thread moves its elements together.  An index is a value that all
// iterations share plus one that is known for each of them (ElementIndex.h).
// Iterations are independent, so that only what one iteration does before and
// after says whether its access may move.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ElementIndex.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tile {
#define GEN_PASS_DEF_RAISEELEMENTSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Rank of the largest fragments that later passes lay out.
static constexpr size_t maxFragmentRank = 3;

namespace {
/// An index as the sum of a value that is the same in all iterations (null for
/// 0) and one of each iteration (null for 0).
struct SplitIndex {
  Value uniform, own;
};

/// A box of memory, and where in it each iteration has its element.
struct Box {
  SmallVector<Value> corner;
  SmallVector<int64_t> shape;
  SmallVector<Value> places;
  std::optional<layout::IndexMap> map;
};

/// A write that moves behind its loop, and for each loop index the dimension of
/// its box that it runs along.
struct RaisedStore {
  StoreElementOp store;
  Box box;
  SmallVector<int> dims;
};

class ElementRaiser {
public:
  explicit ElementRaiser(ParallelOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()), evaluator(loop) {}

  void run();

private:
  bool isUniform(Value value) const {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  Value getConstant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  void hoistUniforms();
  std::optional<SplitIndex> split(Value index);
  std::optional<Box> findBox(ValueRange indices);
  bool coversBox(const Box &box);
  void raiseLoad(LoadElementOp load);
  bool canLead(Operation *op);
  std::optional<SmallVector<int>> findDims(const Box &box);
  void raiseStores();
  bool canTrail(Operation *op, ArrayRef<Operation *> moved);
  ValueRange yieldValues(ArrayRef<Value> values);
  void storeBox(RaisedStore &raised, Value value);

  ParallelOp loop;
  OpBuilder builder;
  Location loc;
  IndexEvaluator evaluator;
};
} // namespace

std::optional<SplitIndex> ElementRaiser::split(Value index) {
  if (isUniform(index))
    return SplitIndex{index, {}};
  if (evaluator.evaluate(index))
    return SplitIndex{{}, index};
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  auto a = split(sum.getLhs()), b = split(sum.getRhs());
  if (!a || !b)
    return std::nullopt;
  auto add = [&](Value x, Value y) -> Value {
    return !x ? y : !y ? x : builder.createOrFold<arith::AddIOp>(loc, x, y);
  };
  SplitIndex result;
  builder.setInsertionPoint(loop);
  result.uniform = add(a->uniform, b->uniform);
  builder.setInsertionPoint(sum);
  result.own = add(a->own, b->own);
  return result;
}

/// The box that an access with these indices touches; none if it is none.
std::optional<Box> ElementRaiser::findBox(ValueRange indices) {
  Box box;
  SmallVector<const IterationValues *> values;
  SmallVector<IterationValues, 4> shifted(indices.size());
  bool dropped = true;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    std::optional<SplitIndex> parts = split(index);
    if (!parts)
      return std::nullopt;
    builder.setInsertionPoint(loop);
    // Leading dimensions along which nothing moves are no part of the box.
    dropped &= !parts->own;
    if (dropped) {
      box.corner.push_back(parts->uniform);
      continue;
    }
    const IterationValues *own =
        parts->own ? evaluator.evaluate(parts->own) : nullptr;
    if (parts->own && !own)
      return std::nullopt;
    auto [least, most] = own ? std::minmax_element(own->begin(), own->end())
                             : std::pair(IterationValues::const_iterator(),
                                         IterationValues::const_iterator());
    int64_t first = own ? *least : 0, last = own ? *most : 0;
    if (last - first >= (int64_t(1) << 20))
      return std::nullopt;
    Value corner = parts->uniform;
    if (!corner)
      corner = getConstant(first);
    else if (first != 0)
      corner =
          builder.createOrFold<arith::AddIOp>(loc, corner, getConstant(first));
    box.corner.push_back(corner);
    box.shape.push_back(last - first + 1);
    box.places.push_back(parts->own);
    IterationValues &list = shifted[dim];
    list.assign(own ? own->size() : 1, 0);
    if (own)
      for (auto [to, from] : llvm::zip_equal(list, *own))
        to = from - first;
    else
      list.assign(llvm::product_of(loop.getExtents()), 0);
    values.push_back(&list);
    // The place counts from the box's corner.
    if (own && first != 0) {
      builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
      Operation *def = parts->own.getDefiningOp();
      if (def)
        builder.setInsertionPointAfter(def);
      else
        builder.setInsertionPointToStart(loop.getBodyBlock());
      box.places.back() =
          arith::SubIOp::create(builder, loc, parts->own, getConstant(first));
    }
    if (!own)
      box.places.back() = getConstant(0);
  }
  if (box.shape.empty() || box.shape.size() > maxFragmentRank)
    return std::nullopt;
  box.map = getIndexMap(loop, values, box.shape);
  return box.map ? std::optional(box) : std::nullopt;
}

/// Whether every element of the box is some iteration's.
bool ElementRaiser::coversBox(const Box &box) {
  layout::Coords extents(loop.getExtents().begin(), loop.getExtents().end());
  std::vector<bool> touched(llvm::product_of(box.shape), false);
  layout::Coords at(extents.size(), 0);
  for (;;) {
    size_t place = 0;
    for (auto [coord, extent] : llvm::zip_equal(box.map->apply(at), box.shape))
      place = place * extent + coord;
    touched[place] = true;
    int dim = int(at.size()) - 1;
    while (dim >= 0 && ++at[dim] == extents[dim])
      at[dim--] = 0;
    if (dim < 0)
      return llvm::all_of(touched, [](bool touch) { return touch; });
  }
}

static bool mayOverlapAny(Operation *a, Operation *b, bool writesOnly) {
  SmallVector<MemoryAccess, 2> first, second;
  collectAccesses(a, first);
  collectAccesses(b, second);
  for (const MemoryAccess &x : first)
    for (const MemoryAccess &y : second)
      if ((!writesOnly || y.isWrite) && mayOverlap(x, y))
        return true;
  return false;
}

/// Whether a read may stand in front of all that its iteration does.
bool ElementRaiser::canLead(Operation *op) {
  for (Operation &earlier : *op->getBlock()) {
    if (&earlier == op)
      return true;
    if (mayOverlapAny(op, &earlier, /*writesOnly=*/true))
      return false;
  }
  return false;
}

void ElementRaiser::raiseLoad(LoadElementOp load) {
  if (load.getPad() && !isUniform(load.getPad()))
    return;
  std::optional<Box> box = findBox(load.getIndices());
  if (!box || !coversBox(*box) || !canLead(load))
    return;
  builder.setInsertionPoint(loop);
  ValueRange corner = box->corner;
  bool isWhole =
      isa<SharedType>(load.getMemory().getType()) &&
      getTileShape(load.getMemory().getType()) == ArrayRef<int64_t>(box->shape);
  auto type = RankedTensorType::get(box->shape, load.getType());
  Value tile = LoadOp::create(builder, load.getLoc(), type, load.getMemory(),
                              isWhole ? ValueRange() : corner, load.getPad());
  builder.setInsertionPoint(load);
  Value element = ElementOp::create(builder, load.getLoc(), load.getType(),
                                    tile, box->places);
  load.replaceAllUsesWith(element);
  load.erase();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// For each loop index the dimension of the box that it runs along; none if the
/// places are anything but loop indices, each once.
std::optional<SmallVector<int>> ElementRaiser::findDims(const Box &box) {
  SmallVector<int> dims(loop.getExtents().size(), -1);
  for (auto [dim, place] : llvm::enumerate(box.places)) {
    auto arg = dyn_cast<BlockArgument>(place);
    if (!arg || arg.getOwner() != loop.getBodyBlock()) {
      if (!matchPattern(place, m_Zero()))
        return std::nullopt;
      continue;
    }
    if (dims[arg.getArgNumber()] >= 0)
      return std::nullopt;
    dims[arg.getArgNumber()] = int(dim);
  }
  if (llvm::is_contained(dims, -1))
    return std::nullopt;
  return dims;
}

/// Whether a write may stand behind all that its iteration does, but for those
/// that move behind it in order.
bool ElementRaiser::canTrail(Operation *op, ArrayRef<Operation *> moved) {
  for (Operation *later = op->getNextNode(); later;
       later = later->getNextNode())
    if (!llvm::is_contained(moved, later) &&
        mayOverlapAny(op, later, /*writesOnly=*/false))
      return false;
  return true;
}

void ElementRaiser::raiseStores() {
  SmallVector<RaisedStore, 0> stores;
  SmallVector<Operation *> moved;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*loop.getBodyBlock()))) {
    auto store = dyn_cast<StoreElementOp>(op);
    if (!store || !canTrail(store, moved))
      continue;
    std::optional<Box> box = findBox(store.getIndices());
    std::optional<SmallVector<int>> dims = box ? findDims(*box) : std::nullopt;
    if (!dims)
      continue;
    stores.push_back({store, *box, *dims});
    moved.push_back(store);
  }
  if (stores.empty())
    return;
  std::reverse(stores.begin(), stores.end());
  SmallVector<Value> values;
  for (RaisedStore &raised : stores)
    values.push_back(raised.store.getValue());
  ValueRange results = yieldValues(values);
  builder.setInsertionPointAfter(loop);
  for (auto [raised, result] : llvm::zip_equal(stores, results))
    storeBox(raised, result);
}

/// Makes values of the body results of the loop.
ValueRange ElementRaiser::yieldValues(ArrayRef<Value> values) {
  builder.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInits());
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  SmallVector<Value> yielded(yield.getOperands());
  SmallVector<Attribute> maps;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    maps.push_back(AffineMapAttr::get(loop.getMap(i)));
  AffineMap identity = builder.getMultiDimIdentityMap(loop.getExtents().size());
  for (Value value : values) {
    auto type = RankedTensorType::get(loop.getExtents(), value.getType());
    inits.push_back(arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type))));
    yielded.push_back(value);
    maps.push_back(AffineMapAttr::get(identity));
  }
  auto raised = ParallelOp::create(builder, loc, loop.getExtents(), inits,
                                   builder.getArrayAttr(maps));
  raised.getBody().takeBody(loop.getBody());
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, yield.getLoc(), yielded);
  yield.erase();
  unsigned old = loop.getNumResults();
  loop.replaceAllUsesWith(raised.getResults().take_front(old));
  loop.erase();
  loop = raised;
  return raised.getResults().drop_front(old);
}

/// Stores the elements of all iterations.
void ElementRaiser::storeBox(RaisedStore &raised, Value value) {
  StoreElementOp store = raised.store;
  ArrayRef<int64_t> shape = raised.box.shape;
  auto type = RankedTensorType::get(shape, store.getValue().getType());
  SmallVector<AffineExpr> exprs;
  for (int dim : raised.dims)
    exprs.push_back(builder.getAffineDimExpr(dim));
  AffineMap map = AffineMap::get(shape.size(), 0, exprs, builder.getContext());
  if (!map.isIdentity() || value.getType() != type)
    value = ReindexOp::create(builder, store.getLoc(), type, value, map);
  Value memory = store.getMemory();
  bool isWhole = isa<SharedType>(memory.getType()) &&
                 getTileShape(memory.getType()) == shape;
  StoreOp::create(builder, store.getLoc(), value, memory,
                  isWhole ? ValueRange() : ValueRange(raised.box.corner));
  store.erase();
}

/// Takes what all iterations compute alike in front of the loop.
void ElementRaiser::hoistUniforms() {
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBodyBlock()->without_terminator()))
    if (isPure(&op) && op.getNumRegions() == 0 &&
        llvm::all_of(op.getOperands(), [&](Value v) { return isUniform(v); }))
      op.moveBefore(loop);
}

void ElementRaiser::run() {
  hoistUniforms();
  SmallVector<LoadElementOp> loads(
      loop.getBodyBlock()->getOps<LoadElementOp>());
  for (LoadElementOp load : loads)
    raiseLoad(load);
  raiseStores();
}

/// Whether all that a loop does to memory is reads and writes of elements.
static bool isPlain(ParallelOp loop) {
  return !loop.getBody()
              .walk([](Operation *op) {
                return isa<AsyncCopyElementsOp, AtomicElementOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
struct RaiseElements : tile::impl::RaiseElementsPassBase<RaiseElements> {
  void runOnOperation() override {
    SmallVector<ParallelOp> loops;
    getOperation().walk([&](ParallelOp loop) { loops.push_back(loop); });
    for (ParallelOp loop : loops)
      if (isPlain(loop))
        ElementRaiser(loop).run();
  }
};
} // namespace
