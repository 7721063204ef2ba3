//===- ConvertedOperand.cpp - Operands converted in shared memory ---------===//

#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tile;

SharedType tile::getConvertedType(Value operand, Type type) {
  auto alloc = operand.getDefiningOp<AllocSharedOp>();
  if (!alloc ||
      getElementBits(alloc.getType().getElementType()) >= getElementBits(type))
    return {};
  return SharedType::get(type.getContext(), alloc.getType().getShape(), type,
                         /*packDim=*/-1, SharedLayoutAttr());
}

SmallVector<int64_t> tile::getConvertedOrder(int64_t tileK) {
  // Slot bits are, from the lowest, the place in a register (2), the lane (2),
  // the register, the instruction.
  int64_t bits = std::min<int64_t>(llvm::countr_zero(uint64_t(tileK)), 7);
  if (bits < 5)
    return {};
  SmallVector<int64_t> order{1, 2, bits - 2, bits - 1, 0};
  for (int64_t bit = 3; bit < bits - 2; ++bit)
    order.push_back(bit);
  return order;
}

namespace {
/// How threads share out a tile of rows of K, whose order is given: rows among
/// lanes and warps, what is left among the words of a row.
struct RowShare {
  /// The numbers as they are read, converted, and stored.
  layout::FragmentLayout load, converted, stored;
};
} // namespace

static std::optional<RowShare>
shareRows(ArrayRef<int64_t> shape, ArrayRef<int64_t> order, int64_t warps) {
  using layout::Coords;
  int64_t rows = shape[0], depth = shape[1];
  int rowBits = llvm::countr_zero(uint64_t(rows)),
      depthBits = llvm::countr_zero(uint64_t(depth)),
      warpBits = llvm::Log2_64(warps);
  constexpr int laneBits = 5;
  if (rowBits < laneBits)
    return std::nullopt;
  SmallVector<Coords> lanes, warpRows, rowRegisters;
  for (int bit = 0; bit < rowBits; ++bit) {
    Coords basis{int32_t(1) << bit, 0};
    (bit < laneBits              ? lanes
     : bit < laneBits + warpBits ? warpRows
                                 : rowRegisters)
        .push_back(basis);
  }
  // Words of a row: bits of K between those of a word and of a lane.
  SmallVector<int64_t> spread;
  int64_t spare = warpBits - int64_t(warpRows.size());
  int64_t wordBits = int64_t(order.size()) - 5;
  if (spare > wordBits)
    return std::nullopt;
  for (int64_t bit = 0; bit < spare; ++bit)
    spread.push_back(3 + wordBits - 1 - bit);
  auto make = [&](bool inSlots, bool inMemory) {
    SmallVector<Coords> registers, warpBases(warpRows);
    for (int bit = 0; bit < depthBits; ++bit) {
      int64_t k = inSlots && bit < int64_t(order.size()) ? order[bit] : bit;
      if (!llvm::is_contained(spread, k))
        registers.push_back({0, int32_t(1) << (inMemory ? bit : k)});
    }
    for (int64_t k : spread) {
      int64_t place =
          inMemory ? llvm::find(order, k) - order.begin() : int64_t(k);
      warpBases.push_back({0, int32_t(1) << place});
    }
    llvm::append_range(registers, rowRegisters);
    return layout::FragmentLayout::create(
        registers, lanes, warpBases,
        {int32_t(1) << rowBits, int32_t(1) << depthBits},
        {layout::Repeat{0, int32_t(rows >> rowBits)},
         layout::Repeat{1, int32_t(depth >> depthBits)}});
  };
  auto first = make(false, false), second = make(true, false),
       third = make(true, true);
  if (!first || !second || !third)
    return std::nullopt;
  return RowShare{*first, *second, *third};
}

void tile::convertInShared(GemmOp gemm, bool isA, MmaAttr mma) {
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  OpOperand &operand = isA ? gemm.getAMutable() : gemm.getBMutable();
  bool isUnsigned = isA ? gemm.getUnsignedA() : gemm.getUnsignedB();
  Type type = isA ? mma.getTypeA() : mma.getTypeB();
  auto source = operand.get().getDefiningOp<AllocSharedOp>();
  Value numbers;
  if (mma.getKOrder().empty()) {
    numbers = castTo(builder, loc, readTile(builder, loc, operand.get()), type,
                     isUnsigned);
  } else {
    auto share = shareRows(source.getType().getShape(), mma.getKOrder(),
                           getNumWarps(gemm));
    assert(share && "an order that threads cannot write");
    Value read = LoadOp::create(
        builder, loc,
        getFragmentType(share->load, source.getType().getElementType()),
        operand.get(), ValueRange(), /*pad=*/Value());
    Value bytes = CastOp::create(
        builder, loc, getFragmentType(share->converted, type), read,
        StringAttr(), isUnsigned, /*result_unsigned=*/false);
    numbers = RelabelOp::create(builder, loc,
                                getFragmentType(share->stored, type), bytes);
  }
  Value tile = storeInShared(builder, loc, numbers);
  auto alloc = tile.getDefiningOp<AllocSharedOp>();
  alloc->setAttr(convertedAttrName, builder.getUnitAttr());
  if (auto name = source.getNameAttr())
    alloc.setNameAttr(builder.getStringAttr(name.getValue() + " converted"));
  operand.set(tile);
}

bool tile::canConvertInOrder(SharedType type, ArrayRef<int64_t> order,
                             int64_t warps) {
  return shareRows(type.getShape(), order, warps).has_value();
}

static bool isConverted(Value tile) {
  auto alloc = tile.getDefiningOp<AllocSharedOp>();
  return alloc && alloc->hasAttr(convertedAttrName);
}

bool tile::feedsConvertedTile(LoadOp load) {
  Operation *op = load;
  while (isa<LoadOp, CastOp, RelabelOp>(op) && op->hasOneUse())
    op = *op->user_begin();
  auto store = dyn_cast<StoreOp>(op);
  return store && isConverted(store.getMemory());
}

SmallVector<AllocSharedOp> tile::getConvertedTiles(PipelinedOp loop) {
  SmallVector<AllocSharedOp> tiles;
  int64_t products = 0;
  loop.getBody().walk([&](GemmOp) { ++products; });
  if (products != 1)
    return tiles;
  for (StoreOp store : loop.getBodyBlock()->getOps<StoreOp>())
    if (isConverted(store.getMemory()))
      tiles.push_back(store.getMemory().getDefiningOp<AllocSharedOp>());
  return tiles;
}
