//===- PackedStorage.h - Two elements to a byte ---------------------------===//
//
// How tensors of 4-bit elements lie in memory: along one dimension, of any
// place, two elements share a byte, the lower index in the low nibble; a row of
// odd extent is padded to whole bytes.  The spare nibble is ignored on reading
// and 0 after writing.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_NUMERICS_PACKEDSTORAGE_H
#define TILEC_NUMERICS_PACKEDSTORAGE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilec {

using Extents = std::vector<int64_t>;

/// Shape of the bytes: the packed dimension halved, rounded up.
Extents getPackedShape(const Extents &shape, int64_t packDim);

/// Strides, in elements of the array, of a dense row-major array.
Extents getDenseStrides(const Extents &shape);

/// Number of elements of an array; 0 if an extent is.
int64_t countElements(const Extents &shape);

inline uint8_t getNibble(uint8_t byte, bool high) {
  return high ? byte >> 4 : byte & 15;
}
inline uint8_t setNibble(uint8_t byte, bool high, uint8_t nibble) {
  nibble &= 15;
  return high ? (byte & 0x0f) | nibble << 4 : (byte & 0xf0) | nibble;
}

/// Packs row-major codes, one a byte, of the given logical shape.
std::vector<uint8_t> packNibbles(const std::vector<uint8_t> &codes,
                                 const Extents &shape, int64_t packDim);

/// The row-major codes, one a byte, of a packed array of the given logical
/// shape.
std::vector<uint8_t> unpackNibbles(const uint8_t *packed, const Extents &shape,
                                   int64_t packDim);

} // namespace tilec

#endif // TILEC_NUMERICS_PACKEDSTORAGE_H
