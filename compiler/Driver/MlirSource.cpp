//===- MlirSource.cpp - Reads a .mlir file --------------------------------===//
//
// MLIR's parser calls itself for each bracket and has no limit, so a file is
// scanned first: one that would exhaust the stack is refused.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/MlirSource.h"

#include "mlir/Parser/Parser.h"

using namespace tilec;

/// More than any file that a person or tilec writes.
static constexpr int maxDepth = 1000;

/// Where brackets nest too deep; null if they do not.
static const char *findDeepBracket(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      while (++i < text.size() && text[i] != '"' && text[i] != '\n')
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = text.find('\n', i);
    } else if (llvm::StringRef("([{<").contains(c)) {
      if (++depth > maxDepth)
        return text.data() + i;
    } else if (llvm::StringRef(")]}>").contains(c)) {
      // Arrows close nothing.
      bool isArrow = c == '>' && i > 0 && text[i - 1] == '-';
      depth = std::max(0, depth - !isArrow);
    }
  }
  return nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
tilec::parseMlirFile(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                     DiagnosticEngine &diagnostics) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (const char *place = findDeepBracket(buffer->getBuffer())) {
    auto start = llvm::SMLoc::getFromPointer(place);
    diagnostics.error({start, llvm::SMLoc::getFromPointer(place + 1)},
                      "brackets nest deeper than " + llvm::Twine(maxDepth));
    return {};
  }
  return mlir::parseSourceFile<mlir::ModuleOp>(sources,
                                               mlir::ParserConfig(&context));
}
