//===- Diagnostics.h - Located messages about a source file ---------------===//
//
// A diagnostic says what is wrong, where, why, and how to put it right.  The
// phases collect them in a DiagnosticEngine; the caller sorts and prints them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_DIAGNOSTICS_DIAGNOSTICS_H
#define TILEC_FRONTEND_DIAGNOSTICS_DIAGNOSTICS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SMLoc.h"
#include <deque>
#include <set>
#include <string>

namespace llvm {
class raw_ostream;
class SourceMgr;
} // namespace llvm

namespace tilec {

/// Half-open range of source text; both ends point into a SourceMgr buffer.
using SourceRange = llvm::SMRange;

enum class Severity { Error, Warning, Remark };

/// The place that made something so.  Without a location only the text shows.
struct DiagnosticNote {
  llvm::SMLoc location;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  /// What is wrong, marked `^~~`.  Invalid for errors of the command line.
  SourceRange range;
  /// What it clashes with, marked `~~` where it is on the same line.
  llvm::SmallVector<SourceRange, 2> related;
  std::string message;
  llvm::SmallVector<DiagnosticNote, 1> notes;
  std::string help;

  Diagnostic &underline(SourceRange other) {
    related.push_back(other);
    return *this;
  }
  Diagnostic &note(llvm::SMLoc location, const llvm::Twine &text) {
    notes.push_back({location, text.str()});
    return *this;
  }
  Diagnostic &withHelp(const llvm::Twine &text) {
    help = text.str();
    return *this;
  }
};

/// Collects the diagnostics of a compilation.  A message repeated at the same
/// place (an unrolled or inlined body is checked several times) is kept once,
/// and beyond `maxErrors` errors are only counted.
class DiagnosticEngine {
public:
  static constexpr unsigned maxErrors = 100;

  /// Adds an error.  The reference stays valid until the engine is destroyed.
  Diagnostic &error(SourceRange range, const llvm::Twine &message) {
    return report(Severity::Error, range, message);
  }
  Diagnostic &warning(SourceRange range, const llvm::Twine &message) {
    return report(Severity::Warning, range, message);
  }
  Diagnostic &remark(SourceRange range, const llvm::Twine &message) {
    return report(Severity::Remark, range, message);
  }

  bool hasErrors() const { return errorCount != 0; }
  unsigned getErrorCount() const { return errorCount; }

  /// The message of the first error.
  std::string getFirstMessage() const { return diagnostics.front().message; }

  /// All diagnostics kept so far, in the order of the source: by file, then by
  /// position; those without a position come first.
  std::vector<const Diagnostic *>
  getSorted(const llvm::SourceMgr &sources) const;

private:
  Diagnostic &report(Severity severity, SourceRange range,
                     const llvm::Twine &message);

  std::deque<Diagnostic> diagnostics;
  /// Takes what is not shown: repetitions, and errors beyond the limit.
  Diagnostic dropped;
  std::set<std::pair<const char *, std::string>> seen;
  unsigned errorCount = 0;
};

/// Line and column (both from 1; columns count bytes) of a location.
struct Position {
  llvm::StringRef file;
  unsigned line = 0;
  unsigned column = 0;
};
Position getPosition(const llvm::SourceMgr &sources, llvm::SMLoc location);

/// Prints the diagnostics with their source lines; docs/language.md, section
/// 14, shows the form.
void printDiagnostics(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
                      const DiagnosticEngine &diagnostics);

/// Prints them as one JSON array, for editors and scripts.
void printDiagnosticsAsJson(llvm::raw_ostream &os,
                            const llvm::SourceMgr &sources,
                            const DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_FRONTEND_DIAGNOSTICS_DIAGNOSTICS_H
