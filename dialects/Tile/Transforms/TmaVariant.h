//===- TmaVariant.h - The variant of a kernel that TMA feeds ----*- C++ -*-===//
//
// A kernel whose products are done by warpgroups gets a variant in which TMA
// brings their operands, if it can bring them all: guarded by what tensor maps
// ask of bases, pitches and extents (CUDA driver API, cuTensorMapEncodeTiled).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_TMAVARIANT_H
#define TILE_DIALECTS_TILE_TRANSFORMS_TMAVARIANT_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

/// The name of the variant.
inline constexpr StringLiteral tmaVariantName = "tma";

/// Unit attribute of a loop that is not to be unrolled: its thread has few
/// registers, and time.
inline constexpr StringLiteral rolledAttrName = "tile.rolled";

/// How many iterations of a loop unroll-loops makes one, so that what passes
/// from one to the next in registers takes no moves.
inline constexpr StringLiteral unrollAttrName = "tile.unroll";

/// Unit attribute of the barriers that say which buffers of a ring are full:
/// who waits for them goes through them in order, one an iteration, from buffer
/// 0 in phase 0 on.
inline constexpr StringLiteral ringAttrName = "tile.ring";

/// The parts of a kernel that specialize-warps tells apart.
struct KernelParts {
  /// The loop over the tiles, if the program has one; else each block has one.
  PersistentOp persistent;
  /// What is done for one tile, in order: the pipelined loops are among it.
  Block *work = nullptr;
  SmallVector<PipelinedOp> loops;
};
KernelParts getParts(KernelOp kernel);

/// The copies of a loop of the variant by how they are done: to a ring, by TMA
/// or, where it cannot move tiles as small as those of scales, by all threads
/// of the copying warpgroup; or by the threads that read the tile, straight to
/// their registers, two iterations ahead.
struct LoopCopies {
  SmallVector<CopyOp> byTma, byThreads, direct;
};
LoopCopies getLoopCopies(PipelinedOp loop);
/// What reads the tile that a direct copy fills: a load, or the expression of
/// an operand, and the fragment that it takes.
struct DirectRead {
  Operation *user;
  RankedTensorType type;
};
SmallVector<DirectRead> getDirectReads(CopyOp copy);
/// Whether threads read a tile, other than by the instructions of products.
bool isReadByThreads(Value tile);

/// Makes the variant in front of the kernel; null, with the reason in
/// `obstacle`, if TMA cannot feed it.
KernelOp forkTmaVariant(KernelOp kernel, std::string &obstacle);

/// Extents of the box of a tensor that fills `tile`, or a panel of it: one for
/// each dimension of the tensor.
SmallVector<int64_t> getTmaBox(GlobalType tensor, SharedType tile);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_TMAVARIANT_H
