//===- TransactionBarrier.cpp - mbarrier objects --------------------------===//
//
// Initialising, arriving, announcing bytes and waiting.  A thread that waits
// is parked until the phase completes, so that try_wait never fails in vain.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Finding and checking
//===----------------------------------------------------------------------===//

void Block::failTransaction(const Thread &thread, const Site &site,
                            const TransactionBarrier &barrier,
                            const llvm::Twine &message) {
  EmulationReport report;
  report.kind = EmulationErrorKind::BarrierMisuse;
  report.message = llvm::formatv("'{0}': the mbarrier at offset {1} of shared "
                                 "memory ",
                                 site.text, nameOffset(barrier.offset))
                       .str() +
                   message.str();
  report.location = site.location;
  report.thread = thread.index;
  report.notes.push_back({launch.sites[barrier.initialiser.site].location,
                          "the mbarrier is initialised here"});
  fail(std::move(report));
}

TransactionBarrier &Block::findTransaction(Thread &thread, const Site &site,
                                           uint64_t address) {
  uint32_t offset = checkSharedRange(
      thread, site, address, TransactionBarrier::bytes,
      /*alignment=*/TransactionBarrier::bytes, AccessKind::Atomic);
  auto found = transactions.find(offset);
  if (found == transactions.end() || !found->second.isValid)
    fail(thread, EmulationErrorKind::BarrierMisuse, site,
         llvm::formatv("'{0}': there is no mbarrier at offset {1} of shared "
                       "memory; it has not been initialised",
                       site.text, nameOffset(offset))
             .str());
  TransactionBarrier &barrier = found->second;
  uint32_t rank = offset / SharedArena::capacity;
  if (rank != thread.rank && hasEnded(rank))
    failTransaction(
        thread, site, barrier,
        "is that of a block which has ended; there is no barrier of "
        "the cluster behind its last use of shared memory");
  const Accessor &by = barrier.initialiser;
  if (launch.spec.options.checkRaces &&
      !ordering.isOrdered(by.thread, by.stamp, thread.index))
    failTransaction(thread, site, barrier,
                    llvm::formatv("is used without a barrier after its "
                                  "initialisation by {0}",
                                  nameThread(by.thread))
                        .str());
  return barrier;
}

unsigned Block::addSource(Thread &thread, const Site &site,
                          AsyncSource source) {
  if (sources.size() == maxSources)
    fail(thread, EmulationErrorKind::Unsupported, site,
         llvm::formatv("'{0}': the emulator follows {1} mbarriers, warpgroups "
                       "and storing threads of a block at most",
                       site.text, maxSources)
             .str());
  sources.push_back(source);
  return static_cast<unsigned>(sources.size()) - 1;
}

//===----------------------------------------------------------------------===//
// Initialising
//===----------------------------------------------------------------------===//

void Block::initTransaction(Thread &thread, const Site &site, uint64_t address,
                            uint32_t count) {
  constexpr uint32_t bytes = TransactionBarrier::bytes;
  uint32_t offset = checkSharedRange(thread, site, address, bytes,
                                     /*alignment=*/bytes, AccessKind::Store);
  if (count == 0 || count > TransactionBarrier::maxCount)
    fail(
        thread, EmulationErrorKind::BarrierMisuse, site,
        llvm::formatv("'{0}' wants {1} arrivals a phase; 1 to {2} are possible",
                      site.text, count, TransactionBarrier::maxCount)
            .str());
  auto [entry, isNew] = transactions.try_emplace(offset);
  TransactionBarrier &barrier = entry->second;
  if (barrier.isValid)
    failTransaction(thread, site, barrier,
                    "is initialised again without mbarrier.inval");
  if (isNew)
    barrier.source =
        addSource(thread, site, {AsyncSource::Transaction, offset, 0});
  if (usesShadow())
    if (const ShadowFault *fault =
            shadow.makeBarrier(offset, bytes, accessor(thread, site), ordering))
      failShadow(thread, site, *fault, AccessKind::Store, offset, bytes);
  barrier.isValid = true;
  barrier.isFenced = false;
  barrier.offset = offset;
  barrier.count = barrier.missing = count;
  barrier.announced = 0;
  barrier.phase = 0;
  barrier.initialiser = accessor(thread, site);
  barrier.completed = Knowledge();
  barrier.arrivals = Knowledge();
}

void Block::invalidateTransaction(Thread &thread, const Site &site,
                                  uint64_t address) {
  TransactionBarrier &barrier = findTransaction(thread, site, address);
  if (barrier.isAwaited() || barrier.hasWrites() || barrier.copyArrivals)
    failTransaction(thread, site, barrier,
                    "is invalidated while threads wait at it or copies are "
                    "under way");
  barrier.isValid = false;
  if (usesShadow())
    shadow.dropBarrier(barrier.offset, TransactionBarrier::bytes,
                       accessor(thread, site));
}

