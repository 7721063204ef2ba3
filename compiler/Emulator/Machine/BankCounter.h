//===- BankCounter.h - Wavefronts of shared memory accesses -----*- C++ -*-===//
//
// Shared memory has 32 banks of four bytes.  A warp-wide access is served in
// phases: all lanes at once up to four bytes per lane, half warps at eight,
// quarter warps at sixteen.  In a phase each bank gives one word per
// wavefront, so a phase takes as many wavefronts as one bank has distinct
// words in it, and those beyond one are conflicts.
//
// Lanes run one after another here, so what the hardware sees as one access is
// put together again: the accesses that the lanes make between two warp-wide
// synchronisations are matched by instruction and occurrence.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_BANKCOUNTER_H
#define TILE_COMPILER_EMULATOR_MACHINE_BANKCOUNTER_H

#include <array>
#include <cstdint>
#include <vector>

namespace tilec::emulator {

/// Wavefronts of a set of accesses.
struct Wavefronts {
  uint64_t total = 0;
  uint64_t conflicts = 0;

  Wavefronts &operator+=(const Wavefronts &other) {
    total += other.total;
    conflicts += other.conflicts;
    return *this;
  }
};

/// The offsets that lanes access in one instruction; `mask` says which take
/// part.
Wavefronts countWavefronts(const std::array<uint32_t, 32> &offsets,
                           uint32_t mask, uint32_t bytes);

/// Puts the accesses of one warp together.
class BankCounter {
public:
  /// Notes an access of one lane.
  void record(uint32_t site, uint32_t lane, uint32_t offset, uint32_t bytes);

  /// The warp synchronises: what was noted is counted per site and forgotten.
  void flush(std::vector<Wavefronts> &perSite) {
    if (!requests.empty())
      flushRequests(perSite);
  }

private:
  struct Request {
    uint32_t site;
    uint32_t bytes;
    uint32_t mask;
    std::array<uint32_t, 32> offsets;
  };
  /// Beyond this many between two synchronisations, requests are dropped; a
  /// loop without any would otherwise use up the host's memory.
  static constexpr size_t maxRequests = 1 << 16;

  void flushRequests(std::vector<Wavefronts> &perSite);

  std::vector<Request> requests;
  /// For each lane, the request after the one it used last.
  std::array<uint32_t, 32> cursors{};
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_BANKCOUNTER_H
