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
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H
#define TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <memory>

namespace tilec::emulator {

constexpr unsigned lanesPerWarp = 32;
constexpr unsigned maxWarps = 32;

/// A mask of lanes for each warp of a block.
using WarpMasks = std::array<uint32_t, maxWarps>;

/// A set of accesses known to be over: all of warp w that are stamped upTo[w]
/// or less, and for some single threads a little more.
struct Knowledge {
  struct Lane {
    uint32_t thread;
    uint32_t stamp;
  };

  std::array<uint32_t, maxWarps> upTo{};
  llvm::SmallVector<Lane, 4> lanes;

  void merge(const Knowledge &other);
  bool covers(uint32_t thread, uint32_t stamp) const;
  /// Drops the entries of `lanes` that `upTo` covers.
  void prune();
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

  std::array<WarpState, maxWarps> warps;
  /// Releases of each thread since its warp's clock last moved.
  std::array<uint32_t, maxWarps * lanesPerWarp> releases{};
  /// What a thread alone knows since then.
  std::array<std::unique_ptr<Knowledge>, maxWarps * lanesPerWarp> extras;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_ORDERING_H
