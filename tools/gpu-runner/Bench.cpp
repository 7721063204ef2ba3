//===-- Bench.cpp - The time of a launch ----------------------------------===//
//
// Each launch stands between two events. The flush before it also keeps the
// device busy while the host queues the launch, so that the time is that of the
// kernel and not of the host.
//
//===----------------------------------------------------------------------===//

#include "tools/gpu-runner/Bench.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace gpurunner {
namespace {

constexpr int warmUps = 5;
constexpr int launches = 51;

/// Memory of twice the cache, to be written between launches.
class CacheFlush {
public:
  explicit CacheFlush(const Device &device)
      : device(device), bytes(device.cacheBytes() * 2),
        memory(device.allocate(bytes)) {}
  CacheFlush(const CacheFlush &) = delete;
  ~CacheFlush() { device.release(memory); }

  void run() const {
    require(TILERT_CALL(device.driver(), cuMemsetD8Async, memory, 0, bytes,
                        device.stream()));
  }

private:
  const Device &device;
  size_t bytes;
  CuPointer memory;
};

class Event {
public:
  explicit Event(const Device &device) : device(device) {
    require(TILERT_CALL(device.driver(), cuEventCreate, &event, 0));
  }
  Event(const Event &) = delete;
  ~Event() { (void)TILERT_CALL(device.driver(), cuEventDestroy_v2, event); }

  void record() const {
    require(
        TILERT_CALL(device.driver(), cuEventRecord, event, device.stream()));
  }
  /// Microseconds from `begin` to this event, which has happened.
  double since(const Event &begin) const {
    float milliseconds = 0;
    require(TILERT_CALL(device.driver(), cuEventElapsedTime, &milliseconds,
                        begin.event, event));
    return double(milliseconds) * 1000;
  }

private:
  const Device &device;
  CuEvent event = nullptr;
};

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
