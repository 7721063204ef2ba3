//===-- Packing.cpp - Packs tensors in host memory ------------------------===//
//
// Where each position of a tile lies is worked out once; then tiles are copied
// element by element. 4-bit elements are read and written by nibble.
//
//===----------------------------------------------------------------------===//

#include "Packing.h"
#include "Layout.h"

#include <cstring>

namespace tilert::detail {
namespace {

/// The code of 1 in e8m0, which has no 0.
constexpr uint8_t e8m0One = 127;

/// Walks over the elements of a packed tensor in the order of its memory.
class TileWalk {
public:
  TileWalk(const Parameter &parameter, const int64_t *sizes)
      : packing(*parameter.packing), rank(parameter.facts.rank),
        leading(rank - int(packing.tile.size())), pack(parameter.facts.pack),
        sizes(sizes) {
    int64_t stride = 1;
    for (int dim = rank - 1; dim >= 0; --dim) {
      strides[dim] = stride;
      stride *= storedExtent(parameter, sizes[dim], dim);
    }
    placeElements();
  }

  /// Calls visit(unit, nibble) for each position: the unit of plain storage and
  /// the nibble in it that the element there is in, or unit -1 for those
  /// outside of the tensor.
  template <typename Visit> void run(Visit visit) const {
    int64_t counts[TILERT_MAX_RANK], tile[TILERT_MAX_RANK] = {};
    for (int dim = 0; dim < rank; ++dim) {
      int64_t extent = extentOfTile(dim);
      counts[dim] = sizes[dim] / extent + (sizes[dim] % extent != 0);
      if (counts[dim] == 0)
        return;
    }
    std::vector<int> order = packing.memoryOrder(rank);
    for (;;) {
      visitTile(tile, visit);
      int place = rank - 1;
      while (place >= 0 &&
             ++tile[order[size_t(place)]] == counts[order[size_t(place)]])
        tile[order[size_t(place--)]] = 0;
      if (place < 0)
        return;
    }
  }

private:
  int64_t extentOfTile(int dim) const {
    return dim < leading ? 1 : packing.tile[size_t(dim - leading)];
  }

  void placeElements() {
    size_t dims = packing.tile.size();
    coords.assign(size_t(packing.tileElements()) * dims, 0);
    for (int64_t i = 0; i < packing.tileElements(); ++i) {
      int64_t rest = i;
      for (const Packing::Digit &digit : packing.order) {
        coords[size_t(i) * dims + size_t(digit.dim)] +=
            int32_t(rest % digit.count) * digit.stride;
        rest /= digit.count;
      }
    }
  }

  template <typename Visit>
  void visitTile(const int64_t *tile, Visit visit) const {
    int64_t base = 0;
    for (int dim = 0; dim < leading; ++dim)
      base += tile[dim] * strides[dim];
    for (size_t at = 0; at < coords.size();) {
      int64_t unit = base;
      int nibble = 0;
      bool isInside = true;
      for (int dim = leading; dim < rank; ++dim) {
        int64_t coord = tile[dim] * extentOfTile(dim) + coords[at++];
        isInside &= coord < sizes[dim];
        if (dim == pack) {
          nibble = int(coord % 2);
          coord /= 2;
        }
        unit += coord * strides[dim];
      }
      visit(isInside ? unit : -1, nibble);
    }
  }

