//===- SharedParts.cpp - How the parts of shared tiles lie in memory ------===//

#include "dialects/Tile/Transforms/SharedParts.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// A number of bytes that is known to divide the offset of a part.
static int64_t getKnownAlignment(SliceOp slice,
                                 const layout::SharedLayout &storage) {
  int64_t alignment = 0;
  for (auto [dim, offset] : llvm::enumerate(slice.getOffsets())) {
    int64_t divisor = getKnownDivisor(offset);
    if (int(dim) == storage.packDim()) {
      if (divisor % 2 != 0)
        return 1;
      divisor /= 2;
    }
    alignment = std::gcd(alignment, divisor * storage.strideBytes(dim));
  }
  return alignment;
}

/// The parts of a tile, and of the same tile in other blocks.
static SmallVector<SliceOp> getSlices(Value tile) {
  SmallVector<SliceOp> slices;
  for (Operation *user : tile.getUsers()) {
    if (auto slice = dyn_cast<SliceOp>(user))
      slices.push_back(slice);
    else if (auto peer = dyn_cast<PeerOp>(user))
      llvm::append_range(slices, getSlices(peer.getResult()));
  }
  return slices;
}

/// The storage of a part as the type of a tile; null if it is none.
static SharedType getPartType(SliceOp slice,
                              const layout::SharedLayout &storage) {
  SharedType type = slice.getType();
  SmallVector<int64_t> kept = slice.getKeptDims();
  int64_t dropped = storage.rank() - type.getRank();
  // Neighbours along the last dimension are neighbours in memory, and all
  // distances but that of rows follow from the extents.
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (kept[dim] != dropped + dim ||
        (dim > 0 && dim + 1 < type.getRank() &&
         type.getShape()[dim] != storage.shape()[kept[dim]]))
      return {};
  // Panels are those of the last two dimensions, as a whole.
  int panel = storage.panelBytes();
  if (panel != 0 && (type.getRank() < 2 ||
                     !llvm::equal(type.getShape().take_back(2),
                                  ArrayRef(storage.shape()).take_back(2))))
    return {};
  int64_t pack =
      storage.packDim() < 0 ? -1 : int64_t(storage.packDim()) - dropped;
  if (storage.packDim() >= 0 && pack < 0)
    return {};
  auto bare = layout::SharedLayout::create(
      layout::Coords(type.getShape().begin(), type.getShape().end()),
      storage.elementBits(), pack, /*swizzle=*/{}, /*padBytes=*/0,
      /*error=*/nullptr, panel);
  if (!bare)
    return {};
  int64_t padding = storage.rowPitch() - bare->rowPitch();
  layout::Swizzle swizzle = storage.swizzle();
  SharedLayoutAttr layout;
  if (padding != 0 || panel != 0 || !swizzle.isIdentity())
    layout = SharedLayoutAttr::get(type.getContext(), swizzle.bits,
                                   swizzle.base, swizzle.shift, padding, panel);
  return SharedType::getChecked([&]() { return InFlightDiagnostic(); },
                                type.getContext(), type.getShape(),
                                type.getElementType(), pack, layout);
}

layout::SharedLayout tile::getAskedStorage(AllocSharedOp alloc) {
  SharedType type = alloc.getType();
  if (!alloc.getAnnotation())
    return type.getStorage();
  SharedLayoutAttr asked = *alloc.getAnnotation();
  auto storage = layout::SharedLayout::create(
      layout::Coords(type.getShape().begin(), type.getShape().end()),
      getElementBits(type.getElementType()), type.getPackDim(),
      {int(asked.getBits()), int(asked.getBase()), int(asked.getShift())},
      asked.getPadding());
  // What cannot be had is reported when layouts are inferred.
  return storage ? *storage : type.getStorage();
}

SharedType tile::getPartTile(SliceOp slice,
                             const layout::SharedLayout &storage) {
  if (getKnownAlignment(slice, storage) % storage.alignment() != 0)
    return {};
  return getPartType(slice, storage);
}

bool tile::haveAlignedParts(Value tile, const layout::SharedLayout &storage) {
  return llvm::all_of(getSlices(tile), [&](SliceOp slice) {
    // Parts of parts have the same rows.
    return getKnownAlignment(slice, storage) % storage.alignment() == 0 &&
           (getSlices(slice.getResult()).empty() ||
            storage.swizzle().isIdentity());
  });
}

LogicalResult tile::inferPartLayouts(Value tile) {
  layout::SharedLayout storage = cast<SharedType>(tile.getType()).getStorage();
  for (Operation *user : tile.getUsers())
    if (auto peer = dyn_cast<PeerOp>(user))
      peer.getResult().setType(cast<SharedType>(tile.getType()));
  for (SliceOp slice : getSlices(tile)) {
    SharedType type = getPartType(slice, storage);
    if (!type)
      return slice.emitError("a part of a shared tile that leaves out an inner "
                             "dimension is not supported yet");
    int64_t alignment = storage.alignment();
    if (getKnownAlignment(slice, storage) % alignment != 0)
      return slice.emitError("a part of a shared tile that is not known to "
                             "start at a multiple of ")
             << alignment << " bytes is not supported yet";
    slice.getResult().setType(type);
    if (failed(inferPartLayouts(slice.getResult())))
      return failure();
  }
  return success();
}
