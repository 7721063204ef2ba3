//===- Fit.h - Config constants by the cost model ---------------*- C++ -*-===//
//
// `tilec --fit` chooses the config constants that have a set, and that -D does
// not give, and how many blocks share a loop where the source does not say,
// without measuring: what the cost model (CostModel.h) counts fastest for the
// sizes of the launch.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_FIT_H
#define TILE_COMPILER_DRIVER_TUNE_FIT_H

#include "compiler/Driver/Tune/TunedValues.h"

namespace tilec {

/// What a tune file has for one of several values of a size.
struct MeasuredSize {
  std::string kernel;
  int64_t value = 0;
  TunedClass found;
};

/// Chooses for each of the kernels, one constant after the other from the
/// default on until none is better.  The size of every symbol is given by -D or
/// --size, else it is a usage error.  Of a size with several values, those that
/// were measured take what was found, unless that needs other parameters,
/// or prepacked tensors in another order, than the rest.  A kernel that has
/// nothing to choose, or that the model cannot plan, is none of the result's
/// that are taken.
llvm::Expected<std::vector<TunedKernel>>
fitKernels(const CompileOptions &options, llvm::StringRef target,
           llvm::ArrayRef<TunableKernel> kernels,
           llvm::ArrayRef<MeasuredSize> measured);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_FIT_H
