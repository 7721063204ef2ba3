//===- Overlap.h - Kernels that start before others end ---------*- C++ -*-===//
//
// A kernel may start while the one before it in the stream still runs, if its
// launch says so (programmatic dependent launch): then it waits before it
// touches memory.  The decision `overlap` asks for it:
//
//     wait     before anything of a tensor is read or written
//     weights  but for prepacked tensors, which may be read before: a promise
//              that none of the kernels that may still run writes them
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_OVERLAP_H
#define TILE_DIALECTS_TILE_TRANSFORMS_OVERLAP_H

#include "dialects/Tile/IR/TileOps.h"

namespace mlir::tile {

enum class Overlap { None, Wait, Weights };

/// What was decided for a kernel.
Overlap getOverlap(KernelOp kernel);

/// Unit attribute of a kernel whose launch may overlap those before.
inline constexpr StringLiteral overlapsAttrName = "tile.overlaps";

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_OVERLAP_H
