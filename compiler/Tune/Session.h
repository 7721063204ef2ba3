//===-- Session.h - Finds the fastest candidate of a bundle ----*- C++ -*-===//
//
// 1. Each candidate runs once in a child process of its own, with a time limit,
//    and its results are compared.  A fault, a hang or a wrong result costs
//    that candidate only.
// 2. The promising ones are timed against each other in one child process, in
//    random order and both power states (docs/benchmarks.md).
// 3. The fastest runs once more; if its results are right again it has won,
//    else the next one has its turn.
// 4. The tune file gets an entry.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_TUNE_SESSION_H
#define TILE_COMPILER_TUNE_SESSION_H

#include "compiler/Tune/Trials.h"

#include <cstdio>

namespace tilec::tune {

struct SessionOptions {
  /// The tune file to write.
  std::string path;
  /// Seconds of one trial.
  double trialSeconds = 60;
  int rounds = 9;
  /// Where a summary goes.
  std::FILE *output = stdout;
};

/// Runs a session.  `gpu` is the name of the device.  Returns what kept it from
/// writing an entry, empty for success.
std::string runSession(const Bundle &bundle, const std::string &gpu,
                       Trials &trials, const SessionOptions &options);

/// The same for cubins on the GPU of this machine, `device`, which must be one
/// for them.
std::string runCudaSession(const std::string &folder, const Bundle &bundle,
                           const DeviceAnswer &device,
                           const SessionOptions &options);

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_SESSION_H
