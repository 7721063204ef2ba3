//===- ChildProcess.h - Runs an outside program with a time limit ---------===//
//
// One call: start, wait, collect what it printed, kill it if it takes too long.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_CHILDPROCESS_H
#define TILE_COMPILER_CODEGEN_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// How a child that was started ended.
struct ChildResult {
  /// The exit status; negative when a signal or the time limit ended it.
  int exitCode = 0;
  bool timedOut = false;
  std::string standardOutput;
  std::string standardError;
};

/// Runs `program` with `arguments` (without the program's own name) and no
/// standard input.  Blocks for at most `secondsToWait`.  Safe to call from
/// several threads.  An error means that the program could not be started.
llvm::Expected<ChildResult> runChild(llvm::StringRef program,
                                     llvm::ArrayRef<std::string> arguments,
                                     unsigned secondsToWait);

/// `program` and its arguments as one would type them in a shell.
std::string formatCommand(llvm::StringRef program,
                          llvm::ArrayRef<std::string> arguments);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_CHILDPROCESS_H
