//===- Commands.h - The commands of tilec ---------------------------------===//
//
// One function a command.  Each prints its results on the standard output and
// diagnostics on the standard error; a failure that is not on the screen yet is
// in the error.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_COMMANDS_H
#define TILE_COMPILER_DRIVER_COMMANDS_H

#include "compiler/Driver/CommandLine.h"

namespace tilec {

/// `tilec FILE`: writes a cubin with its manifest, or what --emit asks for.
llvm::Error runCompileCommand(const Invocation &invocation);

/// `tilec check FILE`: diagnostics only.
llvm::Error runCheckCommand(const Invocation &invocation);

/// `tilec run FILE`: one launch on given or random data.
llvm::Error runRunCommand(const Invocation &invocation);

/// `tilec report FILE`: what the compiler decided.
llvm::Error runReportCommand(const Invocation &invocation);

/// `tilec tune FILE`: finds the fastest config constants and decisions.
llvm::Error runTuneCommand(const Invocation &invocation);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_COMMANDS_H
