//===- Block.cpp - A thread block on the CPU ------------------------------===//
//
// Fibers of one block: starting, waiting, waking and ending.  A thread that
// has to wait switches directly to the next ready one; the host's own context
// gets its turn when nobody is ready, which means that the block is done, has
// failed or is deadlocked.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/ErrorHandling.h"

#include <sched.h>

using namespace tilec;
using namespace tilec::emulator;

static thread_local Thread *runningThread = nullptr;

Thread &tilec::emulator::currentThread() { return *runningThread; }

Block::Block(const Launch &launch, SharedArena &arena, FiberStacks &stacks,
             Tally &tally)
    : launch(launch), arena(arena), stacks(stacks), tally(tally) {
  uint32_t count = launch.spec.threads * launch.spec.clusterSize;
  threads.resize(count);
  warps.resize((count + lanesPerWarp - 1) / lanesPerWarp);
  ready.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    threads[i].block = this;
    threads[i].warp = &warps[i / lanesPerWarp];
    threads[i].index = i;
    threads[i].lane = i % lanesPerWarp;
    threads[i].rank = i / launch.spec.threads;
    threads[i].number = i % launch.spec.threads;
  }
  for (uint32_t w = 0; w < warps.size(); ++w) {
    uint32_t lanes = std::min(count - w * lanesPerWarp, lanesPerWarp);
    warps[w].block = this;
    warps[w].index = w;
    warps[w].lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
  }
  warpgroups.resize((warps.size() + warpsPerWarpgroup - 1) / warpsPerWarpgroup);
  const EmulatorOptions &options = launch.spec.options;
  checksShadow = options.checkRaces || options.checkUninitialised ||
                 options.strictAsyncCopies;
  if (options.stepBudget)
    stepLimit = options.stepBudget;
}

void Block::reset(uint32_t index) {
  blockIndex = index;
  exitedThreads = 0;
  readyHead = readyCount = 0;
  pollsSinceProgress = 0;
  steps = 0;
  failure.reset();
  for (Thread &thread : threads) {
    thread.status = ThreadStatus::Ready;
    thread.wait = {};
    thread.copies.clear();
    thread.bulkStores.clear();
    thread.clusterPhase.reset();
    thread.hasAwaitedLaunches = false;
    thread.context = stacks.prepare(thread.index, startThread);
    ready[readyCount++] = &thread;
  }
  for (Warp &warp : warps) {
    warp.live = warp.lanes;
    warp.meetings.clear();
  }
  for (uint32_t g = 0; g < warpgroups.size(); ++g) {
    warpgroups[g] = Warpgroup();
    warpgroups[g].index = g;
  }
  barriers.assign(barriersPerBlock * getClusterSize(), BlockBarrier());
  clusterBarrier = ClusterBarrier();
  transactions.clear();
  sources.clear();
  if (launch.overlaps)
    watchLaunches();
  atomicReleases.clear();
  known.clear();
  ordering.reset(static_cast<unsigned>(threads.size()));
  size_t sharedEnd = size_t(SharedArena::capacity) * (getClusterSize() - 1) +
                     launch.sharedBytes;
  if (checksShadow)
    shadow.reset(sharedEnd, {launch.spec.options.checkRaces,
                             launch.spec.options.checkUninitialised});
  // What a GPU leaves in shared memory is anything; all ones are NaN in every
  // float type and -1 as an integer, which shows.
  for (uint32_t rank = 0; rank < getClusterSize(); ++rank)
    std::memset(arena.at(rank * SharedArena::capacity), 0xFF,
                launch.sharedBytes);
}

