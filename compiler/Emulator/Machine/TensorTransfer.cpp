//===- TensorTransfer.cpp - Boxes between global and shared memory --------===//
//
// Rows are moved in the 16-byte chunks that the swizzle permutes.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/TensorTransfer.h"

#include "compiler/Emulator/Machine/SharedArena.h"
#include "compiler/Emulator/Machine/Swizzle.h"

#include <algorithm>
#include <cstring>

using namespace tilec::emulator;

static constexpr uint32_t chunkBytes = 16;

uint32_t TensorTransfer::sharedBytes() const {
  uint32_t bytes = boxBytes();
  uint32_t line = std::max<uint32_t>(map->swizzle, 1);
  return (bytes + line - 1) / line * line;
}

TensorTransfer::Row TensorTransfer::locateRow(uint32_t number) const {
  Row row{number * rowBytes(), 0, 0, map->address};
  bool isInside = true;
  for (unsigned d = 1; d < map->rank; ++d) {
    int64_t at = int64_t(coordinates[d]) + number % map->box[d];
    number /= map->box[d];
    isInside &= at >= 0 && static_cast<uint64_t>(at) < map->extents[d];
    row.address += static_cast<uint64_t>(at) * map->strides[d - 1];
  }
  if (!isInside)
    return row;
  int64_t start = coordinates[0];
  int64_t first = std::clamp<int64_t>(-start, 0, map->box[0]);
  int64_t last = std::clamp<int64_t>(
      static_cast<int64_t>(map->extents[0]) - start, first, map->box[0]);
  row.first = static_cast<uint32_t>(first) * map->elementBytes;
  row.last = static_cast<uint32_t>(last) * map->elementBytes;
  row.address += static_cast<uint64_t>(start + first) * map->elementBytes;
  return row;
}

/// Calls `move` with the shared address of each chunk of a row and the part of
/// it that the tensor has.
template <typename Move>
static void forEachChunk(const TensorTransfer &transfer,
                         const TensorTransfer::Row &row,
                         const SharedArena &arena, Move move) {
  for (uint32_t at = 0; at < transfer.rowBytes(); at += chunkBytes) {
    uint32_t offset = swizzleAddress(transfer.offset + row.position + at,
                                     transfer.map->swizzle);
    uint32_t first = std::clamp(row.first, at, at + chunkBytes);
    uint32_t last = std::clamp(row.last, first, at + chunkBytes);
    uint64_t address = row.address + (first - row.first);
    move(arena.at(offset), first - at, last - first, address);
  }
}

void TensorTransfer::load(const SharedArena &arena) const {
  forEachRow([&](const Row &row) {
    forEachChunk(
        *this, row, arena,
        [](uint8_t *chunk, uint32_t skip, uint32_t bytes, uint64_t address) {
          if (bytes < chunkBytes)
            std::memset(chunk, 0, chunkBytes);
          if (bytes)
            std::memcpy(chunk + skip, reinterpret_cast<const void *>(address),
                        bytes);
        });
  });
}

void TensorTransfer::store(const SharedArena &arena) const {
  forEachRow([&](const Row &row) {
    forEachChunk(
        *this, row, arena,
        [](uint8_t *chunk, uint32_t skip, uint32_t bytes, uint64_t address) {
          if (bytes)
            std::memcpy(reinterpret_cast<void *>(address), chunk + skip, bytes);
        });
  });
}
