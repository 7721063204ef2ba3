//===- CostModel.h - What a way to compile a kernel may cost ----*- C++ -*-===//
//
// A first guess, to try the most promising ways first: the clocks that the
// compiler counts for its products (docs/decisions/0005), and the bytes that
// blocks move, on the multiprocessors of a typical device.  Measuring decides.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_COSTMODEL_H
#define TILE_COMPILER_DRIVER_TUNE_COSTMODEL_H

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/RuntimeObjects.h"

namespace tilec {

struct LaunchEstimate {
  double microseconds = 0;
  /// The variant that the launch takes.
  std::string variant;
  /// Bytes that the launch needs beside its arguments.
  int64_t workspace = 0;
};

/// What the launch of a kernel with these arguments, which need no memory, may
/// take.  The compilation has decided everything, kept its snapshots, and its
/// sizes are constants.  Fails if the arguments cannot be launched.
llvm::Expected<LaunchEstimate>
estimateLaunch(Compilation &compilation,
               llvm::ArrayRef<tilert_argument> arguments);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_COSTMODEL_H
