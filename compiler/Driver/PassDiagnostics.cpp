//===- PassDiagnostics.cpp - MLIR's diagnostics in the language's form ----===//
#include "compiler/Driver/PassDiagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Number of the buffer of that name, or 0.  Debug information may have the
/// name without its folder.
static unsigned findBuffer(const llvm::SourceMgr &sources, StringRef file) {
  auto find = [&](llvm::function_ref<bool(StringRef)> isWanted) -> unsigned {
    for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
      if (isWanted(sources.getMemoryBuffer(id)->getBufferIdentifier()))
        return id;
    return 0;
  };
  if (unsigned id = find([&](StringRef name) { return name == file; }))
    return id;
  return find([&](StringRef name) {
    return name.consume_back(file) && name.ends_with("/");
  });
}

static unsigned findOrReadBuffer(llvm::SourceMgr &sources, StringRef file) {
  if (unsigned id = findBuffer(sources, file))
    return id;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  return buffer ? sources.AddNewSourceBuffer(std::move(*buffer), {}) : 0;
}

SourceRange tilec::findRange(llvm::SourceMgr &sources, StringRef file,
                             unsigned line, unsigned column) {
  unsigned buffer = findOrReadBuffer(sources, file);
  if (!buffer || line == 0)
    return {};
  llvm::SMLoc start =
      sources.FindLocForLineAndColumn(buffer, line, std::max(column, 1u));
  if (!start.isValid())
    return {};
  const char *end = start.getPointer();
  const char *bufferEnd = sources.getMemoryBuffer(buffer)->getBufferEnd();
  while (end != bufferEnd && (llvm::isAlnum(*end) || *end == '_'))
    ++end;
  if (end == start.getPointer() && end != bufferEnd)
    ++end;
  return {start, llvm::SMLoc::getFromPointer(end)};
}

mlir::FileLineColLoc tilec::findPlace(mlir::Location location) {
  mlir::FileLineColLoc place;
  location->walk([&](mlir::Location part) {
    place = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    return place ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return place;
}

SourceRange tilec::findRange(llvm::SourceMgr &sources,
                             mlir::Location location) {
  mlir::FileLineColLoc place = findPlace(location);
  if (!place)
    return {};
  return findRange(sources, place.getFilename().getValue(), place.getLine(),
                   place.getColumn());
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

PassDiagnostics::PassDiagnostics(mlir::MLIRContext &context,
                                 llvm::SourceMgr &sources,
                                 DiagnosticEngine &diagnostics)
    : sources(sources), diagnostics(diagnostics),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        report(diagnostic);
        return mlir::success();
      }) {
  // The operation means nothing to who wrote the source.
  context.printOpOnDiagnostic(false);
}

/// A place that is in no source shows in the text.
static std::string addPlace(std::string message, mlir::Location location,
                            SourceRange range) {
  mlir::FileLineColLoc place = findPlace(location);
  if (range.isValid() || !place)
    return message;
  return message + " (at " + place.getFilename().str() + ":" +
         std::to_string(place.getLine()) + ":" +
         std::to_string(place.getColumn()) + ")";
}

static Diagnostic &addDiagnostic(DiagnosticEngine &diagnostics,
                                 mlir::DiagnosticSeverity severity,
                                 SourceRange range,
                                 const std::string &message) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return diagnostics.error(range, message);
  case mlir::DiagnosticSeverity::Warning:
    return diagnostics.warning(range, message);
  case mlir::DiagnosticSeverity::Remark:
  case mlir::DiagnosticSeverity::Note:
    return diagnostics.remark(range, message);
  }
  llvm_unreachable("every severity is handled");
}

void PassDiagnostics::report(mlir::Diagnostic &diagnostic) {
  SourceRange range = findRange(sources, diagnostic.getLocation());
  Diagnostic &reported = addDiagnostic(
      diagnostics, diagnostic.getSeverity(), range,
      addPlace(diagnostic.str(), diagnostic.getLocation(), range));
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    if (StringRef(text).starts_with("help: ")) {
      reported.withHelp(StringRef(text).drop_front(6));
      continue;
    }
    llvm::SMLoc place;
    if (note.getLocation() != diagnostic.getLocation()) {
      SourceRange noteRange = findRange(sources, note.getLocation());
      text = addPlace(std::move(text), note.getLocation(), noteRange);
      // The place of the error is not shown twice.
      if (noteRange.Start != range.Start)
        place = noteRange.Start;
    }
    reported.note(place, text);
  }
}
