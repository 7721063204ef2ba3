//===- Failure.h - What ends a command ------------------------------------===//
//
// Every way for a command to fail, as one llvm::Error: the message, a hint, and
// the exit status.  Messages about a place in a source file are diagnostics
// (Frontend/Diagnostics) and printed as such; a command that stops because of
// them returns `makeReportedFailure`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_FAILURE_H
#define TILE_COMPILER_DRIVER_FAILURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// The exit statuses of tilec.
inline constexpr int exitSuccess = 0;
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;
  Failure(std::string message, std::string help, int exitStatus)
      : message(std::move(message)), help(std::move(help)),
        exitStatus(exitStatus) {}

  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  /// Empty if everything was said already.
  std::string message;
  std::string help;
  int exitStatus;
};

/// The command line does not say what to do: exit status 2.
llvm::Error makeUsageError(const llvm::Twine &message,
                           const llvm::Twine &help = "");
/// The command was understood and did not succeed: exit status 1.
llvm::Error makeFailure(const llvm::Twine &message,
                        const llvm::Twine &help = "");
/// The same when the reason is on the screen already.
llvm::Error makeReportedFailure();

/// Prints an error as `tilec: error: ...` with its hint, and returns the exit
/// status: 0 for success, 1 for errors of other kinds.
int reportError(llvm::Error error, llvm::raw_ostream &os);

/// The choice that `word` was probably meant to be; empty if none is close.
llvm::StringRef findClosest(llvm::StringRef word,
                            llvm::ArrayRef<llvm::StringRef> choices);
/// "did you mean 'x'?" if a choice is close, else "choose one of a, b, c".
std::string suggestFrom(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> choices);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_FAILURE_H
