//===- ApplyPrepack.cpp - Store prepacked tensors as they are read --------===//
//
// The products that read tiles of a prepacked tensor decide in which order its
// elements lie (PackedOperand.h).  The tensor becomes its tiles, one behind the
// other along K, each in rows of 128 bytes at most without gaps; a copy of a
// tile, one of neighbouring rows.
//
//     B[N, K]           ->  B[ceil(N / BN), ceil(K / UK) * rows, rowElements]
//     copy(B[n, k], Bs)     copy(B[n / BN, k / UK * rows, 0], rows of Bs)
//
// Where a tile is the pieces of a smaller one, the tensor is stored in those
// (UK of K each), so that kernels with steps of other sizes take it, too.  B[K,
// N] becomes the same memory.
// Whoever copies needs to know nothing of orders; what sticks out of the tensor
// is in its memory, up to whole pieces.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/PackedUnit.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignmentFacts.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/ScalePadding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

namespace mlir::tile {
#define GEN_PASS_DEF_APPLYPREPACKPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Packs one tensor argument.
class TensorPacker {
public:
  TensorPacker(KernelOp kernel, BlockArgument tensor)
      : kernel(kernel), tensor(tensor), builder(kernel),
        name(kernel.getArgName(tensor.getArgNumber())) {}

  LogicalResult run();

private:
  LogicalResult findCopies();
  LogicalResult checkPlace(CopyOp copy);
  LogicalResult checkUses(AllocSharedOp tile);
  LogicalResult findOrder(Operation *user, AllocSharedOp tile);
  LogicalResult adopt(Operation *at, SharedType tile,
                      const layout::FragmentLayout &part, int64_t kDim);
  SmallVector<size_t, 3> getTileOrder() const;
  void packTensor();
  void packTile(AllocSharedOp tile);
  void packCopy(CopyOp copy, Value rows);
  void checkAlignment();

