//===- MemoryAccess.cpp - Checks of loads and stores ----------------------===//
//
// Every access of the kernel comes here first, with its host address.  The
// address alone tells the space: the block's arena is shared memory, the fiber
// stacks are local memory, and all else must be a registered buffer.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

/// "load of 16 bytes", "store of 4 bytes": for sites that are not accesses
/// themselves (ldmatrix, cp.async) the instruction comes first.
static std::string describeAccess(const Site &site, AccessKind kind,
                                  uint64_t bytes) {
  const char *verb = kind == AccessKind::Load    ? "load"
                     : kind == AccessKind::Store ? "store"
                                                 : "atomic operation";
  std::string access =
      llvm::formatv("{0} of {1} byte{2}", verb, bytes, bytes == 1 ? "" : "s");
  if (dynamic_cast<const AccessSite *>(&site))
    return access;
  return "'" + site.text + "': " + access;
}

void Block::checkAccess(Thread &thread, const AccessSite &site,
                        uint64_t address, uint64_t bytes) {
  countStep(thread, site);
  if (site.polls)
    poll(thread, site);
  if (site.releases) {
    Knowledge released = ordering.release(thread.index);
    atomicReleases[address].merge(released);
  }
  if (site.acquires)
    if (auto found = atomicReleases.find(address);
        found != atomicReleases.end())
      ordering.acquire(thread.index, found->second);
  AccessTraits traits;
  traits.kind = site.kind;
  traits.alignment = site.alignment;
  traits.loads = site.loads;
  traits.stores = site.stores;
  traits.readsUnwritten = site.readsUnwritten;
  traits.parameter = site.parameter;
  accessMemory(thread, site, address, bytes, traits);
}

