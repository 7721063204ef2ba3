//===- AlignedVariants.cpp - Variants of a kernel by alignment ------------===//
//
// The pitch of a tensor is a number of elements, so that a launch whose extents
// are multiples of 8, as they mostly are, has rows of 16 bytes for 16-bit
// elements but of 8 for bytes and packed pairs.  Hence a level between the two
// uniform ones: wide accesses to the wide tensors do not wait for the narrow.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/AlignedVariants.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignmentFacts.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// What a variant assumes of bases and pitches, in bytes; each is a width of
/// cp.async.
struct AlignmentLevel {
  StringLiteral name;
  /// For tensors whose elements have two bytes or more.
  int64_t wideBytes;
  /// For tensors stored as bytes: 8- and 4-bit elements.
  int64_t narrowBytes;
};
} // namespace

/// In the order in which a launch tries them.
static constexpr AlignmentLevel levels[] = {
    {"aligned", 16, 16}, {"aligned16x8", 16, 8}, {"aligned8", 8, 8}};
static constexpr int64_t narrowestLevel = 8;

/// The bytes to which argument `index` can be aligned: `alignment`, or fewer
/// where its pitch is known to allow no more; 0 if not even the lowest level
/// holds.
static int64_t limitAlignment(KernelOp kernel, unsigned index,
                              int64_t alignment) {
  auto type = cast<GlobalType>(kernel.getArgumentTypes()[index]);
  if (int64_t pack = type.getPackDim(); pack >= 0) {
    auto packed = evaluateExpression(kernel, kernel.getArgDims(index)[pack]);
    if (packed && *packed % 2 != 0)
      return 0;
  }
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
    if (auto pitch = getStaticPitch(kernel, index, dim))
      alignment = std::gcd(alignment, *pitch);
  return alignment < narrowestLevel ? 0 : alignment;
}

static void nameVariant(KernelOp kernel, StringRef variant) {
  OpBuilder builder(kernel);
  kernel.setOriginAttr(builder.getStringAttr(kernel.getSourceName()));
  kernel.setVariantAttr(builder.getStringAttr(variant));
  kernel.setSymName(kernel.getFunctionStem() + "__" + variant.str());
}

/// Whether rows of a tile at `indices` of a tensor can be made of aligned
/// pieces of the lowest level at least: those of one scale, say, never are.
static bool hasWideRows(Value memory, ValueRange indices,
                        ArrayRef<int64_t> shape) {
  auto type = dyn_cast<GlobalType>(memory.getType());
  if (!type)
    return false;
  int64_t last = type.getRank() - 1;
  int64_t elements = std::gcd(shape.back(), getKnownDivisor(indices[last]));
  int64_t bits = elements * getElementBits(type.getElementType());
  // Where elements share bytes along another dimension, each is a byte here.
  if (type.getPackDim() >= 0 && type.getPackDim() != last)
    bits = elements * 8;
  return (bits & -bits) >= narrowestLevel * 8;
}

/// Calls `visit` with memory, indices and tile or fragment of each copy, load
/// and store of a whole one.
static void
walkAccesses(KernelOp kernel,
             llvm::function_ref<void(Value, ValueRange, Type)> visit) {
  kernel.walk([&](Operation *op) {
    if (auto copy = dyn_cast<CopyOp>(op)) {
      visit(copy.getSource(), copy.getSourceIndices(),
            copy.getDestination().getType());
      visit(copy.getDestination(), copy.getDestinationIndices(),
            copy.getSource().getType());
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      visit(load.getMemory(), load.getIndices(), load.getResult().getType());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      visit(store.getMemory(), store.getIndices(), store.getValue().getType());
    }
  });
}

/// The tensors whose alignment matters: those that tiles and fragments with
/// wide rows are copied from and to.
static llvm::SetVector<unsigned> findAlignedCandidates(KernelOp kernel) {
  llvm::SetVector<unsigned> indices;
  walkAccesses(kernel, [&](Value memory, ValueRange at, Type tile) {
    if (!hasWideRows(memory, at, getTileShape(tile)))
      return;
    // The launch checks packed tensors (ApplyPrepack.cpp) in any variant.
    BlockArgument argument = getTensorArgument(memory);
    if (argument && !kernel.getArgPacking(argument.getArgNumber()))
      indices.insert(argument.getArgNumber());
  });
  return indices;
}

