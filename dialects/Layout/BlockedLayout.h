//===- BlockedLayout.h - The coalesced fragment layout ----------*- C++ -*-===//
//
// The default layout of fragments that no matrix instruction constrains.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_BLOCKEDLAYOUT_H
#define TILE_DIALECTS_LAYOUT_BLOCKEDLAYOUT_H

#include "dialects/Layout/FragmentLayout.h"

namespace layout {

/// What `blocked` is asked for.
struct BlockedOptions {
  int elementBits = 32;
  int threads = 128; ///< a multiple of 32
  /// Dimensions from fastest to slowest; empty: the last one is fastest.
  llvm::SmallVector<int, 4> order;
  int vectorBits = 128; ///< widest access of one thread
  /// For elements of less than a byte: the dimension along which neighbours
  /// share a byte; -1: the fastest.
  int packDim = -1;
};

/// The coalesced layout for copies and elementwise work.  A thread holds a
/// vector of up to `vectorBits` along the fastest dimension, consecutive lanes
/// consecutive vectors, then warps, then further registers; what is left after
/// powers of two goes to repeats.  A tile with fewer vectors than threads is
/// replicated.  Where warps are no power of two, their odd factor is shared out
/// along a dimension that has the same one (192 rows and 12 warps: 64 rows for
/// each 4 warps); if there is none, the layout has the next lower power of two
/// of warps.  Works for any extents >= 1.  Elements that share a byte are
/// always held by one thread.  The tile has at most 2^30 elements.
FragmentLayout blocked(llvm::ArrayRef<int32_t> shape,
                       const BlockedOptions &options);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_BLOCKEDLAYOUT_H
