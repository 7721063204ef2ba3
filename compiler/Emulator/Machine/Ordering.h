//===- Ordering.h - Which access happened before which ----------*- C++ -*-===//
//
// Happens-before between the threads of a block, for the race detector.  An
// access is stamped with its thread and that thread's clock.  Knowing that an
// access is over spreads through synchronisation: a barrier, a warp
// instruction, a release that another thread acquires.
//
// Full vector clocks over a thousand threads would cost more than the kernels
// themselves.  Nearly all knowledge is the same for a whole warp, so a clock
// vector is kept per warp, and single lanes that synchronised alone (one
// elected lane on a barrier in memory, say) add what they know on top until
// the next warp-wide synchronisation.
//
// Units that work by themselves (copies that signal a barrier in memory, tensor
// cores, bulk stores) are sources: each looks like a warp with one thread,
// whose accesses are known to those who waited for them.
//
// Asynchronous units reach memory by another path, the async proxy.  What they
// may see of ordinary writes is known separately: those that a proxy fence
// lies behind, somewhere on the way from the writer to the unit.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H
#define TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace tilec::emulator {

constexpr unsigned lanesPerWarp = 32;
/// Of a cluster: eight blocks of three warpgroups.
constexpr unsigned maxWarps = 96;

constexpr unsigned maxSources = 192;
/// Warps, then sources.
constexpr unsigned orderedGroups = maxWarps + maxSources;

/// What stands for a source in place of a thread number.
constexpr uint32_t sourceThread(unsigned source) {
  return (maxWarps + source) * lanesPerWarp;
}
constexpr bool isSource(uint32_t thread) {
  return thread >= maxWarps * lanesPerWarp;
}
/// The source that a thread number stands for.
constexpr unsigned sourceOf(uint32_t thread) {
  return thread / lanesPerWarp - maxWarps;
}

/// A mask of lanes for each warp of a block.
using WarpMasks = std::array<uint32_t, maxWarps>;

/// A set of accesses known to be over: all of warp w that are stamped upTo[w]
/// or less, and for some single threads a little more.
struct Knowledge {
  struct Lane {
    uint32_t thread;
    uint32_t stamp;
  };

  std::array<uint32_t, orderedGroups> upTo{};
  llvm::SmallVector<Lane, 4> lanes;
  /// The same for those behind which a proxy fence lies.
  std::array<uint32_t, maxWarps> fencedUpTo{};
  llvm::SmallVector<Lane, 4> fencedLanes;

  void merge(const Knowledge &other);
  bool covers(uint32_t thread, uint32_t stamp) const;
  bool coversFenced(uint32_t thread, uint32_t stamp) const;
  /// Drops the entries of single threads that are covered.
  void prune();
  /// Joins the entries of single threads where they make up a whole warp.
  void joinLanes();
};

class Ordering {
public:
  void reset(unsigned threads);

  /// The stamp of an access made by `thread` now.
  uint32_t stamp(uint32_t thread) const {
    return warps[thread / lanesPerWarp].clock + releases[thread];
  }

  /// Whether the access of `earlier` with that stamp is over for `thread`.
  bool isOrdered(uint32_t earlier, uint32_t earlierStamp,
                 uint32_t thread) const {
    if (earlier == thread)
      return true;
    const WarpState &warp = warps[thread / lanesPerWarp];
    if (earlierStamp <= warp.known.upTo[earlier / lanesPerWarp])
      return true;
    return isOrderedSlow(earlier, earlierStamp, thread);
  }

  /// Whether a proxy fence lies between the access of `earlier` and `thread`.
  bool isFenced(uint32_t earlier, uint32_t earlierStamp, uint32_t thread) const;

  /// `thread` lets the async proxy see all that it knows of.
  void fenceProxy(uint32_t thread);

  /// A whole warp has waited for a source up to `stamp`.
  void acquireSource(unsigned warp, unsigned source, uint32_t stamp) {
    uint32_t &known = warps[warp].known.upTo[maxWarps + source];
    known = std::max(known, stamp);
  }

  /// The lanes of `mask` synchronise with each other.  `live` are the lanes of
  /// the warp that still run.
  void syncWarp(unsigned warp, uint32_t mask, uint32_t live);

  /// What others know once they see that `thread` came this far.
  Knowledge release(uint32_t thread);

  /// `thread` has seen a release.
  void acquire(uint32_t thread, const Knowledge &released);

  /// The lanes in `waiting` meet at a barrier to which others, whose releases
  /// are `arrived`, only came by.
  void joinBarrier(const WarpMasks &waiting, const WarpMasks &live,
                   const Knowledge &arrived);

private:
  struct WarpState {
    /// Accesses made before the last synchronisation of the whole warp are
    /// stamped less than this.
    uint32_t clock = 1;
    uint32_t maxReleases = 0;
    /// Lanes with an entry in `extras`.
    uint32_t lanesWithExtra = 0;
    /// What every lane of the warp knows; for the warp itself clock - 1.
    Knowledge known;
  };

  bool isOrderedSlow(uint32_t earlier, uint32_t earlierStamp,
                     uint32_t thread) const;
  void syncFullWarp(unsigned warp);
  Knowledge &extraOf(uint32_t thread);

  std::array<WarpState, maxWarps> warps;
  /// Releases of each thread since its warp's clock last moved.
  std::array<uint32_t, maxWarps * lanesPerWarp> releases{};
  /// What a thread alone knows since then.
  std::array<std::unique_ptr<Knowledge>, maxWarps * lanesPerWarp> extras;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H
