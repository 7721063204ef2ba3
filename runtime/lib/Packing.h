//===-- Packing.h - The order of prepacked tensors -------------*- C++ -*-===//
//
// A packed tensor is its tiles one after the other, first those along one
// dimension and else in row-major order, the last ones filled up; in a tile the
// elements lie in an order of its own (docs/artifact-format.md, "Packed
// tensors").
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_PACKING_H
#define TILERT_LIB_PACKING_H

#include "JsonReader.h"
#include "tilert/tilert.h"

#include <string>
#include <vector>

namespace tilert::detail {

struct Parameter;

struct Packing {
  /// A digit of a position, which moves an element by `stride` along `dim`.
  struct Digit {
    int dim;
    int32_t stride;
    int32_t count;
  };
  /// Extents along the last dimensions of the tensor.
  std::vector<int32_t> tile;
  /// Lowest first.
  std::vector<Digit> order;
  /// The dimension of a tile along which tiles are neighbours.
  int along = 0;
  /// Elements in a row of memory, as tensor maps see it; divides a tile.
  int32_t row = 0;
  uint64_t tag = 0;
  /// Helpers of the manifest.
  std::string packer;
  std::string unpacker;

  int64_t tileElements() const;
  /// The dimensions of a tensor of that rank in the order of its memory: the
  /// one along which tiles are neighbours last.
  std::vector<int> memoryOrder(int rank) const;
};

/// Reads the packing of a tensor parameter whose dtype, rank and packed
/// dimension are known.
Packing readPacking(JsonReader &reader, const Place &place,
                    const tilert_parameter &facts);

/// The number of tiles of a tensor of logical `sizes`, or nothing if that
/// exceeds int64.
std::optional<int64_t> countTiles(const Parameter &parameter,
                                  const int64_t *sizes);

/// The extents of packed memory in elements, one more than the tensor has:
/// tiles along each of its dimensions in the order of memory, those along the
/// last of them in rows, and a row.  False if they exceed int64.
bool memoryExtents(const Parameter &parameter, const int64_t *sizes,
                   int64_t *extents);

/// Bytes of packed memory, or nothing if they exceed int64.
std::optional<int64_t> packedBytes(const Parameter &parameter,
                                   const int64_t *sizes);

/// Copies a tensor of logical `sizes` into its packed memory, or back. What
/// lies outside of the tensor in its last tiles is 1 for e8m0, else 0; the
/// spare nibble of a plain tensor is 0.
void packOnHost(const Parameter &parameter, const int64_t *sizes,
                const uint8_t *plain, uint8_t *packed);
void unpackOnHost(const Parameter &parameter, const int64_t *sizes,
                  const uint8_t *packed, uint8_t *plain);

} // namespace tilert::detail

#endif // TILERT_LIB_PACKING_H