void Block::fenceTransactionInit(const Thread &thread) {
  for (auto &[offset, barrier] : transactions)
    if (barrier.initialiser.thread == thread.index)
      barrier.isFenced = true;
}

void Block::fenceProxy(const Thread &thread) {
  ordering.fenceProxy(thread.index);
  fenceTransactionInit(thread);
}

//===----------------------------------------------------------------------===//
// Arriving
//===----------------------------------------------------------------------===//

void Block::announceBytes(Thread &thread, const Site &site,
                          TransactionBarrier &barrier, uint32_t bytes) {
  barrier.announced += bytes;
  if (barrier.announced > TransactionBarrier::maxTransactions)
    failTransaction(thread, site, barrier,
                    llvm::formatv("would expect {0} bytes in phase {1}; at "
                                  "most {2} are possible",
                                  barrier.announced, barrier.phase,
                                  TransactionBarrier::maxTransactions)
                        .str());
}

void Block::expectTransactions(Thread &thread, const Site &site,
                               uint64_t address, uint32_t bytes) {
  TransactionBarrier &barrier = findTransaction(thread, site, address);
  announceBytes(thread, site, barrier, bytes);
  completeWhenDone(thread, site, barrier, /*isAwaited=*/false);
}

uint64_t Block::arriveAtTransaction(Thread &thread, const Site &site,
                                    uint64_t address, uint32_t arrivals,
                                    uint32_t bytes) {
  TransactionBarrier &barrier = findTransaction(thread, site, address);
  uint32_t phase = barrier.phase;
  announceBytes(thread, site, barrier, bytes);
  checkArrivals(thread, site, barrier, arrivals);
  barrier.missing -= arrivals;
  barrier.arrivals.merge(ordering.release(thread.index));
  noteProgress();
  completeWhenDone(thread, site, barrier, /*isAwaited=*/false);
  return phase;
}

/// Who waits for the phase sees the word, but nothing else that the sender did.
void Block::sendWord(Thread &thread, const Site &site, uint64_t address,
                     uint32_t word, uint32_t alignment,
                     uint64_t barrierAddress) {
  constexpr uint32_t bytes = sizeof(word);
  TransactionBarrier &barrier = findTransaction(thread, site, barrierAddress);
  uint32_t offset = checkSharedRange(thread, site, address, bytes, alignment,
                                     AccessKind::Store);
  if (offset / SharedArena::capacity != barrier.offset / SharedArena::capacity)
    failTransaction(thread, site, barrier,
                    "is in another block than the word that is sent");
  tally.counters.sharedBytesWritten += bytes;
  if (usesShadow())
    if (const ShadowFault *fault = shadow.beginAsyncWrite(
            offset, bytes, accessor(thread, site), ordering))
      failShadow(thread, site, *fault, AccessKind::Store, offset, bytes);
  std::memset(arena.at(offset), 0xFF, bytes);
  barrier.words.push_back({offset, word, site.index});
  if (!launch.spec.options.strictAsyncCopies)
    landWord(barrier, barrier.words.back());
  barrier.loadedBytes += bytes;
  noteProgress();
  completeWhenDone(thread, site, barrier, /*isAwaited=*/false);
}

void Block::checkArrivals(Thread &thread, const Site &site,
                          const TransactionBarrier &barrier,
                          uint32_t arrivals) {
  if (arrivals == 0)
    failTransaction(thread, site, barrier, "counts an arrival of 0 threads");
  if (arrivals <= barrier.openArrivals())
    return;
  failTransaction(
      thread, site, barrier,
      llvm::formatv("gets {0} arrival{1} more, but phase {2} misses only {3} "
                    "of its {4}",
                    arrivals, arrivals == 1 ? "" : "s", barrier.phase,
                    barrier.openArrivals(), barrier.count)
              .str() +
          (!barrier.hasWrites()
               ? std::string()
               : llvm::formatv("; copies of {0} bytes are still under way",
                               barrier.loadedBytes)
                     .str()));
}

void Block::arriveWithCopies(Thread &thread, const Site &site, uint64_t address,
                             bool addsArrival) {
  TransactionBarrier &barrier = findTransaction(thread, site, address);
  if (addsArrival)
    ++barrier.missing;
  checkArrivals(thread, site, barrier, 1);
  // The copies write until they are done, after any fence before now.
  Accessor writer = accessor(thread, site);
  thread.copies.takeAll(
      [&](const AsyncCopy &copy) { barrier.copies.push_back({copy, writer}); });
  ++barrier.copyArrivals;
  barrier.arrivals.merge(ordering.release(thread.index));
  noteProgress();
  completeWhenDone(thread, site, barrier, /*isAwaited=*/false);
}

