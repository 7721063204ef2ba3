//===- TmaPlan.cpp - What TMA moves for a copy ----------------------------===//

#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Limits of cuTensorMapEncodeTiled and of the instruction.
static constexpr int64_t rowUnitBytes = 16;
static constexpr int64_t sharedAlignment = 128;

static bool isLoad(TmaCopyOp op) {
  return isa<GlobalType>(op.getSource().getType());
}

//===----------------------------------------------------------------------===//
// The tensor
//===----------------------------------------------------------------------===//

BlockArgument tile::getTmaTensor(TmaCopyOp op) {
  Value tensor = isLoad(op) ? op.getSource() : op.getDestination();
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  return dyn_cast<BlockArgument>(tensor);
}

/// Whether a size is the extent of a tensor along a dimension.
static bool isExtent(Value size, Value tensor, int64_t dim) {
  auto type = cast<GlobalType>(tensor.getType());
  APInt number;
  if (matchPattern(size, m_ConstantInt(&number)) &&
      type.getShape()[dim] == number.getSExtValue())
    return true;
  if (auto view = tensor.getDefiningOp<ViewOp>())
    return view.getSizes()[dim] == size;
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  if (!kernel)
    return false;
  Attribute extent = kernel.getArgDims(argument.getArgNumber())[dim];
  if (auto symbol = size.getDefiningOp<SymbolOp>())
    return extent == symbol.getNameAttr();
  auto fixed = evaluateExpression(kernel, extent);
  return fixed && matchPattern(size, m_ConstantInt(&number)) &&
         *fixed == number.getSExtValue();
}

namespace {
/// Makes the plan of one copy, or says why there is none.
class TmaPlanner {
public:
  TmaPlanner(TmaCopyOp op, std::string &obstacle)
      : op(op), obstacle(obstacle) {}

  std::optional<TmaPlan> run() {
    plan.tile = isLoad(op) ? op.getDestination() : op.getSource();
    type = cast<SharedType>(plan.tile.getType());
    if (!findTensor() || !checkElements() || !checkStorage() || !makeBox() ||
        !checkPlace() || !makeShare())
      return std::nullopt;
    return plan;
  }

private:
  bool fail(const Twine &why) {
    obstacle = why.str();
    return false;
  }

  bool findTensor();
  bool leaveView(ViewOp view);
  bool checkElements();
  bool checkStorage();
  bool makeBox();
  bool checkPlace();
  bool makeShare();

  TmaCopyOp op;
  std::string &obstacle;
  TmaPlan plan;
  SharedType type;
  /// For each dimension of the tile that of the tensor it runs along.
  SmallVector<int64_t> dims;
};
} // namespace

/// Expresses the box in the dimensions of what a view is a part of.
bool TmaPlanner::leaveView(ViewOp view) {
  SmallVector<int64_t> kept = view.getKeptDims();
  SmallVector<SmallVector<Value, 2>> start;
  for (auto [dim, offset] : llvm::enumerate(view.getOffsets()))
    start.push_back({offset});
  for (auto [place, dim] : llvm::enumerate(kept)) {
    // TMA knows no bounds but those of the tensor.
    if (!matchPattern(Value(view.getOffsets()[dim]), m_Zero()) ||
        !isExtent(view.getSizes()[place], view.getSource(), dim))
      return fail("the tensor is narrowed to a part with bounds of its own, "
                  "and TMA knows the bounds of whole tensors only");
    start[dim] = plan.start[place];
  }
  for (int64_t &dim : dims)
    dim = kept[dim];
  plan.start = start;
  return true;
}

