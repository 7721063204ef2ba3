//===- CommonMemory.cpp - Memory that blocks hand data through ------------===//

#include "compiler/Emulator/Machine/CommonMemory.h"
#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

CommonMemory::CommonMemory(uint64_t bytes, uint64_t written)
    : written(written), cells((bytes + cellBytes - 1) / cellBytes) {}

/// Whether `access` comes behind an earlier one.
bool CommonMemory::isOver(const CommonAccess &earlier,
                          const CommonAccess &access, const Ordering &ordering,
                          const Known &known) {
  if (earlier.block == access.block)
    return ordering.isOrdered(earlier.by.thread, earlier.by.stamp,
                              access.by.thread);
  return llvm::any_of(known, [&](const Acquired &acquired) {
    return ordering.isOrdered(acquired.by.thread, acquired.by.stamp,
                              access.by.thread) &&
           std::any_of(acquired.releases->begin(),
                       acquired.releases->begin() + ptrdiff_t(acquired.count),
                       [&](const Release &release) {
                         return release.block == earlier.block &&
                                release.known.covers(earlier.by.thread,
                                                     earlier.by.stamp);
                       });
  });
}

std::optional<CommonFault>
CommonMemory::access(AccessKind kind, uint64_t offset, uint64_t bytes,
                     CommonAccess access, const Ordering &ordering,
                     const Known &known, ShadowChecks checks) {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<CommonAccess> checked;
  for (uint64_t at = offset / cellBytes; at * cellBytes < offset + bytes;
       ++at) {
    Cell &cell = cells[at];
    uint64_t place = std::max(offset, at * cellBytes);
    bool isWritten = cell.writer.block != none;
    if (kind != AccessKind::Store && !isWritten && place >= written &&
        checks.uninitialised)
      return CommonFault{EmulationErrorKind::UninitialisedRead, place};
    auto clashes = [&](const CommonAccess &earlier) {
      return checks.races && !isOver(earlier, access, ordering, known);
    };
    // Neighbours mostly have the same writer.
    bool isSame = checked && checked->block == cell.writer.block &&
                  checked->by.thread == cell.writer.by.thread &&
                  checked->by.stamp == cell.writer.by.stamp;
    bool meetsAtomic = kind == AccessKind::Atomic && cell.isAtomic;
    if (isWritten && !meetsAtomic && !isSame) {
      if (clashes(cell.writer))
        return CommonFault{EmulationErrorKind::Race, place, false, cell.writer};
      checked = cell.writer;
    }
    if (kind == AccessKind::Load) {
      cell.reader = access;
      continue;
    }
    if (cell.reader.block != none && clashes(cell.reader))
      return CommonFault{EmulationErrorKind::Race, place, true, cell.reader};
    cell.writer = access;
    cell.isAtomic = kind == AccessKind::Atomic;
  }
  return std::nullopt;
}

void CommonMemory::release(uint64_t offset, CommonAccess access,
                           Ordering &ordering, const Known &known) {
  std::lock_guard<std::mutex> lock(mutex);
  std::deque<Release> &all = released[offset];
  // What it has acquired elsewhere it hands on.
  for (const Acquired &acquired : known)
    if (acquired.releases != &all &&
        ordering.isOrdered(acquired.by.thread, acquired.by.stamp,
                           access.by.thread))
      all.insert(all.end(), acquired.releases->begin(),
                 acquired.releases->begin() + ptrdiff_t(acquired.count));
  all.push_back({access.block, ordering.release(access.by.thread)});
}

void CommonMemory::acquire(uint64_t offset, CommonAccess access, Known &known) {
  std::lock_guard<std::mutex> lock(mutex);
  std::deque<Release> &all = released[offset];
  known.push_back({access.by, &all, all.size()});
}

void Block::checkCommon(Thread &thread, const Site &site,
                        const BufferRange &buffer, uint64_t offset,
                        uint64_t bytes, AccessKind kind) {
  const EmulatorOptions &options = launch.spec.options;
  CommonAccess access{blockIndex, accessor(thread, site)};
  std::optional<CommonFault> fault =
      buffer.common->access(kind, offset, bytes, access, ordering, known,
                            {options.checkRaces, options.checkUninitialised});
  if (fault)
    failCommon(thread, site, buffer, *fault);
}

/// The common memory at an address; null if it is none.
static const BufferRange *findCommon(const Launch &launch, uint64_t address) {
  int index = launch.buffers.find(address, 1);
  return index >= 0 && launch.buffers[index].common ? &launch.buffers[index]
                                                    : nullptr;
}

void Block::releaseToBlocks(Thread &thread, const Site &site,
                            uint64_t address) {
  atomicReleases[address].merge(ordering.release(thread.index));
  if (const BufferRange *buffer = findCommon(launch, address))
    buffer->common->release(address - buffer->base,
                            {blockIndex, accessor(thread, site)}, ordering,
                            known);
}

void Block::acquireFromBlocks(Thread &thread, const Site &site,
                              uint64_t address) {
  ordering.acquire(thread.index, atomicReleases[address]);
  if (const BufferRange *buffer = findCommon(launch, address))
    buffer->common->acquire(address - buffer->base,
                            {blockIndex, accessor(thread, site)}, known);
}

void Block::failCommon(const Thread &thread, const Site &site,
                       const BufferRange &buffer, const CommonFault &fault) {
  EmulationReport report;
  report.kind = fault.kind;
  report.location = site.location;
  report.thread = thread.index;
  if (fault.kind == EmulationErrorKind::UninitialisedRead) {
    report.message =
        llvm::formatv("{0} of byte {1} of '{2}', which no block has written",
                      site.text, fault.offset, buffer.name)
            .str();
    fail(std::move(report));
  }
  const CommonAccess &earlier = fault.earlier;
  const Site &earlierSite = launch.sites[earlier.by.site];
  const char *done = fault.earlierIsRead ? "read" : "written";
  report.message =
      llvm::formatv("race on '{0}': {1} meets byte {2}, {3} by thread {4} of "
                    "block {5}, with nothing that this thread has acquired in "
                    "between",
                    buffer.name, site.text, fault.offset, done,
                    earlier.by.thread % getThreadCount(),
                    earlier.block + earlier.by.thread / getThreadCount())
          .str();
  report.notes.push_back({earlierSite.location, std::string("the byte is ") +
                                                    done + " here, by '" +
                                                    earlierSite.text + "'"});
  fail(std::move(report));
}
