//===- Block.h - A thread block on the CPU ----------------------*- C++ -*-===//
//
// The threads of one block, or of all blocks of a cluster, run as fibers on one
// host thread, each until it has to wait for others.  Waiting threads are woken
// by what they wait for, so that a block in which no thread is ready and some
// are left is deadlocked.
//
// Instruction handlers get at everything through Thread and Block.  A handler
// that finds an error calls Block::fail, which never returns: the block's
// fibers are abandoned where they stand.  For that reason nothing that owns
// memory may be alive in a handler when it waits or fails.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_BLOCK_H
#define TILE_COMPILER_EMULATOR_MACHINE_BLOCK_H

#include "compiler/Emulator/Emulator.h"
#include "compiler/Emulator/Machine/AsyncCopies.h"
#include "compiler/Emulator/Machine/BankCounter.h"
#include "compiler/Emulator/Machine/BufferTable.h"
#include "compiler/Emulator/Machine/CommonMemory.h"
#include "compiler/Emulator/Machine/Fiber.h"
#include "compiler/Emulator/Machine/ShadowMemory.h"
#include "compiler/Emulator/Machine/SharedArena.h"
#include "compiler/Emulator/Machine/Site.h"
#include "compiler/Emulator/Machine/TransactionBarrier.h"
#include "compiler/Emulator/Machine/Warpgroup.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

namespace tilec::emulator {

struct Operation;
class Block;
struct Warp;
struct WarpgroupCall;

/// The kernel as the JIT compiled it: takes a pointer to each parameter.
using KernelEntry = void (*)(const void *const *parameters);

/// What all blocks of a launch have in common.
struct Launch {
  const LaunchSpec &spec;
  const SiteTable &sites;
  KernelEntry entry = nullptr;
  /// Shared memory in front of the dynamic part.
  uint32_t staticSharedBytes = 0;
  uint32_t sharedBytes = 0;
  BufferTable buffers;
  /// Buffer of each kernel parameter, -1 for parameters that are no pointers.
  std::vector<int> parameterBuffers;
  std::vector<const void *> parameters;
  /// Of buffers that blocks have in common.
  std::deque<CommonMemory> commonMemory;
  /// The kernel may start before the launches before it have ended.
  bool overlaps = false;
};

/// How an access is made.
struct AccessTraits {
  AccessKind kind = AccessKind::Load;
  uint32_t alignment = 1;
  /// What an atomic operation does.
  bool loads = true;
  bool stores = true;
  /// The read may meet shared bytes that have not been written.
  bool readsUnwritten = false;
  /// Kernel parameter from which the address is derived, -1 if unknown.
  int parameter = -1;
};

enum class ThreadStatus : uint8_t { Ready, Waiting, Exited };

/// What a thread waits for, for the deadlock report.
struct Wait {
  enum Kind : uint8_t {
    Nothing,
    Barrier,
    Transaction,
    Cluster,
    Collective,
    Warpgroup,
    Poll
  };
  Kind kind = Nothing;
  const Site *site = nullptr;
  /// Barrier number, offset of an mbarrier, member mask, or number of a
  /// warpgroup.
  uint32_t detail = 0;
};

struct Thread {
  Block *block = nullptr;
  Warp *warp = nullptr;
  /// Number among the threads of the cluster, which are those of the block when
  /// there are no clusters.
  uint32_t index = 0;
  uint32_t lane = 0;
  /// The block in the cluster, and the number in the block.
  uint32_t rank = 0;
  uint32_t number = 0;
  /// Phase of the cluster's barrier at which the thread has arrived and not
  /// waited.
  std::optional<uint32_t> clusterPhase;
  ThreadStatus status = ThreadStatus::Ready;
  Wait wait;
  /// Saved stack pointer while another fiber runs.
  void *context = nullptr;
  AsyncCopies copies;
  BulkStores bulkStores;
  bool hasAwaitedLaunches = false;
};

/// What stands behind a source of the ordering, for reports.
struct AsyncSource {
  enum Kind : uint8_t { Transaction, BulkStore, TensorCore, EarlierLaunches };
  Kind kind;
  /// Offset of the mbarrier, the storing thread, or number of the warpgroup.
  uint32_t detail;
  /// The last stamp that anybody waited for.
  uint32_t finished;
};

/// Lanes that have come to one warp instruction and wait for the others.
struct Meeting {
  const Operation *operation = nullptr;
  uint32_t mask = 0;
  uint32_t arrived = 0;
  std::array<uint64_t *, lanesPerWarp> slots{};
};

struct Warp {
  Block *block = nullptr;
  uint32_t index = 0;
  /// Lanes that exist, and those of them that have not exited.
  uint32_t lanes = 0;
  uint32_t live = 0;
  llvm::SmallVector<Meeting, 2> meetings;
  BankCounter bankCounter;

