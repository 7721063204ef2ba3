//===- EmulationError.h - What the emulator found wrong ---------*- C++ -*-===//
//
// Everything the emulator reports is one of these: a kind that tests and tools
// can switch on, a sentence with the numbers, and the source locations that
// the debug information of the instructions gives.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_EMULATIONERROR_H
#define TILE_COMPILER_EMULATOR_EMULATIONERROR_H

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// A position in a source file.  `line` is 0 when nothing is known.
struct EmulationLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// False when the instruction itself carries no location and this is the one
  /// of the nearest instruction before it.
  bool exact = true;
  /// Calls through which the code was inlined here, innermost first.
  std::vector<EmulationLocation> callers;

  bool isKnown() const { return line != 0; }
  /// "file:line:col", or "<no source location>".
  std::string str() const;
};

enum class EmulationErrorKind {
  Unsupported,         ///< an instruction or IR form the emulator lacks
  BadLaunch,           ///< the launch does not fit the kernel
  OutOfBounds,         ///< global or shared address outside of its buffer
  Misaligned,          ///< address not a multiple of what the access needs
  ReadOnlyWrite,       ///< store into a buffer registered as read-only
  UninitialisedRead,   ///< shared bytes that nobody has written
  InFlightAccess,      ///< shared bytes with an asynchronous copy under way
  MissingFence,        ///< the async proxy may not see what threads wrote
  Race,                ///< two threads, one byte, no barrier in between
  Deadlock,            ///< no thread can go on
  BarrierMisuse,       ///< thread counts or ids that do not fit together
  BadDescriptor,       ///< a matrix descriptor that describes no matrix
  DivergentCollective, ///< a warp instruction with the wrong lanes
  DivisionByZero,      ///< also the quotient that does not fit
  Trap,                ///< trap, failed assertion or unreachable code
  BudgetExceeded,      ///< the step budget of the launch is used up
};

/// Short name of a kind, for messages and tests: "race", "deadlock", ...
llvm::StringRef nameOf(EmulationErrorKind kind);

/// A finding without the llvm::Error machinery around it.
struct EmulationReport {
  struct Note {
    EmulationLocation location;
    std::string message;
  };

  EmulationErrorKind kind = EmulationErrorKind::Trap;
  std::string message;
  EmulationLocation location;
  std::vector<Note> notes;
  /// Where it happened; empty for errors found before a thread ran.
  std::optional<unsigned> block;
  std::optional<unsigned> thread;
};

class EmulationError : public llvm::ErrorInfo<EmulationError> {
public:
  static char ID;

  explicit EmulationError(EmulationReport report) : report(std::move(report)) {}

  const EmulationReport &getReport() const { return report; }

  /// Prints "file:line:col: error: message" and one line per note.
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  EmulationReport report;
};

/// Shorthand for errors that have no thread.
llvm::Error makeEmulationError(EmulationErrorKind kind,
                               const llvm::Twine &message,
                               EmulationLocation location = {});

} // namespace tilec

#endif // TILE_COMPILER_EMULATOR_EMULATIONERROR_H
