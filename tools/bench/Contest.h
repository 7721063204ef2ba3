//===-- Contest.h - Finds and times the fastest of each side ---*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_CONTEST_H
#define TILE_TOOLS_BENCH_CONTEST_H

#include "tools/bench/Entrant.h"
#include "tools/bench/Options.h"

namespace tilebench {

using tilec::gpu::Stopwatch;

/// Times peers and kernels against each other:
/// 1. Brief series in random order leave the few fastest of each side.
/// 2. Some rounds in both power states leave two of each side.
/// 3. These, and the first of the peers, which is what its library proposes,
/// are
///    timed in both states, in many rounds of random order.
class Contest {
public:
  /// Does something with the contender of that name, and gives what went wrong
  /// or "".
  using Attempt = std::function<std::string(const std::string &name,
                                            const std::function<void()> &)>;

  /// `check` sets `failure` and `error` of a peer that was not checked before.
  Contest(Stopwatch &stopwatch, std::mt19937_64 &random, const Options &options,
          Attempt attempt, std::function<void(Entrant &)> check)
      : stopwatch(stopwatch), random(random), options(options),
        attempt(std::move(attempt)), check(std::move(check)) {}

  /// Gives those that were timed in full. An entrant that fails has a
  /// `failure` and drops out.
  std::vector<Entrant *> run(const std::vector<Entrant *> &peers,
                             const std::vector<Entrant *> &kernels);

private:
  std::vector<Entrant *> chooseByBriefSeries(std::vector<Entrant *> side);
  std::vector<Entrant *> chooseByStates(std::vector<Entrant *> side);
  std::vector<Entrant *> keepRight(std::vector<Entrant *> side);
  void measure(const std::vector<Entrant *> &side, int rounds,
               Samples (Entrant::*where)[stateCount]);

  Stopwatch &stopwatch;
  std::mt19937_64 &random;
  const Options &options;
  Attempt attempt;
  std::function<void(Entrant &)> check;
};

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_CONTEST_H
