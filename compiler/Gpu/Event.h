//===-- Event.h - Times on the device --------------------------*- C++ -*-===//

#ifndef TILE_COMPILER_GPU_EVENT_H
#define TILE_COMPILER_GPU_EVENT_H

#include "compiler/Gpu/Device.h"

namespace tilec::gpu {

/// A moment in the work of the device's stream. Functions throw tilert::Error.
class Event {
public:
  explicit Event(const Device &device);
  Event(const Event &) = delete;
  ~Event();

  void record() const;
  /// Microseconds from `begin` to this event, which has happened.
  double since(const Event &begin) const;

private:
  const Device &device;
  CuEvent event = nullptr;
};

/// Memory of twice the L2 cache, to be written between launches: afterwards the
/// cache holds nothing of theirs.
class CacheFlush {
public:
  explicit CacheFlush(const Device &device);
  CacheFlush(const CacheFlush &) = delete;
  ~CacheFlush() { device.release(memory); }

  void run() const;

private:
  const Device &device;
  size_t bytes;
  CuPointer memory;
};

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_EVENT_H
