//===- WgmmaCandidates.h - Products by warpgroups ---------------*- C++ -*-===//
//
// Which products the asynchronous instruction of sm_90a, wgmma, can do, and how
// warpgroups share their tiles.  Its right operand is in shared memory; the
// left one is too, or is made in registers where its numbers are converted or
// computed.  If that is B, the transposes are multiplied: C^T = B^T A^T.
// Shapes and layouts: PTX ISA, "Asynchronous warpgroup level matrix
// multiply-accumulate".
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_WGMMACANDIDATES_H
#define TILE_DIALECTS_TILE_TRANSFORMS_WGMMACANDIDATES_H

#include "dialects/Tile/Transforms/GemmCandidates.h"

namespace mlir::tile {

/// Rows of a wgmma and threads that do one together.
inline constexpr int64_t wgmmaRows = 64;
inline constexpr int64_t warpgroupThreads = 128;

/// Registers of a thread of a kernel's `warps` consumers, once one more
/// warpgroup copies for them, and those that addresses, descriptors and loads
/// take of them.
int64_t countConsumerRegisters(int64_t warps);
inline constexpr int64_t otherRegisters = 40;

/// Bytes of a row of a tile that lie together where wgmma reads it, as wide as
/// its swizzle: 128 or 64; 0 if the tile cannot be read.
int64_t getWgmmaPanel(SharedType type);
/// The layout that follows from it.
SharedLayoutAttr getWgmmaLayout(SharedType type);

/// The ways to do `gemm` on `warps` warps by wgmma, the best first; if there is
/// none, why, in `obstacle`.
SmallVector<GemmCandidate> findWgmmaCandidates(GemmOp gemm, int64_t warps,
                                               std::string &obstacle);

/// Whether warpgroups will do a product that stands alone in its kernel, on
/// sm_90: its operands may still be fragments.
bool isForWarpgroups(GemmOp gemm);

/// Whether the sums of a product begin at 0 and join a total afterwards: those
/// of a group of K with its own scales, and promoted ones.
bool hasSumsOfItsOwn(GemmOp gemm, MmaAttr mma);
/// The numbers of columns, less than `columns`, that may join it at a time;
/// with an operand from registers narrow instructions are as fast as wide ones.
SmallVector<int64_t> getPartWidths(int64_t columns, bool fromRegisters);
/// How many parts of such sums a thread has registers for, beside its `total`
/// ones and `operand` ones of an operand, where `warps` multiply: 1 or 2.
int64_t countPartsInFlight(int64_t total, int64_t part, int64_t operand,
                           int64_t warps);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_WGMMACANDIDATES_H
