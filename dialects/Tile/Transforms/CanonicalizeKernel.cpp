//===- CanonicalizeKernel.cpp - Raise element loops to whole tiles --------===//
//
// A `tile.parallel` is raised op by op.  Each value of its body is one of
//
//   uniform   the same in all iterations: computed once, in front of the loop
//   index     a uniform value plus loop indices: a corner and a direction
//   tile      one value for each iteration: a fragment of the loop's shape
//
// An index may only be used to address memory and fragments.  A loop with an op
// that has no form in these terms stays as it is.  Iterations are independent
// (language.md section 7), so that each op may run for all of them before the
// next op does.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CANONICALIZEKERNELPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Rank of the largest fragments that later passes lay out.
static constexpr size_t maxFragmentRank = 3;

namespace {
/// A uniform value plus at most one loop index, each index counted once.
struct Index {
  /// Null stands for 0.
  Value base;
  /// How often each loop index is added.
  SmallVector<int64_t, 3> factors;
};

/// Indices of an access as a corner and, for each dimension, the loop index
/// that runs along it (-1: none).
struct Walk {
  SmallVector<Value, 3> corner;
  SmallVector<int, 3> loopDims;

  bool isUniform() const {
    return llvm::all_of(loopDims, [](int dim) { return dim < 0; });
  }
};

class ParallelRaiser : private OpBuilder::Listener {
public:
  explicit ParallelRaiser(ParallelOp loop)
      : loop(loop), builder(loop.getContext(), this), loc(loop.getLoc()) {
    builder.setInsertionPoint(loop);
  }

  /// Replaces the loop; false, with nothing changed, if it cannot be raised.
  bool raise();

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    created.push_back(op);
  }

  bool raiseOp(Operation *op);
  bool raiseElement(ElementOp op);
  bool raiseLoad(LoadElementOp op);
  bool raiseStore(StoreElementOp op);
  bool raiseIndex(Operation *op);
  bool raiseUniform(Operation *op);
  bool raiseElementwise(Operation *op);
  Value raiseResult(Value yielded, AffineMap map, RankedTensorType type);

  bool isUniform(Value value) const {
    return !indices.contains(value) && !tiles.contains(value);
  }
  Value getUniform(Value value) const {
    return uniforms.lookupOrDefault(value);
  }
  /// The fragment of a value's elements; null for an index.
  Value getTile(Value value);
  std::optional<Index> getIndex(Value value);
  std::optional<Walk> getWalk(ValueRange operands);
  RankedTensorType getTileType(Type element) {
    return RankedTensorType::get(loop.getExtents(), element);
  }
  AffineMap getMap(ArrayRef<int> positions, unsigned dims);
  SmallVector<int64_t> getBoxShape(const Walk &walk, size_t dropped);

