//===- CandidateCompiler.h - Code for each candidate ------------*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_TUNE_CANDIDATECOMPILER_H
#define TILE_COMPILER_DRIVER_TUNE_CANDIDATECOMPILER_H

#include "compiler/Driver/Tune/Planner.h"

namespace tilec {

struct CandidateCompilerOptions {
  std::string folder;
  bool forEmulator = false;
  unsigned jobs = 1;
  unsigned secondsToWait = 60;
  /// Candidates to make.
  size_t limit = 32;
};

/// Compiles points of the plan, each in a child process, until there are enough
/// that give code of their own, and adds them to the bundle.  What cannot be
/// compiled goes to the refused ones of the plan.
void compileCandidates(const CompileOptions &base, const TuneSpace &space,
                       Plan &plan, const CandidateCompilerOptions &options,
                       tune::Bundle &bundle);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_CANDIDATECOMPILER_H