  Thread &thread(uint32_t lane) const;
};

constexpr uint32_t barriersPerBlock = 16;

/// One of the sixteen block barriers.
struct BlockBarrier {
  uint32_t expected = 0;
  uint32_t arrived = 0;
  WarpMasks waiting{};
  Knowledge arrivals;
  /// Votes of barrier.red: threads that arrived with a true predicate.
  uint32_t votes = 0;
  llvm::SmallVector<std::pair<Thread *, uint32_t *>, 0> voters;
};

/// The barrier of a cluster, at which threads arrive and wait apart.
struct ClusterBarrier {
  uint32_t phase = 0;
  WarpMasks arrived{};
  WarpMasks waiting{};
  Knowledge arrivals;
  Knowledge completed;
};

/// Counts of one host thread, merged when it is done.
struct Tally {
  EmulatorCounters counters;
  /// Executions and wavefronts of each site.
  std::vector<uint64_t> executions;
  std::vector<Wavefronts> wavefronts;
};

class Block {
public:
  Block(const Launch &launch, SharedArena &arena, FiberStacks &stacks,
        Tally &tally);

  /// Runs block `index` of the grid and the others of its cluster, whose first
  /// it is, to their end.  Returns what went wrong.
  std::optional<EmulationReport> run(uint32_t index);

  // Facts
  const Launch &getLaunch() const { return launch; }
  uint32_t getIndex(const Thread &thread) const {
    return blockIndex + thread.rank;
  }
  /// Threads of one block.
  uint32_t getThreadCount() const { return launch.spec.threads; }
  uint32_t getClusterSize() const { return launch.spec.clusterSize; }
  uint64_t getSharedBase(uint32_t rank) const {
    return arena.getBase() + uint64_t(rank) * SharedArena::capacity;
  }
  Tally &getTally() { return tally; }
  EmulatorCounters &getCounters() { return tally.counters; }
  Ordering &getOrdering() { return ordering; }
  Thread &getThread(uint32_t index) { return threads[index]; }

  // Control flow of fibers (Block.cpp)
  /// Ends the block with an error of `thread`.
  [[noreturn]] void fail(const Thread &thread, EmulationErrorKind kind,
                         const Site &site, const llvm::Twine &message);
  [[noreturn]] void fail(EmulationReport &&report);
  /// Lets others run until somebody wakes the thread.
  void park(Thread &thread, Wait wait);
  void wake(Thread &thread);
  /// Lets others run once; the thread looks again afterwards.
  void poll(Thread &thread, const Site &site);
  /// Something changed that a polling thread may wait for.
  void noteProgress() { pollsSinceProgress = 0; }
  /// Counts a step against the budget.
  void countStep(Thread &thread, const Site &site) {
    if (++steps > stepLimit)
      failBudget(thread, site);
  }
  /// The current thread is done; never returns.
  [[noreturn]] void exitThread(Thread &thread);

  // Memory (MemoryAccess.cpp)
  /// Before a load, store or atomic operation of the IR.
  void checkAccess(Thread &thread, const AccessSite &site, uint64_t address,
                   uint64_t bytes);
  /// The same without the waiting and ordering of atomics.
  void accessMemory(Thread &thread, const Site &site, uint64_t address,
                    uint64_t bytes, const AccessTraits &traits);
  /// Checks bounds and alignment, returns the offset in shared memory.
  uint32_t checkSharedRange(Thread &thread, const Site &site, uint64_t address,
                            uint64_t bytes, uint32_t alignment,
                            AccessKind kind);
  void readShared(Thread &thread, const Site &site, uint32_t offset,
                  uint32_t bytes, bool unwritten = false);
  void writeShared(Thread &thread, const Site &site, uint32_t offset,
                   uint32_t bytes);
  /// The same for memory that blocks have in common (CommonMemory.cpp).
  void checkCommon(Thread &thread, const Site &site, const BufferRange &buffer,
                   uint64_t offset, uint64_t bytes, AccessKind kind);
  /// In front of an atomic operation that orders what is seen by other blocks,
  /// and behind one.
  void releaseToBlocks(Thread &thread, const Site &site, uint64_t address);
  void acquireFromBlocks(Thread &thread, const Site &site, uint64_t address);
  void checkGlobal(Thread &thread, const Site &site, uint64_t address,
                   uint64_t bytes, uint32_t alignment, AccessKind kind,
                   int parameter = -1);
  /// Address on the host of an offset in shared memory.
  uint8_t *sharedAt(uint32_t offset) { return arena.at(offset); }
  bool isShared(uint64_t address) const { return arena.contains(address); }
  bool isLocal(uint64_t address, uint64_t bytes) const {
    return stacks.contains(address, bytes);
  }
  /// Notes an access of one lane for the bank conflict count.
  void recordBanks(Thread &thread, const Site &site, uint32_t offset,
                   uint32_t bytes) {
    if (launch.spec.options.countBankConflicts)
      thread.warp->bankCounter.record(site.index, thread.lane, offset, bytes);
  }

