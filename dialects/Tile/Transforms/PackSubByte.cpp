//===- PackSubByte.cpp - Copy packed tiles as bytes -----------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PACKSUBBYTEPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether the tensor's last byte along the packed dimension is a whole pair:
/// else a copy of bytes would bring its spare nibble along.
static bool endsOnWholeByte(Value global) {
  BlockArgument argument = getTensorArgument(global);
  auto type = cast<GlobalType>(global.getType());
  if (!argument)
    return false;
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  if (kernel.getArgAttr(argument.getArgNumber(), alignedAttrName))
    return true;
  auto extent = evaluateExpression(
      kernel, kernel.getArgDims(argument.getArgNumber())[type.getPackDim()]);
  return extent && *extent % 2 == 0;
}

/// Whether the tile of a copy is made of whole bytes on both sides.
static bool movesWholeBytes(Value source, ValueRange indices,
                            Value destination) {
  auto from = dyn_cast<GlobalType>(source.getType());
  auto to = dyn_cast<SharedType>(destination.getType());
  if (!from || !to || from.getPackDim() < 0)
    return false;
  return from.getPackDim() - (from.getRank() - to.getRank()) ==
             to.getPackDim() &&
         getCopyBytes(source, indices, to.getShape()) > 0 &&
         endsOnWholeByte(source);
}

/// Indices of the bytes: the one along the packed dimension is halved.
static SmallVector<Value> getByteIndices(OpBuilder &builder, Location loc,
                                         Value source, ValueRange indices) {
  SmallVector<Value> result(indices);
  int64_t pack = cast<GlobalType>(source.getType()).getPackDim();
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
  // The index is even, so that the shift is exact, for negative ones too.
  result[pack] = arith::ShRSIOp::create(builder, loc, indices[pack], one);
  return result;
}

namespace {
struct PackSubByte : tile::impl::PackSubBytePassBase<PackSubByte> {
  void runOnOperation() override {
    getOperation().walk([](AsyncCopyOp copy) {
      if (!movesWholeBytes(copy.getSource(), copy.getSourceIndices(),
                           copy.getDestination()))
        return;
      OpBuilder builder(copy);
      Location loc = copy.getLoc();
      auto indices = getByteIndices(builder, loc, copy.getSource(),
                                    copy.getSourceIndices());
      Value source = BytesOp::create(builder, loc, copy.getSource());
      Value destination = BytesOp::create(builder, loc, copy.getDestination());
      AsyncCopyOp::create(builder, loc, source, indices, destination,
                          copy.getPredicate(), copy.getPlanAttr());
      copy.erase();
    });
    getOperation().walk([](CopyOp copy) {
      if (copy.getPad() || !isa<GlobalType>(copy.getSource().getType()) ||
          !movesWholeBytes(copy.getSource(), copy.getSourceIndices(),
                           copy.getDestination()))
        return;
      OpBuilder builder(copy);
      Location loc = copy.getLoc();
      auto indices = getByteIndices(builder, loc, copy.getSource(),
                                    copy.getSourceIndices());
      Value source = BytesOp::create(builder, loc, copy.getSource());
      Value destination = BytesOp::create(builder, loc, copy.getDestination());
      CopyOp::create(builder, loc, source, indices, destination, ValueRange(),
                     /*pad=*/Value(), copy.getPlanAttr());
      copy.erase();
    });
  }
};
} // namespace
