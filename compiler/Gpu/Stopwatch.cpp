//===-- Stopwatch.cpp - Times launches in two power states ----------------===//

#include "compiler/Gpu/Stopwatch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace tilec::gpu {
namespace {

constexpr auto idle = std::chrono::milliseconds(80);
constexpr double burstMilliseconds = 4;
constexpr double preheatMilliseconds = 40;
constexpr double sustainedMilliseconds = 40;
constexpr double briefMilliseconds = 3;
constexpr int clockReadings = 4;
constexpr auto clockInterval = std::chrono::milliseconds(7);
// Launches that are timed singly, each with two events and a flush.
constexpr int mostSingleLaunches = 100;

} // namespace

Stopwatch::Stopwatch(const Device &device, const Nvml &nvml, size_t sets,
                     bool flushesCache)
    : device(device), nvml(nvml), sets(sets), begin(device), end(device) {
  if (flushesCache)
    flush.emplace(device);
}

double Stopwatch::estimate(const Launch &work) {
  double first = time(work, 1, nullptr);
  return first > 20000 ? first : time(work, countLaunches(1, first), nullptr);
}

void Stopwatch::measure(State state, const Launch &work, double us,
                        Samples &samples) {
  double milliseconds = burstMilliseconds;
  if (state == State::Burst) {
    device.synchronize();
    std::this_thread::sleep_for(idle);
    launch(work); // wakes the device
  } else {
    milliseconds = sustainedMilliseconds;
    for (int i = countLaunches(preheatMilliseconds, us); i > 0; --i)
      launch(work);
  }
  int count = countLaunches(milliseconds, us);
  samples.us.push_back(
      time(work, count, state == State::Sustained ? &samples : nullptr));
}

double Stopwatch::measureBriefly(const Launch &work, double us) {
  return time(work, countLaunches(briefMilliseconds, us), nullptr);
}

int Stopwatch::countLaunches(double milliseconds, double us) const {
  double count = std::round(milliseconds * 1000 / std::max(us, 1.));
  return int(std::max(1., flush ? std::min<double>(count, mostSingleLaunches)
                                : count));
}

void Stopwatch::launch(const Launch &work) {
  work(next);
  next = (next + 1) % sets;
}

double Stopwatch::time(const Launch &work, int count, Samples *samples) {
  if (flush)
    return timeSingly(work, count);
  begin.record();
  for (int i = 0; i < count; ++i)
    launch(work);
  end.record();
  // The launches are queued, and the device is busy for some time.
  for (int i = 0; samples && i < clockReadings; ++i) {
    if (unsigned mhz = nvml.clockMhz()) {
      samples->clockMhz.push_back(mhz);
      samples->watts.push_back(nvml.watts());
      std::this_thread::sleep_for(clockInterval);
    }
  }
  device.synchronize();
  return end.since(begin) / count;
}

double Stopwatch::timeSingly(const Launch &work, int count) {
  size_t moments = 2 * size_t(count); // before and after each launch
  while (events.size() < moments)
    events.push_back(std::make_unique<Event>(device));
  for (size_t i = 0; i < moments; i += 2) {
    flush->run();
    events[i]->record();
    launch(work);
    events[i + 1]->record();
  }
  device.synchronize();
  std::vector<double> times;
  for (size_t i = 0; i < moments; i += 2)
    times.push_back(events[i + 1]->since(*events[i]));
  return median(times);
}

void visitInRandomOrder(size_t count, int rounds, std::mt19937_64 &random,
                        const std::function<void(size_t)> &visit) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t index : order)
      visit(index);
  }
}

} // namespace tilec::gpu
