//===- RegisterOrder.h - Number registers as memory does ------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_REGISTERORDER_H
#define TILE_DIALECTS_TILE_TRANSFORMS_REGISTERORDER_H

#include "dialects/Layout/FragmentLayout.h"

namespace mlir::tile {

/// The layout with the same elements in each thread, its low registers stepping
/// through memory: `steps[i]` is the coordinate step of 2^i elements there.
/// Stops at the first step that no register bit makes.
layout::FragmentLayout orderRegisters(const layout::FragmentLayout &layout,
                                      llvm::ArrayRef<layout::Coords> steps);

/// The same for row-major memory.
layout::FragmentLayout
orderRegistersRowMajor(const layout::FragmentLayout &layout);

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_REGISTERORDER_H
