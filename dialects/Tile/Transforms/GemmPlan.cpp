//===- GemmPlan.cpp - Layouts of one matrix product -----------------------===//
//
// Where packed elements lie in rows of K ([K, N] in memory), an order of the
// columns that makes a thread's adjacent lets it read its elements in words;
// the addresses of the epilogue undo it.
//
// Where K is fastest in memory ([N, K]), a thread needs one byte, a pair of K,
// of each 4-byte word for an instruction on 16 bits.  In the natural order of K
// it reads all words of a row, as its three neighbours do, and the conversion
// takes its byte, so that the other operand can come by ldmatrix.  In an order
// that puts a lane's elements side by side it reads its own word, and the other
// operand in vectors.
//
// A prepacked operand lies as it is read, whatever its layout: registers in the
// order of the conversion, and as much of K at once as fills a wide access.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/OperandDepth.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/RegisterOrder.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

int64_t tile::getNumWarps(Operation *op) {
  return getTeamThreads(op) / layout::lanesPerWarp;
}

/// The tensor that a tile is copied from by an op; null if it is another op.
static Value getCopiedTensor(Operation *user, Value tile) {
  if (auto copy = dyn_cast<CopyOp>(user))
    return copy.getDestination() == tile &&
                   isa<GlobalType>(copy.getSource().getType())
               ? copy.getSource()
               : Value();
  if (auto copy = dyn_cast<AsyncCopyOp>(user))
    return copy.getSource();
  if (auto copy = dyn_cast<AsyncCopyElementsOp>(user))
    return copy.getSource();
  return {};
}

/// The dimension along which the tensor that a tile is copied from packs its
/// elements, as one of the tile's; -1 if there is none.  Parts of the tile
/// count where the tile itself is not copied to.
static int64_t findCopiedPacking(Value tile) {
  int64_t rank = cast<SharedType>(tile.getType()).getRank();
  for (Operation *user : tile.getUsers()) {
    Value tensor = getCopiedTensor(user, tile);
    if (!tensor)
      continue;
    auto source = cast<GlobalType>(tensor.getType());
    int64_t pack = source.getPackDim() - (source.getRank() - rank);
    if (source.getPackDim() >= 0 && pack >= 0)
      return pack;
  }
  for (Operation *user : tile.getUsers())
    if (auto slice = dyn_cast<SliceOp>(user))
      if (int64_t pack = findCopiedPacking(slice.getResult()); pack >= 0)
        return slice.getKeptDims()[pack];
  return -1;
}

/// Sets the packed dimension of a tile and of its parts; of those that lack it
/// the last one.
static void setPacking(Value tile, int64_t packDim) {
  auto type = cast<SharedType>(tile.getType());
  tile.setType(SharedType::get(type.getContext(), type.getShape(),
                               type.getElementType(), packDim,
                               type.getLayout()));
  for (Operation *user : tile.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice)
      continue;
    SmallVector<int64_t> kept = slice.getKeptDims();
    int64_t place = llvm::find(kept, packDim) - kept.begin();
    setPacking(slice.getResult(),
               std::min<int64_t>(place, int64_t(kept.size()) - 1));
  }
}

static void adoptPacking(AllocSharedOp alloc) {
  if (alloc.getType().getPackDim() < 0)
    return;
  if (int64_t pack = findCopiedPacking(alloc.getResult()); pack >= 0)
    setPacking(alloc.getResult(), pack);
}

void tile::adoptPacking(KernelOp kernel) {
  kernel.walk([](AllocSharedOp alloc) { ::adoptPacking(alloc); });
}

Value tile::getStoredOperand(Value operand) {
  if (auto expression = operand.getDefiningOp<OperandOp>())
    return expression.getInputs()[0];
  return isa<SharedType>(operand.getType()) ? operand : Value();
}

SharedType tile::getStoredType(Value operand) {
  Value stored = getStoredOperand(operand);
  return stored ? cast<SharedType>(stored.getType()) : SharedType();
}

bool tile::isNarrow(Type elementType, MmaAttr mma) {
  return getElementBits(elementType) < mma.getOperandBits();
}

bool tile::isNibbleToHalf(Type elementType, MmaAttr mma) {
  return getElementBits(elementType) == 4 && mma.getOperandBits() == 16;
}

layout::FragmentLayout
tile::replicateWarps(const layout::FragmentLayout &layout, int64_t warps) {
  return layout.replicateWarps(int(warps)).value_or(layout);
}

/// The same fragment with the elements of all four lanes of a quad in each of
/// them: what lane bits 0 and 1 moved along `dim` becomes register bits.
static layout::FragmentLayout shareInQuad(const layout::FragmentLayout &layout,
                                          int dim) {
  SmallVector<layout::Coords> registers(layout.registerBases()),
      lanes(layout.laneBases());
  for (int bit = 0; bit < 2; ++bit) {
    if (lanes[bit][dim] == 0)
      continue;
    registers.push_back(lanes[bit]);
    lanes[bit] = layout::Coords(layout.rank(), 0);
  }
  return *layout::FragmentLayout::create(
      registers, lanes, layout.coreWarpBases(), layout.coreExtents(),
      layout.repeats(), /*error=*/nullptr, layout.spread());
}

