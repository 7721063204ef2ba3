//===- OperandExpressions.cpp - Operands computed as they are read --------===//
//
// An expression is taken apart from its last op to the loads of shared tiles it
// begins with, each with the map from elements of the result to elements of the
// tile.  For a step of a product the loads shrink to what the step needs, and
// the scalar ops become ops on fragments in the layout of the instruction.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Ops of an expression: every warp that reads the operand computes it again.
static constexpr unsigned maxOps = 24;

//===----------------------------------------------------------------------===//
// From fragments to an expression
//===----------------------------------------------------------------------===//

namespace {
/// A fragment as the function of its indices that it is.
class ExpressionBuilder {
public:
  explicit ExpressionBuilder(GemmOp gemm) : gemm(gemm) {}

  /// Looks through `value`, read at `map` of the result's indices; false if it
  /// is no expression over shared tiles.
  bool collect(Value value, AffineMap map);
  /// The op in front of the product; null if no input is read element by
  /// element.
  OperandOp build(RankedTensorType type, Value root, AffineMap identity);

private:
  struct Input {
    Value tile;
    AffineMap map;
    bool operator==(const Input &) const = default;
  };

  bool collectLoad(LoadOp load, AffineMap map);
  Value emit(OpBuilder &builder, Value value, AffineMap map);

  GemmOp gemm;
  SmallVector<Input> inputs;
  Block *body = nullptr;
  /// Ops that are elements already, by value and map.
  SmallVector<std::pair<std::pair<Value, AffineMap>, Value>> emitted;
  unsigned ops = 0;
};
} // namespace

static bool isWholeTile(LoadOp load) {
  return isa<SharedType>(load.getMemory().getType()) && !load.getPad() &&
         getTileShape(load.getMemory().getType()) ==
             getTileShape(load.getResult().getType()) &&
         llvm::all_of(load.getIndices(), [](Value index) {
           return matchPattern(index, m_Zero());
         });
}

static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         (isa<CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op));
}

/// `inner` after `outer`, with indices as `tile.operand` has them.  None if
/// there is another index.
static std::optional<AffineMap> composeIndices(AffineMap inner,
                                               AffineMap outer) {
  AffineMap map = inner.compose(outer);
  SmallVector<AffineExpr> indices;
  for (AffineExpr index : map.getResults()) {
    // Groups of groups are larger groups.
    int64_t divisor = 1;
    while (auto quotient = dyn_cast<AffineBinaryOpExpr>(index)) {
      auto constant = dyn_cast<AffineConstantExpr>(quotient.getRHS());
      if (quotient.getKind() != AffineExprKind::FloorDiv || !constant)
        return std::nullopt;
      divisor *= constant.getValue();
      index = quotient.getLHS();
    }
    indices.push_back(index.floorDiv(divisor));
    if (!isa<AffineConstantExpr>(index) && !matchIndexGroups(indices.back()))
      return std::nullopt;
  }
  return AffineMap::get(map.getNumDims(), 0, indices, map.getContext());
}

bool ExpressionBuilder::collectLoad(LoadOp load, AffineMap map) {
  if (!isWholeTile(load) || !isUnchangedBetween(load.getMemory(), load, gemm))
    return false;
  Input input{load.getMemory(), map};
  if (!llvm::is_contained(inputs, input))
    inputs.push_back(input);
  return true;
}

bool ExpressionBuilder::collect(Value value, AffineMap map) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || ++ops > maxOps)
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return collectLoad(load, map);
  if (auto reindex = dyn_cast<ReindexOp>(op)) {
    auto composed = composeIndices(reindex.getMap(), map);
    return composed && collect(reindex.getSource(), *composed);
  }
  if (isa<BroadcastOp>(op) || matchPattern(op, m_Constant()))
    return op->hasTrait<OpTrait::ConstantLike>()
               ? isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue())
               : true;
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value part) {
           return collect(part, map);
         });
}

