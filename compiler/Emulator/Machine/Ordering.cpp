//===- Ordering.cpp - Which access happened before which ------------------===//
//
// See the header for the representation.  The invariant that everything rests
// on: once a release of a thread has been handed out, later accesses of that
// thread carry a larger stamp than any the release covers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Ordering.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

using Lanes = llvm::SmallVectorImpl<Knowledge::Lane>;

/// Adds the entries of `from` that `upTo` does not cover.
static void mergeLanes(Lanes &into, llvm::ArrayRef<Knowledge::Lane> from,
                       llvm::ArrayRef<uint32_t> upTo) {
  bool wasEmpty = into.empty();
  for (const Knowledge::Lane &lane : from) {
    if (lane.stamp <= upTo[lane.thread / lanesPerWarp])
      continue;
    auto *mine = wasEmpty ? into.end()
                          : llvm::find_if(into, [&](const Knowledge::Lane &l) {
                              return l.thread == lane.thread;
                            });
    if (mine == into.end())
      into.push_back(lane);
    else
      mine->stamp = std::max(mine->stamp, lane.stamp);
  }
}

static void pruneLanes(Lanes &lanes, llvm::ArrayRef<uint32_t> upTo) {
  llvm::erase_if(lanes, [&](const Knowledge::Lane &lane) {
    return lane.stamp <= upTo[lane.thread / lanesPerWarp];
  });
}

static bool coversLane(llvm::ArrayRef<Knowledge::Lane> lanes, uint32_t thread,
                       uint32_t stamp) {
  return llvm::any_of(lanes, [&](const Knowledge::Lane &lane) {
    return lane.thread == thread && stamp <= lane.stamp;
  });
}

/// Where all lanes of a warp have an entry, the lowest holds for the warp.
static void joinWarps(Lanes &lanes, llvm::MutableArrayRef<uint32_t> upTo) {
  if (lanes.size() < lanesPerWarp)
    return;
  std::array<uint32_t, maxWarps> counts{}, lowest{};
  for (const Knowledge::Lane &lane : lanes) {
    uint32_t warp = lane.thread / lanesPerWarp;
    lowest[warp] =
        counts[warp]++ ? std::min(lowest[warp], lane.stamp) : lane.stamp;
  }
  for (unsigned w = 0; w < maxWarps; ++w)
    if (counts[w] == lanesPerWarp)
      upTo[w] = std::max(upTo[w], lowest[w]);
  pruneLanes(lanes, upTo);
}

void Knowledge::merge(const Knowledge &other) {
  for (unsigned g = 0; g < orderedGroups; ++g)
    upTo[g] = std::max(upTo[g], other.upTo[g]);
  for (unsigned w = 0; w < maxWarps; ++w)
    fencedUpTo[w] = std::max(fencedUpTo[w], other.fencedUpTo[w]);
  mergeLanes(lanes, other.lanes, upTo);
  mergeLanes(fencedLanes, other.fencedLanes, fencedUpTo);
  prune();
}

bool Knowledge::covers(uint32_t thread, uint32_t stamp) const {
  return stamp <= upTo[thread / lanesPerWarp] ||
         coversLane(lanes, thread, stamp);
}

bool Knowledge::coversFenced(uint32_t thread, uint32_t stamp) const {
  return stamp <= fencedUpTo[thread / lanesPerWarp] ||
         coversLane(fencedLanes, thread, stamp);
}

void Knowledge::prune() {
  pruneLanes(lanes, upTo);
  pruneLanes(fencedLanes, fencedUpTo);
}

void Knowledge::joinLanes() {
  joinWarps(lanes, upTo);
  joinWarps(fencedLanes, fencedUpTo);
}

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

void Ordering::reset(unsigned threads) {
  for (WarpState &warp : warps) {
    warp.clock = 1;
    warp.maxReleases = 0;
    warp.lanesWithExtra = 0;
    warp.known = Knowledge();
  }
  releases.fill(0);
  for (auto &extra : extras)
    extra.reset();
}

