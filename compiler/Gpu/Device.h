//===-- Device.h - A CUDA device, through the driver -----------*- C++ -*-===//

#ifndef TILE_COMPILER_GPU_DEVICE_H
#define TILE_COMPILER_GPU_DEVICE_H

#include "runtime/lib/Driver.h"

#include <string>

namespace tilec::gpu {

using tilert::detail::CuEvent;
using tilert::detail::CuGraph;
using tilert::detail::CuGraphExec;
using tilert::detail::CuPointer;
using tilert::detail::CuStream;

/// Throws tilert::Error if the status is a failure.
void require(tilert::detail::Status status);

/// A device with its primary context, which is current for the thread, and a
/// stream. Functions throw tilert::Error.
class Device {
public:
  explicit Device(int number);
  Device(const Device &) = delete;
  ~Device();

  int number() const { return ordinal; }
  const tilert_device_facts &facts() const { return deviceFacts; }
  const std::string &name() const { return deviceName; }
  size_t cacheBytes() const { return l2Bytes; }
  CuStream stream() const { return mainStream; }

  CuPointer allocate(size_t bytes) const;
  void release(CuPointer pointer) const;
  void upload(CuPointer to, const void *from, size_t bytes) const;
  void download(void *to, CuPointer from, size_t bytes) const;
  /// Waits for the stream; failures of kernels show here.
  void synchronize() const;

  const tilert::detail::Driver &driver() const { return *loaded; }

private:
  const tilert::detail::Driver *loaded = nullptr;
  int ordinal;
  tilert::detail::CuDevice device = 0;
  tilert::detail::CuContext context = nullptr;
  tilert_device_facts deviceFacts{};
  std::string deviceName;
  size_t l2Bytes = 0;
  CuStream mainStream = nullptr;
};

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_DEVICE_H
