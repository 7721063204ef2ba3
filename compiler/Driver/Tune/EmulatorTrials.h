//===- EmulatorTrials.h - Candidates on the emulator ------------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_TUNE_EMULATORTRIALS_H
#define TILE_COMPILER_DRIVER_TUNE_EMULATORTRIALS_H

#include "compiler/Tune/Trials.h"

namespace tilec {

/// Candidates as LLVM IR that the emulator runs.  Their figure counts
/// instructions, and so says little about a GPU.
std::unique_ptr<tune::Trials> makeEmulatorTrials(const std::string &folder,
                                                 const tune::Bundle &bundle);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_EMULATORTRIALS_H
