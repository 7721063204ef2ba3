//===-- Stopwatch.h - Times launches in two power states -------*- C++ -*-===//
//
// A card at its power limit runs a short burst after an idle gap at a high
// clock, and a long series at a lower one; and what ran before decides how hot
// it is. So each state is made anew for each sample, and samples are taken in
// random order (docs/benchmarks.md, "How to measure").
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_BENCH_STOPWATCH_H
#define TILE_TOOLS_BENCH_STOPWATCH_H

#include "tools/bench/Contender.h"
#include "tools/bench/Nvml.h"
#include "tools/bench/Statistics.h"
#include "tools/gpu-runner/Event.h"

#include <optional>
#include <random>

namespace tilebench {

struct Samples {
  std::vector<double> us; // of one launch, a sample each
  std::vector<double> clockMhz, watts;
};

class Stopwatch {
public:
  /// `sets` is the number of buffer sets that launches take in turn.
  Stopwatch(const Device &device, const Nvml &nvml, size_t sets,
            bool flushesCache);

  /// Microseconds of a launch, roughly, after it has run once.
  double estimate(const Contender &contender);
  /// Takes one sample. `us` is the estimate.
  void measure(State state, const Contender &contender, double us,
               Samples &samples);
  /// Microseconds of a launch in a series of a few milliseconds, without care
  /// for the power state.
  double measureBriefly(const Contender &contender, double us);

private:
  int countLaunches(double milliseconds, double us) const;
  void launch(const Contender &contender);
  /// The mean of a series; with flushes, the median.
  double time(const Contender &contender, int count, Samples *samples);
  double timeSingly(const Contender &contender, int count);

  const Device &device;
  const Nvml &nvml;
  size_t sets, next = 0;
  std::optional<gpurunner::CacheFlush> flush;
  gpurunner::Event begin, end;
  std::vector<std::unique_ptr<gpurunner::Event>> events; // with flushes
};

/// Calls visit(i) for i below `count`, in a new random order each round.
void visitInRandomOrder(size_t count, int rounds, std::mt19937_64 &random,
                        const std::function<void(size_t)> &visit);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_STOPWATCH_H
