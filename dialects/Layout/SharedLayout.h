//===- SharedLayout.h - Where shared memory holds an element ----*- C++ -*-===//
//
// The storage of a tile in shared memory.  The storage shape is the shape in
// elements, with the packed dimension of narrow elements divided by the
// elements of a byte, rounded up.  Storage is row-major, rows may be padded,
// and an XOR swizzle of the byte address spreads columns over the banks:
//
//     linear  = row-major byte offset in the storage shape
//     offset  = linear ^ (((linear >> (base + shift)) & (2^bits - 1)) << base)
//
// which is CuTe's Swizzle<bits, base, shift> on bytes.  {3,4,3} is the 128-byte
// swizzle of TMA and wgmma (a[6:4] ^= a[9:7]), {2,4,3} the 64-byte and {1,4,3}
// the 32-byte one.
//
// Rows longer than such a swizzle may be cut in panels: the first `panel` bytes
// of every row lie together, behind them the next ones.  That is what a TMA box
// as wide as the swizzle writes, and what wgmma reads (PTX ISA, "Canonical
// layouts").
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_SHAREDLAYOUT_H
#define TILE_DIALECTS_LAYOUT_SHAREDLAYOUT_H

#include "dialects/Layout/LinearLayout.h"

namespace layout {

/// An XOR of byte address bits: `bits` bits from `base` on are changed by those
/// `shift` places higher.  No bits: the identity.
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  /// Its own inverse, since shift >= bits.
  int32_t apply(int32_t offset) const {
    return offset ^ (((offset >> (base + shift)) & ((1 << bits) - 1)) << base);
  }
  bool isIdentity() const { return bits == 0; }
  /// All identities are equal.
  bool operator==(const Swizzle &other) const {
    return bits == other.bits &&
           (bits == 0 || (base == other.base && shift == other.shift));
  }
};

class SharedLayout {
public:
  /// A layout for elements of `elementBits` (1, 2, 4, 8, 16, 32 or 64).
  /// `packDim` is the dimension along which elements share a byte; it is
  /// ignored for elements of a byte or more, and -1 stands for the last
  /// dimension.  `padBytes` follow each row (the innermost dimension).
  ///
  /// None, with a reason in `error` (if given), unless
  ///   - the padding is a multiple of the size of an element,
  ///   - shift >= bits, and an element is not torn apart: 2^base >= its bytes,
  ///   - the swizzle stays inside a row: 2^(base+bits) divides the row pitch,
  ///   - a panel, if not 0, is a power of two of bytes that divides a row
  ///     without padding of a tile of rank 2 at least.  One as wide as a row is
  ///     none.
  static std::optional<SharedLayout>
  create(llvm::ArrayRef<int32_t> shape, int elementBits, int packDim = -1,
         Swizzle swizzle = {}, int padBytes = 0, std::string *error = nullptr,
         int panelBytes = 0);

  int rank() const { return static_cast<int>(tileShape.size()); }
  llvm::ArrayRef<int32_t> shape() const { return tileShape; }
  int elementBits() const { return elemBits; }
  /// Bytes of one storage unit, 1 for narrow elements.
  int unitBytes() const { return elemBits < 8 ? 1 : elemBits / 8; }
  /// 1 for elements of a byte or more.
  int elementsPerByte() const { return elemBits < 8 ? 8 / elemBits : 1; }
  /// The packed dimension; -1 for elements of a byte or more.
  int packDim() const { return pack; }
  Swizzle swizzle() const { return addressSwizzle; }
  int padBytes() const { return pad; }
  /// Bytes of a row in one panel; 0 if rows are whole.
  int panelBytes() const { return panel; }
  /// Distance in bytes between panels.
  int32_t panelStride() const;

  /// The same tile with another swizzle, if it is legal.
  std::optional<SharedLayout> withSwizzle(Swizzle swizzle,
                                          std::string *error = nullptr) const;

  /// The shape in storage units: the packed dimension divided, rounded up.
  Coords storageShape() const;
  /// Distance in bytes between neighbours along a dimension, before swizzling;
  /// along the packed dimension, between neighbouring bytes; along the last,
  /// between neighbours in one panel.
  int32_t strideBytes(int dim) const { return strides[dim]; }
  /// Bytes from one row (of a panel) to the next.
  int32_t rowPitch() const;

  /// Size of the allocation.
  int32_t bytes() const;
  /// Alignment of the allocation for which addresses and offsets swizzle alike
  /// (16 at least).
  int32_t alignment() const;

  /// The byte that holds an element, before and after swizzling.
  int32_t linearOffset(llvm::ArrayRef<int32_t> coords) const;
  int32_t byteOffset(llvm::ArrayRef<int32_t> coords) const {
    return addressSwizzle.apply(linearOffset(coords));
  }
  /// Position of an element within its byte, in elements from the low end; 0
  /// for elements of a byte or more.
  int nibble(llvm::ArrayRef<int32_t> coords) const;

  /// Whether aligned runs of `bytes` (a power of two) stay together and every
  /// row starts on a multiple of `bytes`.
  bool preservesVectors(int bytes) const;

  /// The steps along a row in memory, see below.
  std::vector<Coords> contiguousBases() const;

  bool operator==(const SharedLayout &) const = default;
  friend llvm::hash_code hash_value(const SharedLayout &layout);

  /// Text such as
  ///     64x128 bits=4 pack=0 swizzle=[3,4,3] pad=16 panel=128
  /// where all behind bits are left out if they say nothing.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  static std::optional<SharedLayout> parse(llvm::StringRef text,
                                           std::string *error = nullptr);

private:
  SharedLayout() = default;

  Coords tileShape;
  Coords strides;
  int elemBits = 8;
  int pack = -1;
  Swizzle addressSwizzle;
  int pad = 0;
  int panel = 0;
};

/// The coordinate steps along a row in memory, lowest first: entry i moves an
/// element by 2^i elements.  Elements narrower than a byte step along the
/// packed dimension (-1: the last) first, within their byte.  The list ends
/// where an extent stops being a multiple of twice the step.
std::vector<Coords> contiguousBases(llvm::ArrayRef<int32_t> shape,
                                    int elementBits, int packDim = -1);

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const SharedLayout &layout) {
  layout.print(os);
  return os;
}

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_SHAREDLAYOUT_H
