//===- BufferTable.cpp - Global memory a launch may use -------------------===//
//
// A launch has a handful of buffers, so a linear search with a hint is both
// the simplest and the fastest way.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/BufferTable.h"

using namespace tilec::emulator;

int BufferTable::add(BufferRange range) {
  ranges.push_back(std::move(range));
  return static_cast<int>(ranges.size()) - 1;
}

int BufferTable::find(uint64_t address, uint64_t bytes, int hint) const {
  if (hint >= 0 && ranges[hint].writable &&
      ranges[hint].contains(address, bytes))
    return hint;
  int found = -1;
  for (int i = 0, e = static_cast<int>(ranges.size()); i < e; ++i) {
    if (!ranges[i].contains(address, bytes))
      continue;
    if (ranges[i].writable)
      return i;
    if (found < 0)
      found = i;
  }
  return found;
}

int BufferTable::findNearest(uint64_t address) const {
  int nearest = -1;
  uint64_t best = 0;
  for (int i = 0, e = static_cast<int>(ranges.size()); i < e; ++i) {
    const BufferRange &range = ranges[i];
    uint64_t distance = address < range.base
                            ? range.base - address
                            : address - (range.base + range.bytes);
    if (nearest < 0 || distance < best) {
      nearest = i;
      best = distance;
    }
  }
  return nearest;
}
