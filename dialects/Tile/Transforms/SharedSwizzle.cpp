//===- SharedSwizzle.cpp - How shared tiles lie in memory -----------------===//

#include "dialects/Tile/Transforms/SharedSwizzle.h"
#include "dialects/Layout/BankConflicts.h"
#include "dialects/Layout/Ldmatrix.h"
#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/SharedParts.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"

using namespace mlir;
using namespace mlir::tile;
using layout::FragmentLayout;

/// How the operand fragments of a gemm read their tile.
static void describeOperand(SharedType type, const FragmentLayout &fragment,
                            std::vector<layout::AccessPattern> &patterns) {
  SmallVector<int64_t> shape(fragment.shape());
  auto storage = getSubTileStorage(type, shape);
  if (!storage)
    return;
  if (auto ldmatrix = layout::planLdmatrix(fragment, *storage))
    patterns.push_back(layout::describeAccess(*storage, *ldmatrix));
  else
    patterns.push_back(layout::describeAccess(
        fragment, *storage, layout::planVector(fragment, *storage)));
}

static void describeGemmReads(GemmOp gemm, Value tile,
                              std::vector<layout::AccessPattern> &patterns) {
  auto type = cast<SharedType>(tile.getType());
  GemmPlan plan = planGemm(gemm, getNumWarps(gemm));
  if (getStoredOperand(gemm.getA()) == tile)
    describeOperand(type, plan.loadA, patterns);
  if (getStoredOperand(gemm.getB()) == tile)
    describeOperand(type, plan.loadB, patterns);
}

/// How a tile, or a part of one, is read by gemms and written by copies.
static void describeUses(Value tile,
                         std::vector<layout::AccessPattern> &patterns) {
  auto type = cast<SharedType>(tile.getType());
  for (Operation *user : tile.getUsers()) {
    if (auto gemm = dyn_cast<GemmOp>(user)) {
      describeGemmReads(gemm, tile, patterns);
    } else if (auto expression = dyn_cast<OperandOp>(user)) {
      for (Operation *gemm : expression->getUsers()) // operand-c4
        describeGemmReads(cast<GemmOp>(gemm), tile, patterns);
    } else if (isa<CopyOp, AsyncCopyOp>(user) &&
               type.getStorage().rowPitch() % 16 == 0) {
      patterns.push_back(layout::describeCopy(type.getStorage()));
    } else if (isa<SliceOp, PeerOp>(user)) {
      describeUses(user->getResult(0), patterns);
    } else if (auto load = dyn_cast<LoadOp>(user);
               load && feedsConvertedTile(load)) {
      describeOperand(type,
                      getFragmentLayout(load.getResult().getType()).getLayout(),
                      patterns);
    }
  }
}

/// How fragments are stored to a tile as a whole, and loaded from it, or from
/// parts of it, here and in other blocks; `type`: of the tile, or of a part.
static void describeFragments(Value tile, SharedType type,
                              std::vector<layout::AccessPattern> &patterns) {
  auto describe = [&](Type fragment) {
    if (getTileShape(fragment) == type.getShape())
      describeOperand(type, getFragmentLayout(fragment).getLayout(), patterns);
  };
  for (Operation *user : tile.getUsers()) {
    if (auto store = dyn_cast<StoreOp>(user)) {
      describe(store.getValue().getType());
    } else if (auto load = dyn_cast<LoadOp>(user)) {
      describe(load.getResult().getType());
    } else if (isa<PeerOp>(user)) {
      describeFragments(user->getResult(0), type, patterns);
    } else if (auto slice = dyn_cast<SliceOp>(user)) {
      if (SharedType part = getPartTile(slice, type.getStorage()))
        describeFragments(slice.getResult(), part, patterns);
    }
  }
}

/// The layout that the program asked for.
static LogicalResult applyAnnotation(AllocSharedOp alloc) {
  SharedType type = alloc.getType();
  SharedLayoutAttr layout = *alloc.getAnnotation();
  std::string error;
  if (!layout::SharedLayout::create(
          layout::Coords(type.getShape().begin(), type.getShape().end()),
          getElementBits(type.getElementType()), type.getPackDim(),
          {int(layout.getBits()), int(layout.getBase()),
           int(layout.getShift())},
          layout.getPadding(), &error))
    return alloc.emitError("'")
           << alloc.getName().value_or("") << "' cannot have the layout of its "
           << "annotation: " << error;
  alloc.getResult().setType(type.withLayout(layout));
  return success();
}

/// Whether a user of a matrix can do with one that lies in panels: it takes all
/// of it, or single elements.
static bool takesPanels(Operation *user, ArrayRef<int64_t> shape) {
  if (auto load = dyn_cast<LoadOp>(user))
    return getTileShape(load.getResult().getType()) == shape;
  if (auto store = dyn_cast<StoreOp>(user))
    return getTileShape(store.getValue().getType()) == shape;
  return isa<TmaCopyOp, LoadElementOp, StoreElementOp>(user);
}

