//===- ShadowMemory.cpp - What is known of each shared byte ---------------===//
//
// The rules, for each byte:
//   read    the last write must be over for the reader;
//   write   the last write and all reads since must be over for the writer;
//   atomic  like a write (or, for a load, a read), but two atomics may meet.
// A read is forgotten once a later read is ordered after it: whoever is
// ordered after the later one is ordered after both.  The same holds for
// atomic operations.  A source never forgets others' reads: it is not known
// what it is ordered after.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/ShadowMemory.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace tilec;
using namespace tilec::emulator;

static constexpr size_t granuleBytes = 4;

void ShadowMemory::reset(size_t bytes, ShadowChecks newChecks) {
  Cell fresh;
  std::memset(static_cast<void *>(&fresh), 0, sizeof fresh);
  fresh.writeThread = noThread;
  fresh.state = Uninitialised;
  cells.assign((bytes + granuleBytes - 1) / granuleBytes, fresh);
  overflow.clear();
  checks = newChecks;
}

template <typename Visitor>
const ShadowFault *ShadowMemory::visit(size_t offset, size_t bytes,
                                       Visitor visitor) {
  size_t end = offset + bytes;
  while (offset < end) {
    size_t granule = offset / granuleBytes;
    size_t next = std::min(end, (granule + 1) * granuleBytes);
    bool isWhole = next - offset == granuleBytes;
    if (isWhole && !cells[granule].split) {
      if (!visitor(cells[granule], offset))
        return &fault;
      offset = next;
      continue;
    }
    if (!cells[granule].split)
      splitCell(granule);
    for (; offset < next; ++offset)
      if (!visitor(byteCells[offset], offset))
        return &fault;
  }
  return nullptr;
}

void ShadowMemory::splitCell(size_t granule) {
  if (byteCells.size() < cells.size() * granuleBytes)
    byteCells.resize(cells.size() * granuleBytes);
  Cell &cell = cells[granule];
  for (size_t i = 0; i < granuleBytes; ++i) {
    Cell &byte = byteCells[granule * granuleBytes + i];
    byte = cell;
    if (cell.overflowList) {
      overflow.push_back(overflow[cell.overflowList - 1]);
      byte.overflowList = static_cast<uint32_t>(overflow.size());
    }
  }
  cell.split = true;
}

//===----------------------------------------------------------------------===//
// Checks of one cell
//===----------------------------------------------------------------------===//

bool ShadowMemory::checkTouchable(const Cell &cell, size_t offset) {
  if (cell.state != InFlight && cell.state != Barrier)
    return true;
  fault = {cell.state == InFlight ? EmulationErrorKind::InFlightAccess
                                  : EmulationErrorKind::BarrierMisuse,
           static_cast<uint32_t>(offset),
           /*earlierIsRead=*/false,
           Accessor{cell.writeThread, cell.writeStamp, cell.writeSite}};
  return false;
}

/// Ordinary writes are seen by the async proxy behind a fence only.
bool ShadowMemory::checkFenced(const Cell &cell, size_t offset, uint32_t thread,
                               const Ordering &ordering) {
  if (cell.writeThread == noThread || isSource(cell.writeThread) ||
      ordering.isFenced(cell.writeThread, cell.writeStamp, thread))
    return true;
  fault = {EmulationErrorKind::MissingFence, static_cast<uint32_t>(offset),
           /*earlierIsRead=*/false,
           Accessor{cell.writeThread, cell.writeStamp, cell.writeSite}};
  return false;
}

bool ShadowMemory::checkWriteOver(const Cell &cell, size_t offset, Accessor by,
                                  const Ordering &ordering) {
  if (cell.writeThread == noThread ||
      ordering.isOrdered(cell.writeThread, cell.writeStamp, by.thread))
    return true;
  fault = {EmulationErrorKind::Race, static_cast<uint32_t>(offset),
           /*earlierIsRead=*/false,
           Accessor{cell.writeThread, cell.writeStamp, cell.writeSite}};
  return false;
}

bool ShadowMemory::isOver(const Mark &mark, uint32_t thread,
                          const Ordering &ordering, uint32_t &pendingThread) {
  uint32_t first = mark.warp * lanesPerWarp;
  for (uint32_t lanes = mark.lanes; lanes; lanes &= lanes - 1) {
    pendingThread = first + llvm::countr_zero(lanes);
    if (!ordering.isOrdered(pendingThread, mark.stamp, thread))
      return false;
  }
  return true;
}

