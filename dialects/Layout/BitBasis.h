//===- BitBasis.h - Linear algebra over bits --------------------*- C++ -*-===//
//
// An echelon basis of bit vectors over GF(2), where addition is XOR.  All the
// questions that layouts ask of linear algebra (rank, kernel, inverse) are
// answered by inserting the columns of the map one by one.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_BITBASIS_H
#define TILE_DIALECTS_LAYOUT_BITBASIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace layout {

/// A coordinate as one word: the bits of the first dimension lowest.  `sizes`
/// are powers of two that bound the coordinates.
uint64_t packCoords(llvm::ArrayRef<int32_t> coords,
                    llvm::ArrayRef<int32_t> sizes);

/// The span of up to 64 columns, each of up to 64 bits.
///
/// A column that depends on earlier ones is called free: it adds nothing to
/// the span.  Solutions use only columns that are not free, so they are unique,
/// and among all index bit patterns that map to one value exactly one has all
/// its free bits zero.  That pattern is called the owner of the value.
class BitBasis {
public:
  /// Adds the next column; false if it depends on those before it.
  bool insert(uint64_t column);

  int columnCount() const { return columns; }
  int rank() const { return static_cast<int>(pivots.size()); }

  /// The set of columns (bit i = column i) whose XOR is `target`, without free
  /// columns, or none if `target` lies outside the span.
  std::optional<uint64_t> solve(uint64_t target) const;

  /// The free columns, bit i = column i.
  uint64_t freeColumns() const { return free; }

  /// One set of columns per free column, whose XOR is zero: a basis of the
  /// kernel.  Its highest column is the free one.
  llvm::ArrayRef<uint64_t> kernel() const { return dependencies; }

private:
  struct Pivot {
    uint64_t vector;
    uint64_t combination;
  };
  llvm::SmallVector<Pivot, 16> pivots;
  llvm::SmallVector<uint64_t, 8> dependencies;
  uint64_t free = 0;
  int columns = 0;
};

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_BITBASIS_H
