//===-- Trials.h - How candidates are run ----------------------*- C++ -*-===//

#ifndef TILE_COMPILER_TUNE_TRIALS_H
#define TILE_COMPILER_TUNE_TRIALS_H

#include "compiler/Gpu/Samples.h"
#include "compiler/Tune/Bundle.h"
#include "compiler/Tune/Child.h"

#include <memory>

namespace tilec::tune {

/// What one run of a candidate gave.
struct Outcome {
  /// Empty if the results were right.
  std::string failure;
  /// By which candidates are ranked: less is better.
  double figure = 0;
};

/// What a timed sample is told as, from a child process to its parent.
struct TimedSample {
  size_t candidate = 0;
  gpu::State state = gpu::State::Burst;
  double us = 0;
};

/// A kind of device.  All but the names are called in a child process.
class Trials {
public:
  virtual ~Trials() = default;

  /// What a figure counts: "us".
  virtual const char *getUnit() const = 0;

  /// Launches once on fresh data and compares the results.
  virtual Outcome check(const Candidate &candidate) = 0;

  /// Whether `time` says more than the figures of `check`.
  virtual bool isTimed() const = 0;
  /// Times candidates that were right, each `rounds` times in both power
  /// states, in random order.  `begin` is called before each sample.
  virtual void time(const std::vector<const Candidate *> &candidates,
                    int rounds, const std::function<void(size_t)> &begin,
                    const std::function<void(const TimedSample &)> &tell) = 0;
};

/// Candidates as cubins on CUDA device 0.
std::unique_ptr<Trials> makeCudaTrials(const std::string &folder,
                                       const Bundle &bundle);

/// The GPU of this machine, asked for in a child process, so that this one may
/// still make others.
struct DeviceAnswer {
  std::string name;   // "NVIDIA H200"
  int capability = 0; // 90
  /// Why there is none.
  std::string error;
};
DeviceAnswer askForDevice();

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_TRIALS_H
