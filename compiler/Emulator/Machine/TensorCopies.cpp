//===- TensorCopies.cpp - Tensor copies of a block ------------------------===//
//
// Loads signal an mbarrier and land with its phase; stores belong to groups of
// their thread.  In the strict mode a store reads shared memory when its
// thread waits for that, so that whoever overwrites the source too early is
// found (the read is noted when the store is issued).
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

/// What the hardware wants of shared addresses.
static constexpr uint32_t boxAlignment = 128;

uint32_t Block::checkBox(Thread &thread, const Site &site,
                         const TensorTransfer &transfer, uint64_t address,
                         AccessKind sharedKind) {
  AccessKind globalKind =
      sharedKind == AccessKind::Store ? AccessKind::Load : AccessKind::Store;
  transfer.forEachRow([&](const TensorTransfer::Row &row) {
    if (row.last > row.first)
      checkGlobal(thread, site, row.address, row.last - row.first,
                  /*alignment=*/1, globalKind);
  });
  return checkSharedRange(thread, site, address, transfer.sharedBytes(),
                          boxAlignment, sharedKind);
}

void Block::issueTensorLoad(Thread &thread, const Site &site,
                            TensorTransfer transfer, uint64_t destination,
                            uint64_t barrierAddress) {
  TransactionBarrier &barrier = findTransaction(thread, site, barrierAddress);
  if (!barrier.isFenced)
    failTransaction(thread, site, barrier,
                    "is signalled by a copy, which may not see it: there is no "
                    "fence.mbarrier_init or fence.proxy.async after its "
                    "initialisation");
  transfer.offset =
      checkBox(thread, site, transfer, destination, AccessKind::Store);
  uint32_t bytes = transfer.sharedBytes();
  tally.counters.sharedBytesWritten += transfer.boxBytes();
  if (usesShadow())
    if (const ShadowFault *fault = shadow.beginProxyWrite(
            transfer.offset, bytes, accessor(thread, site),
            {sourceThread(barrier.source), barrier.stamp, site.index},
            ordering))
      failShadow(thread, site, *fault, AccessKind::Store, transfer.offset,
                 bytes);
  if (launch.spec.options.strictAsyncCopies) {
    std::memset(arena.at(transfer.offset), 0xFF, bytes);
  } else {
    transfer.load(arena);
    if (usesShadow())
      shadow.landProxyWrite(transfer.offset, bytes);
  }
  barrier.loads.push_back(transfer);
  barrier.loadedBytes += transfer.boxBytes();
  noteProgress();
  completeWhenDone(thread, site, barrier, /*isAwaited=*/false);
}

void Block::issueTensorStore(Thread &thread, const Site &site,
                             TensorTransfer transfer, uint64_t source) {
  transfer.offset = checkBox(thread, site, transfer, source, AccessKind::Load);
  uint32_t bytes = transfer.boxBytes();
  tally.counters.sharedBytesRead += bytes;
  BulkStores &bulk = thread.bulkStores;
  ProxyReader reader;
  reader.threads = {thread.index};
  reader.source = accessor(thread, site);
  bool isStrict = launch.spec.options.strictAsyncCopies;
  if (isStrict) {
    if (bulk.source == BulkStores::noSource)
      bulk.source =
          addSource(thread, site, {AsyncSource::BulkStore, thread.index, 0});
    reader.source = {sourceThread(bulk.source), bulk.openStamp(), site.index};
  }
  if (usesShadow())
    if (const ShadowFault *fault = shadow.readByProxy(
            transfer.offset, transfer.sharedBytes(), reader, ordering))
      failShadow(thread, site, *fault, AccessKind::Load, transfer.offset,
                 bytes);
  if (isStrict)
    bulk.stores.push_back(transfer);
  else
    transfer.store(arena);
  noteProgress();
}

void Block::commitBulkStores(Thread &thread) {
  thread.bulkStores.groupEnds.push_back(thread.bulkStores.stores.size());
}

void Block::waitBulkStores(Thread &thread, uint32_t groupsLeft) {
  BulkStores &bulk = thread.bulkStores;
  if (bulk.groupEnds.size() <= groupsLeft)
    return;
  size_t groups = bulk.groupEnds.size() - groupsLeft;
  size_t end = bulk.groupEnds[groups - 1];
  for (size_t i = 0; i < end; ++i)
    bulk.stores[i].store(arena);
  bulk.stores.erase(bulk.stores.begin(), bulk.stores.begin() + end);
  bulk.groupEnds.erase(bulk.groupEnds.begin(), bulk.groupEnds.begin() + groups);
  for (size_t &groupEnd : bulk.groupEnds)
    groupEnd -= end;
  bulk.finishedGroups += static_cast<uint32_t>(groups);
  if (bulk.source == BulkStores::noSource)
    return;
  sources[bulk.source].finished = bulk.finishedGroups;
  Knowledge finished;
  finished.upTo[maxWarps + bulk.source] = bulk.finishedGroups;
  ordering.acquire(thread.index, finished);
}

void Block::checkBulkStoresDone(const Thread &thread) {
  const BulkStores &bulk = thread.bulkStores;
  if (bulk.stores.empty())
    return;
  const Site &site = launch.sites[bulk.stores.front().site];
  fail(thread, EmulationErrorKind::InFlightAccess, site,
       llvm::formatv("the thread exits while '{0}' may still read shared "
                     "memory: it has not waited for the group of the store",
                     site.text)
           .str());
}
