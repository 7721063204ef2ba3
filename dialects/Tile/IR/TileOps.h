//===- TileOps.h - Operations of the tile dialect -------------------------===//
//
// One header for all families: structure, memory, matmul, shape and sync.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_TILEOPS_H
#define TILE_DIALECTS_TILE_IR_TILEOPS_H

#include "dialects/Tile/IR/TileDialect.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"

namespace mlir::tile {

/// Shape of a global tensor, shared tile or fragment.
ArrayRef<int64_t> getTileShape(Type type);

/// Element type of a global tensor, shared tile or fragment; a scalar's own.
Type getTileElementType(Type type);

/// The language's spelling of an element type ("uint4", "fp8_e4m3").
std::string spellElementType(Type type, bool isUnsigned);

/// An index of an index map (`tile.reindex`, `tile.operand`) that is not 0: the
/// dimension, and how many successive elements of it share the index, a power
/// of two.  None if the expression is not of this form.
std::optional<std::pair<unsigned, int64_t>> matchIndexGroups(AffineExpr index);

/// The layout of a fragment type, or of sums in flight; null if none was
/// inferred yet.
LayoutAttr getFragmentLayout(Type type);

/// Storage of a part, of extents `shape`, of a shared tile: the tile's strides
/// and swizzle.  None for parts that storage cannot describe (rank above 2).
std::optional<layout::SharedLayout> getSubTileStorage(SharedType type,
                                                      ArrayRef<int64_t> shape);

/// Threads of the team that runs `op`: those of the region of a
/// `tile.warpgroup` around it, else those of the kernel.
int64_t getTeamThreads(Operation *op);

/// Checks that symbols are bound and that dimensions, grid, checks and guards
/// name symbols, parameters and facts that there are (kernel-c9).  What
/// launches or lowers a kernel relies on it; passes in between do not.
LogicalResult verifyLaunch(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_IR_TILEOPS_H
