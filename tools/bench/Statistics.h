//===-- Statistics.h - Medians, ratios and verdicts ------------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_STATISTICS_H
#define TILE_TOOLS_BENCH_STATISTICS_H

#include "tools/bench/Table.h"

#include <string>
#include <vector>

namespace tilebench {

/// The middle sample, or the mean of the middle two; 0 of none.
double median(std::vector<double> samples);

/// How far the least and the greatest sample lie apart, over the median.
double spread(const std::vector<double> &samples);

/// The two power states in which everything is timed.
enum class State { Burst, Sustained };
constexpr int stateCount = 2;
inline constexpr const char *stateNames[stateCount] = {"burst", "sustained"};

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
