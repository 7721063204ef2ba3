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
  // Beyond the limit errors are only counted: a large file of garbage has one
  // at every byte.
  bool isError = severity == Severity::Error;
  bool isShown = !isError || errorCount < maxErrors;
  if (isShown) {
    diagnostic.message = message.str();
    isShown =
        seen.insert({range.Start.getPointer(), diagnostic.message}).second;
    errorCount += isShown && isError;
  } else {
    ++errorCount;
  }
  if (isShown)
    return diagnostics.emplace_back(std::move(diagnostic));
  // One slot is enough: nobody reads what is dropped.
  dropped = std::move(diagnostic);
  return dropped;
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
  // SourceMgr's own column counts back to the start of the line, which in a
  // file of one long line takes long.
  const auto &info = sources.getBufferInfo(buffer);
  unsigned line = info.getLineNumber(location.getPointer());
  const char *start = info.getPointerForLineNumber(line);
  auto column = static_cast<unsigned>(location.getPointer() - start) + 1;
  return {info.Buffer->getBufferIdentifier(), line, column};
}
