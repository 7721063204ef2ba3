//===-- Bench.h - The time of a launch -------------------------*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_BENCH_H
#define TILE_TOOLS_GPURUNNER_BENCH_H

#include "compiler/Gpu/Device.h"

#include <functional>
#include <string>

namespace gpurunner {

using tilec::gpu::Device;

/// Times of launches, in microseconds, by events of the device.
struct Timing {
  double median = 0;
  double least = 0;
  int launches = 0;

  /// "median 12.34 us, least 12.10 us of 50 launches, L2 flushed".
  std::string describe(bool wasFlushed) const;
};

/// Measures `launch`, which works on the device's stream. `flushes`: overwrites
/// the L2 cache before each launch, as other work of a program does.
Timing measure(const Device &device, const std::function<void()> &launch,
               bool flushes);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_BENCH_H
