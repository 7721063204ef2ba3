//===- ByteOwners.cpp - One thread for the two elements of a byte ---------===//

#include "dialects/Tile/Transforms/ByteOwners.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/PackedStores.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;

/// The dimension of the fragment that `memory` packs; -1 if it is none of them.
static int64_t getFragmentPackDim(Value memory, Type fragment) {
  int64_t pack = getMemoryPackDim(memory.getType());
  int64_t dropped = getTileShape(memory.getType()).size() -
                    cast<RankedTensorType>(fragment).getRank();
  return std::max<int64_t>(pack - dropped, -1);
}

int tile::findStoredPackDim(Value fragment) {
  if (getElementBits(getTileElementType(fragment.getType())) != 4)
    return -1;
  for (Operation *user : fragment.getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      return getFragmentPackDim(store.getMemory(), fragment.getType());
  if (auto load = fragment.getDefiningOp<LoadOp>())
    return getFragmentPackDim(load.getMemory(), fragment.getType());
  return -1;
}

/// Whether threads hold whole bytes of elements that are packed along a
/// dimension.
static bool ownsBytes(const layout::FragmentLayout &layout, int64_t packDim) {
  return packDim >= 0 &&
         !layout::planGlobalVector(layout, /*elementBits=*/4, packDim)
              .splitsByte();
}

/// The fragment in a coalesced layout that owns bytes packed along `packDim`.
static Value convertToOwners(OpBuilder &builder, Location loc, Value value,
                             int64_t packDim, int64_t warps) {
  auto type = cast<RankedTensorType>(value.getType());
  layout::BlockedOptions options;
  options.elementBits = 4;
  options.packDim = packDim;
  options.threads = warps * layout::lanesPerWarp;
  layout::FragmentLayout owners = layout::blocked(
      layout::Coords(type.getShape().begin(), type.getShape().end()), options);
  return ConvertLayoutOp::create(
      builder, loc, getFragmentType(owners, type.getElementType()), value);
}

void tile::giveBytesOwners(KernelOp kernel) {
  kernel.walk([&](StoreOp store) {
    if (getMemoryPackDim(store.getMemory().getType()) < 0)
      return;
    Value value = store.getValue();
    int64_t pack = getFragmentPackDim(store.getMemory(), value.getType());
    if (ownsBytes(getFragmentLayout(value.getType()).getLayout(), pack))
      return;
    OpBuilder builder(store);
    store.getValueMutable().assign(convertToOwners(
        builder, store.getLoc(), value, pack, getNumWarps(store)));
  });
}

/// Puts a fragment into a shared tile of its own and reads it in another
/// layout.
static Value moveThroughShared(OpBuilder &builder, Location loc, Value value,
                               int64_t packDim,
                               const layout::FragmentLayout &layout) {
  auto type = cast<RankedTensorType>(value.getType());
  auto shared =
      SharedType::get(builder.getContext(), type.getShape(),
                      type.getElementType(), packDim, SharedLayoutAttr());
  Value tile = AllocSharedOp::create(
      builder, loc, shared, builder.getStringAttr("conversion"), IntegerAttr());
  StoreOp::create(builder, loc, value, tile, ValueRange());
  return LoadOp::create(builder, loc,
                        getFragmentType(layout, type.getElementType()), tile,
                        ValueRange(), Value());
}

/// The same bits as integers of another width (4 or 8), or as elements of type
/// `element` of the same width.
static Value castBits(OpBuilder &builder, Location loc, Value value,
                      Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  RankedTensorType to = type.clone(element);
  if (getElementBits(element) == getElementBits(type.getElementType()))
    return arith::BitcastOp::create(builder, loc, to, value);
  return CastOp::create(builder, loc, to, value, StringAttr(),
                        /*source_unsigned=*/true, /*result_unsigned=*/true);
}

void tile::stagePackedConversion(ConvertLayoutOp convert) {
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  Value source = convert.getSource();
  layout::FragmentLayout from = getFragmentLayout(source.getType()).getLayout();
  layout::FragmentLayout to =
      getFragmentLayout(convert.getResult().getType()).getLayout();
  // Best packed as both sides hold the elements.
  int64_t packDim = -1;
  for (int64_t dim = 0; dim < from.rank(); ++dim)
    if (ownsBytes(from, dim) && (packDim < 0 || ownsBytes(to, dim)))
      packDim = dim;
  Value result;
  if (packDim >= 0) {
    result = moveThroughShared(builder, loc, source, packDim, to);
  } else {
    Type element = getTileElementType(source.getType());
    Value bits = castBits(builder, loc, source, builder.getI4Type());
    bits = castBits(builder, loc, bits, builder.getI8Type());
    bits = moveThroughShared(builder, loc, bits, /*packDim=*/-1, to);
    bits = castBits(builder, loc, bits, builder.getI4Type());
    result = castBits(builder, loc, bits, element);
  }
  convert.replaceAllUsesWith(result);
  convert.erase();
}