bool ShadowMemory::checkMarksOver(const Cell &cell, size_t offset, Accessor by,
                                  Marks which, const Ordering &ordering) {
  auto check = [&](const Mark &mark) {
    uint32_t pending = 0;
    if (which != Marks::All && mark.isAtomic != (which == Marks::Atomics))
      return true;
    if (isOver(mark, by.thread, ordering, pending))
      return true;
    fault = {EmulationErrorKind::Race, static_cast<uint32_t>(offset),
             /*earlierIsRead=*/!mark.isAtomic,
             Accessor{pending, mark.stamp, mark.site}};
    return false;
  };
  for (uint32_t i = 0; i < cell.markCount; ++i)
    if (!check(cell.marks[i]))
      return false;
  if (cell.overflowList)
    for (const Mark &mark : overflow[cell.overflowList - 1])
      if (!check(mark))
        return false;
  return true;
}

void ShadowMemory::addMark(Cell &cell, Accessor by, bool isAtomic,
                           const Ordering &ordering) {
  auto warp = static_cast<uint16_t>(by.thread / lanesPerWarp);
  uint32_t lane = 1u << (by.thread % lanesPerWarp);
  bool bySource = isSource(by.thread);
  auto join = [&](Mark &mark) {
    if (mark.warp != warp || mark.isAtomic != isAtomic)
      return false;
    // Whoever waited for the later stamp of a source waited for the earlier.
    if (bySource)
      mark.stamp = by.stamp;
    if (mark.stamp != by.stamp)
      return false;
    mark.lanes |= lane;
    mark.site = by.site;
    return true;
  };
  cell.hasAtomics |= isAtomic;
  for (uint32_t i = 0; i < cell.markCount; ++i)
    if (join(cell.marks[i]))
      return;
  uint32_t kept = 0, pending = 0;
  for (uint32_t i = 0; i < cell.markCount; ++i)
    if (bySource || !isOver(cell.marks[i], by.thread, ordering, pending))
      cell.marks[kept++] = cell.marks[i];
  cell.markCount = kept;
  Mark mark{by.stamp, lane, by.site, warp, isAtomic};
  if (kept < std::size(cell.marks)) {
    cell.marks[cell.markCount++] = mark;
    return;
  }
  if (!cell.overflowList) {
    overflow.emplace_back();
    cell.overflowList = static_cast<uint32_t>(overflow.size());
  }
  std::vector<Mark> &list = overflow[cell.overflowList - 1];
  for (Mark &other : list)
    if (join(other))
      return;
  llvm::erase_if(list, [&](const Mark &other) {
    return !bySource && isOver(other, by.thread, ordering, pending);
  });
  list.push_back(mark);
}

bool ShadowMemory::readCell(Cell &cell, size_t offset, Accessor by,
                            const Ordering &ordering, bool unwritten) {
  if (cell.state != Valid) {
    if (!checkTouchable(cell, offset))
      return false;
    if (checks.uninitialised && !unwritten) {
      fault = {EmulationErrorKind::UninitialisedRead,
               static_cast<uint32_t>(offset)};
      return false;
    }
  }
  if (!checks.races)
    return true;
  if (!checkWriteOver(cell, offset, by, ordering))
    return false;
  if (cell.hasAtomics &&
      !checkMarksOver(cell, offset, by, Marks::Atomics, ordering))
    return false;
  // The common case, spelled out: the other lanes of the warp are reading the
  // same bytes.
  if (cell.markCount == 1 && cell.marks[0].stamp == by.stamp &&
      cell.marks[0].warp == by.thread / lanesPerWarp &&
      !cell.marks[0].isAtomic) {
    cell.marks[0].lanes |= 1u << (by.thread % lanesPerWarp);
    return true;
  }
  addMark(cell, by, /*isAtomic=*/false, ordering);
  return true;
}

bool ShadowMemory::writeCell(Cell &cell, size_t offset, Accessor by,
                             const Ordering &ordering) {
  if (!checkTouchable(cell, offset))
    return false;
  return !checks.races ||
         (checkWriteOver(cell, offset, by, ordering) &&
          checkMarksOver(cell, offset, by, Marks::All, ordering));
}

bool ShadowMemory::atomicCell(Cell &cell, size_t offset, Accessor by,
                              bool reads, bool writes,
                              const Ordering &ordering) {
  if (!checkTouchable(cell, offset))
    return false;
  if (reads && cell.state == Uninitialised && checks.uninitialised) {
    fault = {EmulationErrorKind::UninitialisedRead,
             static_cast<uint32_t>(offset)};
    return false;
  }
  if (checks.races && !checkWriteOver(cell, offset, by, ordering))
    return false;
  // An atomic load leaves no mark: an atomic store may follow it unordered.
  if (!writes)
    return true;
  cell.state = Valid;
  if (!checks.races)
    return true;
  if (!checkMarksOver(cell, offset, by, Marks::Reads, ordering))
    return false;
  addMark(cell, by, /*isAtomic=*/true, ordering);
  return true;
}