/// The value's element at the map, as ops in the body.
Value ExpressionBuilder::emit(OpBuilder &builder, Value value, AffineMap map) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  for (auto &[key, element] : emitted)
    if (key == std::pair(value, map))
      return element;
  Operation *op = value.getDefiningOp();
  Type element = getTileElementType(value.getType());
  auto note = [&](Value result) {
    emitted.push_back({{value, map}, result});
    return result;
  };
  if (auto load = dyn_cast<LoadOp>(op)) {
    const Input *input = llvm::find(inputs, Input{load.getMemory(), map});
    return body->getArgument(input - inputs.begin());
  }
  if (auto reindex = dyn_cast<ReindexOp>(op))
    return emit(builder, reindex.getSource(),
                *composeIndices(reindex.getMap(), map));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getValue();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return note(
        arith::ConstantOp::create(builder, op->getLoc(),
                                  cast<SplatElementsAttr>(constant.getValue())
                                      .getSplatValue<TypedAttr>()));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(emit(builder, operand, map));
  OperationState state(op->getLoc(), op->getName(), operands, element,
                       op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return note(builder.create(state)->getResult(0));
}

/// Whether the groups of elements that share an entry divide the tile.
static bool hasWholeGroups(AffineMap map, ArrayRef<int64_t> shape) {
  return llvm::all_of(map.getResults(), [&](AffineExpr index) {
    auto groups = matchIndexGroups(index);
    return !groups || shape[groups->first] % groups->second == 0;
  });
}

OperandOp ExpressionBuilder::build(RankedTensorType type, Value root,
                                   AffineMap identity) {
  // The stored operand: of several, the narrowest.
  auto isStored = [&](const Input &input) {
    return input.map == identity &&
           getTileShape(input.tile.getType()) == type.getShape();
  };
  auto getBits = [](const Input &input) {
    return getElementBits(getTileElementType(input.tile.getType()));
  };
  Input *stored = nullptr;
  for (Input &input : inputs)
    if (isStored(input) && (!stored || getBits(input) < getBits(*stored)))
      stored = &input;
  if (!stored)
    return {};
  std::rotate(inputs.begin(), stored, stored + 1);
  // Warps that are no power of two may share groups unevenly, which no layout
  // of their entries follows (ReindexLookup.h).
  if (!llvm::isPowerOf2_64(getNumWarps(gemm)) &&
      !llvm::all_of(inputs, [&](const Input &input) {
        return hasWholeGroups(input.map, type.getShape());
      }))
    return {};

  OpBuilder builder(gemm);
  SmallVector<Value> tiles;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    tiles.push_back(input.tile);
    maps.push_back(input.map);
  }
  auto operand = OperandOp::create(builder, root.getLoc(), type, tiles,
                                   builder.getAffineMapArrayAttr(maps));
  body = &operand.getBody().emplaceBlock();
  for (Value tile : tiles)
    body->addArgument(getTileElementType(tile.getType()), root.getLoc());
  builder.setInsertionPointToEnd(body);
  Value result = emit(builder, root, identity);
  YieldOp::create(builder, root.getLoc(), result);
  return operand;
}

/// Adds the op that makes `value` behind all that it is made of.
static void collectMakers(Value value, llvm::SetVector<Operation *> &makers) {
  Operation *op = value.getDefiningOp();
  if (!op || makers.contains(op))
    return;
  for (Value operand : op->getOperands())
    collectMakers(operand, makers);
  makers.insert(op);
}

/// Erases what nothing reads any more, so that nobody finds a place for it.
static void eraseDead(Value value) {
  llvm::SetVector<Operation *> makers;
  collectMakers(value, makers);
  for (Operation *op : llvm::reverse(makers))
    if (isOpTriviallyDead(op))
      op->erase();
}

bool tile::fuseOperand(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  auto gemm = dyn_cast<GemmOp>(operand.getOwner());
  if (!type || !gemm)
    return false;
  auto identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
  ExpressionBuilder builder(gemm);
  if (!builder.collect(operand.get(), identity))
    return false;
  Value fragment = operand.get(), fused;
  if (auto load = fragment.getDefiningOp<LoadOp>())
    fused = load.getMemory();
  else if (OperandOp expression = builder.build(type, fragment, identity))
    fused = expression;
  if (!fused)
    return false;
  operand.set(fused);
  eraseDead(fragment);
  return true;
}

