//===-- Nvml.h - Clock and power of the device -----------------*- C++ -*-===//

#ifndef TILE_COMPILER_GPU_NVML_H
#define TILE_COMPILER_GPU_NVML_H

#include <string>

namespace tilec::gpu {

/// NVIDIA's management library, if the machine has it. What it tells is for the
/// record: without it there are zeros.
class Nvml {
public:
  /// `bus` is the place of the device on the PCI bus, which CUDA and this
  /// library agree upon, unlike numbers.
  explicit Nvml(const std::string &bus);

  /// As "580.159.04"; "unknown" without the library.
  std::string driverVersion() const;
  unsigned clockMhz() const; // of the SMs
  double watts() const;

private:
  int (*getClock)(void *, int, unsigned *) = nullptr;
  int (*getPower)(void *, unsigned *) = nullptr;
  int (*getDriverVersion)(char *, unsigned) = nullptr;
  void *device = nullptr;
};

} // namespace tilec::gpu

#endif // TILE_COMPILER_GPU_NVML_H