bool Ordering::isOrderedSlow(uint32_t earlier, uint32_t earlierStamp,
                             uint32_t thread) const {
  if (extras[thread] && extras[thread]->covers(earlier, earlierStamp))
    return true;
  const Knowledge &known = warps[thread / lanesPerWarp].known;
  return !known.lanes.empty() && known.covers(earlier, earlierStamp);
}

void Ordering::syncFullWarp(unsigned index) {
  WarpState &warp = warps[index];
  unsigned first = index * lanesPerWarp;
  for (uint32_t lanes = warp.lanesWithExtra; lanes; lanes &= lanes - 1) {
    auto &extra = extras[first + llvm::countr_zero(lanes)];
    warp.known.merge(*extra);
    extra.reset();
  }
  warp.lanesWithExtra = 0;
  warp.clock += 1 + warp.maxReleases;
  if (warp.maxReleases) {
    std::fill_n(releases.begin() + first, lanesPerWarp, 0);
    warp.maxReleases = 0;
  }
  warp.known.upTo[index] = warp.clock - 1;
  if (!warp.known.lanes.empty())
    warp.known.prune();
  if (!warp.known.fencedLanes.empty())
    warp.known.joinLanes();
}

void Ordering::syncWarp(unsigned index, uint32_t mask, uint32_t live) {
  if ((mask & live) == live) {
    syncFullWarp(index);
    return;
  }
  Knowledge all;
  unsigned first = index * lanesPerWarp;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    all.merge(release(first + llvm::countr_zero(lanes)));
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    acquire(first + llvm::countr_zero(lanes), all);
}

Knowledge Ordering::release(uint32_t thread) {
  WarpState &warp = warps[thread / lanesPerWarp];
  Knowledge released = warp.known;
  if (extras[thread])
    released.merge(*extras[thread]);
  released.lanes.push_back({thread, stamp(thread)});
  warp.maxReleases = std::max(warp.maxReleases, ++releases[thread]);
  return released;
}

Knowledge &Ordering::extraOf(uint32_t thread) {
  if (!extras[thread])
    extras[thread] = std::make_unique<Knowledge>();
  warps[thread / lanesPerWarp].lanesWithExtra |= 1u << (thread % lanesPerWarp);
  return *extras[thread];
}

void Ordering::acquire(uint32_t thread, const Knowledge &released) {
  extraOf(thread).merge(released);
}

void Ordering::fenceProxy(uint32_t thread) {
  Knowledge &extra = extraOf(thread);
  // A release, so that later accesses have another stamp.
  Knowledge known = release(thread);
  std::copy_n(known.upTo.begin(), maxWarps, known.fencedUpTo.begin());
  known.fencedLanes = known.lanes;
  // The thread's own entry orders nothing for itself.
  known.lanes.pop_back();
  extra.merge(known);
}

bool Ordering::isFenced(uint32_t earlier, uint32_t earlierStamp,
                        uint32_t thread) const {
  return (extras[thread] &&
          extras[thread]->coversFenced(earlier, earlierStamp)) ||
         warps[thread / lanesPerWarp].known.coversFenced(earlier, earlierStamp);
}

void Ordering::joinBarrier(const WarpMasks &waiting, const WarpMasks &live,
                           const Knowledge &arrived) {
  Knowledge all = arrived;
  for (unsigned w = 0; w < maxWarps; ++w) {
    if (!waiting[w])
      continue;
    if ((waiting[w] & live[w]) == live[w]) {
      syncFullWarp(w);
      all.merge(warps[w].known);
      continue;
    }
    for (uint32_t lanes = waiting[w]; lanes; lanes &= lanes - 1)
      all.merge(release(w * lanesPerWarp + llvm::countr_zero(lanes)));
  }
  for (unsigned w = 0; w < maxWarps; ++w) {
    if (!waiting[w])
      continue;
    if ((waiting[w] & live[w]) == live[w]) {
      warps[w].known.merge(all);
      continue;
    }
    for (uint32_t lanes = waiting[w]; lanes; lanes &= lanes - 1)
      acquire(w * lanesPerWarp + llvm::countr_zero(lanes), all);
  }
}
