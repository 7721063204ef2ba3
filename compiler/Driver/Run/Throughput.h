//===- Throughput.h - Work of a launch, for rates ---------------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_RUN_THROUGHPUT_H
#define TILE_COMPILER_DRIVER_RUN_THROUGHPUT_H

#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

/// What a launch has to do at least, whatever the tiles.
struct Work {
  /// Bytes of all tensors, those of `inout` ones twice.
  double bytes = 0;
  /// Multiplications and additions of the matrix product; none unless the
  /// kernel has exactly one.
  std::optional<double> operations;
  /// Operations on integers are TOP/s, others TFLOP/s.
  bool isInteger = false;
};

/// Counts for logical extents of each argument (none for a scalar).  `kernel`
/// is as the frontend makes it.
Work countWork(mlir::tile::KernelOp kernel,
               llvm::ArrayRef<llvm::SmallVector<int64_t>> sizes);

/// "512 TFLOP/s, 1234 GB/s" for a launch of that many microseconds.
std::string describeRates(const Work &work, double microseconds);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_THROUGHPUT_H