std::optional<EmulationReport> Block::run(uint32_t index) {
  reset(index);
  switchToNext(&mainContext);
  runningThread = nullptr;
  if (failure)
    return std::move(failure);
  if (exitedThreads != threads.size())
    return describeDeadlock();
  if (auto unfinished = findUnfinishedCopy())
    return unfinished;
  if (auto early = findBlockThatNeverWaited())
    return early;
  for (Warp &warp : warps)
    warp.bankCounter.flush(tally.wavefronts);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Block::startThread() {
  Thread &thread = currentThread();
  const Launch &launch = thread.block->launch;
  launch.entry(launch.parameters.data());
  thread.block->exitThread(thread);
}

void Block::switchToNext(void **from) {
  if (readyCount == 0) {
    tileEmulatorSwitchFiber(from, mainContext);
    return;
  }
  Thread *next = ready[readyHead];
  readyHead = readyHead + 1 == ready.size() ? 0 : readyHead + 1;
  --readyCount;
  Thread *self = runningThread;
  // A polling thread that is the only ready one goes on where it is.
  if (self == next && from == &self->context)
    return;
  runningThread = next;
  tileEmulatorSwitchFiber(from, next->context);
}

void Block::park(Thread &thread, Wait wait) {
  thread.status = ThreadStatus::Waiting;
  thread.wait = wait;
  noteProgress();
  switchToNext(&thread.context);
}

void Block::wake(Thread &thread) {
  thread.status = ThreadStatus::Ready;
  thread.wait = {};
  size_t tail = readyHead + readyCount;
  ready[tail < ready.size() ? tail : tail - ready.size()] = &thread;
  ++readyCount;
}

void Block::poll(Thread &thread, const Site &site) {
  // A thread may look at many things in turn without waiting for any, so that
  // only a great number of looks with no change in between is a deadlock.
  // Blocks on other host threads may still make the change.
  bool isAlone = launch.spec.options.hostThreads <= 1;
  uint64_t limit = uint64_t(1) << (isAlone ? 20 : 24);
  if (++pollsSinceProgress > limit)
    fail(describePollingDeadlock(thread, site));
  if (!isAlone)
    sched_yield();
  wake(thread);
  thread.wait = {Wait::Poll, &site, 0};
  switchToNext(&thread.context);
  thread.wait = {};
}

void Block::exitThread(Thread &thread) {
  checkBulkStoresDone(thread);
  thread.status = ThreadStatus::Exited;
  thread.warp->live &= ~(1u << thread.lane);
  ++exitedThreads;
  noteProgress();
  completeMeetingsWithout(thread);
  completeClusterWhenDone();
  switchToNext(&thread.context);
  llvm_unreachable("an exited thread ran again");
}

void Block::fail(const Thread &thread, EmulationErrorKind kind,
                 const Site &site, const llvm::Twine &message) {
  EmulationReport report;
  report.kind = kind;
  report.message = message.str();
  report.location = site.location;
  report.thread = thread.index;
  fail(std::move(report));
}

void Block::fail(EmulationReport &&report) {
  locate(report);
  failure = std::move(report);
  void *abandoned;
  tileEmulatorSwitchFiber(&abandoned, mainContext);
  llvm_unreachable("a failed thread ran again");
}

void Block::failBudget(const Thread &thread, const Site &site) {
  fail(thread, EmulationErrorKind::BudgetExceeded, site,
       "the block has not ended after " + llvm::Twine(stepLimit) +
           " steps; the thread stands at '" + site.text + "'");
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

void Block::locate(EmulationReport &report) const {
  report.block = blockIndex;
  if (!report.thread)
    return;
  report.block = blockIndex + threads[*report.thread].rank;
  report.thread = threads[*report.thread].number;
}

std::string Block::nameThread(uint32_t index) const {
  const Thread &thread = threads[index];
  std::string name = "thread " + std::to_string(thread.number);
  if (getClusterSize() > 1)
    name += " of block " + std::to_string(getIndex(thread));
  return name;
}

/// "thread 5" or "threads 0-31".
static std::string nameThreads(const Block &block, const Thread &first,
                               const Thread &last) {
  std::string name = &first == &last ? "thread " : "threads ";
  name += std::to_string(first.number);
  if (&first != &last)
    name += "-" + std::to_string(last.number);
  if (block.getClusterSize() > 1)
    name += " of block " + std::to_string(block.getIndex(first));
  return name;
}

void Block::addWaitingThreads(EmulationReport &report) {
  auto sameWait = [&](uint32_t a, uint32_t b) {
    const Thread &x = threads[a], &y = threads[b];
    return x.rank == y.rank && x.status == y.status &&
           x.wait.kind == y.wait.kind && x.wait.site == y.wait.site &&
           x.wait.detail == y.wait.detail;
  };
  for (uint32_t first = 0; first < threads.size();) {
    uint32_t last = first;
    while (last + 1 < threads.size() && sameWait(first, last + 1))
      ++last;
    const Thread &thread = threads[first];
    EmulationReport::Note note;
    note.message = nameThreads(*this, thread, threads[last]);
    if (thread.wait.site)
      note.location = thread.wait.site->location;
    if (thread.status == ThreadStatus::Exited) {
      note.message += last == first ? " has exited" : " have exited";
    } else if (thread.wait.kind == Wait::Barrier) {
      const BlockBarrier &barrier = barriers[thread.wait.detail];
      note.message += " at barrier " +
                      std::to_string(thread.wait.detail % barriersPerBlock) +
                      ", to which " + std::to_string(barrier.arrived) + " of " +
                      std::to_string(barrier.expected) + " threads have come";
    } else if (thread.wait.kind == Wait::Cluster) {
      uint32_t missing = 0;
      for (const Warp &warp : warps)
        missing +=
            llvm::popcount(warp.live & ~clusterBarrier.arrived[warp.index]);
      note.message += " at the barrier of the cluster, to which " +
                      std::to_string(missing) + " threads have not come";
    } else if (thread.wait.kind == Wait::Transaction) {
      note.message += " at " + describeTransaction(thread.wait.detail);
    } else if (thread.wait.site) {
      note.message += " at '" + thread.wait.site->text + "'";
      if (thread.wait.kind == Wait::Warpgroup)
        note.message += " with " +
                        std::to_string(warpgroups[thread.wait.detail].arrived) +
                        " of the 4 warps of the warpgroup";
      if (thread.wait.kind == Wait::Collective)
        note.message += " for the lanes 0x" +
                        llvm::Twine::utohexstr(thread.wait.detail).str();
    } else {
      note.message += " ready";
    }
    report.notes.push_back(std::move(note));
    first = last + 1;
  }
}

EmulationReport Block::describeDeadlock() {
  EmulationReport report;
  report.kind = EmulationErrorKind::Deadlock;
  report.message =
      "deadlock: " + std::to_string(threads.size() - exitedThreads) + " of " +
      std::to_string(threads.size()) + " threads wait for each other";
  if (exitedThreads)
    report.message =
        "deadlock: " + std::to_string(threads.size() - exitedThreads) +
        " threads wait, but " + std::to_string(exitedThreads) +
        " of the block have exited";
  for (const Thread &thread : threads) {
    if (thread.status != ThreadStatus::Waiting)
      continue;
    report.location = thread.wait.site->location;
    report.thread = thread.index;
    break;
  }
  locate(report);
  addWaitingThreads(report);
  return report;
}

EmulationReport Block::describePollingDeadlock(const Thread &thread,
                                               const Site &site) {
  EmulationReport report;
  report.kind = EmulationErrorKind::Deadlock;
  report.message = "deadlock: '" + site.text +
                   "' waits in a loop, and no thread can change what it waits "
                   "for";
  report.location = site.location;
  report.thread = thread.index;
  addWaitingThreads(report);
  return report;
}
