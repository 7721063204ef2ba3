//===- Faults.h - What a run finds wrong with a kernel ----------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_RUN_FAULTS_H
#define TILE_COMPILER_DRIVER_RUN_FAULTS_H

#include "llvm/Support/Error.h"

namespace llvm {
class SourceMgr;
}

namespace tilec {

/// What the emulator and the interpreter find wrong has a place in the source:
/// it is printed as a diagnostic, and the error that is left says nothing more.
llvm::Error reportFaults(llvm::SourceMgr &sources, llvm::Error error);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_FAULTS_H