bool TmaPlanner::findTensor() {
  Value tensor = isLoad(op) ? op.getSource() : op.getDestination();
  for (Value index :
       isLoad(op) ? op.getSourceIndices() : op.getDestinationIndices())
    plan.start.push_back({index});
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims.push_back(int64_t(plan.start.size()) - type.getRank() + dim);
  while (auto view = tensor.getDefiningOp<ViewOp>()) {
    if (!leaveView(view))
      return false;
    tensor = view.getSource();
  }
  plan.tensor = dyn_cast<BlockArgument>(tensor);
  return plan.tensor || fail("the tensor is no parameter of the kernel");
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

bool TmaPlanner::checkElements() {
  auto global = cast<GlobalType>(plan.tensor.getType());
  plan.packDim = global.getPackDim();
  if (plan.packDim < 0)
    return true;
  if (type.getPackDim() < 0 || dims[type.getPackDim()] != plan.packDim)
    return fail("the tile and the tensor pack their elements along different "
                "dimensions");
  if (type.getShape()[type.getPackDim()] % 2 != 0 ||
      !llvm::all_of(plan.start[plan.packDim], [](Value index) {
        return getKnownDivisor(index) % 2 == 0;
      }))
    return fail("TMA moves whole bytes, and the copy is not known to start and "
                "end with one along the packed dimension");
  return true;
}

bool TmaPlanner::checkStorage() {
  layout::SharedLayout storage = type.getStorage();
  if (storage.padBytes())
    return fail("the rows of the tile are " + Twine(storage.rowPitch()) +
                " bytes apart, and TMA moves rows without gaps");
  layout::Swizzle swizzle = storage.swizzle();
  if (swizzle.isIdentity())
    return true;
  if (swizzle.base != 4 || swizzle.shift != 3 || swizzle.bits > 3)
    return fail("the tile has a swizzle that TMA does not know");
  plan.swizzle = rowUnitBytes << swizzle.bits;
  return true;
}

SmallVector<int64_t> tile::getTileBox(SharedType tile) {
  layout::SharedLayout storage = tile.getStorage();
  SmallVector<int64_t> box;
  llvm::append_range(box, storage.storageShape());
  if (storage.panelBytes() != 0)
    box.back() = storage.panelBytes() / storage.unitBytes();
  return box;
}

bool TmaPlanner::makeBox() {
  layout::SharedLayout storage = type.getStorage();
  plan.box.assign(plan.start.size(), 1);
  for (auto [dim, extent] : llvm::zip_equal(dims, getTileBox(type)))
    plan.box[dim] = extent;
  if (storage.panelBytes()) {
    if (llvm::any_of(type.getShape().drop_back(2),
                     [](int64_t extent) { return extent != 1; }))
      return fail("the tile is a row of matrices whose rows lie in panels");
    plan.panels = storage.storageShape().back() / plan.box.back();
    plan.panelStride = storage.panelStride();
  }
  int64_t rowBytes = plan.box.back() * storage.unitBytes();
  if (plan.swizzle && rowBytes != plan.swizzle)
    return fail("rows of the tile are " + Twine(rowBytes) +
                " bytes and its swizzle spans " + Twine(plan.swizzle));
  if (rowBytes % rowUnitBytes != 0)
    return fail("TMA moves rows of a multiple of 16 bytes, and those of the "
                "box are " +
                Twine(rowBytes));
  for (int64_t extent : plan.box)
    if (extent > mostBoxExtent)
      return fail("TMA moves at most 256 elements along a dimension, and the "
                  "box has " +
                  Twine(extent));
  return true;
}

/// Parts of tiles have to start where TMA can.
bool TmaPlanner::checkPlace() {
  int64_t wanted =
      std::max<int64_t>(sharedAlignment, type.getStorage().alignment());
  for (auto slice = plan.tile.getDefiningOp<SliceOp>(); slice;
       slice = slice.getSource().getDefiningOp<SliceOp>()) {
    layout::SharedLayout storage = slice.getSource().getType().getStorage();
    int64_t known = 0;
    for (auto [dim, offset] : llvm::enumerate(slice.getOffsets())) {
      int64_t divisor = getKnownDivisor(offset);
      if (int(dim) == storage.packDim())
        divisor /= 2;
      known = std::gcd(known, divisor * storage.strideBytes(dim));
    }
    if (known % wanted != 0)
      return fail("the part of the tile is not known to start at a multiple "
                  "of " +
                  Twine(wanted) + " bytes");
  }
  return true;
}

std::optional<TileShare> tile::shareTile(SharedType tile, int64_t blocks,
                                         std::string &obstacle) {
  layout::SharedLayout storage = tile.getStorage();
  TileShare share;
  share.box = getTileBox(tile);
  if (tile.getRank() != 2) {
    obstacle = "a shared tile is no matrix";
    return std::nullopt;
  }
  int64_t panels = storage.storageShape().back() / share.box.back();
  if (panels % blocks == 0) {
    share.panels = panels / blocks;
    return share;
  }
  int64_t rows = share.box.front();
  // Each part starts where its swizzle does.
  int64_t rowBytes = share.box.back() * storage.unitBytes();
  int64_t alignment = std::max<int64_t>(sharedAlignment, storage.alignment());
  if (rows % blocks != 0 || rows / blocks * rowBytes % alignment != 0) {
    obstacle = "a tile of " + std::to_string(rows) +
               " rows has no parts that start at a multiple of " +
               std::to_string(alignment) + " bytes";
    return std::nullopt;
  }
  share.rows = share.box.front() = rows / blocks;
  return share;
}

/// Parts for the blocks of a cluster.
bool TmaPlanner::makeShare() {
  if (!op.getMulticast())
    return true;
  plan.share = shareTile(type, op->getParentOfType<KernelOp>().getClusterSize(),
                         obstacle);
  if (!plan.share)
    return false;
  plan.rowDim = dims.front();
  plan.box[plan.rowDim] = plan.share->box.front();
  return true;
}

std::optional<TmaPlan> tile::planTmaCopy(TmaCopyOp op, std::string &obstacle) {
  return TmaPlanner(op, obstacle).run();
}

bool tile::isTmaStorage(const layout::SharedLayout &storage) {
  layout::Swizzle swizzle = storage.swizzle();
  if (storage.padBytes() != 0 || storage.rowPitch() % rowUnitBytes != 0)
    return false;
  return swizzle.isIdentity()
             ? storage.panelBytes() == 0
             : swizzle.base == 4 && swizzle.shift == 3 && swizzle.bits <= 3 &&
                   storage.rowPitch() == rowUnitBytes << swizzle.bits;
}

SharedLayoutAttr tile::getTmaLayout(SharedType type) {
  int64_t rowBytes = type.getStorage().rowPitch();
  for (int64_t bits = 3; bits > 0; --bits) {
    int64_t span = rowUnitBytes << bits;
    if (rowBytes % span != 0)
      continue;
    // Longer rows lie in panels as wide as the swizzle.
    bool isLong = rowBytes > span;
    if (isLong && type.getRank() < 2)
      return {};
    return SharedLayoutAttr::get(type.getContext(), bits, /*base=*/4,
                                 /*shift=*/3, /*padding=*/0,
                                 /*panel=*/isLong ? span : 0);
  }
  return {};
}

bool tile::isMovedByTma(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    if (auto slice = dyn_cast<SliceOp>(user))
      return isMovedByTma(slice.getResult());
    return isa<TmaCopyOp>(user);
  });
}
