//===- Collective.cpp - Warp instructions and block barriers --------------===//
//
// A lane that comes to a warp instruction deposits its operands and waits; the
// last one executes the instruction for all.  Barriers count threads.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

void Block::syncWarp(Warp &warp, uint32_t mask) {
  ordering.syncWarp(warp.index, mask, warp.live);
  if ((mask & warp.live) == warp.live)
    warp.bankCounter.flush(tally.wavefronts);
}

void Block::runCollective(Thread &thread, const Operation &operation,
                          uint32_t mask, uint64_t *slots) {
  Warp &warp = *thread.warp;
  const Site &site = *operation.site;
  if (operation.maskArgument < 0 && warp.lanes != ~0u)
    fail(thread, EmulationErrorKind::DivergentCollective, site,
         llvm::formatv("'{0}' wants all 32 lanes, but the last warp of the "
                       "block has {1}",
                       site.text, llvm::popcount(warp.lanes))
             .str());
  // Lanes that the block does not have count as gone.
  mask &= warp.lanes;
  uint32_t bit = 1u << thread.lane;
  if (!(mask & bit))
    fail(thread, EmulationErrorKind::DivergentCollective, site,
         llvm::formatv("'{0}' is executed by lane {1}, which is not in its "
                       "member mask {2:x}",
                       site.text, thread.lane, mask)
             .str());
  Meeting *meeting = llvm::find_if(warp.meetings, [&](const Meeting &m) {
    bool isSame = m.operation == &operation ||
                  (operation.meetsAnywhere && m.operation->meetsAnywhere);
    return isSame && m.mask == mask;
  });
  if (meeting == warp.meetings.end()) {
    warp.meetings.emplace_back();
    meeting = &warp.meetings.back();
    meeting->operation = &operation;
    meeting->mask = mask;
  }
  meeting->arrived |= bit;
  meeting->slots[thread.lane] = slots;
  if (!isComplete(*meeting, warp)) {
    park(thread, {Wait::Collective, &site, mask});
    return;
  }
  completeMeeting(warp, meeting);
}

bool Block::isComplete(const Meeting &meeting, const Warp &warp) {
  // Instructions with a member mask go on without lanes that have exited.
  uint32_t awaited = meeting.operation->maskArgument < 0
                         ? meeting.mask
                         : meeting.mask & warp.live;
  return (awaited & ~meeting.arrived) == 0;
}

void Block::completeMeeting(Warp &warp, Meeting *meeting) {
  Meeting complete = *meeting;
  *meeting = warp.meetings.back();
  warp.meetings.pop_back();
  const Operation &operation = *complete.operation;
  uint32_t mask = complete.arrived;
  ++tally.executions[operation.site->index];
  // Accesses before the instruction are over when it reads or writes memory,
  // and what it does is over when the lanes go on.
  syncWarp(warp, mask);
  operation.warpHandler({warp, operation, mask, complete.slots});
  syncWarp(warp, mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    // The lane that came last has not been parked.
    Thread &other = warp.thread(llvm::countr_zero(lanes));
    if (&other != &currentThread())
      wake(other);
  }
}

