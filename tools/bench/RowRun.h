//===-- RowRun.h - Checks and times one row of a table ---------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_ROWRUN_H
#define TILE_TOOLS_BENCH_ROWRUN_H

#include "compiler/Gpu/Nvml.h"
#include "tools/bench/Contender.h"
#include "tools/bench/Options.h"

#include <map>

namespace tilebench {

using tilec::gpu::Nvml;

/// What all rows of a process share.
struct Machine {
  const Device &device;
  const Nvml &nvml;
  const Peers *peers; // or none
  const Options &options;
  uint64_t seed;
};

/// A failure after which the device answers nothing any more.
struct RuinedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Measures a row and gives its record (docs/benchmarks.md, "The record").
/// `excluded` are contenders that ended an earlier try of the row, and how.
/// `announce` hears the name of the contender that is about to run. Throws
/// RuinedError if that one has made the device unusable.
Json runRow(const Machine &machine, const Row &row,
            const std::map<std::string, std::string> &excluded,
            const std::function<void(const std::string &)> &announce);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_ROWRUN_H
