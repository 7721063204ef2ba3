//===- GemmCandidates.h - The ways to do a matrix product, and their cost -===//
//
// A product can be shared out among the warps in several ways, and two
// permutations are free: of K, which both operands share, and of the columns,
// which the addresses of the epilogue undo.  They decide how wide the operands
// are read from shared memory, whether ldmatrix fits, and what it takes to put
// packed elements into the instruction's registers.  Costs are counted exactly
// on the layouts, not estimated from rules.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_GEMMCANDIDATES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_GEMMCANDIDATES_H

#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MmaTable.h"

namespace mlir::tile {

/// What one execution of a `tile.gemm` costs, over all warps of the block.
struct GemmCost {
  int64_t products = 0;    ///< matrix instructions
  int64_t loads = 0;       ///< instructions that read operands
  int64_t wavefronts = 0;  ///< passes through shared memory of these reads
  int64_t conflicts = 0;   ///< those of them that are bank conflicts
  int64_t conversions = 0; ///< instructions between loading and multiplying
  int64_t stores = 0;      ///< instructions that write the result to memory
  int64_t registers = 0; ///< of a thread: accumulator and two steps of operands
  /// Clocks of the tensor cores where warpgroups multiply from shared memory,
  /// which takes nothing else, and what few tokens take (SwappedWarps.h); 0 for
  /// other products.
  int64_t asyncClocks = 0;

  /// Estimated clocks of one SM; the result is written once in many executions.
  double getClocks() const;
};

struct GemmCandidate {
  MmaAttr mma;
  GemmCost cost;
};

/// All ways to do `gemm`, whose operands are shared tiles, on `warps` warps
/// with `instruction`; the best first, among equals the simplest.  `warpGrid`
/// {m, n}, if not zero, is binding.  Empty if the tile cannot be shared out at
/// all.
SmallVector<GemmCandidate>
findGemmCandidates(GemmOp gemm, int64_t warps,
                   const MmaInstructionChoice &instruction,
                   std::pair<int64_t, int64_t> warpGrid = {0, 0});

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_GEMMCANDIDATES_H
