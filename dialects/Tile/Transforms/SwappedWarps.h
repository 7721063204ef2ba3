//===- SwappedWarps.h - Products of few tokens by warps ---------*- C++ -*-===//
//
// Where few rows are multiplied with converted weights, the weights may be the
// left operand of mma.sync, as they may be that of wgmma: C^T = B^T A^T with
// the columns of the tile as rows of the instruction.  A warp multiplies what
// it has just converted and waits for nobody; wgmma takes at least 13 clocks
// whatever its columns, and what converts for it waits for it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_SWAPPEDWARPS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_SWAPPEDWARPS_H

#include "dialects/Tile/Transforms/GemmCandidates.h"

namespace mlir::tile {

/// The candidates of `wgmma` (WgmmaCandidates.h) whose fragments mma.sync can
/// multiply instead, by the same warps; none, with the reason in `obstacle`, if
/// there are none.
SmallVector<GemmCandidate> findSwappedCandidates(GemmOp gemm,
                                                 ArrayRef<GemmCandidate> wgmma,
                                                 std::string &obstacle);

/// Clocks of one SM that the product takes by mma.sync and by wgmma, with the
/// conversion of its weights: a model, which chooses between the two.
struct SwappedClocks {
  int64_t bySync, byWgmma;
};
SwappedClocks countSwappedClocks(GemmOp gemm);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_SWAPPEDWARPS_H