  ParallelOp loop;
  OpBuilder builder;
  Location loc;
  SmallVector<Operation *> created;
  IRMapping uniforms;
  llvm::DenseMap<Value, Index> indices;
  llvm::DenseMap<Value, Value> tiles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ParallelRaiser::getTile(Value value) {
  if (Value tile = tiles.lookup(value))
    return tile;
  if (indices.contains(value))
    return {};
  return BroadcastOp::create(builder, loc, getTileType(value.getType()),
                             getUniform(value));
}

std::optional<Index> ParallelRaiser::getIndex(Value value) {
  if (auto found = indices.find(value); found != indices.end())
    return found->second;
  if (tiles.contains(value))
    return std::nullopt;
  return Index{getUniform(value),
               SmallVector<int64_t, 3>(loop.getExtents().size(), 0)};
}

/// The indices of an access, if each is a uniform value plus at most one loop
/// index and no loop index occurs twice.
std::optional<Walk> ParallelRaiser::getWalk(ValueRange operands) {
  Walk walk;
  SmallVector<bool> seen(loop.getExtents().size(), false);
  for (Value operand : operands) {
    std::optional<Index> index = getIndex(operand);
    if (!index)
      return std::nullopt;
    int along = -1;
    for (auto [dim, factor] : llvm::enumerate(index->factors)) {
      if (factor == 0)
        continue;
      if (factor != 1 || along >= 0 || seen[dim])
        return std::nullopt;
      seen[dim] = true;
      along = int(dim);
    }
    if (!index->base)
      index->base =
          arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    walk.corner.push_back(index->base);
    walk.loopDims.push_back(along);
  }
  return walk;
}

/// The map from `dims` dimensions to those at `positions`; -1 is the index 0.
AffineMap ParallelRaiser::getMap(ArrayRef<int> positions, unsigned dims) {
  SmallVector<AffineExpr> results;
  for (int position : positions)
    results.push_back(position < 0 ? builder.getAffineConstantExpr(0)
                                   : builder.getAffineDimExpr(position));
  return AffineMap::get(dims, 0, results, builder.getContext());
}

/// The extents of an access along its dimensions but the first `dropped`.
SmallVector<int64_t> ParallelRaiser::getBoxShape(const Walk &walk,
                                                 size_t dropped) {
  SmallVector<int64_t> shape;
  for (int dim : ArrayRef(walk.loopDims).drop_front(dropped))
    shape.push_back(dim < 0 ? 1 : loop.getExtents()[dim]);
  return shape;
}

/// The number of leading dimensions that an access does not move along.
static size_t countDropped(const Walk &walk) {
  return std::distance(
      walk.loopDims.begin(),
      llvm::find_if(walk.loopDims, [](int dim) { return dim >= 0; }));
}

/// `value` read through `map`, or itself if that is the same.
static Value reindex(OpBuilder &builder, Location loc, Value value,
                     AffineMap map, RankedTensorType type) {
  if (map.isIdentity() && value.getType() == type)
    return value;
  return ReindexOp::create(builder, loc, type, value, map);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A fragment's element at loop indices or 0.
bool ParallelRaiser::raiseElement(ElementOp op) {
  auto type = cast<RankedTensorType>(op.getFragment().getType());
  SmallVector<int> positions;
  SmallVector<bool> seen(loop.getExtents().size(), false);
  for (auto [operand, extent] :
       llvm::zip_equal(op.getIndices(), type.getShape())) {
    std::optional<Index> index = getIndex(operand);
    if (!index || (index->base && !matchPattern(index->base, m_Zero())))
      return false;
    int along = -1;
    for (auto [dim, factor] : llvm::enumerate(index->factors)) {
      if (factor == 0)
        continue;
      // The index map of a fragment covers the whole of each dimension.
      if (factor != 1 || along >= 0 || seen[dim] ||
          extent != loop.getExtents()[dim])
        return false;
      seen[dim] = true;
      along = int(dim);
    }
    positions.push_back(along);
  }
  if (type.getEncoding() || !isUniform(op.getFragment()))
    return false;
  tiles[op.getResult()] = reindex(builder, op.getLoc(), op.getFragment(),
                                  getMap(positions, loop.getExtents().size()),
                                  getTileType(type.getElementType()));
  return true;
}

/// A row, column or box of memory.
bool ParallelRaiser::raiseLoad(LoadElementOp op) {
  if (op.getPad() && !isUniform(op.getPad()))
    return false;
  std::optional<Walk> walk = getWalk(op.getIndices());
  if (!walk)
    return false;
  Value pad = op.getPad() ? getUniform(op.getPad()) : Value();
  if (walk->isUniform()) {
    uniforms.map(op.getResult(),
                 LoadElementOp::create(builder, op.getLoc(), op.getType(),
                                       op.getMemory(), walk->corner, pad));
    return true;
  }
  size_t dropped = countDropped(*walk);
  SmallVector<int64_t> shape = getBoxShape(*walk, dropped);
  if (shape.size() > maxFragmentRank)
    return false;
  auto type = RankedTensorType::get(shape, op.getType());
  Value box = LoadOp::create(builder, op.getLoc(), type, op.getMemory(),
                             walk->corner, pad);
  AffineMap map = getMap(ArrayRef(walk->loopDims).drop_front(dropped),
                         loop.getExtents().size());
  tiles[op.getResult()] =
      reindex(builder, op.getLoc(), box, map, getTileType(op.getType()));
  return true;
}

/// A box of memory whose elements are each written by one iteration.
bool ParallelRaiser::raiseStore(StoreElementOp op) {
  std::optional<Walk> walk = getWalk(op.getIndices());
  size_t rank = loop.getExtents().size();
  if (!walk || size_t(llvm::count_if(walk->loopDims,
                                     [](int d) { return d >= 0; })) != rank)
    return false;
  size_t dropped = countDropped(*walk);
  SmallVector<int64_t> shape = getBoxShape(*walk, dropped);
  if (shape.size() > maxFragmentRank)
    return false;
  Value value = getTile(op.getValue());
  if (!value)
    return false;
  // Which dimension of the box each loop index runs along.
  SmallVector<int> positions(rank, -1);
  for (auto [dim, along] :
       llvm::enumerate(ArrayRef(walk->loopDims).drop_front(dropped)))
    if (along >= 0)
      positions[along] = int(dim);
  auto type = RankedTensorType::get(shape, op.getValue().getType());
  Value box = reindex(builder, op.getLoc(), value,
                      getMap(positions, shape.size()), type);
  StoreOp::create(builder, op.getLoc(), box, op.getMemory(), walk->corner);
  return true;
}

/// Sums and differences of loop indices and uniform values.
bool ParallelRaiser::raiseIndex(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return false;
  std::optional<Index> lhs = getIndex(op->getOperand(0)),
                       rhs = getIndex(op->getOperand(1));
  if (!lhs || !rhs)
    return false;
  bool subtract = isa<arith::SubIOp>(op);
  Index sum = *lhs;
  for (auto [factor, other] : llvm::zip_equal(sum.factors, rhs->factors))
    factor += subtract ? -other : other;
  if (!lhs->base && !subtract) {
    sum.base = rhs->base;
  } else if (rhs->base) {
    if (!lhs->base)
      lhs->base = arith::ConstantOp::create(builder, op->getLoc(),
                                            builder.getI64IntegerAttr(0));
    sum.base =
        subtract
            ? arith::SubIOp::create(builder, op->getLoc(), lhs->base, rhs->base)
                  .getResult()
            : arith::AddIOp::create(builder, op->getLoc(), lhs->base, rhs->base)
                  .getResult();
  }
  indices[op->getResult(0)] = sum;
  return true;
}

bool ParallelRaiser::raiseUniform(Operation *op) {
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return false;
  // At least one iteration runs, so that nothing is computed in vain.
  builder.clone(*op, uniforms);
  return true;
}

bool ParallelRaiser::raiseElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() > 0 ||
      !(OpTrait::hasElementwiseMappableTraits(op) || isa<CastOp>(op)))
    return false;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getTile(operand));
    if (!operands.back())
      return false;
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(getTileType(op->getResult(0).getType()));
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  tiles[op->getResult(0)] = builder.create(state)->getResult(0);
  return true;
}

