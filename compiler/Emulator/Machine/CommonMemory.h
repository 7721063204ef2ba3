//===- CommonMemory.h - Memory that blocks hand data through ----*- C++ -*-===//
//
// Blocks run in no order, so that one may read what another has written only
// if an atomic operation of the writer released it, beyond its block, and one
// of the reader acquired that.  For memory that is said to be common this is
// checked: beside it stands who wrote and who read each four bytes last, and
// what each block knows of others.  That blocks run one after another here
// orders nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_COMMONMEMORY_H
#define TILE_COMPILER_EMULATOR_MACHINE_COMMONMEMORY_H

#include "compiler/Emulator/Machine/ShadowMemory.h"
#include "compiler/Emulator/Machine/Site.h"

#include <deque>
#include <map>
#include <mutex>

namespace tilec::emulator {

/// An access of a thread, in whichever block.
struct CommonAccess {
  /// That which orders the threads; the first one of a cluster.
  uint32_t block;
  Accessor by;
};

/// Why an access is wrong.
struct CommonFault {
  EmulationErrorKind kind;
  uint64_t offset;
  bool earlierIsRead = false;
  CommonAccess earlier{};
};

class CommonMemory {
  /// What a block has done, for those who acquire it.
  struct Release {
    uint32_t block;
    Knowledge known;
  };

public:
  /// The first `written` of its bytes hold something before the launch.
  CommonMemory(uint64_t bytes, uint64_t written);

  /// What a block has learned of others.
  struct Acquired {
    Accessor by;
    /// The first `count` releases at an address.
    const std::deque<Release> *releases;
    size_t count;
  };
  using Known = std::vector<Acquired>;

  /// Checks and notes an access; null when all is well.
  std::optional<CommonFault> access(AccessKind kind, uint64_t offset,
                                    uint64_t bytes, CommonAccess access,
                                    const Ordering &ordering,
                                    const Known &known, ShadowChecks checks);

  /// In front of an atomic operation of `access`, seen beyond its block.  Other
  /// host threads may be at the same place: who sees what it wrote finds this.
  void release(uint64_t offset, CommonAccess access, Ordering &ordering,
               const Known &known);
  /// Behind one.
  void acquire(uint64_t offset, CommonAccess access, Known &known);

private:
  struct Cell {
    CommonAccess writer{none, {}}, reader{none, {}};
    bool isAtomic = false;
  };
  static constexpr uint32_t none = ~0u;
  static constexpr uint64_t cellBytes = 4;

  static bool isOver(const CommonAccess &earlier, const CommonAccess &access,
                     const Ordering &ordering, const Known &known);

  std::mutex mutex;
  uint64_t written;
  std::vector<Cell> cells;
  std::map<uint64_t, std::deque<Release>> released;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_COMMONMEMORY_H
