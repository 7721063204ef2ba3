//===- PackedOrder.h - Tiles in the order of their reader -------*- C++ -*-===//
//
// A tile whose elements lie, without gaps, in an order of its own: the digits
// of an element's position in memory, lowest first, each move it along one
// dimension.
//
//     position = d0 + count0 * (d1 + count1 * (d2 + ...))
//     coords[dim_i] += stride_i * d_i
//
// Such an order is made from the fragment in which threads read the tile, so
// that each finds its elements side by side: the registers that come in one
// access, then the lanes, the warps, the other registers, and the parts of the
// tile that are read one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_PACKEDORDER_H
#define TILE_DIALECTS_LAYOUT_PACKEDORDER_H

#include "dialects/Layout/FragmentLayout.h"

namespace layout {

class PackedOrder {
public:
  /// Values 0 to count - 1 of a digit move by `stride` elements along `dim`.
  struct Digit {
    int dim = 0;
    int32_t stride = 1, count = 1;
    bool operator==(const Digit &) const = default;
  };

  /// Builds an order, of `shape` with elements of `elementBits` (4 or a
  /// multiple of 8 up to 64), in which every element has a place of its own;
  /// digits of one value are left out and neighbours that make one are joined.
  /// On failure says why in `error` (if given).
  static std::optional<PackedOrder> create(llvm::ArrayRef<int32_t> shape,
                                           int elementBits,
                                           llvm::ArrayRef<Digit> digits,
                                           std::string *error = nullptr);

  llvm::ArrayRef<int32_t> shape() const { return tileShape; }
  int elementBits() const { return elemBits; }
  /// Lowest first.
  llvm::ArrayRef<Digit> digits() const { return digitList; }
  int32_t elements() const;
  int32_t bytes() const;

  Coords coordsOf(int32_t position) const;
  int32_t positionOf(llvm::ArrayRef<int32_t> coords) const;

  bool operator==(const PackedOrder &) const = default;
  friend llvm::hash_code hash_value(const PackedOrder &order);

  /// Text such as
  ///     128x64 bits=4 order=[[1,8,2],[0,8,4],[1,1,2]]
  /// where a digit is [dim, stride, count].
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
  static std::optional<PackedOrder> parse(llvm::StringRef text,
                                          std::string *error = nullptr);

private:
  PackedOrder() = default;

  Coords tileShape;
  int elemBits = 8;
  llvm::SmallVector<Digit, 12> digitList;
};

/// A tile in the order of its reads, and how it is read.
struct PackedTile {
  PackedOrder order;
  /// The same memory as rows of so many elements, 128 bytes at most.
  int32_t rowElements;
  /// How threads read one part of the tile, in rows: register for register the
  /// elements of the layout that it was made from.
  FragmentLayout load;

  int32_t rows() const { return order.elements() / rowElements; }
  /// The first row of the part that starts at `coords`.
  int32_t rowOf(llvm::ArrayRef<int32_t> coords) const {
    return order.positionOf(coords) / rowElements;
  }
};

/// The order for a tile of `shape` that is read in parts, each in the layout
/// `part`, whose extents divide those of the tile.  Several threads may read
/// the same element, but none twice.  None, with a reason in `error` (if
/// given), if the layout is no order: a step in it moves along two dimensions.
std::optional<PackedTile> packForReads(llvm::ArrayRef<int32_t> shape,
                                       int elementBits,
                                       const FragmentLayout &part,
                                       std::string *error = nullptr);

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const PackedOrder &order) {
  order.print(os);
  return os;
}

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_PACKEDORDER_H
