//===-- RelaxedCapture.h - Calls that a capture forbids -------*- C++ -*---===//
#ifndef TILERT_LIB_RELAXEDCAPTURE_H
#define TILERT_LIB_RELAXEDCAPTURE_H

#include "Driver.h"

namespace tilert::detail {

/// Lets the thread load code and make memory while some stream, another one, is
/// being captured into a graph: that adds nothing to the graph, but a capture
/// forbids it by default.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (driver.cuThreadExchangeStreamCaptureMode)
      (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
  }

  const Driver &driver;
  int mode = 2; // CU_STREAM_CAPTURE_MODE_RELAXED
};

} // namespace tilert::detail

#endif // TILERT_LIB_RELAXEDCAPTURE_H
