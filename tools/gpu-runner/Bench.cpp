//===-- Bench.cpp - The time of a launch ----------------------------------===//
//
// Each launch stands between two events. The flush before it also keeps the
// device busy while the host queues the launch, so that the time is that of the
// kernel and not of the host.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-runner/Bench.h"
#include "compiler/Gpu/Event.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace gpurunner {

using tilec::gpu::CacheFlush;
using tilec::gpu::Event;

namespace {

constexpr int warmUps = 5;
constexpr int launches = 51;

} // namespace

std::string Timing::describe(bool wasFlushed) const {
  char text[128];
  std::snprintf(text, sizeof text,
                "median %.2f us, least %.2f us of %d launches, %s", median,
                least, launches, wasFlushed ? "L2 flushed" : "L2 warm");
  return text;
}

Timing measure(const Device &device, const std::function<void()> &launch,
               bool flushes) {
  CacheFlush flush(device);
  Event begin(device), end(device);
  std::vector<double> times;
  for (int i = 0; i < warmUps + launches; ++i) {
    // Without flush a warm-up launch takes the place of the busy work.
    if (flushes)
      flush.run();
    else
      launch();
    begin.record();
    launch();
    end.record();
    device.synchronize();
    if (i >= warmUps)
      times.push_back(end.since(begin));
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), launches};
}

} // namespace gpurunner