  // Asynchronous copies (MemoryAccess.cpp)
  void issueAsyncCopy(Thread &thread, const Site &site, const AsyncCopy &copy);
  void waitAsyncCopies(Thread &thread, uint32_t groupsLeft);

  // mbarriers (TransactionBarrier.cpp)
  void initTransaction(Thread &thread, const Site &site, uint64_t address,
                       uint32_t count);
  void invalidateTransaction(Thread &thread, const Site &site,
                             uint64_t address);
  /// Stores a word in any block of the cluster, at a multiple of `alignment`,
  /// and counts its bytes at an mbarrier there.
  void sendWord(Thread &thread, const Site &site, uint64_t address,
                uint32_t word, uint32_t alignment, uint64_t barrierAddress);
  void expectTransactions(Thread &thread, const Site &site, uint64_t address,
                          uint32_t bytes);
  /// Announces `bytes` and arrives; returns the number of the phase.
  uint64_t arriveAtTransaction(Thread &thread, const Site &site,
                               uint64_t address, uint32_t arrivals,
                               uint32_t bytes);
  /// Arrives once the thread's copies so far are done.
  void arriveWithCopies(Thread &thread, const Site &site, uint64_t address,
                        bool addsArrival);
  /// Waits for the phase of that parity, or only looks.
  bool waitAtTransaction(Thread &thread, const Site &site, uint64_t address,
                         uint32_t parity, bool blocks);
  /// Copies may signal the mbarriers that the thread has initialised.
  void fenceTransactionInit(const Thread &thread);
  /// The same, and they see what the thread knows to be written.
  void fenceProxy(const Thread &thread);

  // Tensor copies (TensorCopies.cpp); offsets and sites are filled in here
  void issueTensorLoad(Thread &thread, const Site &site,
                       TensorTransfer transfer, uint64_t destination,
                       uint64_t barrierAddress);
  void issueTensorStore(Thread &thread, const Site &site,
                        TensorTransfer transfer, uint64_t source);
  void commitBulkStores(Thread &thread);
  void waitBulkStores(Thread &thread, uint32_t groupsLeft);

  // Tensor cores (Warpgroup.cpp)
  Warpgroup &getWarpgroup(const Warp &warp) {
    return warpgroups[warp.index / warpsPerWarpgroup];
  }
  /// A new product begins.
  void prepareProduct(Warpgroup &group, const Site &site);
  /// Checks a read of a product; returns the offset.
  uint32_t readByTensorCore(const Site &site, uint64_t offset, uint32_t bytes,
                            ProxyReader &reader);
  /// A warp waits for all but the last groups of products.
  void waitForProducts(Warp &warp, uint32_t groupsLeft);
  /// Puts the results of finished products into those of `words` that stand
  /// for them.
  void resolveResults(const Thread &thread, uint64_t *words,
                      llvm::ArrayRef<unsigned> slots);

  // Clusters (Cluster.cpp)
  /// The address in block `rank` that a shared address stands for in its own.
  uint64_t mapShared(Thread &thread, const Site &site, uint64_t address,
                     uint32_t rank);
  /// Whether all threads of a block of the cluster have exited.
  bool hasEnded(uint32_t rank) const;
  void arriveAtCluster(Thread &thread, const Site &site, bool releases);
  void waitAtCluster(Thread &thread, const Site &site);

  // Launches that overlap (EarlierLaunches.cpp)
  void waitForLaunches(Thread &thread);

