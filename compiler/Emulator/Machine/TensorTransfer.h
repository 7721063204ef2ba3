//===- TensorTransfer.h - Boxes between global and shared memory *- C++ -*-===//
//
// One tensor copy: a box of a tensor map on one side, swizzled lines of shared
// memory on the other.  Elements outside of the tensor read as zeros and are
// not written.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_TENSORTRANSFER_H
#define TILE_COMPILER_EMULATOR_MACHINE_TENSORTRANSFER_H

#include "compiler/Emulator/TensorMap.h"

#include <array>
#include <vector>

namespace tilec::emulator {

class SharedArena;

struct TensorTransfer {
  const EmulatedTensorMap *map = nullptr;
  std::array<int32_t, EmulatedTensorMap::maxRank> coordinates{};
  /// Offset of the box in shared memory.
  uint32_t offset = 0;
  uint32_t site = 0;

  uint32_t rowBytes() const { return map->box[0] * map->elementBytes; }
  /// Bytes of the whole box, those outside of the tensor included.
  uint32_t boxBytes() const;
  /// Bytes of shared memory that the box may touch: whole swizzled lines.
  uint32_t sharedBytes() const;

  /// One row of the box along the innermost dimension.
  struct Row {
    /// Where the row begins in the box.
    uint32_t position;
    /// The bytes [first, last) of it that the tensor has, and the global
    /// address of the first.
    uint32_t first;
    uint32_t last;
    uint64_t address;
  };
  template <typename Body> void forEachRow(Body body) const;

  // The copies themselves; nothing is checked.
  void load(const SharedArena &arena) const;
  void store(const SharedArena &arena) const;

private:
  Row locateRow(uint32_t number) const;
};

inline uint32_t TensorTransfer::boxBytes() const {
  uint32_t bytes = map->elementBytes;
  for (unsigned d = 0; d < map->rank; ++d)
    bytes *= map->box[d];
  return bytes;
}

template <typename Body> void TensorTransfer::forEachRow(Body body) const {
  uint32_t rows = boxBytes() / rowBytes();
  for (uint32_t number = 0; number < rows; ++number)
    body(locateRow(number));
}

/// Bulk stores of one thread, in groups as cp.async has them.
struct BulkStores {
  /// Source of the reads; assigned with the first store.
  static constexpr unsigned noSource = ~0u;
  unsigned source = noSource;
  std::vector<TensorTransfer> stores;
  std::vector<size_t> groupEnds;
  /// Groups that have been waited for; the stamp of a store is the number of
  /// its group, from 1 on.
  uint32_t finishedGroups = 0;

  uint32_t openStamp() const {
    return finishedGroups + static_cast<uint32_t>(groupEnds.size()) + 1;
  }
  void clear() {
    source = noSource;
    stores.clear();
    groupEnds.clear();
    finishedGroups = 0;
  }
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_TENSORTRANSFER_H