//===----------------------------------------------------------------------===//
// Completing
//===----------------------------------------------------------------------===//

void Block::completeWhenDone(Thread &thread, const Site &site,
                             TransactionBarrier &barrier, bool isAwaited) {
  if (barrier.openArrivals())
    return;
  if (barrier.missingBytes() < 0)
    failTransaction(thread, site, barrier,
                    llvm::formatv("gets {0} bytes in phase {1}, which expects "
                                  "{2}",
                                  barrier.loadedBytes, barrier.phase,
                                  barrier.announced)
                        .str());
  if (barrier.missingBytes() > 0)
    return;
  bool hasCopies = barrier.hasWrites() || barrier.copyArrivals;
  if (hasCopies && launch.spec.options.strictAsyncCopies && !isAwaited &&
      !barrier.isAwaited())
    return;
  landCopies(barrier);
  barrier.completed.merge(barrier.arrivals);
  barrier.completed.joinLanes();
  barrier.arrivals = Knowledge();
  ++barrier.phase;
  barrier.missing = barrier.count;
  barrier.announced = 0;
  noteProgress();
  WarpMasks waiting = barrier.waiting;
  barrier.waiting = {};
  for (Warp &warp : warps)
    for (uint32_t lanes = waiting[warp.index]; lanes; lanes &= lanes - 1) {
      Thread &waiter = warp.thread(llvm::countr_zero(lanes));
      ordering.acquire(waiter.index, barrier.completed);
      wake(waiter);
    }
}

void Block::landWord(const TransactionBarrier &barrier,
                     const TransactionBarrier::PendingWord &sent) {
  std::memcpy(arena.at(sent.offset), &sent.word, sizeof(sent.word));
  if (usesShadow())
    shadow.finishAsyncWrite(
        sent.offset, sizeof(sent.word),
        {sourceThread(barrier.source), barrier.stamp, sent.site});
}

void Block::landCopies(TransactionBarrier &barrier) {
  bool isStrict = launch.spec.options.strictAsyncCopies;
  for (const TensorTransfer &load : barrier.loads) {
    if (isStrict)
      load.load(arena);
    if (usesShadow())
      shadow.landProxyWrite(load.offset, load.sharedBytes());
  }
  if (isStrict)
    for (const TransactionBarrier::PendingWord &sent : barrier.words)
      landWord(barrier, sent);
  if (barrier.hasWrites()) {
    barrier.completed.upTo[maxWarps + barrier.source] = barrier.stamp;
    sources[barrier.source].finished = barrier.stamp++;
  }
  for (const TransactionBarrier::PendingCopy &pending : barrier.copies)
    finishAsyncCopy(pending.copy, pending.writer);
  barrier.loads.clear();
  barrier.words.clear();
  barrier.loadedBytes = 0;
  barrier.copies.clear();
  barrier.copyArrivals = 0;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Block::waitAtTransaction(Thread &thread, const Site &site,
                              uint64_t address, uint32_t parity, bool blocks) {
  TransactionBarrier &barrier = findTransaction(thread, site, address);
  auto isOver = [&] { return (barrier.phase & 1) != (parity & 1); };
  if (!isOver())
    completeWhenDone(thread, site, barrier, /*isAwaited=*/true);
  if (isOver()) {
    ordering.acquire(thread.index, barrier.completed);
    return true;
  }
  if (!blocks) {
    poll(thread, site);
    return false;
  }
  barrier.waiting[thread.warp->index] |= 1u << thread.lane;
  park(thread, {Wait::Transaction, &site, barrier.offset});
  return true;
}

std::string Block::describeTransaction(uint32_t offset) const {
  const TransactionBarrier &barrier = transactions.find(offset)->second;
  return llvm::formatv("the mbarrier at offset {0} of shared memory for phase "
                       "{1} (parity {2}), which misses {3} of {4} arrivals and "
                       "{5} bytes",
                       nameOffset(offset), barrier.phase, barrier.phase & 1,
                       barrier.openArrivals(), barrier.count,
                       barrier.missingBytes());
}

std::optional<EmulationReport> Block::findUnfinishedCopy() const {
  for (const auto &[offset, barrier] : transactions) {
    if (!barrier.hasWrites())
      continue;
    const Site &site =
        launch.sites[barrier.loads.empty() ? barrier.words.front().site
                                           : barrier.loads.front().site];
    EmulationReport report;
    report.kind = EmulationErrorKind::InFlightAccess;
    report.block = blockIndex;
    report.location = site.location;
    report.message = llvm::formatv(
        "the block ends while '{0}' is still under way: nobody waited for "
        "phase {1} of the mbarrier at offset {2} of shared memory",
        site.text, barrier.phase, nameOffset(offset));
    return report;
  }
  return std::nullopt;
}
