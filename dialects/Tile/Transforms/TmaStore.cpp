//===- TmaStore.cpp - Which stores go by TMA ------------------------------===//

#include "dialects/Tile/Transforms/TmaStore.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"

using namespace mlir;
using namespace mlir::tile;

/// Buffers of a warpgroup: one is filled while TMA reads the other.
static constexpr int64_t buffersPerGroup = 2;
static constexpr int64_t mostPanelBytes = 128;

int64_t tile::getStagingBytes(int64_t threads) {
  return threads / warpgroupThreads * buffersPerGroup * wgmmaRows *
         mostPanelBytes;
}

TmaStores::TmaStores(KernelOp kernel, int64_t sharedLimit)
    : maps(kernel), kernel(kernel), sharedLimit(sharedLimit) {}

/// Whether warps hold a fragment as those of warpgroups hold accumulators, with
/// parts of `columns` columns in one group each.
static bool isGroupLayout(const layout::FragmentLayout &layout,
                          int64_t columns) {
  const layout::Coords lanes[] = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  ArrayRef<layout::Coords> warps = layout.warpBases();
  if (!llvm::equal(layout.laneBases(), lanes) || warps.size() < 2 ||
      warps[0] != layout::Coords{16, 0} || warps[1] != layout::Coords{32, 0})
    return false;
  auto isGroupStep = [&](const layout::Coords &basis) {
    return basis[0] % wgmmaRows == 0 && basis[1] % columns == 0;
  };
  auto hasRegister = [&](const layout::Coords &basis) {
    return llvm::is_contained(layout.registerBases(), basis);
  };
  return llvm::all_of(warps.drop_front(2), isGroupStep) &&
         hasRegister({0, 1}) && hasRegister({8, 0});
}

/// The same for accumulators of transposes, whose groups have 64 columns each,
/// with neighbours in pairs, and `rows` rows in a part.
static bool isTransposedGroupLayout(const layout::FragmentLayout &layout,
                                    int64_t rows) {
  const layout::Coords lanes[] = {{2, 0}, {4, 0}, {0, 2}, {0, 4}, {0, 8}};
  ArrayRef<layout::Coords> warps = layout.warpBases();
  if (!llvm::equal(layout.laneBases(), lanes) || warps.size() < 2 ||
      warps[0] != layout::Coords{0, 16} || warps[1] != layout::Coords{0, 32})
    return false;
  auto isGroupStep = [&](const layout::Coords &basis) {
    return basis[0] % rows == 0 && basis[1] % wgmmaRows == 0;
  };
  auto hasRegister = [&](const layout::Coords &basis) {
    return llvm::is_contained(layout.registerBases(), basis);
  };
  if (!llvm::all_of(warps.drop_front(2), isGroupStep) || !hasRegister({0, 1}) ||
      !hasRegister({1, 0}))
    return false;
  for (int32_t row = 8; row < rows; row *= 2)
    if (!hasRegister({row, 0}))
      return false;
  return true;
}

/// The tile through which a store goes; null if TMA cannot do it.
static SharedType getStagingType(StoreOp store, int64_t groups) {
  auto tensor = dyn_cast<GlobalType>(store.getMemory().getType());
  auto value = cast<RankedTensorType>(store.getValue().getType());
  LayoutAttr fragment = getFragmentLayout(value);
  if (!tensor || !isa<BlockArgument>(store.getMemory()) || !fragment ||
      tensor.getRank() < 2 || value.getRank() != 2)
    return {};
  const layout::FragmentLayout &layout = fragment.getLayout();
  int64_t bits = getElementBits(tensor.getElementType());
  int64_t rows = value.getShape()[0], columns = value.getShape()[1];
  if (bits != 16 && bits != 32)
    return {};
  auto makeType = [&](int64_t partRows, int64_t width, int64_t panel) {
    // Rows that are as long as a panel are whole.
    bool isOne = width * bits / 8 == panel;
    return SharedType::get(
        tensor.getContext(), {groups * buffersPerGroup, partRows, width},
        tensor.getElementType(), /*packDim=*/-1,
        SharedLayoutAttr::get(tensor.getContext(),
                              panel == mostPanelBytes ? 3 : 2, /*base=*/4,
                              /*shift=*/3, /*padding=*/0, isOne ? 0 : panel));
  };
  for (int64_t panel : {mostPanelBytes, mostPanelBytes / 2}) {
    int64_t width = panel * 8 / bits;
    if (rows % wgmmaRows == 0 && columns % width == 0 &&
        isGroupLayout(layout, width))
      return makeType(wgmmaRows, width, panel);
  }
  // As many rows as fit into the same buffer.
  for (int64_t part = wgmmaRows * 16 / bits; part >= 8; part /= 2)
    if (isTransposedGroupLayout(layout, part))
      return makeType(part, wgmmaRows, mostPanelBytes);
  return {};
}