void ShadowMemory::setWriter(Cell &cell, Accessor by, State state) {
  cell.writeThread = static_cast<uint16_t>(by.thread);
  cell.writeStamp = by.stamp;
  cell.writeSite = by.site;
  cell.state = state;
  cell.hasAtomics = false;
  cell.markCount = 0;
  // The list stays with the cell, or a long loop would use up ever more.
  if (cell.overflowList)
    overflow[cell.overflowList - 1].clear();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

const ShadowFault *ShadowMemory::read(size_t offset, size_t bytes, Accessor by,
                                      const Ordering &ordering,
                                      bool unwritten) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    return readCell(cell, at, by, ordering, unwritten);
  });
}

const ShadowFault *ShadowMemory::write(size_t offset, size_t bytes, Accessor by,
                                       const Ordering &ordering) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    if (!writeCell(cell, at, by, ordering))
      return false;
    setWriter(cell, by, Valid);
    return true;
  });
}

const ShadowFault *ShadowMemory::atomic(size_t offset, size_t bytes,
                                        Accessor by, bool reads, bool writes,
                                        const Ordering &ordering) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    return atomicCell(cell, at, by, reads, writes, ordering);
  });
}

const ShadowFault *ShadowMemory::beginAsyncWrite(size_t offset, size_t bytes,
                                                 Accessor by,
                                                 const Ordering &ordering) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    if (!writeCell(cell, at, by, ordering))
      return false;
    setWriter(cell, by, InFlight);
    return true;
  });
}

void ShadowMemory::finishAsyncWrite(size_t offset, size_t bytes, Accessor by) {
  visit(offset, bytes, [&](Cell &cell, size_t) {
    by.site = cell.writeSite;
    setWriter(cell, by, Valid);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// The async proxy
//===----------------------------------------------------------------------===//

const ShadowFault *ShadowMemory::readByProxy(size_t offset, size_t bytes,
                                             ProxyReader &reader,
                                             const Ordering &ordering) {
  reader.failing = reader.threads.front();
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    if (cell.state != Valid) {
      if (!checkTouchable(cell, at))
        return false;
      if (checks.uninitialised) {
        fault = {EmulationErrorKind::UninitialisedRead,
                 static_cast<uint32_t>(at)};
        return false;
      }
    }
    if (!checks.races)
      return true;
    if (cell.writeThread != reader.checkedThread ||
        cell.writeStamp != reader.checkedStamp) {
      for (uint32_t thread : reader.threads) {
        reader.failing = thread;
        Accessor by{thread, 0, reader.source.site};
        if (!checkWriteOver(cell, at, by, ordering) ||
            !checkFenced(cell, at, thread, ordering))
          return false;
      }
      reader.checkedThread = cell.writeThread;
      reader.checkedStamp = cell.writeStamp;
    }
    addMark(cell, reader.source, /*isAtomic=*/false, ordering);
    return true;
  });
}

const ShadowFault *ShadowMemory::beginProxyWrite(size_t offset, size_t bytes,
                                                 Accessor issuer,
                                                 Accessor source,
                                                 const Ordering &ordering) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    if (!writeCell(cell, at, issuer, ordering) ||
        (checks.races && !checkFenced(cell, at, issuer.thread, ordering)))
      return false;
    setWriter(cell, source, InFlight);
    return true;
  });
}

void ShadowMemory::landProxyWrite(size_t offset, size_t bytes) {
  visit(offset, bytes, [&](Cell &cell, size_t) {
    cell.state = Valid;
    return true;
  });
}

const ShadowFault *ShadowMemory::makeBarrier(size_t offset, size_t bytes,
                                             Accessor by,
                                             const Ordering &ordering) {
  return visit(offset, bytes, [&](Cell &cell, size_t at) {
    if (!writeCell(cell, at, by, ordering))
      return false;
    setWriter(cell, by, Barrier);
    return true;
  });
}

void ShadowMemory::dropBarrier(size_t offset, size_t bytes, Accessor by) {
  visit(offset, bytes, [&](Cell &cell, size_t) {
    setWriter(cell, by, Uninitialised);
    return true;
  });
}
