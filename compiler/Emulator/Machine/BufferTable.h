//===- BufferTable.h - Global memory a launch may use -----------*- C++ -*-===//
//
// Every global access must lie within one registered buffer.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_BUFFERTABLE_H
#define TILE_COMPILER_EMULATOR_MACHINE_BUFFERTABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tilec::emulator {

class CommonMemory;

struct BufferRange {
  std::string name;
  uint64_t base = 0;
  uint64_t bytes = 0;
  bool writable = true;
  /// What checks it where blocks have it in common.
  CommonMemory *common = nullptr;
  /// Launches before may still use it until the kernel has waited for them.
  bool isUnsettled = false;

  bool contains(uint64_t address, uint64_t size) const {
    uint64_t offset = address - base;
    return offset <= bytes && size <= bytes - offset;
  }
};

class BufferTable {
public:
  /// Returns the index of the buffer, valid for good.
  int add(BufferRange range);

  const BufferRange &operator[](int index) const { return ranges[index]; }
  bool empty() const { return ranges.empty(); }

  /// Index of a buffer that contains the bytes, or -1.  Of several, one that
  /// is writable is preferred.  `hint` is an index tried first.
  int find(uint64_t address, uint64_t bytes, int hint = -1) const;

  /// Index of the buffer nearest to an address that lies in none, or -1.
  int findNearest(uint64_t address) const;

private:
  std::vector<BufferRange> ranges;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_BUFFERTABLE_H
