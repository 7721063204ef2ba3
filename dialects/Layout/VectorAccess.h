//===- VectorAccess.h - Wide accesses of one thread -------------*- C++ -*-===//
//
// Which registers of a fragment a thread can move to or from memory in one wide
// access.  Register bits are matched with the lowest bits of the memory offset;
// a vector is usable if no thread bit and no other register bit moves inside
// it, so that all threads find their vectors aligned and in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_VECTORACCESS_H
#define TILE_DIALECTS_LAYOUT_VECTORACCESS_H

#include "dialects/Layout/FragmentLayout.h"
#include "dialects/Layout/SharedLayout.h"

namespace layout {

/// The registers of a thread in the order of their accesses.
struct VectorPlan {
  int elementBits = 0;
  /// Elements in one access, a power of two.
  int elements = 1;
  /// All registers: access v moves registers[v * elements + i], i = 0 at the
  /// lowest address (for narrow elements: the lowest bits).
  std::vector<int> registers;

  int bits() const { return elements * elementBits; }
  /// Bytes of one access.  An access of less than a byte reads the byte.
  int bytes() const { return bits() < 8 ? 1 : bits() / 8; }
  int accesses() const { return static_cast<int>(registers.size()) / elements; }
  /// True if accesses are narrower than a byte: two threads, or two accesses,
  /// share a byte, so the plan must not be used for writing.
  bool splitsByte() const { return bits() < 8; }
  /// True if the registers are in natural order.
  bool isNatural() const;
};

/// The widest accesses, of up to `maxBytes`, that move a fragment from or to a
/// shared tile of the same shape.
VectorPlan planVector(const FragmentLayout &fragment,
                      const SharedLayout &shared, int maxBytes = 16);

/// The same for global memory, row-major with the last dimension contiguous.
/// `packDim` is the dimension along which narrow elements share a byte (-1: the
/// last).  The caller answers for the alignment of base and pitch to
/// `maxBytes`, and for the tile's origin being a multiple of the vector.
VectorPlan planGlobalVector(const FragmentLayout &fragment, int elementBits,
                            int packDim = -1, int maxBytes = 16);

/// Width in bits of the widest run of consecutive registers, starting at any
/// multiple of the run's length, that is contiguous and aligned in the storage
/// for every thread: what can be moved without reordering registers.
int contiguousBits(const FragmentLayout &fragment, const SharedLayout &shared);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_VECTORACCESS_H
