//===- CudaRun.h - The arguments of a run on a GPU ------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_CUDARUN_H
#define TILE_COMPILER_DRIVER_RUN_CUDARUN_H

#include "compiler/Driver/Run/RunArguments.h"

namespace tilec {

class CudaDevice;

/// Times of a launch in microseconds.
struct BenchResult {
  /// Over batches of launches back to back, which find in the L2 cache what the
  /// launch before left there.
  double median = 0;
  double best = 0;
  int batches = 0;
  int launchesPerBatch = 0;
  /// Over single launches, each after the L2 cache was written over.
  double coldMedian = 0;
  int coldLaunches = 0;
};

/// Holds copies of the arguments' arrays, guards included, on CUDA device 0.
class CudaRun {
public:
  static llvm::Expected<CudaRun> create(RunArguments &arguments);
  CudaRun(CudaRun &&);
  ~CudaRun();

  /// "NVIDIA H200"
  llvm::StringRef getDeviceName() const;

  /// The arguments with the device's addresses.
  std::vector<tilert_argument> getRuntimeArguments() const;

  /// Launches, waits, and copies what the kernel may write back to the host's
  /// arrays.  The plan is one for `getRuntimeArguments`.
  llvm::Error launch(const tilert_plan &plan);

  /// Measures launches back to back, after some to warm up; the arrays on the
  /// device keep changing if the kernel has an inout parameter.
  llvm::Expected<BenchResult> bench(const tilert_plan &plan);

private:
  explicit CudaRun(RunArguments &arguments);

  RunArguments *arguments;
  std::unique_ptr<CudaDevice> device;
  /// Of each argument's guarded bytes; null for scalars.
  std::vector<uint8_t *> addresses;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_CUDARUN_H
