//===- CudaDevice.h - Memory and clocks of a GPU --------------------------===//
//
// What `tilec run` needs of a CUDA device beside launches, through the
// runtime's wrapper of the driver library.  Built with exceptions, like the
// runtime, and without LLVM; failures are statuses of libtilert that the caller
// destroys, null for success.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_CUDADEVICE_H
#define TILE_COMPILER_DRIVER_RUN_CUDADEVICE_H

#include "tilert/tilert.h"
#include <memory>
#include <string>

namespace tilec {

class CudaDevice {
public:
  CudaDevice();
  /// Frees what `allocate` gave.
  ~CudaDevice();

  /// Makes the primary context of device 0 current.  Comes before all else.
  tilert_status *open();

  /// "NVIDIA H200"
  const std::string &getName() const { return name; }

  /// `bytes` of memory, aligned to 256 bytes.
  tilert_status *allocate(size_t bytes, void **address);
  tilert_status *copyToDevice(void *address, const void *host, size_t bytes);
  tilert_status *copyToHost(void *host, const void *address, size_t bytes);

  /// Waits for the launches so far; a fault in one of them shows here.
  tilert_status *synchronize();

  /// Launches `plan` `count` times back to back and measures the device's time
  /// for all of them.
  tilert_status *timeLaunches(const tilert_plan *plan, int count,
                              float *milliseconds);

  /// Measures one launch after writing over the L2 cache.
  tilert_status *timeColdLaunch(const tilert_plan *plan, float *milliseconds);

private:
  struct State;
  std::unique_ptr<State> state;
  std::string name;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_CUDADEVICE_H
