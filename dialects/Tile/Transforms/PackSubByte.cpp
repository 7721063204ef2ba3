//===- PackSubByte.cpp - Copy packed tiles as bytes -----------------------===//

#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/Passes.h"

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
  Attribute extent =
      kernel.getArgDims(argument.getArgNumber())[type.getPackDim()];
  return getKnownDivisor(kernel, extent) % 2 == 0;
}

/// Makes a copy of packed tiles one of their bytes, if it is.
template <typename CopyLikeOp> static void copyBytes(CopyLikeOp copy) {
  if (!movesWholeBytes(copy.getSource(), copy.getSourceIndices(),
                       copy.getDestination()) ||
      !endsOnWholeByte(copy.getSource()))
    return;
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  SmallVector<Value> indices =
      getByteIndices(builder, loc, copy.getSource(), copy.getSourceIndices());
  copy.getSourceIndicesMutable().assign(indices);
  copy.getSourceMutable().assign(
      BytesOp::create(builder, loc, copy.getSource()));
  copy.getDestinationMutable().assign(
      BytesOp::create(builder, loc, copy.getDestination()));
}

namespace {
struct PackSubByte : tile::impl::PackSubBytePassBase<PackSubByte> {
  void runOnOperation() override {
    getOperation().walk([](AsyncCopyOp copy) { copyBytes(copy); });
    getOperation().walk([](CopyOp copy) {
      if (!copy.getPad() && isa<GlobalType>(copy.getSource().getType()))
        copyBytes(copy);
    });
  }
};
} // namespace
