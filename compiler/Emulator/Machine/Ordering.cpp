//===- Ordering.cpp - Which access happened before which ------------------===//
//
// See the header for the representation.  The invariant that everything rests
// on: once a release of a thread has been handed out, later accesses of that
// thread carry a larger stamp than any the release covers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Ordering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

void Knowledge::merge(const Knowledge &other) {
  for (unsigned w = 0; w < maxWarps; ++w)
    upTo[w] = std::max(upTo[w], other.upTo[w]);
  for (const Lane &lane : other.lanes) {
    if (lane.stamp <= upTo[lane.thread / lanesPerWarp])
      continue;
    auto *mine = llvm::find_if(
        lanes, [&](const Lane &l) { return l.thread == lane.thread; });
    if (mine == lanes.end())
      lanes.push_back(lane);
    else
      mine->stamp = std::max(mine->stamp, lane.stamp);
  }
  prune();
}

bool Knowledge::covers(uint32_t thread, uint32_t stamp) const {
  if (stamp <= upTo[thread / lanesPerWarp])
    return true;
  return llvm::any_of(lanes, [&](const Lane &lane) {
    return lane.thread == thread && stamp <= lane.stamp;
  });
}

void Knowledge::prune() {
  llvm::erase_if(lanes, [&](const Lane &lane) {
    return lane.stamp <= upTo[lane.thread / lanesPerWarp];
  });
}

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

void Ordering::reset(unsigned threads) {
  for (WarpState &warp : warps) {
    warp.clock = 1;
    warp.maxReleases = 0;
    warp.lanesWithExtra = 0;
    warp.known.upTo.fill(0);
    warp.known.lanes.clear();
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

void Ordering::acquire(uint32_t thread, const Knowledge &released) {
  WarpState &warp = warps[thread / lanesPerWarp];
  if (!extras[thread])
    extras[thread] = std::make_unique<Knowledge>();
  extras[thread]->merge(released);
  warp.lanesWithExtra |= 1u << (thread % lanesPerWarp);
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
