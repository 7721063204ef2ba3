//===- OperandParts.cpp - An operand from registers, step by step ---------===//

#include "dialects/Tile/Transforms/OperandParts.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/TileBuilders.h"

using namespace mlir;
using namespace mlir::tile;

OperandParts::OperandParts(WgmmaOp product,
                           const DenseSet<Operation *> &arithmetic) {
  bool swap = product.getMma().getSwap();
  operand = swap ? product.getB() : product.getA();
  kDim = swap ? 0 : 1;
  depth = product.getMma().getK();
  for (Operation *op : arithmetic)
    if (op->getNumResults() == 1 &&
        (isa<CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op)))
      byParts.insert(op);
  // In another order of K an instruction's elements are not side by side.
  if (product.getMma().getKOrder().empty() && collect(operand))
    parts = int64_t(product.getDepth()) / depth;
  if (parts > 1)
    return;
  depth = product.getDepth();
  byParts.clear();
}

/// The type of a part of a fragment; null if threads would hold other elements
/// of other parts.
RankedTensorType OperandParts::getPartType(Type type) const {
  auto fragment = cast<RankedTensorType>(type);
  SmallVector<int32_t> shape(fragment.getShape());
  shape[kDim] = int32_t(depth);
  auto layout = getFragmentLayout(type).getLayout().partLayout(shape);
  return layout ? getFragmentType(*layout, fragment.getElementType())
                : RankedTensorType();
}

/// Whether a value has parts, and all that it is made of.
bool OperandParts::collect(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  if (!getFragmentLayout(value.getType()) || !getPartType(value.getType()))
    return false;
  Operation *op = value.getDefiningOp();
  return !op || !byParts.contains(op) ||
         llvm::all_of(op->getOperands(),
                      [&](Value part) { return collect(part); });
}

Value OperandParts::emit(OpBuilder &builder, const IRMapping &mapping,
                         int64_t part) const {
  IRMapping emitted;
  std::function<Value(Value)> emitValue = [&](Value value) -> Value {
    if (!isa<RankedTensorType>(value.getType()))
      return mapping.lookupOrDefault(value);
    if (Value known = emitted.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    Value result;
    if (op && isByParts(op)) {
      SmallVector<Value> operands =
          llvm::map_to_vector(op->getOperands(), emitValue);
      OperationState state(op->getLoc(), op->getName(), operands,
                           getPartType(value.getType()), op->getAttrs());
      state.propertiesAttr = op->getPropertiesAsAttribute();
      result = builder.create(state)->getResult(0);
    } else {
      SmallVector<int64_t> offsets(2, 0);
      offsets[kDim] = part * depth;
      result = builder.createOrFold<PartOp>(
          operand.getLoc(), getPartType(value.getType()),
          mapping.lookupOrDefault(value), offsets);
    }
    emitted.map(value, result);
    return result;
  };
  if (parts == 1)
    return mapping.lookup(operand);
  return emitValue(operand);
}
