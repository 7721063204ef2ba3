//===-- Event.cpp - Times on the device -----------------------------------===//

#include "compiler/Gpu/Event.h"

namespace tilec::gpu {

Event::Event(const Device &device) : device(device) {
  require(TILERT_CALL(device.driver(), cuEventCreate, &event, 0));
}

Event::~Event() {
  (void)TILERT_CALL(device.driver(), cuEventDestroy_v2, event);
}

void Event::record() const {
  require(TILERT_CALL(device.driver(), cuEventRecord, event, device.stream()));
}

double Event::since(const Event &begin) const {
  float milliseconds = 0;
  require(TILERT_CALL(device.driver(), cuEventElapsedTime, &milliseconds,
                      begin.event, event));
  return double(milliseconds) * 1000;
}

CacheFlush::CacheFlush(const Device &device)
    : device(device), bytes(device.cacheBytes() * 2),
      memory(device.allocate(bytes)) {}

void CacheFlush::run() const {
  require(TILERT_CALL(device.driver(), cuMemsetD8Async, memory, 0, bytes,
                      device.stream()));
}

} // namespace tilec::gpu
