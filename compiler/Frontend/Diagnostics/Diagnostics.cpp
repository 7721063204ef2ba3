//===- Diagnostics.cpp - Collecting diagnostics ---------------------------===//
#include "compiler/Frontend/Diagnostics/Diagnostics.h"

#include "llvm/Support/SourceMgr.h"
#include <tuple>

using namespace tilec;

Diagnostic &DiagnosticEngine::report(Severity severity, SourceRange range,
                                     const llvm::Twine &message) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.range = range;
  diagnostic.message = message.str();

  bool isNew =
      seen.insert({range.Start.getPointer(), diagnostic.message}).second;
  if (isNew && severity == Severity::Error)
    ++errorCount;
  bool isShown =
      isNew && (severity != Severity::Error || errorCount <= maxErrors);
  if (!isShown) {
    // One slot is enough: nobody reads what is dropped.
    dropped.clear();
    return dropped.emplace_back(std::move(diagnostic));
  }
  return diagnostics.emplace_back(std::move(diagnostic));
}

std::vector<const Diagnostic *>
DiagnosticEngine::getSorted(const llvm::SourceMgr &sources) const {
  // Pointers of two buffers do not compare in a way that means anything, so
  // the buffer comes first; the order of reporting breaks ties.
  std::vector<std::tuple<unsigned, const char *, size_t>> keys;
  for (const auto &[index, diagnostic] : llvm::enumerate(diagnostics)) {
    llvm::SMLoc start = diagnostic.range.Start;
    unsigned buffer =
        start.isValid() ? sources.FindBufferContainingLoc(start) : 0;
    keys.emplace_back(buffer, start.getPointer(), index);
  }
  llvm::sort(keys);
  std::vector<const Diagnostic *> sorted;
  for (const auto &[buffer, start, index] : keys)
    sorted.push_back(&diagnostics[index]);
  return sorted;
}

Position tilec::getPosition(const llvm::SourceMgr &sources,
                            llvm::SMLoc location) {
  if (!location.isValid())
    return {};
  unsigned buffer = sources.FindBufferContainingLoc(location);
  if (!buffer)
    return {};
  auto [line, column] = sources.getLineAndColumn(location, buffer);
  return {sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column};
}