/// A prepacked operand with its registers in the order of its conversion: those
/// of bytes and tables of bytes as the instruction has them.
static layout::FragmentLayout
orderForConversion(const layout::FragmentLayout &stored, Type elementType,
                   MmaAttr mma) {
  // Those of few tokens are looked up in tables of bytes (FloatNibbles.cpp).
  if (isa<Float4E2M1FNType>(elementType) && mma.getSwap() && !mma.isWgmma())
    return stored;
  if (mma.getOperandBits() == 16)
    return orderForPairs(stored, getElementBits(elementType));
  return elementType.isInteger(4) && mma.getTypeA().isInteger(8)
             ? orderForBytes(stored)
             : stored;
}

/// The operand as it is read from its shared tile.
static layout::FragmentLayout
getLoadLayout(const layout::FragmentLayout &operand, Value value,
              bool transposed, int kDim, MmaAttr mma) {
  SharedType type = getStoredType(value);
  layout::FragmentLayout stored =
      transposed ? operand.permuteDims({1, 0}) : operand;
  // A conversion may take its registers, and its byte, from anywhere.
  bool toHalf = isNibbleToHalf(type.getElementType(), mma);
  if (auto expression = value.getDefiningOp<OperandOp>()) {
    bool castsToHalf;
    if (!isConvertedFirst(expression, castsToHalf))
      return stored;
    toHalf &= castsToHalf;
  }
  if (!isNarrow(type.getElementType(), mma))
    return stored;
  if (isPrepacked(getStoredOperand(value)))
    return orderForConversion(stored, type.getElementType(), mma);
  // K is fastest in memory, in its own order: see the head of this file.
  if (toHalf && mma.getKOrder().empty() && kDim == 1 && type.getPackDim() == 1)
    stored = shareInQuad(stored, kDim);
  SmallVector<int64_t> shape(stored.shape());
  auto storage = getSubTileStorage(type, shape);
  return storage ? orderRegisters(stored, storage->contiguousBases()) : stored;
}

/// A thread reads a packed operand in pieces of 16 bytes, if as many steps of
/// the instruction as that takes leave both operands enough registers.
static int64_t widenStep(GemmOp gemm, MmaAttr mma,
                         const layout::MmaTiling &tiling, int64_t kStep) {
  constexpr int64_t pieceBits = 128, mostRegisters = 48;
  int64_t depth = std::gcd(gemm.getTileK(), gemm.getBeginK());
  auto isFull = [&](Value operand, int64_t elements) {
    Value stored = getStoredOperand(operand);
    return !isPrepacked(stored) ||
           elements * getElementBits(getTileElementType(stored.getType())) >=
               pieceBits;
  };
  while (depth % (2 * kStep) == 0) {
    int64_t a = tiling.operandA(kStep).elementsPerThread(),
            b = tiling.operandB(kStep).elementsPerThread();
    if ((isFull(gemm.getA(), a) && isFull(gemm.getB(), b)) ||
        2 * (a + b) * mma.getOperandBits() / 32 > mostRegisters)
      break;
    kStep *= 2;
  }
  return kStep;
}

LogicalResult tile::checkGemms(KernelOp kernel, StringRef pass) {
  WalkResult walked = kernel.walk([&](GemmOp gemm) -> WalkResult {
    auto error = [&]() {
      return gemm.emitError("internal error in ") << pass << ": 'tile.gemm' ";
    };
    if (!gemm.getMma())
      return error() << "has no instruction; run tile-select-mma first";
    if (!getStoredOperand(gemm.getA()) || !getStoredOperand(gemm.getB()))
      return error() << "has an operand that is no shared tile";
    return success();
  });
  return failure(walked.wasInterrupted());
}

GemmPlan tile::planGemm(GemmOp gemm, int64_t warps) {
  return planGemm(gemm, *gemm.getMma(), warps);
}

GemmPlan tile::planGemm(GemmOp gemm, MmaAttr mma, int64_t warps) {
  layout::MmaTiling tiling = getTiling(gemm, mma);
  // What the order of K mixes is loaded together; warpgroups take all of K, or
  // what is summed up between two promotions.
  int64_t kStep = std::max(mma.getK(), int64_t(1) << mma.getKOrder().size());
  if (!mma.takesPanels())
    kStep = widenStep(gemm, mma, tiling, kStep);
  else if (!mma.isWgmma())
    kStep = std::gcd(swappedDepth, gemm.getTileK());
  else
    kStep = needsPromotion(mma) && !gemm.getFastAccum()
                ? std::gcd(promotionInterval, gemm.getTileK())
                : getOperandDepth(gemm, mma, tiling);
  layout::FragmentLayout a = tiling.operandA(kStep), b = tiling.operandB(kStep),
                         accumulator = tiling.accumulator();
  if (mma.getSwap()) {
    std::swap(a, b);
    for (layout::FragmentLayout *fragment : {&a, &b, &accumulator})
      *fragment = fragment->permuteDims({1, 0});
  }
  auto loadA = getLoadLayout(a, gemm.getA(), gemm.getTransposeA(),
                             /*kDim=*/gemm.getTransposeA() ? 0 : 1, mma);
  auto loadB = getLoadLayout(b, gemm.getB(), gemm.getTransposeB(),
                             /*kDim=*/gemm.getTransposeB() ? 1 : 0, mma);
  return GemmPlan{tiling,
                  kStep,
                  replicateWarps(accumulator, warps),
                  replicateWarps(a, warps),
                  replicateWarps(b, warps),
                  replicateWarps(loadA, warps),
                  replicateWarps(loadB, warps)};
}
