//===-- HostTensor.h - Tensors of the language as NumPy arrays -*- C++ -*-===//
//
// bf16 lies in .npy files as uint16, 8-bit floats as uint8, 4-bit types as
// uint8 with the packed dimension halved and rounded up, low nibble first; the
// other types are NumPy's.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_GPURUNNER_HOSTTENSOR_H
#define TILE_TOOLS_GPURUNNER_HOSTTENSOR_H

#include "compiler/Npy/Npy.h"
#include "compiler/Numerics/NumberFormat.h"
#include "tilert/tilert.h"

namespace gpurunner {

/// What a tensor is made of: logical extents, and the packed dimension of a
/// 4-bit type (-1 otherwise).
struct TensorType {
  tilec::NumberFormat format = tilec::NumberFormat::F32;
  std::vector<int64_t> sizes;
  int pack = -1;
};

tilec::NumberFormat formatOf(tilert_dtype dtype);

/// An array of zeros for the tensor.
npy::Array makeArray(const TensorType &type);

/// Whether the array's elements can be those of the format, whatever the shape.
bool holds(const npy::Array &array, tilec::NumberFormat format);
/// How elements of the format are stored, as "uint8, two int4 a byte".
std::string describeStorage(tilec::NumberFormat format);

/// The codes of the elements in row-major order of the logical extents. Spare
/// nibbles are skipped.
std::vector<uint64_t> readCodes(const TensorType &type,
                                const unsigned char *bytes);

/// Random elements: floats N(0, 1), integers over the range of their type but
/// at most -128 to 127 (unsigned: 0 to 255), e8m0 from 2^-2 to 2^2.
npy::Array makeRandom(const TensorType &type, uint64_t seed);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_HOSTTENSOR_H