static bool isNarrow(KernelOp kernel, unsigned index) {
  return getElementBits(getTileElementType(kernel.getArgumentTypes()[index])) <=
         8;
}

/// Whether the pitch of some dimension is known at launch only.
static bool hasDynamicPitch(KernelOp kernel, unsigned index) {
  int64_t rank = cast<GlobalType>(kernel.getArgumentTypes()[index]).getRank();
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (!getStaticPitch(kernel, index, dim))
      return true;
  return false;
}

/// The bytes of an access to global memory.
static int64_t getAccessBytes(Value memory, ValueRange at, Type tile) {
  if (auto fragment = dyn_cast<RankedTensorType>(tile))
    if (auto layout = dyn_cast_or_null<LayoutAttr>(fragment.getEncoding()))
      return planGlobalAccess(memory, at, layout.getLayout()).bytes();
  return getCopyBytes(memory, at, getTileShape(tile));
}

/// Whether 16 bytes instead of 8 for tensors with wide elements would make some
/// access wider.  Sums of warpgroups, say, are stored in pairs.
static bool gainsFromWide(KernelOp kernel) {
  llvm::SetVector<unsigned> candidates = findAlignedCandidates(kernel);
  for (unsigned index : candidates)
    kernel.setArgAttr(index, alignedAttrName,
                      OpBuilder(kernel).getI64IntegerAttr(
                          limitAlignment(kernel, index, levels[0].wideBytes)));
  bool gains = false;
  walkAccesses(kernel, [&](Value memory, ValueRange at, Type tile) {
    BlockArgument argument =
        isa<GlobalType>(memory.getType()) ? getTensorArgument(memory) : nullptr;
    gains |= argument && !isNarrow(kernel, argument.getArgNumber()) &&
             getAccessBytes(memory, at, tile) > narrowestLevel;
  });
  for (unsigned index : candidates)
    kernel.removeArgAttr(index, alignedAttrName);
  return gains;
}

/// Whether some launch meets this level and none of those before it.  Pitches
/// that are fixed meet what they can at every level.
static bool isLevelNeeded(KernelOp kernel, const AlignmentLevel &level) {
  if (level.narrowBytes == 16)
    return true;
  bool hasWide = false, dynamicWide = false, dynamicNarrow = false;
  for (unsigned index : findAlignedCandidates(kernel)) {
    bool isDynamic = hasDynamicPitch(kernel, index);
    if (isNarrow(kernel, index)) {
      dynamicNarrow |= isDynamic;
    } else {
      hasWide = true;
      dynamicWide |= isDynamic;
    }
  }
  // Else the level between the others would make the lowest's code.
  hasWide = hasWide && gainsFromWide(kernel);
  if (level.wideBytes == 16)
    return hasWide && dynamicNarrow;
  return dynamicWide || (dynamicNarrow && !hasWide);
}

/// Makes the variant for one level in front of the kernel.  Returns null if
/// nothing can be aligned so.
static KernelOp forkVariant(KernelOp kernel, const AlignmentLevel &level) {
  if (!isLevelNeeded(kernel, level))
    return {};
  OpBuilder builder(kernel);
  auto variant = cast<KernelOp>(builder.clone(*kernel));
  AlignmentFacts guards(variant);
  bool any = false;
  for (unsigned index : findAlignedCandidates(variant)) {
    int64_t bytes = limitAlignment(variant, index,
                                   isNarrow(variant, index) ? level.narrowBytes
                                                            : level.wideBytes);
    if (bytes == 0)
      continue;
    guards.addArgument(index, bytes);
    variant.setArgAttr(index, alignedAttrName,
                       builder.getI64IntegerAttr(bytes));
    any = true;
  }
  if (!any) {
    variant.erase();
    return {};
  }
  nameVariant(variant, level.name);
  variant.setGuardsAttr(guards.getFacts());
  return variant;
}

SmallVector<KernelOp> tile::forkAlignedVariants(KernelOp kernel,
                                                bool withWidest) {
  SmallVector<KernelOp> variants;
  for (const AlignmentLevel &level : ArrayRef(levels).drop_front(!withWidest))
    if (KernelOp variant = forkVariant(kernel, level))
      variants.push_back(variant);
  nameVariant(kernel, "general");
  kernel.setGuardsAttr(ArrayAttr::get(kernel.getContext(), {}));
  return variants;
}
