//===-- Stopwatch.h - Times launches in two power states -------*- C++ -*-===//
//
// A card at its power limit runs a short burst after an idle gap at a high
// clock, and a long series at a lower one; and what ran before decides how hot
// it is. So each state is made anew for each sample, and samples are taken in
// random order (docs/benchmarks.md, "How to measure").
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_GPU_STOPWATCH_H
#define TILE_COMPILER_GPU_STOPWATCH_H

#include "compiler/Gpu/Event.h"
#include "compiler/Gpu/Nvml.h"
#include "compiler/Gpu/Samples.h"

#include <memory>
#include <optional>
#include <random>

namespace tilec::gpu {

class Stopwatch {
public:
  /// `sets` is the number of buffer sets that launches take in turn.
  Stopwatch(const Device &device, const Nvml &nvml, size_t sets,
            bool flushesCache);

  /// Microseconds of a launch, roughly, after it has run once.
  double estimate(const Launch &work);
  /// Takes one sample. `us` is the estimate.
  void measure(State state, const Launch &work, double us, Samples &samples);
  /// Microseconds of a launch in a series of a few milliseconds, without care
  /// for the power state.
  double measureBriefly(const Launch &work, double us);

private:
  int countLaunches(double milliseconds, double us) const;
  void launch(const Launch &work);
  /// The mean of a series; with flushes, the median.
  double time(const Launch &work, int count, Samples *samples);
  double timeSingly(const Launch &work, int count);

  const Device &device;
  const Nvml &nvml;
  size_t sets, next = 0;
  std::optional<CacheFlush> flush;
  Event begin, end;
  std::vector<std::unique_ptr<Event>> events; // with flushes
};

/// Calls visit(i) for i below `count`, in a new random order each round.
void visitInRandomOrder(size_t count, int rounds, std::mt19937_64 &random,
                        const std::function<void(size_t)> &visit);

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_STOPWATCH_H
