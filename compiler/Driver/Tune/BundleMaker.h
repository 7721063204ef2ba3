//===- BundleMaker.h - The compiling half of tuning -------------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_TUNE_BUNDLEMAKER_H
#define TILE_COMPILER_DRIVER_TUNE_BUNDLEMAKER_H

#include "compiler/Driver/CommandLine.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// Fills a folder with candidates for a kernel and all that measuring them
/// needs.  The target is decided.
llvm::Error makeBundle(const Invocation &invocation, const std::string &folder);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_BUNDLEMAKER_H
