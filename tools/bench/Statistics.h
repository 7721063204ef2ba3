//===-- Statistics.h - Ratios and verdicts ---------------------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_STATISTICS_H
#define TILE_TOOLS_BENCH_STATISTICS_H

#include "compiler/Gpu/Samples.h"
#include "tools/bench/Table.h"

#include <string>

namespace tilebench {

using tilec::gpu::median;
using tilec::gpu::Samples;
using tilec::gpu::spread;
using tilec::gpu::State;
using tilec::gpu::stateCount;
using tilec::gpu::stateNames;

/// Time of the peer over ours in each state: above 1 is faster than the peer.
struct Ratios {
  double of[stateCount] = {};

  double least() const;
  double greatest() const;
};

/// Whether the ratios are what is required. They are rounded to a thousandth
/// first, as tables show them.
bool meets(const Ratios &ratios, const Requirement &required);

/// As "1.00 in one, 0.98 in both", "1.00", or "-".
std::string describe(const Requirement &required);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_STATISTICS_H
