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

/// Elements of K that warps take at a time where operands are swapped: whole
/// panels, and 16 bytes of 4-bit numbers a thread.
inline constexpr int64_t swappedDepth = 128;

struct GemmPlan {
  layout::MmaTiling tiling; ///< of the transposes where operands are swapped
  /// Extent of K that is loaded and multiplied at once.
  int64_t kStep;
  layout::FragmentLayout accumulator; ///< [M, N]
  layout::FragmentLayout a;           ///< [M, kStep], at the instruction
  layout::FragmentLayout b;           ///< [kStep, N], at the instruction
  /// The operands in the order of their shared tiles (transposed if stored so)
  /// and, for narrow types, with registers in the order of memory.
  layout::FragmentLayout loadA, loadB;
};

/// The shared tile that an operand of a gemm is stored in: itself, or the first
/// input of its `tile.operand`; null if it is neither.
Value getStoredOperand(Value operand);
SharedType getStoredType(Value operand);

/// Whether an operand is stored with fewer bits than the instruction takes.
bool isNarrow(Type elementType, MmaAttr mma);
/// Whether it is 4 bits wide and the instruction takes 16.
bool isNibbleToHalf(Type elementType, MmaAttr mma);

/// Fails with an internal error of `pass` if a gemm of the kernel cannot be
/// planned yet.
LogicalResult checkGemms(KernelOp kernel, StringRef pass);

/// The plan of a gemm that has its `mma`, on a block of `warps` warps.  Both
/// operands are stored in shared tiles.
GemmPlan planGemm(GemmOp gemm, int64_t warps);

/// The plan that it would have with another `mma`.
GemmPlan planGemm(GemmOp gemm, MmaAttr mma, int64_t warps);

/// The layout with as many warps: further warps hold the same elements.  Where
/// they are no multiple of its own it stays as it is, with the warps that it
/// has; others do what the first ones do, and own nothing.
layout::FragmentLayout replicateWarps(const layout::FragmentLayout &layout,
                                      int64_t warps);

/// Gives each 4-bit shared tile the packed dimension of the tensor that it is
/// copied from, so that bytes move as they are.
void adoptPacking(KernelOp kernel);

/// Number of warps of the kernel, or of the team that runs `op`, that compute.
int64_t getNumWarps(Operation *op);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_GEMMPLAN_H