//===----------------------------------------------------------------------===//
// From an expression to the fragments of a step
//===----------------------------------------------------------------------===//

bool tile::isConvertedFirst(OperandOp op, bool &toHalf) {
  toHalf = true;
  for (Operation *user : op.getBodyBlock()->getArgument(0).getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    if (!cast)
      return false;
    Type type = cast.getResult().getType();
    toHalf &= type.isF16() || type.isBF16();
  }
  return true;
}

OperandStep tile::getOperandStep(GemmOp gemm, const GemmPlan &plan, bool isA,
                                 int64_t start) {
  bool transposed = isA ? gemm.getTransposeA() : gemm.getTransposeB();
  return {isA == transposed ? 0 : 1,
          start,
          plan.kStep,
          transposed,
          isA ? plan.loadA : plan.loadB,
          isA ? plan.a : plan.b};
}

InputPart tile::getInputPart(OperandOp op, unsigned input,
                             const OperandStep &step) {
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> start;
  SmallVector<AffineExpr> exprs;
  SmallVector<int, 4> dims;
  SmallVector<int32_t, 4> divisors;
  for (AffineExpr expr : op.getMap(input).getResults()) {
    auto groups = matchIndexGroups(expr);
    bool isK = groups && groups->first == step.kDim;
    start.push_back(isK ? step.start / groups->second : 0);
    // A group that holds the whole step is one element.
    if (!groups || (isK && groups->second >= step.extent)) {
      exprs.push_back(getAffineConstantExpr(0, context));
      dims.push_back(-1);
      divisors.push_back(1);
      continue;
    }
    dims.push_back(step.transposed ? 1 - groups->first : groups->first);
    divisors.push_back(groups->second);
    exprs.push_back(
        getAffineDimExpr(dims.back(), context).floorDiv(groups->second));
  }
  return {start, step.instruction.reindexSource(dims, divisors)->layout,
          AffineMap::get(2, 0, exprs, context)};
}

/// What the step needs of a further input, repeated over the fragment.
static Value loadRepeated(OpBuilder &builder, Location loc, OperandOp op,
                          unsigned input, const OperandStep &step) {
  Value value = op.getInputs()[input];
  Type element = getTileElementType(value.getType());
  InputPart part = getInputPart(op, input, step);
  if (isa<SharedType>(value.getType()))
    value = loadPart(builder, loc, value, part.start, part.layout);
  return ReindexOp::create(builder, loc,
                           getFragmentType(step.instruction, element), value,
                           part.map);
}

Value tile::emitOperand(OpBuilder &builder, Location loc, OperandOp op,
                        Value stored, const OperandStep &step) {
  IRMapping values;
  Block *body = op.getBodyBlock();
  values.map(body->getArgument(0), stored);
  for (unsigned i = 1; i < op.getInputs().size(); ++i)
    values.map(body->getArgument(i), loadRepeated(builder, loc, op, i, step));
  // What stands outside the body is the same for all elements.
  auto getFragment = [&](Value value) {
    if (Value mapped = values.lookupOrNull(value))
      return mapped;
    Value repeated = BroadcastOp::create(
        builder, loc, getFragmentType(step.instruction, value.getType()),
        value);
    values.map(value, repeated);
    return repeated;
  };
  for (Operation &nested : body->without_terminator()) {
    Type type =
        getFragmentType(step.instruction, nested.getResult(0).getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(nested)) {
      values.map(constant.getResult(),
                 arith::ConstantOp::create(
                     builder, loc,
                     SplatElementsAttr::get(cast<ShapedType>(type),
                                            constant.getValue()))
                     .getResult());
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : nested.getOperands())
      operands.push_back(getFragment(operand));
    OperationState state(loc, nested.getName(), operands, type,
                         nested.getAttrs());
    state.propertiesAttr = nested.getPropertiesAsAttribute();
    values.map(nested.getResult(0), builder.create(state)->getResult(0));
  }
  return getFragment(body->getTerminator()->getOperand(0));
}
