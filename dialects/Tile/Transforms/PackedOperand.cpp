//===- PackedOperand.cpp - Operands that are packed for their reads -------===//

#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

static bool isPrepackedTensor(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  return kernel && kernel.getArgAttr(argument.getArgNumber(), "tile.prepack");
}

bool tile::isPrepacked(Value tile) {
  if (tile.getDefiningOp<UnpackedOp>())
    return true;
  return tile.getDefiningOp<AllocSharedOp>() &&
         llvm::any_of(tile.getUsers(), [&](Operation *user) {
           auto copy = dyn_cast<CopyOp>(user);
           return copy && copy.getDestination() == tile &&
                  isPrepackedTensor(copy.getSource());
         });
}

/// The layout with the bits of a word's elements, of 2^wordBits, rotated so
/// that bit `lowest` of them comes first.
static layout::FragmentLayout rotateInWord(const layout::FragmentLayout &layout,
                                           size_t wordBits, size_t lowest) {
  SmallVector<layout::Coords> registers(layout.registerBases());
  if (registers.size() < wordBits)
    return layout;
  std::rotate(registers.begin(), registers.begin() + lowest,
              registers.begin() + wordBits);
  return layout.withRegisterBases(registers);
}

layout::FragmentLayout tile::orderForPairs(const layout::FragmentLayout &layout,
                                           unsigned elementBits) {
  // The lowest bit, that of the halves, becomes the highest of a word.
  return rotateInWord(layout, llvm::Log2_32(32 / elementBits), /*lowest=*/1);
}

layout::FragmentLayout
tile::orderForBytes(const layout::FragmentLayout &layout) {
  // The highest bit, that of the two registers, becomes the lowest of a word.
  return rotateInWord(layout, /*wordBits=*/3, /*lowest=*/2);
}

std::optional<layout::PackedTile>
tile::packTile(SharedType tile, const layout::FragmentLayout &part,
               std::string *error) {
  return layout::packForReads(
      layout::Coords(tile.getShape().begin(), tile.getShape().end()),
      getElementBits(tile.getElementType()), part, error);
}

Value tile::loadPart(OpBuilder &builder, Location loc, Value tile,
                     ArrayRef<int64_t> start,
                     const layout::FragmentLayout &part) {
  auto makeIndices = [&](ArrayRef<int64_t> numbers) {
    SmallVector<Value> indices;
    for (int64_t number : numbers)
      indices.push_back(arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(number)));
    return indices;
  };
  auto type = cast<SharedType>(tile.getType());
  Type element = type.getElementType();
  auto unpacked = tile.getDefiningOp<UnpackedOp>();
  if (!unpacked)
    return LoadOp::create(builder, loc, getFragmentType(part, element), tile,
                          makeIndices(start), /*pad=*/Value());
  // It was packed for this layout.
  std::optional<layout::PackedTile> packed = packTile(type, part);
  assert(packed && packed->order == unpacked.getOrder().getOrder());
  int64_t row = packed->rowOf(layout::Coords(start.begin(), start.end()));
  Value rows =
      LoadOp::create(builder, loc, getFragmentType(packed->load, element),
                     unpacked.getSource(), makeIndices({row, 0}),
                     /*pad=*/Value());
  return RelabelOp::create(builder, loc, getFragmentType(part, element), rows);
}
