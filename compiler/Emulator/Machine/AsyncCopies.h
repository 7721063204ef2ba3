//===- AsyncCopies.h - Copies under way -------------------------*- C++ -*-===//
//
// The cp.async copies that one thread has issued and not yet waited for, in
// order, with the ends of the committed groups.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_ASYNCCOPIES_H
#define TILE_COMPILER_EMULATOR_MACHINE_ASYNCCOPIES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilec::emulator {

struct AsyncCopy {
  uint32_t destination; ///< offset in shared memory
  uint32_t bytes;       ///< written: 4, 8 or 16
  uint64_t source;      ///< global address
  uint32_t sourceBytes; ///< read; the rest is filled with zeros
  uint32_t site;
};

class AsyncCopies {
public:
  void clear() {
    copies.clear();
    groupEnds.clear();
  }
  void issue(const AsyncCopy &copy) { copies.push_back(copy); }
  void commitGroup() { groupEnds.push_back(copies.size()); }

  /// Hands the copies of all but the last `groupsLeft` groups to `finish`.
  template <typename Finish> void wait(size_t groupsLeft, Finish finish) {
    if (groupEnds.size() <= groupsLeft)
      return;
    size_t groups = groupEnds.size() - groupsLeft;
    size_t end = groupEnds[groups - 1];
    for (size_t i = 0; i < end; ++i)
      finish(copies[i]);
    copies.erase(copies.begin(), copies.begin() + end);
    groupEnds.erase(groupEnds.begin(), groupEnds.begin() + groups);
    for (size_t &groupEnd : groupEnds)
      groupEnd -= end;
  }

  /// Hands all copies to `take`; the groups are then empty.
  template <typename Take> void takeAll(Take take) {
    for (const AsyncCopy &copy : copies)
      take(copy);
    copies.clear();
    for (size_t &groupEnd : groupEnds)
      groupEnd = 0;
  }

private:
  std::vector<AsyncCopy> copies;
  std::vector<size_t> groupEnds;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_ASYNCCOPIES_H