/// Whether a tile, or each of a row of them, may lie in panels.
static bool mayLieInPanels(AllocSharedOp alloc) {
  ArrayRef<int64_t> shape = alloc.getType().getShape();
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice)
      return shape.size() == 2 && takesPanels(user, shape);
    return slice.getType().getShape() == shape.take_back(2) &&
           slice.getKeptDims().back() == int64_t(shape.size()) - 1 &&
           llvm::all_of(slice->getUsers(), [&](Operation *part) {
             return takesPanels(part, slice.getType().getShape());
           });
  });
}

/// The layout of a tile that TMA moves; null for rows without a swizzle.
static SharedLayoutAttr chooseTmaLayout(AllocSharedOp alloc) {
  SharedType type = alloc.getType();
  SharedLayoutAttr layout = getTmaLayout(type);
  bool fits = layout && haveAlignedParts(alloc.getResult(),
                                         type.withLayout(layout).getStorage());
  if (layout && layout.getPanel())
    fits &= mayLieInPanels(alloc);
  return fits ? layout : SharedLayoutAttr();
}

std::optional<layout::Swizzle> tile::getTmaSwizzle(Value tile) {
  while (auto slice = tile.getDefiningOp<SliceOp>())
    tile = slice.getSource();
  auto alloc = tile.getDefiningOp<AllocSharedOp>();
  if (!alloc || !isMovedByTma(tile))
    return std::nullopt;
  SharedLayoutAttr layout =
      alloc.getAnnotation() ? *alloc.getAnnotation() : chooseTmaLayout(alloc);
  if (!layout)
    return layout::Swizzle();
  return layout::Swizzle{int(layout.getBits()), int(layout.getBase()),
                         int(layout.getShift())};
}

/// Whether products read a tile in the layout that wgmma knows.
static bool isReadInPanels(Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm || !gemm.getMma() || !gemm.getMma()->takesPanels())
      return false;
    MmaAttr mma = *gemm.getMma();
    return (gemm.getA() == tile && !isFromRegisters(tile, mma.getTypeA())) ||
           (gemm.getB() == tile && !isFromRegisters(tile, mma.getTypeB()));
  });
}

/// Whether the numbers of a tile are read into registers for a product whose
/// other operand TMA may bring, so that it may bring them too.
static bool isReadFromRing(Value tile) {
  auto readsPanels = [](Operation *user) {
    auto gemm = dyn_cast<GemmOp>(user);
    return gemm && gemm.getMma() && gemm.getMma()->takesPanels();
  };
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto load = dyn_cast<LoadOp>(user);
    return readsPanels(user) || (load && feedsConvertedTile(load)) ||
           (isa<OperandOp>(user) &&
            llvm::any_of(user->getUsers(), readsPanels));
  });
}

/// Of the swizzles that TMA knows for a tile the one with fewest conflicts.
static layout::Swizzle
chooseTmaSwizzle(ArrayRef<layout::AccessPattern> patterns,
                 const layout::SharedLayout &storage) {
  layout::Swizzle best;
  auto count = [&](const layout::Swizzle &swizzle) {
    int64_t conflicts = 0;
    for (const layout::AccessPattern &pattern : patterns)
      conflicts += layout::countConflicts(pattern, swizzle);
    return conflicts;
  };
  for (int bits = 1; bits <= 3; ++bits) {
    layout::Swizzle swizzle{bits, /*base=*/4, /*shift=*/3};
    auto swizzled = storage.withSwizzle(swizzle);
    if (swizzled && isTmaStorage(*swizzled) && count(swizzle) < count(best))
      best = swizzle;
  }
  return best;
}

LogicalResult tile::chooseSharedLayout(AllocSharedOp alloc) {
  if (alloc.getAnnotation())
    return applyAnnotation(alloc);
  SharedType type = alloc.getType();
  // Packed as its readers want it.
  if (llvm::any_of(alloc->getUsers(),
                   [](Operation *user) { return isa<UnpackedOp>(user); }))
    return success();
  if (isReadInPanels(alloc.getResult())) {
    alloc.getResult().setType(type.withLayout(getWgmmaLayout(type)));
    return success();
  }
  if (isMovedByTma(alloc.getResult())) {
    if (SharedLayoutAttr layout = chooseTmaLayout(alloc))
      alloc.getResult().setType(type.withLayout(layout));
    return success();
  }
  layout::SharedLayout storage = type.getStorage();
  std::vector<layout::AccessPattern> patterns;
  describeUses(alloc.getResult(), patterns);
  if (patterns.empty())
    describeFragments(alloc.getResult(), type, patterns);
  if (patterns.empty())
    return success();
  layout::Swizzle swizzle =
      isReadFromRing(alloc.getResult()) && isTmaStorage(storage)
          ? chooseTmaSwizzle(patterns, storage)
          : layout::chooseSwizzle(patterns, storage).swizzle;
  if (swizzle.isIdentity())
    return success();
  auto swizzled = storage.withSwizzle(swizzle);
  if (swizzled && haveAlignedParts(alloc.getResult(), *swizzled))
    alloc.getResult().setType(type.withLayout(
        SharedLayoutAttr::get(type.getContext(), swizzle.bits, swizzle.base,
                              swizzle.shift, /*padding=*/0, /*panel=*/0)));
  return success();
}
