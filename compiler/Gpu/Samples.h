//===-- Samples.h - Measured times and what they say -----------*- C++ -*-===//

#ifndef TILE_COMPILER_GPU_SAMPLES_H
#define TILE_COMPILER_GPU_SAMPLES_H

#include <functional>
#include <vector>

namespace tilec::gpu {

/// The two power states in which everything is timed.
enum class State { Burst, Sustained };
constexpr int stateCount = 2;
inline constexpr const char *stateNames[stateCount] = {"burst", "sustained"};

/// Launches the work that is timed, on the device's stream, for one of several
/// sets of buffers.
using Launch = std::function<void(size_t set)>;

struct Samples {
  std::vector<double> us; // of one launch, a sample each
  std::vector<double> clockMhz, watts;
};

/// The middle sample, or the mean of the middle two; 0 of none.
double median(std::vector<double> samples);

/// How far the least and the greatest sample lie apart, over the median.
double spread(const std::vector<double> &samples);

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_SAMPLES_H
