//===- GemmPlan.h - Layouts of one matrix product -------------------------===//
//
// What the choice of an instruction means for the fragments of a `tile.gemm`:
// the accumulator, both operands as the instruction takes them, and both as
// they are read from shared memory.  `infer-layouts` and `lower-gemm` both ask
// here, so that they agree.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_GEMMPLAN_H
#define TILE_DIALECTS_TILE_TRANSFORMS_GEMMPLAN_H

#include "dialects/Layout/MmaLayout.h"
#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

struct GemmPlan {
  layout::MmaTiling tiling;
  /// Extent of K that is loaded and multiplied at once.
  int64_t kStep;
  layout::FragmentLayout accumulator; ///< [M, N]
  layout::FragmentLayout a;           ///< [M, kStep], at the instruction
  layout::FragmentLayout b;           ///< [kStep, N], at the instruction
  /// The operands in the order of their shared tiles (transposed if stored so)
  /// and, for narrow types, with registers in the order of memory.
  layout::FragmentLayout loadA, loadB;
};

/// Whether an operand is stored with fewer bits than the instruction takes.
bool isNarrow(Type elementType, MmaAttr mma);

/// The plan of a gemm that has its `mma`, on a block of `warps` warps.  Both
/// operands are shared tiles.
GemmPlan planGemm(GemmOp gemm, int64_t warps);

/// Chooses the grid of warps [m, n] over a tile of M x N, or {0, 0} if the
/// extents are not multiples of the instruction's.  `bitsA` and `bitsB` are the
/// stored widths, which weigh the traffic of the operands.
std::pair<int64_t, int64_t> chooseWarpGrid(int64_t m, int64_t n, int64_t warps,
                                           int64_t instructionM,
                                           int64_t instructionN, unsigned bitsA,
                                           unsigned bitsB);

/// The layout with enough warps: further warps hold the same elements.
layout::FragmentLayout replicateWarps(const layout::FragmentLayout &layout,
                                      int64_t warps);

/// Number of warps of the kernel that compute.
int64_t getNumWarps(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_GEMMPLAN_H
