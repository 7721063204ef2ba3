//===- Cluster.cpp - Blocks that run together -----------------------------===//
//
// Shared memory of other blocks and the barrier of the cluster.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

std::string Block::nameOffset(uint64_t offset) const {
  std::string name = std::to_string(offset % SharedArena::capacity);
  if (getClusterSize() > 1)
    name += " of block " +
            std::to_string(blockIndex + offset / SharedArena::capacity);
  return name;
}

uint64_t Block::mapShared(Thread &thread, const Site &site, uint64_t address,
                          uint32_t rank) {
  if (rank >= getClusterSize() || !arena.contains(address))
    fail(thread, EmulationErrorKind::OutOfBounds, site,
         llvm::formatv("'{0}': there is no such address in block {1} of a "
                       "cluster of {2}",
                       site.text, rank, getClusterSize())
             .str());
  return getSharedBase(rank) +
         (address - arena.getBase()) % SharedArena::capacity;
}

bool Block::hasEnded(uint32_t rank) const {
  return llvm::none_of(warps, [&](const Warp &warp) {
    return warp.live && warp.thread(0).rank == rank;
  });
}

//===----------------------------------------------------------------------===//
// The barrier
//===----------------------------------------------------------------------===//

void Block::arriveAtCluster(Thread &thread, const Site &site, bool releases) {
  if (thread.clusterPhase)
    fail(
        thread, EmulationErrorKind::BarrierMisuse, site,
        llvm::formatv("'{0}': the thread arrives at the barrier of the cluster "
                      "again without having waited",
                      site.text)
            .str());
  thread.clusterPhase = clusterBarrier.phase;
  clusterBarrier.arrived[thread.warp->index] |= 1u << thread.lane;
  if (releases)
    clusterBarrier.arrivals.merge(ordering.release(thread.index));
  noteProgress();
  completeClusterWhenDone();
}

void Block::waitAtCluster(Thread &thread, const Site &site) {
  if (!thread.clusterPhase)
    fail(thread, EmulationErrorKind::BarrierMisuse, site,
         llvm::formatv("'{0}': the thread waits at the barrier of the cluster "
                       "without having arrived",
                       site.text)
             .str());
  bool isOver = *thread.clusterPhase != clusterBarrier.phase;
  thread.clusterPhase.reset();
  if (isOver) {
    ordering.acquire(thread.index, clusterBarrier.completed);
    return;
  }
  clusterBarrier.waiting[thread.warp->index] |= 1u << thread.lane;
  park(thread, {Wait::Cluster, &site, 0});
}

void Block::completeClusterWhenDone() {
  // Threads that have exited count as arrived; if all have, nobody waits.
  bool hasArrivals = false;
  for (const Warp &warp : warps) {
    uint32_t arrived = clusterBarrier.arrived[warp.index];
    hasArrivals |= arrived != 0;
    if (warp.live & ~arrived)
      return;
  }
  if (!hasArrivals)
    return;
  ++clusterBarrier.phase;
  clusterBarrier.completed = clusterBarrier.arrivals;
  clusterBarrier.completed.joinLanes();
  clusterBarrier.arrivals = Knowledge();
  clusterBarrier.arrived = {};
  WarpMasks waiting = clusterBarrier.waiting;
  clusterBarrier.waiting = {};
  noteProgress();
  for (Warp &warp : warps)
    for (uint32_t lanes = waiting[warp.index]; lanes; lanes &= lanes - 1) {
      Thread &waiter = warp.thread(llvm::countr_zero(lanes));
      ordering.acquire(waiter.index, clusterBarrier.completed);
      wake(waiter);
    }
}