  const Packing &packing;
  int rank, leading, pack;
  const int64_t *sizes;
  int64_t strides[TILERT_MAX_RANK] = {};
  /// Of each position, one number a dimension of the tile.
  std::vector<int32_t> coords;
};

int nibbleOf(const uint8_t *bytes, int64_t index, int nibble) {
  return bytes[index] >> (4 * nibble) & 15;
}

/// The high nibbles of the last bytes along an odd packed dimension.
void clearSpareNibbles(const Parameter &parameter, const int64_t *sizes,
                       uint8_t *plain) {
  int pack = parameter.facts.pack;
  if (sizes[pack] % 2 == 0)
    return;
  int64_t before = 1, along = sizes[pack] / 2 + 1, behind = 1;
  for (int dim = 0; dim < parameter.facts.rank; ++dim)
    (dim < pack ? before : behind) *= dim == pack ? 1 : sizes[dim];
  for (int64_t i = 0; i < before; ++i)
    for (int64_t j = 0; j < behind; ++j)
      plain[(i * along + along - 1) * behind + j] &= 15;
}

} // namespace

int64_t Packing::tileElements() const {
  int64_t elements = 1;
  for (int32_t extent : tile)
    elements *= extent;
  return elements;
}

std::vector<int> Packing::memoryOrder(int rank) const {
  int neighbours = rank - int(tile.size()) + along;
  std::vector<int> order;
  for (int dim = 0; dim < rank; ++dim)
    if (dim != neighbours)
      order.push_back(dim);
  order.push_back(neighbours);
  return order;
}

std::optional<int64_t> countTiles(const Parameter &parameter,
                                  const int64_t *sizes) {
  const Packing &packing = *parameter.packing;
  int leading = parameter.facts.rank - int(packing.tile.size());
  int64_t tiles = 1;
  for (int dim = 0; dim < parameter.facts.rank; ++dim) {
    int64_t extent = dim < leading ? 1 : packing.tile[size_t(dim - leading)];
    int64_t count = sizes[dim] / extent + (sizes[dim] % extent != 0);
    // Of an empty tensor the other extents may be anything.
    if (count == 0)
      return 0;
    if (__builtin_mul_overflow(tiles, count, &tiles))
      return std::nullopt;
  }
  return tiles;
}

bool memoryExtents(const Parameter &parameter, const int64_t *sizes,
                   int64_t *extents) {
  const Packing &packing = *parameter.packing;
  int rank = parameter.facts.rank, leading = rank - int(packing.tile.size());
  int64_t *next = extents;
  for (int dim : packing.memoryOrder(rank)) {
    int64_t extent = dim < leading ? 1 : packing.tile[size_t(dim - leading)];
    *next++ = sizes[dim] / extent + (sizes[dim] % extent != 0);
  }
  extents[rank] = packing.row;
  return !__builtin_mul_overflow(extents[rank - 1],
                                 packing.tileElements() / packing.row,
                                 &extents[rank - 1]);
}

std::optional<int64_t> packedBytes(const Parameter &parameter,
                                   const int64_t *sizes) {
  std::optional<int64_t> tiles = countTiles(parameter, sizes);
  int64_t bits = tilert_dtype_bits(parameter.facts.dtype);
  int64_t tileBytes = parameter.packing->tileElements() * bits / 8, bytes;
  if (!tiles || __builtin_mul_overflow(*tiles, tileBytes, &bytes))
    return std::nullopt;
  return bytes;
}

void packOnHost(const Parameter &parameter, const int64_t *sizes,
                const uint8_t *plain, uint8_t *packed) {
  TileWalk walk(parameter, sizes);
  if (isFourBit(parameter.facts.dtype)) {
    // Two positions make a byte.
    int low = -1;
    walk.run([&](int64_t unit, int nibble) {
      int element = unit < 0 ? 0 : nibbleOf(plain, unit, nibble);
      if (low < 0) {
        low = element;
        return;
      }
      *packed++ = uint8_t(low | element << 4);
      low = -1;
    });
    return;
  }
  auto bytes = size_t(storageBytes(parameter.facts.dtype));
  int padding = parameter.facts.dtype == TILERT_E8M0 ? e8m0One : 0;
  walk.run([&](int64_t unit, int) {
    if (unit < 0)
      std::memset(packed, padding, bytes);
    else
      std::memcpy(packed, plain + size_t(unit) * bytes, bytes);
    packed += bytes;
  });
}

void unpackOnHost(const Parameter &parameter, const int64_t *sizes,
                  const uint8_t *packed, uint8_t *plain) {
  TileWalk walk(parameter, sizes);
  if (isFourBit(parameter.facts.dtype)) {
    // A byte whose high nibble is spare gets its low one, and 0.
    int64_t position = 0;
    walk.run([&](int64_t unit, int nibble) {
      int element = nibbleOf(packed, position / 2, int(position % 2));
      ++position;
      if (unit < 0)
        return;
      plain[unit] = uint8_t(nibble ? (plain[unit] & 15) | element << 4
                                   : (plain[unit] & 0xF0) | element);
    });
    clearSpareNibbles(parameter, sizes, plain);
    return;
  }
  auto bytes = size_t(storageBytes(parameter.facts.dtype));
  walk.run([&](int64_t unit, int) {
    if (unit >= 0)
      std::memcpy(plain + size_t(unit) * bytes, packed, bytes);
    packed += bytes;
  });
}

} // namespace tilert::detail
