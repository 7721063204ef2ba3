//===- Conversion.h - From one fragment layout to another -------*- C++ -*-===//
//
// What it takes to bring a fragment from the layout in which it was made to the
// one in which it is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_CONVERSION_H
#define TILE_DIALECTS_LAYOUT_CONVERSION_H

#include "dialects/Layout/FragmentLayout.h"

namespace layout {

/// From the cheapest to the dearest.
enum class ConversionKind {
  Identical,           ///< same registers, nothing to do
  RegisterPermutation, ///< same thread; renames registers, may copy or drop
                       ///< some
  Shuffle,             ///< other lanes of the same warp
  SharedMemory,        ///< other warps
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::SharedMemory;
  /// For the first two kinds: `registerOf[r]` is the source register of
  /// register r of the result, the same in every thread.
  std::vector<int> registerOf;
};

/// Classifies the conversion between layouts of one shape.  A thread that holds
/// its elements already but in registers that depend on the thread counts as a
/// shuffle.
ConversionPlan planConversion(const FragmentLayout &from,
                              const FragmentLayout &to);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_CONVERSION_H