  KernelOp kernel;
  BlockArgument tensor;
  OpBuilder builder;
  StringRef name;
  SmallVector<CopyOp> copies;
  SmallVector<AllocSharedOp> tiles;
  /// What all products agree on.
  std::optional<layout::PackedTile> packed;
  /// The dimension of a tile that is K, along which tiles are neighbours.
  int64_t along = 0;
  /// The pieces that the tensor is stored in, and the rows of each.
  std::optional<layout::PackedOrder> unit;
  int64_t unitRows = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding the order
//===----------------------------------------------------------------------===//

/// The users of a value, as a rule in the order of the source.
static SmallVector<Operation *> getUsers(Value value) {
  SmallVector<Operation *> users(value.getUsers());
  std::reverse(users.begin(), users.end());
  return users;
}

LogicalResult TensorPacker::findCopies() {
  for (Operation *user : getUsers(tensor)) {
    auto copy = dyn_cast<CopyOp>(user);
    auto tile = copy ? copy.getDestination().getDefiningOp<AllocSharedOp>()
                     : AllocSharedOp();
    if (!tile || copy.getSource() != tensor ||
        !copy.getDestinationIndices().empty())
      return user->emitError("a use of prepacked '")
             << name << "' other than a copy to a whole shared tile is not "
             << "supported yet";
    if (tile.getAnnotation())
      return tile.emitError("the layout of a tile of prepacked '")
             << name << "' is that of the tensor, and cannot be annotated";
    copies.push_back(copy);
    if (!llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  }
  return success();
}

/// Whether an index is known to be a multiple, of which 0 is one.
static bool isMultiple(Value index, int64_t divisor) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue() % divisor == 0;
  if (auto argument = dyn_cast<BlockArgument>(index))
    if (auto loop = dyn_cast<PipelinedOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return isMultiple(loop.getLower(), divisor) &&
             loop.getStep() % divisor == 0;
  if (auto argument = dyn_cast<BlockArgument>(index))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return isMultiple(loop.getLowerBound(), divisor) &&
             isMultiple(loop.getStep(), divisor);
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return isMultiple(op->getOperand(0), divisor) &&
           isMultiple(op->getOperand(1), divisor);
  return getKnownDivisor(index) % divisor == 0;
}

/// Tiles are whole: a copy cannot begin inside one.
LogicalResult TensorPacker::checkPlace(CopyOp copy) {
  ArrayRef<int64_t> shape = getTileShape(copy.getDestination().getType());
  ValueRange indices = copy.getSourceIndices();
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    size_t place = indices.size() - shape.size() + dim;
    if (isMultiple(indices[place], extent))
      continue;
    return copy.emitError("tiles of prepacked '")
           << name << "' start at multiples of " << extent
           << " along dimension " << place
           << ", and the index of this copy is not known to be one";
  }
  return success();
}

/// The order that one read asks for; all must agree.
LogicalResult TensorPacker::adopt(Operation *at, SharedType tile,
                                  const layout::FragmentLayout &part,
                                  int64_t kDim) {
  std::string error;
  std::optional<layout::PackedTile> wanted = tile::packTile(tile, part, &error);
  if (!wanted)
    return at->emitError("prepacked '")
           << name
           << "' in the order of this 'gemm' is not supported yet: " << error;
  if (packed && (packed->order != wanted->order || along != kDim))
    return at->emitError("prepacked '")
           << name << "' in two orders is not supported yet: this 'gemm' and "
           << "one before read it differently";
  packed = wanted;
  along = kDim;
  return success();
}

/// The dimension of a further input of an operand that counts K, or groups of
/// it; the last one if none does.
static int64_t findInputK(OperandOp expression, unsigned input, int64_t kDim) {
  AffineMap map = expression.getMap(input);
  for (auto [dim, index] : llvm::enumerate(map.getResults()))
    if (auto groups = matchIndexGroups(index); groups && groups->first == kDim)
      return int64_t(dim);
  return int64_t(map.getNumResults()) - 1;
}

/// How the products that `user` is, or is an operand of, read the tile.
LogicalResult TensorPacker::findOrder(Operation *user, AllocSharedOp tile) {
  SmallVector<GemmOp> gemms;
  if (auto gemm = dyn_cast<GemmOp>(user))
    gemms.push_back(gemm);
  else
    for (Operation *product : getUsers(user->getResult(0))) // operand-c4
      gemms.push_back(cast<GemmOp>(product));
  for (GemmOp gemm : gemms) {
    GemmPlan plan = planGemm(gemm, getNumWarps(gemm));
    for (bool isA : {true, false}) {
      Value operand = isA ? gemm.getA() : gemm.getB();
      OperandStep step = getOperandStep(gemm, plan, isA);
      auto expression = operand.getDefiningOp<OperandOp>();
      if (getStoredOperand(operand) == tile.getResult() &&
          failed(adopt(gemm, tile.getType(), step.load, step.kDim)))
        return failure();
      for (unsigned i = 1; expression && i < expression.getInputs().size(); ++i)
        if (expression.getInputs()[i] == tile.getResult() &&
            failed(adopt(gemm, tile.getType(),
                         getInputPart(expression, i, step).layout,
                         findInputK(expression, i, step.kDim))))
          return failure();
    }
  }
  return success();
}

LogicalResult TensorPacker::checkUses(AllocSharedOp tile) {
  for (Operation *user : getUsers(tile)) {
    if (isa<GemmOp, OperandOp>(user)) {
      if (failed(findOrder(user, tile)))
        return failure();
      continue;
    }
    if (auto copy = dyn_cast<CopyOp>(user); !copy || copy.getSource() != tensor)
      return user->emitError("a use of '")
             << tile.getName().value_or("") << "', which holds elements of "
             << "prepacked '" << name
             << "', other than as an operand of 'gemm' is not supported yet";
  }
  if (packed)
    return success();
  return tile.emitError("'")
         << tile.getName().value_or("") << "' holds elements of prepacked '"
         << name << "' and is no operand of a 'gemm' by matrix instructions, "
         << "which is not supported yet";
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// index / divisor, of which it is a multiple.
static Value emitQuotient(OpBuilder &builder, Location loc, Value index,
                          int64_t divisor) {
  auto makeConstant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  APInt constant;
  if (divisor == 1)
    return index;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return makeConstant(constant.getSExtValue() / divisor);
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    if (matchPattern(product.getRhs(), m_ConstantInt(&constant)) &&
        constant.getSExtValue() % divisor == 0)
      return arith::MulIOp::create(
          builder, loc, product.getLhs(),
          makeConstant(constant.getSExtValue() / divisor));
  if (llvm::isPowerOf2_64(divisor))
    return arith::ShRSIOp::create(builder, loc, index,
                                  makeConstant(llvm::Log2_64(divisor)));
  return arith::DivSIOp::create(builder, loc, index, makeConstant(divisor));
}

/// The dimensions of a tile from the one along which tiles are farthest from
/// each other to the one along which they are neighbours.
SmallVector<size_t, 3> TensorPacker::getTileOrder() const {
  SmallVector<size_t, 3> order;
  for (size_t dim = 0; dim < unit->shape().size(); ++dim)
    if (dim != size_t(along))
      order.push_back(dim);
  order.push_back(size_t(along));
  return order;
}

/// Type, extents and alignment of the argument become those of its memory.
void TensorPacker::packTensor() {
  unsigned index = tensor.getArgNumber();
  auto type = cast<GlobalType>(tensor.getType());
  ArrayAttr sourceDims = kernel.getArgDims(index);
  ArrayRef<int32_t> tile = unit->shape();

  auto source = sourceDims.getValue();
  SmallVector<Attribute> dims(source.drop_back(tile.size()));
  for (size_t dim : getTileOrder())
    dims.push_back(
        builder.getArrayAttr({builder.getStringAttr("ceildiv"),
                              source[source.size() - tile.size() + dim],
                              builder.getI64IntegerAttr(tile[dim])}));
  dims.back() = builder.getArrayAttr({builder.getStringAttr("*"), dims.back(),
                                      builder.getI64IntegerAttr(unitRows)});
  dims.push_back(builder.getI64IntegerAttr(packed->rowElements));
  SmallVector<int64_t> shape(dims.size(), ShapedType::kDynamic);
  shape.back() = packed->rowElements;
  bool isNarrow = packed->order.elementBits() < 8;
  auto memory =
      GlobalType::get(builder.getContext(), shape, type.getElementType(),
                      isNarrow ? int64_t(shape.size()) - 1 : -1);

  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs[index] = memory;
  kernel.setFunctionType(builder.getFunctionType(inputs, {}));
  tensor.setType(memory);
  kernel.setArgAttr(index, "tile.dims", builder.getArrayAttr(dims));
  auto order = PackedOrderAttr::get(builder.getContext(), *unit);
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  kernel.setArgAttr(
      index, "tile.packing",
      builder.getDictionaryAttr({number("along", along),
                                 builder.getNamedAttr("dims", sourceDims),
                                 builder.getNamedAttr("order", order),
                                 number("pack", type.getPackDim())}));
  checkAlignment();
}

/// Who packs a tensor allocates it, and can be asked for alignment.
void TensorPacker::checkAlignment() {
  constexpr int64_t widest = 16;
  unsigned index = tensor.getArgNumber();
  int64_t rowBytes =
      int64_t(packed->rowElements) * packed->order.elementBits() / 8;
  // Rows follow each other without gaps, so that all pitches are multiples.
  int64_t bytes = std::gcd(rowBytes, widest);
  AlignmentFacts facts(kernel, kernel.getChecks());
  facts.addBase(index, bytes);
  kernel.setChecksAttr(facts.getFacts());
  kernel.setArgAttr(index, alignedAttrName, builder.getI64IntegerAttr(bytes));
}

void TensorPacker::packCopy(CopyOp copy, Value rows) {
  builder.setInsertionPoint(copy);
  Location loc = copy.getLoc();
  ArrayRef<int32_t> tile = unit->shape();
  OperandRange source = copy.getSourceIndices();
  SmallVector<Value> indices(source.drop_back(tile.size()));
  for (size_t dim : getTileOrder())
    indices.push_back(emitQuotient(
        builder, loc, source[source.size() - tile.size() + dim], tile[dim]));
  auto makeConstant = [&](int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  indices.back() = arith::MulIOp::create(builder, loc, indices.back(),
                                         makeConstant(unitRows));
  indices.push_back(makeConstant(0));
  copy.getSourceIndicesMutable().assign(indices);
  copy.getDestinationMutable().assign(rows);
}

void TensorPacker::packTile(AllocSharedOp tile) {
  SharedType type = tile.getType();
  bool isNarrow = packed->order.elementBits() < 8;
  auto memory = SharedType::get(
      builder.getContext(), {packed->rows(), packed->rowElements},
      type.getElementType(), isNarrow ? 1 : -1, SharedLayoutAttr());
  builder.setInsertionPoint(tile);
  auto rows = AllocSharedOp::create(builder, tile.getLoc(), memory,
                                    tile.getNameAttr(), IntegerAttr());
  for (CopyOp copy : copies)
    if (copy.getDestination() == tile.getResult())
      packCopy(copy, rows);
  auto order = PackedOrderAttr::get(builder.getContext(), packed->order);
  llvm::SetVector<Operation *> readers(tile->user_begin(), tile->user_end());
  for (Operation *reader : readers) {
    builder.setInsertionPoint(reader);
    Value unpacked =
        UnpackedOp::create(builder, tile.getLoc(), type, rows, order);
    reader->replaceUsesOfWith(tile.getResult(), unpacked);
  }
  tile.erase();
}

LogicalResult TensorPacker::run() {
  if (failed(findCopies()))
    return failure();
  for (CopyOp copy : copies)
    if (failed(checkPlace(copy)))
      return failure();
  for (AllocSharedOp tile : tiles) {
    if (tile.getType().getShape() != tiles.front().getType().getShape())
      return tile.emitError("tiles of prepacked '")
             << name << "' in two shapes are not supported yet";
    if (failed(checkUses(tile)))
      return failure();
  }
  // What nothing reads has no order.
  if (!packed)
    return success();
  constexpr int64_t mostDims = 5;
  if (cast<GlobalType>(tensor.getType()).getRank() >= mostDims)
    return emitError(tensor.getLoc(), "prepacked '")
           << name << "' of rank " << mostDims << " is not supported yet";
  auto type = cast<GlobalType>(tensor.getType());
  int64_t leading = type.getRank() - int64_t(packed->order.shape().size());
  if (type.getPackDim() >= 0 && type.getPackDim() < leading)
    return emitError(tensor.getLoc(), "prepacked '")
           << name << "' whose elements share bytes along a dimension that its "
           << "tiles lack is not supported yet";
  unit = layout::findPackedUnit(packed->order, packed->rowElements, int(along));
  unitRows = unit->elements() / packed->rowElements;
  packTensor();
  for (AllocSharedOp tile : tiles)
    packTile(tile);
  return success();
}

namespace {
struct ApplyPrepack : tile::impl::ApplyPrepackPassBase<ApplyPrepack> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (failed(checkGemms(kernel, getArgument())))
        return signalPassFailure();
      SmallVector<BlockArgument> tensors;
      for (BlockArgument argument : kernel.getArguments())
        if (kernel.getArgAttr(argument.getArgNumber(), "tile.prepack"))
          tensors.push_back(argument);
      // While all copies are as the source has them.
      for (BlockArgument tensor : tensors)
        dropScalePads(kernel, tensor);
      for (BlockArgument tensor : tensors)
        if (failed(TensorPacker(kernel, tensor).run()))
          return signalPassFailure();
    }
  }
};
} // namespace
