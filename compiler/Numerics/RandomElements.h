//===- RandomElements.h - Random data, the same everywhere ----------------===//
#ifndef TILEC_NUMERICS_RANDOMELEMENTS_H
#define TILEC_NUMERICS_RANDOMELEMENTS_H

#include "compiler/Numerics/NumberFormat.h"
#include "compiler/Numerics/PackedStorage.h"

namespace tilec {

/// An array as it is stored: dense, two 4-bit elements a byte along `packDim`.
struct StoredArray {
  NumberFormat format = NumberFormat::F32;
  Extents sizes;
  int64_t packDim = -1;
  uint8_t *bytes = nullptr;
  size_t byteCount = 0;
};

/// Fills an array with random elements, the same for the same numbers and shape
/// on every machine; `stream` tells arrays of one seed apart.
///
///   f16 bf16 f32 f64 tf32 fp8   uniform in [-1, 1), rounded to the type (all
///   32
///                               bits of a tf32 are random)
///   int4 uint4 int8 uint8 fp4   every code equally likely
///   wider integers              -128 .. 127, unsigned 0 .. 255
///   bool                        0 or 1
///   e8m0                        1/4 .. 4
///
/// The padding nibble of an odd packed extent is 0xB: it must not count.
void fillRandomElements(const StoredArray &array, uint64_t seed,
                        uint64_t stream);

} // namespace tilec

#endif // TILEC_NUMERICS_RANDOMELEMENTS_H
