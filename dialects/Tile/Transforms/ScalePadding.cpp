//===- ScalePadding.cpp - Scales outside of their tensor ------------------===//
//
// Extents and places are compared as they are written: a tensor of scales for
// groups of g numbers has ceildiv(extent, g) of them, and the copies of a tile
// of numbers at x and of its scales at x / g share a factor.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/ScalePadding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// The only copy that fills a tile.
static CopyOp findCopy(Value tile) {
  CopyOp found;
  for (Operation *user : tile.getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy || copy.getDestination() != tile)
      continue;
    if (found)
      return {};
    found = copy;
  }
  return found;
}

/// Whether what an operand computes is its first input, converted, times
/// another one, converted: 0 if the first is.
static bool isProduct(OperandOp operand, unsigned scale) {
  Block *body = operand.getBodyBlock();
  auto product =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  auto isInput = [&](Value value, unsigned input) {
    if (auto cast = value.getDefiningOp<CastOp>())
      value = cast.getSource();
    return value == body->getArgument(input);
  };
  return (isInput(product.getLhs(), 0) && isInput(product.getRhs(), scale)) ||
         (isInput(product.getRhs(), 0) && isInput(product.getLhs(), scale));
}

/// An index as a number of times `base`, which is null for 0.
static std::pair<Value, int64_t> splitFactor(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue()};
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    if (matchPattern(product.getRhs(), m_ConstantInt(&constant)))
      return {product.getLhs(), constant.getSExtValue()};
  return {index, 1};
}

/// Whether two values are the same, or made by ops that are.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a ? a.getDefiningOp() : nullptr,
            *second = b ? b.getDefiningOp() : nullptr;
  return first && second && isPure(first) &&
         OperationEquivalence::isEquivalentTo(
             first, second, OperationEquivalence::exactValueMatch,
             /*markEquivalent=*/nullptr,
             OperationEquivalence::Flags::IgnoreLocations);
}

/// Whether `groups` begins where the group of `group` elements that begins at
/// `elements` lies.
static bool isAtGroup(Value groups, Value elements, int64_t group) {
  auto [base, factor] = splitFactor(elements);
  auto [groupBase, groupFactor] = splitFactor(groups);
  return isSame(base, groupBase) && factor == groupFactor * group;
}

/// The extent along a dimension of a tile, of the tensor that it is copied
/// from, and the index of the copy.
static std::pair<Attribute, Value> getPlace(CopyOp copy, BlockArgument tensor,
                                            unsigned tileDim) {
  auto kernel = cast<KernelOp>(tensor.getOwner()->getParentOp());
  ArrayAttr dims = kernel.getArgDims(tensor.getArgNumber());
  size_t dim = dims.size() -
               getTileShape(copy.getDestination().getType()).size() + tileDim;
  return {dims[dim], copy.getSourceIndices()[dim]};
}

/// Whether a copy, of a whole tile, stands in front of the operand in the block
/// of `other`.
static bool isInFront(CopyOp copy, CopyOp other, OperandOp operand) {
  Block *block = copy->getBlock();
  Operation *reader = block->findAncestorOpInBlock(*operand);
  return copy.getDestinationIndices().empty() && block == other->getBlock() &&
         reader && copy->isBeforeInBlock(reader);
}

/// Whether nothing but this copy writes to its tile.
static bool isOnlyWriter(CopyOp copy) {
  return llvm::all_of(copy.getDestination().getUsers(), [&](Operation *user) {
    return user == copy || isa<OperandOp>(user);
  });
}

/// Whether the dimensions in front of those of the tiles are the same ones, at
/// the same places.
static bool haveSameLeadingPlaces(CopyOp a, BlockArgument tensorOfA, CopyOp b,
                                  BlockArgument tensorOfB) {
  auto kernel = cast<KernelOp>(tensorOfA.getOwner()->getParentOp());
  ArrayAttr dimsOfA = kernel.getArgDims(tensorOfA.getArgNumber());
  ArrayAttr dimsOfB = kernel.getArgDims(tensorOfB.getArgNumber());
  size_t leading =
      dimsOfA.size() - getTileShape(a.getDestination().getType()).size();
  if (leading !=
      dimsOfB.size() - getTileShape(b.getDestination().getType()).size())
    return false;
  for (size_t i = 0; i < leading; ++i)
    if (dimsOfA[i] != dimsOfB[i] ||
        !isSame(a.getSourceIndices()[i], b.getSourceIndices()[i]))
      return false;
  return true;
}

/// Whether the scales of an operand's numbers are inside their tensor where the
/// numbers are inside theirs.
static bool isCovered(OperandOp operand, unsigned scale, CopyOp scaleCopy,
                      BlockArgument scaleTensor) {
  CopyOp copy = findCopy(operand.getInputs()[0]);
  auto tensor =
      copy ? dyn_cast<BlockArgument>(copy.getSource()) : BlockArgument();
  if (!tensor || copy.getPad() ||
      !isa<KernelOp>(tensor.getOwner()->getParentOp()))
    return false;
  if (!isOnlyWriter(copy) || !isInFront(copy, scaleCopy, operand) ||
      !isInFront(scaleCopy, copy, operand) ||
      !haveSameLeadingPlaces(copy, tensor, scaleCopy, scaleTensor))
    return false;
  Builder builder(operand.getContext());
  for (auto [dim, expr] : llvm::enumerate(operand.getMap(scale).getResults())) {
    auto groups = matchIndexGroups(expr);
    if (!groups)
      return false;
    auto [extent, index] = getPlace(copy, tensor, groups->first);
    auto [scaleExtent, scaleIndex] = getPlace(scaleCopy, scaleTensor, dim);
    Attribute wanted = extent;
    if (groups->second != 1)
      wanted =
          builder.getArrayAttr({builder.getStringAttr("ceildiv"), extent,
                                builder.getI64IntegerAttr(groups->second)});
    if (scaleExtent != wanted || !isAtGroup(scaleIndex, index, groups->second))
      return false;
  }
  return true;
}

/// Whether all that reads the tile of a copy multiplies it by numbers that are
/// 0 outside of the tensor.
static bool isMultipliedByZero(CopyOp copy, BlockArgument tensor) {
  Value tile = copy.getDestination();
  return findCopy(tile) == copy &&
         llvm::all_of(tile.getUsers(), [&](Operation *user) {
           auto operand = dyn_cast<OperandOp>(user);
           if (!operand)
             return user == copy;
           ValueRange inputs = operand.getInputs();
           unsigned input = llvm::find(inputs, tile) - inputs.begin();
           return llvm::count(inputs, tile) == 1 && input != 0 &&
                  isProduct(operand, input) &&
                  isCovered(operand, input, copy, tensor);
         });
}

void tile::dropScalePads(KernelOp kernel, BlockArgument tensor) {
  if (!isa<Float8E8M0FNUType>(getTileElementType(tensor.getType())))
    return;
  for (Operation *user : tensor.getUsers())
    if (auto copy = dyn_cast<CopyOp>(user);
        copy && copy.getPad() && copy.getSource() == tensor &&
        copy.getDestinationIndices().empty() &&
        isMultipliedByZero(copy, tensor))
      copy.getPadMutable().clear();
}