  // Warps and barriers (Collective.cpp)
  /// Runs a warp instruction once all lanes of `mask` have come.
  void runCollective(Thread &thread, const Operation &operation, uint32_t mask,
                     uint64_t *slots);
  void syncWarp(Warp &warp, uint32_t mask);
  /// Calls `handler` once all four warps have come with their lanes.
  void runWarpgroup(const WarpCall &call,
                    void (*handler)(const WarpgroupCall &call));
  /// Arrives at barrier `id` for `count` threads in all; waits when `waits`.
  void arriveAtBarrier(Thread &thread, const Site &site, uint32_t id,
                       uint32_t count, bool waits);
  /// The same with a vote: returns how many of the threads voted true.
  uint32_t voteAtBarrier(Thread &thread, const Site &site, uint32_t id,
                         uint32_t count, bool vote);

private:
  static void startThread();
  void reset(uint32_t index);
  void switchToNext(void **from);
  [[noreturn]] void failBudget(const Thread &thread, const Site &site);
  [[noreturn]] void failShadow(const Thread &thread, const Site &site,
                               const ShadowFault &fault, AccessKind kind,
                               uint32_t offset, uint32_t bytes);
  TransactionBarrier &findTransaction(Thread &thread, const Site &site,
                                      uint64_t address);
  [[noreturn]] void failCommon(const Thread &thread, const Site &site,
                               const BufferRange &buffer,
                               const CommonFault &fault);
  [[noreturn]] void failTransaction(const Thread &thread, const Site &site,
                                    const TransactionBarrier &barrier,
                                    const llvm::Twine &message);
  void announceBytes(Thread &thread, const Site &site,
                     TransactionBarrier &barrier, uint32_t bytes);
  void checkArrivals(Thread &thread, const Site &site,
                     const TransactionBarrier &barrier, uint32_t arrivals);
  void completeWhenDone(Thread &thread, const Site &site,
                        TransactionBarrier &barrier, bool isAwaited);
  void landCopies(TransactionBarrier &barrier);
  void landWord(const TransactionBarrier &barrier,
                const TransactionBarrier::PendingWord &sent);
  void finishAsyncCopy(const AsyncCopy &copy, Accessor writer);
  std::string describeTransaction(uint32_t offset) const;
  std::optional<EmulationReport> findUnfinishedCopy() const;
  uint32_t checkBox(Thread &thread, const Site &site,
                    const TensorTransfer &transfer, uint64_t address,
                    AccessKind sharedKind);
  void checkBulkStoresDone(const Thread &thread);
  void watchLaunches();
  void checkSettled(const Thread &thread, const Site &site,
                    const BufferRange &buffer, AccessKind kind);
  std::optional<EmulationReport> findBlockThatNeverWaited() const;
  unsigned addSource(Thread &thread, const Site &site, AsyncSource source);
  /// What an earlier access was, if it was that of a source.
  std::string describeSource(const Accessor &access) const;
  static bool isComplete(const Meeting &meeting, const Warp &warp);
  void completeMeeting(Warp &warp, Meeting *meeting);
  void completeMeetingsWithout(Thread &exiting);
  void completeBarrier(BlockBarrier &barrier);
  void joinBarrierWait(Thread &thread, const Site &site, uint32_t id,
                       BlockBarrier &barrier, bool waits);
  BlockBarrier &enterBarrier(Thread &thread, const Site &site, uint32_t id,
                             uint32_t count);
  void completeClusterWhenDone();
  /// Fills in block and thread from the number of the thread in the cluster.
  void locate(EmulationReport &report) const;
  /// "thread 5", in clusters "thread 5 of block 2".
  std::string nameThread(uint32_t index) const;
  /// "12", in clusters "12 of block 2".
  std::string nameOffset(uint64_t offset) const;
  EmulationReport describeDeadlock();
  EmulationReport describePollingDeadlock(const Thread &thread,
                                          const Site &site);
  void addWaitingThreads(EmulationReport &report);
  Accessor accessor(const Thread &thread, const Site &site) const {
    return {thread.index, ordering.stamp(thread.index), site.index};
  }
  bool usesShadow() const { return checksShadow; }

  const Launch &launch;
  SharedArena &arena;
  FiberStacks &stacks;
  Tally &tally;
  uint32_t blockIndex = 0;
  bool checksShadow = false;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<Warpgroup> warpgroups;
  /// Sixteen for each block.
  std::vector<BlockBarrier> barriers;
  ClusterBarrier clusterBarrier;
  /// By offset in shared memory.
  std::map<uint32_t, TransactionBarrier> transactions;
  std::vector<AsyncSource> sources;
  ShadowMemory shadow;
  Ordering ordering;
  /// What was released by atomic operations, by address.
  llvm::DenseMap<uint64_t, Knowledge> atomicReleases;
  /// What is known of other blocks.
  CommonMemory::Known known;

  /// Ring of ready threads; each thread is in it at most once.
  std::vector<Thread *> ready;
  size_t readyHead = 0;
  size_t readyCount = 0;
  uint32_t exitedThreads = 0;
  uint64_t pollsSinceProgress = 0;
  uint64_t steps = 0;
  uint64_t stepLimit = ~uint64_t(0);
  int lastBuffer = -1;
  void *mainContext = nullptr;
  std::optional<EmulationReport> failure;
};

/// The thread whose code runs on this host thread.
Thread &currentThread();

inline Thread &Warp::thread(uint32_t lane) const {
  return block->getThread(index * lanesPerWarp + lane);
}

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_BLOCK_H
