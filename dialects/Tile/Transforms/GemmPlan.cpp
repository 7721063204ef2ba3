//===- GemmPlan.cpp - Layouts of one matrix product -----------------------===//
//
// Where packed elements lie in rows of K ([K, N] in memory), a thread's columns
// are made adjacent, so that it reads its elements in words: the order of N
// within a warp's share is undone by the addresses of the epilogue.
//
// Where K is fastest in memory ([N, K]), a thread needs one byte, a pair of K,
// of each 4-byte word.  It reads all words of a row, as its three neighbours
// do, and the conversion takes its byte; the other operand keeps the order of K
// in which ldmatrix delivers it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/RegisterOrder.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tile;

int64_t tile::getNumWarps(KernelOp kernel) {
  return int64_t(llvm::bit_floor(uint64_t(kernel.getThreads()))) / 32;
}

bool tile::isNarrow(Type elementType, MmaAttr mma) {
  return getElementBits(elementType) < getElementBits(mma.getOperandType());
}

std::pair<int64_t, int64_t>
tile::chooseWarpGrid(int64_t m, int64_t n, int64_t warps, int64_t instructionM,
                     int64_t instructionN, unsigned bitsA, unsigned bitsB) {
  std::pair<int64_t, int64_t> best{0, 0};
  int64_t bestCost = 0;
  // The most warps first: a grid that leaves warps idle is a last resort.
  for (int64_t used = warps; used >= 1 && best.first == 0; used /= 2) {
    for (int64_t warpsM = 1; warpsM <= used; warpsM *= 2) {
      int64_t warpsN = used / warpsM;
      if (m % (instructionM * warpsM) != 0 || n % (instructionN * warpsN) != 0)
        continue;
      // Bits that each warp reads for one column of K; narrow operands also
      // cost their conversion, about as much again as reading them wide.
      int64_t costA = m / warpsM * (bitsA < 16 ? 16 : bitsA);
      int64_t costB = n / warpsN * (bitsB < 16 ? 24 : bitsB);
      int64_t cost = costA + costB;
      if (best.first == 0 || cost < bestCost) {
        best = {warpsM, warpsN};
        bestCost = cost;
      }
    }
  }
  return best;
}

layout::FragmentLayout
tile::replicateWarps(const layout::FragmentLayout &layout, int64_t warps) {
  if (layout.numWarps() >= warps)
    return layout;
  SmallVector<layout::Coords> warpBases(layout.warpBases());
  layout::Coords zero(layout.rank(), 0);
  while ((int64_t(1) << warpBases.size()) < warps)
    warpBases.push_back(zero);
  return *layout::FragmentLayout::create(
      layout.registerBases(), layout.laneBases(), warpBases,
      layout.coreExtents(), layout.repeats());
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
  return *layout::FragmentLayout::create(registers, lanes, layout.warpBases(),
                                         layout.coreExtents(),
                                         layout.repeats());
}

/// The operand as it is read from its shared tile; `kFastest`: packed along K,
/// which is dimension 1 there.
static layout::FragmentLayout
getLoadLayout(const layout::FragmentLayout &operand, SharedType type,
              bool transposed, bool narrow, bool kFastest) {
  layout::FragmentLayout stored =
      transposed ? operand.permuteDims({1, 0}) : operand;
  if (!narrow)
    return stored;
  if (kFastest)
    stored = shareInQuad(stored, /*dim=*/1);
  SmallVector<int64_t> shape(stored.shape());
  auto storage = getSubTileStorage(type, shape);
  return storage ? orderRegisters(stored, storage->contiguousBases()) : stored;
}

/// Slot order in which a warp's instruction tiles are adjacent columns: slot
/// bits 0-2, the place inside an n8 tile, above the bits of the tile's index.
static SmallVector<int, 8> makeAdjacentTiles(int64_t tilesInCore) {
  int tileBits = std::min<int>(llvm::Log2_64(tilesInCore), 4);
  SmallVector<int, 8> order;
  for (int i = 0; i < 3; ++i)
    order.push_back(i + tileBits);
  for (int i = 0; i < tileBits; ++i)
    order.push_back(i);
  return order;
}

GemmPlan tile::planGemm(GemmOp gemm, int64_t warps) {
  MmaAttr mma = *gemm.getMma();
  auto typeA = cast<SharedType>(gemm.getA().getType());
  auto typeB = cast<SharedType>(gemm.getB().getType());
  bool narrowA = isNarrow(typeA.getElementType(), mma);
  bool narrowB = isNarrow(typeB.getElementType(), mma);

  layout::MmaTiling tiling;
  tiling.instruction = {int(mma.getM()), int(mma.getN()), int(mma.getK()),
                        int(getElementBits(mma.getOperandType()))};
  tiling.m = gemm.getTileM();
  tiling.n = gemm.getTileN();
  tiling.warpsM = mma.getWarpsM();
  tiling.warpsN = mma.getWarpsN();
  int64_t kStep = mma.getK();

  // K is fastest in memory of a narrow operand: see the head of this file.
  bool kFastA = narrowA && !gemm.getTransposeA() && typeA.getPackDim() == 1;
  bool kFastB = narrowB && gemm.getTransposeB() && typeB.getPackDim() == 1;
  if (narrowB && !gemm.getTransposeB()) {
    // The power of two in the tiles of a warp.
    int64_t tiles = tiling.nTiles();
    tiling.nOrder = makeAdjacentTiles(tiles & -tiles);
  }

  layout::FragmentLayout a = tiling.operandA(kStep), b = tiling.operandB(kStep);
  return GemmPlan{tiling,
                  kStep,
                  replicateWarps(tiling.accumulator(), warps),
                  replicateWarps(a, warps),
                  replicateWarps(b, warps),
                  replicateWarps(getLoadLayout(a, typeA, gemm.getTransposeA(),
                                               narrowA, kFastA),
                                 warps),
                  replicateWarps(getLoadLayout(b, typeB, gemm.getTransposeB(),
                                               narrowB, kFastB),
                                 warps)};
}
