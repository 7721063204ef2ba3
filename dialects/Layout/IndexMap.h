//===- IndexMap.h - Which element an element reads --------------*- C++ -*-===//
//
// A map from the coordinates of one tile to those of another that is linear
// over bits, such as (i, j) -> (i, j / 2) or an interleaved order of nibbles:
//
//     map(coords) = origin XOR the bases of all set bits of coords
//
// It composes with fragment layouts: where each thread holds its elements of
// the one tile, the composition says where it finds what they read of the
// other in its own registers (readThrough).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_INDEXMAP_H
#define TILE_DIALECTS_LAYOUT_INDEXMAP_H

#include "dialects/Layout/FragmentLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace layout {

class IndexMap {
public:
  /// The map from a tile of shape `from` to one of shape `to` that `at` gives
  /// element by element.  None unless it stays inside and is linear over bits,
  /// the origin has no bits of the bases, and what is left of extents after
  /// powers of two is stepped through as it is: an odd factor of a dimension
  /// belongs to one dimension on the other side.
  static std::optional<IndexMap>
  create(llvm::ArrayRef<int32_t> from, llvm::ArrayRef<int32_t> to,
         llvm::function_ref<Coords(llvm::ArrayRef<int32_t>)> at);

  llvm::ArrayRef<int32_t> from() const { return fromShape; }
  llvm::ArrayRef<int32_t> to() const { return toShape; }

  Coords apply(llvm::ArrayRef<int32_t> coords) const;
  /// Without the origin: what a difference of coordinates makes.
  Coords applyLinear(llvm::ArrayRef<int32_t> coords) const;

  /// The same up to the origin.
  bool isShiftOf(const IndexMap &other) const {
    return fromShape == other.fromShape && toShape == other.toShape &&
           bases == other.bases;
  }

private:
  IndexMap() = default;

  bool isLinear(llvm::function_ref<Coords(llvm::ArrayRef<int32_t>)> at) const;
  bool keepsOddFactors() const;
  bool keepsOrigin() const;

  Coords fromShape, toShape, origin;
  /// `bases[d][k]` is what bit k of coordinate d adds.
  llvm::SmallVector<llvm::SmallVector<Coords, 8>, 4> bases;
};

/// The layout that a tile needs so that each thread finds what its elements of
/// a fragment read of it through a map from the fragment's shape, in its own
/// registers: fragment[coords] = source[map(coords)].  Elements that no element
/// reads are held by some thread too, in registers of their own.
ReindexedLayout readThrough(const FragmentLayout &fragment,
                            const IndexMap &map);

/// The largest power of two that divides an extent.
inline int32_t getPowerOfTwoFactor(int32_t extent) { return extent & -extent; }

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_INDEXMAP_H