bool ParallelRaiser::raiseOp(Operation *op) {
  if (auto element = dyn_cast<ElementOp>(op))
    return raiseElement(element);
  if (auto load = dyn_cast<LoadElementOp>(op))
    return raiseLoad(load);
  if (auto store = dyn_cast<StoreElementOp>(op))
    return raiseStore(store);
  if (llvm::all_of(op->getOperands(), [&](Value v) { return isUniform(v); }))
    return raiseUniform(op);
  if (llvm::any_of(op->getOperands(),
                   [&](Value v) { return indices.contains(v); }))
    return raiseIndex(op);
  return raiseElementwise(op);
}

/// The fragment that the loop makes of a yielded value, or null if the loop
/// leaves elements as they were.
Value ParallelRaiser::raiseResult(Value yielded, AffineMap map,
                                  RankedTensorType type) {
  // Which dimension of the result each loop index writes along.
  SmallVector<int> positions(loop.getExtents().size(), -1);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    int64_t extent = type.getDimSize(dim);
    auto loopDim = dyn_cast<AffineDimExpr>(expr);
    if (!loopDim) {
      auto constant = dyn_cast<AffineConstantExpr>(expr);
      if (!constant || constant.getValue() != 0 || extent != 1)
        return {};
      continue;
    }
    if (positions[loopDim.getPosition()] >= 0 ||
        extent != loop.getExtents()[loopDim.getPosition()])
      return {};
    positions[loopDim.getPosition()] = int(dim);
  }
  if (llvm::is_contained(positions, -1) || type.getEncoding())
    return {};
  Value tile = getTile(yielded);
  if (!tile)
    return {};
  return reindex(builder, loc, tile, getMap(positions, type.getRank()), type);
}

bool ParallelRaiser::raise() {
  size_t rank = loop.getExtents().size();
  for (auto [dim, iv] : llvm::enumerate(loop.getBodyBlock()->getArguments())) {
    Index &index = indices[iv];
    index.factors.assign(rank, 0);
    index.factors[dim] = 1;
  }
  bool raised = rank <= maxFragmentRank;
  for (Operation &op : loop.getBodyBlock()->without_terminator())
    raised = raised && raiseOp(&op);
  SmallVector<Value> results;
  auto yield = cast<YieldOp>(loop.getBodyBlock()->getTerminator());
  for (unsigned i = 0; raised && i < loop.getNumResults(); ++i) {
    auto type = cast<RankedTensorType>(loop.getResult(i).getType());
    results.push_back(raiseResult(yield.getOperand(i), loop.getMap(i), type));
    raised = results.back() != nullptr;
  }
  if (!raised) {
    for (Operation *op : llvm::reverse(created))
      op->erase();
    return false;
  }
  loop.replaceAllUsesWith(results);
  loop.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The canonicalization patterns of the dialects that a kernel may use.
static FrozenRewritePatternSet collectPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  auto isUsed = [](Dialect *dialect) {
    return isa_and_nonnull<TileDialect, arith::ArithDialect, math::MathDialect,
                           scf::SCFDialect>(dialect);
  };
  for (Dialect *dialect : context->getLoadedDialects())
    if (isUsed(dialect))
      dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isUsed(&op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  return std::move(patterns);
}

/// Folds and canonicalizes, and merges common subexpressions.
static void simplify(KernelOp kernel, const FrozenRewritePatternSet &patterns) {
  // Not to reach a fixpoint is no failure: the code is right at every step.
  (void)applyPatternsGreedily(kernel, patterns);
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

namespace {
struct CanonicalizeKernel
    : tile::impl::CanonicalizeKernelPassBase<CanonicalizeKernel> {
  LogicalResult initialize(MLIRContext *context) override {
    patterns = collectPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      // Simple conditions become selects, which have a whole-tile form.
      simplify(kernel, patterns);
      SmallVector<ParallelOp> loops;
      kernel.walk([&](ParallelOp loop) { loops.push_back(loop); });
      bool raised = false;
      for (ParallelOp loop : loops)
        raised |= ParallelRaiser(loop).raise();
      if (raised)
        simplify(kernel, patterns);
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
