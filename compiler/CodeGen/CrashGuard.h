//===- CrashGuard.h - Turns an abort of LLVM into an error ----------------===//
//
// LLVM ends the process when instruction selection meets something that the
// target lacks, and a mistake in a pass may do so with a signal.  Code run
// under the guard reports that as an llvm::Error. It is a last line: callers
// check what they can beforehand.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_CRASHGUARD_H
#define TILE_COMPILER_CODEGEN_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// Runs `work`.  If LLVM gives up in it, by a fatal error or a signal, the
/// result is an error that names `step`, as it is then: `work` may keep it up
/// to date.  What `work` had allocated is leaked, so its LLVM and MLIR objects
/// should not be used further.
llvm::Error runGuarded(const std::string &step,
                       llvm::function_ref<void()> work);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_CRASHGUARD_H