void Block::completeMeetingsWithout(Thread &exiting) {
  Warp &warp = *exiting.warp;
  for (size_t i = 0; i < warp.meetings.size();) {
    if (isComplete(warp.meetings[i], warp))
      completeMeeting(warp, &warp.meetings[i]);
    else
      ++i;
  }
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

void Block::runWarpgroup(const WarpCall &call,
                         void (*handler)(const WarpgroupCall &call)) {
  Thread &thread = currentThread();
  const Operation &operation = call.operation;
  uint32_t number = call.warp.index / warpsPerWarpgroup;
  uint32_t first = number * warpsPerWarpgroup;
  bool isWhole = first + warpsPerWarpgroup <= warps.size();
  for (uint32_t w = first; isWhole && w < first + warpsPerWarpgroup; ++w)
    isWhole = warps[w].lanes == ~0u;
  if (!isWhole)
    fail(thread, EmulationErrorKind::DivergentCollective, *operation.site,
         llvm::formatv("'{0}' wants the four warps from warp {1} on, but the "
                       "block has {2} threads",
                       operation.site->text, first, getThreadCount())
             .str());
  Warpgroup &group = warpgroups[number];
  if (group.arrived && group.operation != &operation)
    fail(thread, EmulationErrorKind::DivergentCollective, *operation.site,
         llvm::formatv("warp {0} is at '{1}', but others of its warpgroup are "
                       "at '{2}'",
                       call.warp.index, operation.site->text,
                       group.operation->site->text)
             .str());
  group.operation = &operation;
  group.calls[call.warp.index - first] = &call;
  group.parked[call.warp.index - first] = nullptr;
  if (++group.arrived < warpsPerWarpgroup) {
    group.parked[call.warp.index - first] = &thread;
    park(thread, {Wait::Warpgroup, operation.site, number});
    return;
  }
  group.arrived = 0;
  handler({*this, group, operation, group.calls});
  for (Thread *other : group.parked)
    if (other)
      wake(*other);
}

//===----------------------------------------------------------------------===//
// Block barriers
//===----------------------------------------------------------------------===//

BlockBarrier &Block::enterBarrier(Thread &thread, const Site &site, uint32_t id,
                                  uint32_t count) {
  if (id >= barriersPerBlock)
    fail(thread, EmulationErrorKind::BarrierMisuse, site,
         llvm::formatv("barrier {0} does not exist: a block has {1} barriers",
                       id, barriersPerBlock)
             .str());
  uint32_t threadCount = getThreadCount();
  uint32_t warpThreads =
      (threadCount + lanesPerWarp - 1) / lanesPerWarp * lanesPerWarp;
  // A partial warp counts as a whole one in the hardware's count.
  uint32_t expected = count == 0 || count == warpThreads ? threadCount : count;
  if (count % lanesPerWarp || expected > threadCount)
    fail(thread, EmulationErrorKind::BarrierMisuse, site,
         llvm::formatv("barrier {0} waits for {1} threads; the count must be a "
                       "multiple of 32 and at most the {2} threads of the "
                       "block",
                       id, count, threadCount)
             .str());
  BlockBarrier &barrier = barriers[thread.rank * barriersPerBlock + id];
  if (barrier.arrived && barrier.expected != expected)
    fail(thread, EmulationErrorKind::BarrierMisuse, site,
         llvm::formatv("barrier {0} is used for {1} threads here, but those "
                       "that have come wait for {2}",
                       id, expected, barrier.expected)
             .str());
  barrier.expected = expected;
  return barrier;
}

void Block::completeBarrier(BlockBarrier &barrier) {
  ++tally.counters.barriers;
  noteProgress();
  WarpMasks live{};
  for (Warp &warp : warps) {
    live[warp.index] = warp.live;
    if (barrier.waiting[warp.index] == warp.live)
      warp.bankCounter.flush(tally.wavefronts);
  }
  ordering.joinBarrier(barrier.waiting, live, barrier.arrivals);
  for (auto [thread, votes] : barrier.voters)
    *votes = barrier.votes;
  WarpMasks waiting = barrier.waiting;
  barrier = BlockBarrier();
  for (Warp &warp : warps)
    for (uint32_t lanes = waiting[warp.index]; lanes; lanes &= lanes - 1) {
      Thread &thread = warp.thread(llvm::countr_zero(lanes));
      // The thread that completes the barrier has not been parked.
      if (&thread != &currentThread())
        wake(thread);
    }
}

void Block::joinBarrierWait(Thread &thread, const Site &site, uint32_t id,
                            BlockBarrier &barrier, bool waits) {
  ++barrier.arrived;
  noteProgress();
  if (waits)
    barrier.waiting[thread.warp->index] |= 1u << thread.lane;
  else
    barrier.arrivals.merge(ordering.release(thread.index));
  if (barrier.arrived == barrier.expected)
    completeBarrier(barrier);
  else if (waits)
    park(thread, {Wait::Barrier, &site, thread.rank * barriersPerBlock + id});
}

void Block::arriveAtBarrier(Thread &thread, const Site &site, uint32_t id,
                            uint32_t count, bool waits) {
  BlockBarrier &barrier = enterBarrier(thread, site, id, count);
  joinBarrierWait(thread, site, id, barrier, waits);
}

uint32_t Block::voteAtBarrier(Thread &thread, const Site &site, uint32_t id,
                              uint32_t count, bool vote) {
  BlockBarrier &barrier = enterBarrier(thread, site, id, count);
  uint32_t votes = 0;
  barrier.votes += vote;
  barrier.voters.push_back({&thread, &votes});
  joinBarrierWait(thread, site, id, barrier, /*waits=*/true);
  return votes;
}
