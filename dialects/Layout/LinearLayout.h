//===- LinearLayout.h - Maps that are linear over bits ----------*- C++ -*-===//
//
// A linear layout maps a hardware index to a tile coordinate.  Both sides are
// tuples of named dimensions whose sizes are powers of two, and the map is
// linear over bits: the coordinate of an index is the XOR of the coordinates
// of its set bits.
//
//     coords(register, lane, warp) = XOR of bases[dim][i]
//                                    over all set bits i of register, lane,
//                                    warp
//
// Matrix fragments, XOR swizzles, packings of narrow elements and transposes
// are all of this form.  Example: in the accumulator of mma.m16n8k16, register
// bit 0 moves one column, register bit 1 eight rows, lane bits 0-1 two and four
// columns, lane bits 2-4 one, two and four rows.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_LINEARLAYOUT_H
#define TILE_DIALECTS_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace layout {

/// A coordinate in a tile: one number per dimension, outermost first.
using Coords = llvm::SmallVector<int32_t, 4>;

/// The names of the usual dimensions.
inline constexpr llvm::StringLiteral registerDim = "register";
inline constexpr llvm::StringLiteral laneDim = "lane";
inline constexpr llvm::StringLiteral warpDim = "warp";
inline constexpr llvm::StringLiteral offsetDim = "offset";

/// "dim0", "dim1", ...: the name of a tile dimension.
std::string tileDimName(int dim);

/// A map, linear over bits, from named input to named output dimensions.
///
/// Names are unique within each side.  Preconditions of the operations are
/// asserted; only `create` checks untrusted data.
class LinearLayout {
public:
  /// `bases[i]` is the coordinate of bit i: one number per output dimension.
  struct InDim {
    std::string name;
    std::vector<Coords> bases;
    bool operator==(const InDim &) const = default;
  };
  /// `size` is a power of two that bounds the coordinate.
  struct OutDim {
    std::string name;
    int32_t size = 1;
    bool operator==(const OutDim &) const = default;
  };

  /// The map from nothing to nothing.
  LinearLayout() = default;

  /// Builds a layout from bases.  On failure says why in `error` (if given).
  static std::optional<LinearLayout> create(std::vector<InDim> ins,
                                            std::vector<OutDim> outs,
                                            std::string *error = nullptr);

  /// Index i of `in` has coordinate i of `out`, both of `size`.
  static LinearLayout identity1D(int32_t size, llvm::StringRef in,
                                 llvm::StringRef out);

  llvm::ArrayRef<InDim> inDims() const { return ins; }
  llvm::ArrayRef<OutDim> outDims() const { return outs; }

  /// Position of a dimension, or -1.
  int findIn(llvm::StringRef name) const;
  int findOut(llvm::StringRef name) const;

  /// Number of index bits of a dimension; 0 if there is none of that name.
  int inBits(llvm::StringRef name) const;
  int outBits(llvm::StringRef name) const;
  int totalOutBits() const;

  /// The coordinate of bit `bit` of input `name`.
  const Coords &basis(llvm::StringRef name, int bit) const;

  /// The coordinate of an index given in the order of `inDims`.
  Coords apply(llvm::ArrayRef<int32_t> index) const;

  /// First this map, then `outer`, whose inputs are the outputs of this one
  /// (matched by name; `outer` may have more bits).
  LinearLayout compose(const LinearLayout &outer) const;

  /// The product: the index bits of `high` go above those of `low` in each
  /// input dimension, and its coordinates above those of `low` in each output
  /// dimension.  A dimension missing on one side counts as having no bits.
  friend LinearLayout operator*(const LinearLayout &low,
                                const LinearLayout &high);

  /// The layout `high` with `divisor * high == *this` up to the order of
  /// dimensions, if there is one.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;

  /// No two indices share a coordinate.
  bool isInjective() const;
  /// Each coordinate has an index.
  bool isSurjective() const;

  /// The inverse of an invertible layout; none otherwise.
  std::optional<LinearLayout> invert() const;

  /// For a surjective layout, a map from coordinates back to indices: the
  /// index whose redundant bits are zero.  None if not surjective.
  std::optional<LinearLayout> rightInverse() const;

  /// Keeps the named dimensions only, in that order.  Inputs left out are held
  /// at index 0; outputs left out are forgotten.
  LinearLayout selectIns(llvm::ArrayRef<llvm::StringRef> names) const;
  LinearLayout selectOuts(llvm::ArrayRef<llvm::StringRef> names) const;

  bool operator==(const LinearLayout &) const = default;
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// Prints one line per input dimension:
  ///     register: 1 -> (0, 1), 2 -> (8, 0)
  ///     lane: 1 -> (0, 2), ...
  ///     out: dim0 = 16, dim1 = 8
  void print(llvm::raw_ostream &os) const;

private:
  LinearLayout(std::vector<InDim> ins, std::vector<OutDim> outs)
      : ins(std::move(ins)), outs(std::move(outs)) {}

  std::vector<InDim> ins;
  std::vector<OutDim> outs;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const LinearLayout &layout) {
  layout.print(os);
  return os;
}

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_LINEARLAYOUT_H
