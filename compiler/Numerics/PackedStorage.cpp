//===- PackedStorage.cpp - Two elements to a byte -------------------------===//
#include "compiler/Numerics/PackedStorage.h"

using namespace tilec;

Extents tilec::getPackedShape(const Extents &shape, int64_t packDim) {
  Extents packed = shape;
  packed[packDim] = (packed[packDim] + 1) / 2;
  return packed;
}

Extents tilec::getDenseStrides(const Extents &shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

int64_t tilec::countElements(const Extents &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Calls `visit(element, byte, high)` for every element of a packed array: its
/// row-major number and the byte and nibble where it lies.
template <typename Visitor>
static void visitPacked(const Extents &shape, int64_t packDim, Visitor visit) {
  // The dimensions before and after the packed one act as one each.
  int64_t outer = 1, inner = 1, extent = shape[packDim];
  for (int64_t d = 0; d < packDim; ++d)
    outer *= shape[d];
  for (std::size_t d = packDim + 1; d < shape.size(); ++d)
    inner *= shape[d];
  int64_t packedExtent = (extent + 1) / 2;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t p = 0; p < extent; ++p)
      for (int64_t i = 0; i < inner; ++i)
        visit((o * extent + p) * inner + i,
              (o * packedExtent + p / 2) * inner + i, (p & 1) != 0);
}

std::vector<uint8_t> tilec::packNibbles(const std::vector<uint8_t> &codes,
                                        const Extents &shape, int64_t packDim) {
  std::vector<uint8_t> packed(countElements(getPackedShape(shape, packDim)), 0);
  visitPacked(shape, packDim, [&](int64_t element, int64_t byte, bool high) {
    packed[byte] = setNibble(packed[byte], high, codes[element]);
  });
  return packed;
}

std::vector<uint8_t> tilec::unpackNibbles(const uint8_t *packed,
                                          const Extents &shape,
                                          int64_t packDim) {
  std::vector<uint8_t> codes(countElements(shape));
  visitPacked(shape, packDim, [&](int64_t element, int64_t byte, bool high) {
    codes[element] = getNibble(packed[byte], high);
  });
  return codes;
}
