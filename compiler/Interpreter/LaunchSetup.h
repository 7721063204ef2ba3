//===- LaunchSetup.h - From arguments to a launch -------------------------===//
#ifndef TILEC_INTERPRETER_LAUNCHSETUP_H
#define TILEC_INTERPRETER_LAUNCHSETUP_H

#include "compiler/Interpreter/BlockInterpreter.h"
#include "compiler/Interpreter/Interpreter.h"

namespace tilec {

/// Binds the arguments to the kernel's parameters, finds the value of each
/// symbol and the extent of each axis, and holds the kernel's checks against
/// them.
llvm::Error setUpLaunch(mlir::tile::KernelOp kernel,
                        const InterpreterArguments &arguments, Launch &launch);

} // namespace tilec

#endif // TILEC_INTERPRETER_LAUNCHSETUP_H