void Block::accessMemory(Thread &thread, const Site &site, uint64_t address,
                         uint64_t bytes, const AccessTraits &traits) {
  if (traits.kind == AccessKind::Store ||
      (traits.kind == AccessKind::Atomic && traits.stores))
    noteProgress();
  if (!arena.contains(address)) {
    if (!stacks.contains(address, bytes))
      checkGlobal(thread, site, address, bytes, traits.alignment, traits.kind,
                  traits.parameter);
    return;
  }
  uint32_t offset = checkSharedRange(thread, site, address, bytes,
                                     traits.alignment, traits.kind);
  auto size = static_cast<uint32_t>(bytes);
  if (traits.kind == AccessKind::Load)
    return readShared(thread, site, offset, size, traits.readsUnwritten);
  if (traits.kind == AccessKind::Store)
    return writeShared(thread, site, offset, size);
  tally.counters.sharedBytesRead += traits.loads ? bytes : 0;
  tally.counters.sharedBytesWritten += traits.stores ? bytes : 0;
  if (!usesShadow())
    return;
  if (const ShadowFault *fault =
          shadow.atomic(offset, size, accessor(thread, site), traits.loads,
                        traits.stores, ordering))
    failShadow(thread, site, *fault, traits.kind, offset, size);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

uint32_t Block::checkSharedRange(Thread &thread, const Site &site,
                                 uint64_t address, uint64_t bytes,
                                 uint32_t alignment, AccessKind kind) {
  uint64_t offset = address - arena.getBase();
  uint64_t local = offset / SharedArena::capacity < getClusterSize()
                       ? offset % SharedArena::capacity
                       : offset;
  if (local > launch.sharedBytes || bytes > launch.sharedBytes - local)
    fail(thread, EmulationErrorKind::OutOfBounds, site,
         llvm::formatv("{0} at offset {1} of shared memory is out of bounds: "
                       "the block has {2} bytes",
                       describeAccess(site, kind, bytes),
                       static_cast<int64_t>(local), launch.sharedBytes)
             .str());
  if (address % alignment)
    fail(thread, EmulationErrorKind::Misaligned, site,
         llvm::formatv("{0} at offset {1} of shared memory is not aligned to "
                       "{2} bytes",
                       describeAccess(site, kind, bytes), local, alignment)
             .str());
  return static_cast<uint32_t>(offset);
}

void Block::readShared(Thread &thread, const Site &site, uint32_t offset,
                       uint32_t bytes, bool unwritten) {
  tally.counters.sharedBytesRead += bytes;
  recordBanks(thread, site, offset, bytes);
  if (!usesShadow())
    return;
  if (const ShadowFault *fault = shadow.read(
          offset, bytes, accessor(thread, site), ordering, unwritten))
    failShadow(thread, site, *fault, AccessKind::Load, offset, bytes);
}

void Block::writeShared(Thread &thread, const Site &site, uint32_t offset,
                        uint32_t bytes) {
  tally.counters.sharedBytesWritten += bytes;
  recordBanks(thread, site, offset, bytes);
  if (!usesShadow())
    return;
  if (const ShadowFault *fault =
          shadow.write(offset, bytes, accessor(thread, site), ordering))
    failShadow(thread, site, *fault, AccessKind::Store, offset, bytes);
}

std::string Block::describeSource(const Accessor &access) const {
  if (!isSource(access.thread))
    return nameThread(access.thread);
  const AsyncSource &source = sources[sourceOf(access.thread)];
  switch (source.kind) {
  case AsyncSource::Transaction:
    return "a copy that signals the mbarrier at offset " +
           nameOffset(source.detail);
  case AsyncSource::BulkStore:
    return "a bulk store of " + nameThread(source.detail);
  case AsyncSource::TensorCore:
    return "a wgmma of warpgroup " + std::to_string(source.detail);
  case AsyncSource::EarlierLaunches:
    return "a launch before this one";
  }
  llvm_unreachable("all sources are described");
}

/// The words for a clash with an earlier access.
static std::string describeClash(const ShadowFault &fault,
                                 const std::string &access, uint32_t offset,
                                 const std::string &byte,
                                 const std::string &earlier, bool isUnderWay) {
  std::string touched =
      llvm::formatv("{0} at offset {1} of shared memory touches byte {2}, ",
                    access, offset, byte);
  switch (fault.kind) {
  case EmulationErrorKind::UninitialisedRead:
    return llvm::formatv("{0} at offset {1} of shared memory reads byte {2}, "
                         "which the block has not written",
                         access, offset, byte);
  case EmulationErrorKind::InFlightAccess:
    return touched + "to which " + earlier + " is still under way";
  case EmulationErrorKind::BarrierMisuse:
    return touched + "which belongs to an mbarrier";
  case EmulationErrorKind::MissingFence:
    return touched + "written by " + earlier +
           " with no fence.proxy.async in between";
  default:
    break;
  }
  if (isUnderWay)
    return touched + "which " + earlier + " may still read";
  return llvm::formatv("race on shared memory: {0} at offset {1} meets byte "
                       "{2}, {3} by {4} with no barrier in between",
                       access, offset, byte,
                       fault.earlierIsRead ? "read" : "written", earlier);
}

void Block::failShadow(const Thread &thread, const Site &site,
                       const ShadowFault &fault, AccessKind kind,
                       uint32_t offset, uint32_t bytes) {
  EmulationReport report;
  report.kind = fault.kind;
  report.location = site.location;
  report.thread = thread.index;
  const Accessor &by = fault.earlier;
  bool isBySource = isSource(by.thread);
  bool isUnderWay = fault.kind == EmulationErrorKind::Race && isBySource &&
                    by.stamp > sources[sourceOf(by.thread)].finished;
  if (isUnderWay)
    report.kind = EmulationErrorKind::InFlightAccess;
  std::string earlier = describeSource(by);
  if (fault.kind == EmulationErrorKind::InFlightAccess && !isBySource)
    earlier = "an asynchronous copy of " + earlier;
  report.message = describeClash(fault, describeAccess(site, kind, bytes),
                                 offset % SharedArena::capacity,
                                 nameOffset(fault.offset), earlier, isUnderWay);
  if (fault.kind != EmulationErrorKind::UninitialisedRead) {
    const Site &earlierSite = launch.sites[by.site];
    std::string note;
    if (fault.kind == EmulationErrorKind::InFlightAccess)
      note = "the copy is issued here; no wait has completed it";
    else if (fault.kind == EmulationErrorKind::BarrierMisuse)
      note = "the mbarrier is initialised here";
    else
      note = std::string("the byte is ") +
             (fault.earlierIsRead ? "read" : "written") + " here, by '" +
             earlierSite.text + "'";
    report.notes.push_back({earlierSite.location, std::move(note)});
  }
  fail(std::move(report));
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void Block::checkGlobal(Thread &thread, const Site &site, uint64_t address,
                        uint64_t bytes, uint32_t alignment, AccessKind kind,
                        int parameter) {
  const BufferTable &buffers = launch.buffers;
  int index = -1;
  if (parameter >= 0 &&
      parameter < static_cast<int>(launch.parameterBuffers.size()))
    index = launch.parameterBuffers[parameter];
  bool isInside = false;
  if (index >= 0) {
    isInside = buffers[index].contains(address, bytes);
  } else {
    index = buffers.find(address, bytes, lastBuffer);
    isInside = index >= 0;
    lastBuffer = index;
  }
  if (!isInside) {
    if (index < 0)
      index = buffers.findNearest(address);
    std::string access = describeAccess(site, kind, bytes);
    if (index < 0)
      fail(thread, EmulationErrorKind::OutOfBounds, site,
           access + " of global memory: the launch has no buffers");
    const BufferRange &buffer = buffers[index];
    fail(thread, EmulationErrorKind::OutOfBounds, site,
         llvm::formatv("{0} at byte {1} of '{2}' is out of bounds: the buffer "
                       "has {3} bytes",
                       access, static_cast<int64_t>(address - buffer.base),
                       buffer.name, buffer.bytes)
             .str());
  }
  const BufferRange &buffer = buffers[index];
  if (address % alignment)
    fail(thread, EmulationErrorKind::Misaligned, site,
         llvm::formatv("{0} at byte {1} of '{2}' is not aligned to {3} bytes "
                       "(address {4:x})",
                       describeAccess(site, kind, bytes), address - buffer.base,
                       buffer.name, alignment, address)
             .str());
  if (kind != AccessKind::Load && !buffer.writable)
    fail(thread, EmulationErrorKind::ReadOnlyWrite, site,
         llvm::formatv("{0} at byte {1} of '{2}', which is read-only",
                       describeAccess(site, kind, bytes), address - buffer.base,
                       buffer.name)
             .str());
  if (buffer.isUnsettled)
    checkSettled(thread, site, buffer, kind);
  if (buffer.common)
    checkCommon(thread, site, buffer, address - buffer.base, bytes, kind);
  if (kind != AccessKind::Store)
    tally.counters.globalBytesRead += bytes;
  if (kind != AccessKind::Load)
    tally.counters.globalBytesWritten += bytes;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

void Block::issueAsyncCopy(Thread &thread, const Site &site,
                           const AsyncCopy &copy) {
  tally.counters.sharedBytesWritten += copy.bytes;
  recordBanks(thread, site, copy.destination, copy.bytes);
  bool isStrict = launch.spec.options.strictAsyncCopies;
  if (isStrict) {
    if (const ShadowFault *fault = shadow.beginAsyncWrite(
            copy.destination, copy.bytes, accessor(thread, site), ordering))
      failShadow(thread, site, *fault, AccessKind::Store, copy.destination,
                 copy.bytes);
    std::memset(arena.at(copy.destination), 0xFF, copy.bytes);
    thread.copies.issue(copy);
    return;
  }
  if (usesShadow())
    if (const ShadowFault *fault = shadow.write(
            copy.destination, copy.bytes, accessor(thread, site), ordering))
      failShadow(thread, site, *fault, AccessKind::Store, copy.destination,
                 copy.bytes);
  uint8_t *destination = arena.at(copy.destination);
  std::memcpy(destination, reinterpret_cast<const void *>(copy.source),
              copy.sourceBytes);
  std::memset(destination + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

void Block::waitAsyncCopies(Thread &thread, uint32_t groupsLeft) {
  thread.copies.wait(groupsLeft, [&](const AsyncCopy &copy) {
    finishAsyncCopy(copy, {thread.index, ordering.stamp(thread.index), 0});
  });
}

void Block::finishAsyncCopy(const AsyncCopy &copy, Accessor writer) {
  uint8_t *destination = arena.at(copy.destination);
  std::memcpy(destination, reinterpret_cast<const void *>(copy.source),
              copy.sourceBytes);
  std::memset(destination + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  shadow.finishAsyncWrite(copy.destination, copy.bytes, writer);
}