Value TmaStores::getStaging(SharedType type, Location loc) {
  Value &staging = stagings[type];
  if (staging)
    return staging;
  int64_t used = 0;
  kernel.walk([&](AllocSharedOp alloc) {
    // A ring takes the place of what loops copy to, or convert.
    bool hasRing =
        alloc->hasAttr(convertedAttrName) ||
        llvm::any_of(alloc.getResult().getUsers(), [](Operation *op) {
          return isa<CopyOp>(op) && isa<PipelinedOp>(op->getParentOp());
        });
    if (!hasRing)
      used += llvm::alignTo(
          alloc.getType().getStorage().bytes(),
          std::max<int64_t>(alloc.getType().getStorage().alignment(), 128));
  });
  // With the barriers.
  if (used + type.getStorage().bytes() + 512 > sharedLimit)
    return {};
  OpBuilder builder(place);
  staging = AllocSharedOp::create(
      builder, loc, type, builder.getStringAttr("staging"), IntegerAttr());
  return staging;
}

/// Whether something reads a tensor, other than TMA for a pipelined loop, that
/// may have to see what a store writes: behind the store, or, in a persistent
/// loop, for a later tile.  The teams that are being made are no part of it.
static bool mayBeRead(StoreOp store) {
  SmallVector<MemoryAccess, 0> accesses;
  bool isBehind = false;
  for (Operation &op : *store->getBlock()) {
    if (&op == store)
      isBehind = true;
    else if ((isBehind || isa<PersistentOp>(store->getParentOp())) &&
             !isa<PipelinedOp, WarpgroupOp>(op))
      collectAccesses(&op, accesses);
  }
  return llvm::any_of(accesses, [](const MemoryAccess &access) {
    return access.inGlobal && !access.isWrite;
  });
}

bool TmaStores::emit(OpBuilder &builder, StoreOp store, IRMapping &mapping) {
  auto argument = dyn_cast<BlockArgument>(store.getMemory());
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()) ||
      getArgAlignment(kernel, argument) < 16 || mayBeRead(store))
    return false;
  SharedType type =
      getStagingType(store, int64_t(kernel.getThreads()) / warpgroupThreads);
  Value staging = type ? getStaging(type, store.getLoc()) : Value();
  if (!staging)
    return false;
  auto tensor = cast<GlobalType>(store.getMemory().getType());
  SmallVector<int64_t> box(tensor.getRank() - 2, 1);
  layout::SharedLayout storage = type.getStorage();
  llvm::append_values(box, type.getShape()[1],
                      storage.panelBytes()
                          ? storage.panelBytes() / storage.unitBytes()
                          : type.getShape()[2]);
  SmallVector<Value> indices;
  for (Value index : store.getIndices())
    indices.push_back(mapping.lookupOrDefault(index));
  StoreThroughOp::create(builder, store.getLoc(),
                         mapping.lookupOrDefault(store.getValue()),
                         store.getMemory(), indices, staging,
                         maps.add(argument.getArgNumber(), box, storage));
  return true;
}
