//===- DiagnosticPrinter.cpp - Diagnostics as text and as JSON ------------===//
//
// The text form is
//
//   file:line:column: error: message
//   <the source line as it stands>
//   <`^~~` under what is wrong, `~~` under what it clashes with>
//   file:line:column: note: message
//   help: message
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Diagnostics/Diagnostics.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

static llvm::StringRef getSeverityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  llvm_unreachable("every severity has a name");
}

/// The line that holds `location`, without its end.
static llvm::StringRef getLine(const llvm::SourceMgr &sources,
                               llvm::SMLoc location) {
  unsigned buffer = sources.FindBufferContainingLoc(location);
  llvm::StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  size_t offset = location.getPointer() - text.data();
  size_t newline = text.rfind('\n', offset);
  size_t begin = newline == llvm::StringRef::npos ? 0 : newline + 1;
  llvm::StringRef line = text.substr(begin);
  line = line.substr(0, line.find('\n')).rtrim('\r');
  // A byte order mark has no width.
  line.consume_front("\xEF\xBB\xBF");
  return line;
}

/// True for the second and later bytes of a UTF-8 sequence, which take no
/// column of their own on the screen.
static bool isContinuationByte(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The line of marks below `line`.  Tabs stay tabs, so that the marks stand
/// below the text whatever the terminal's tab stops are.
static std::string getMarks(llvm::StringRef line,
                            const Diagnostic &diagnostic) {
  const char *begin = line.begin(), *end = line.end();
  // One place more: an expected token is marked just after the line.
  std::string marks(line.size() + 1, ' ');
  auto fill = [&](SourceRange range) {
    const char *from = range.Start.getPointer(), *to = range.End.getPointer();
    if (from < begin || from > end)
      return;
    for (const char *p = from; p < std::min(to, end); ++p)
      marks[p - begin] = '~';
  };
  for (SourceRange range : diagnostic.related)
    if (range.isValid())
      fill(range);
  fill(diagnostic.range);
  // Blanks at either end of the line are not part of it.
  const char *at = std::clamp(diagnostic.range.Start.getPointer(), begin, end);
  marks[at - begin] = '^';

  std::string shown;
  for (size_t i = 0; i < marks.size(); ++i) {
    char source = i < line.size() ? line[i] : ' ';
    if (isContinuationByte(source))
      continue;
    shown += marks[i] == ' ' && source == '\t' ? '\t' : marks[i];
  }
  return llvm::StringRef(shown).rtrim(" \t").str();
}

/// Prints a source line so that the terminal shows what is there: bytes that
/// are no text become '?', which keeps the columns.
static void printLine(llvm::raw_ostream &os, llvm::StringRef line) {
  const auto *p = reinterpret_cast<const llvm::UTF8 *>(line.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(line.end());
  while (p != end) {
    unsigned size = llvm::getNumBytesForUTF8(*p);
    bool isControl = (*p < 0x20 && *p != '\t') || *p == 0x7F;
    if (isControl || size > size_t(end - p) ||
        !llvm::isLegalUTF8Sequence(p, p + size)) {
      // A stray continuation byte has no column (see getMarks).
      if (!isContinuationByte(*p))
        os << '?';
      ++p;
      continue;
    }
    os << llvm::StringRef(reinterpret_cast<const char *>(p), size);
    p += size;
  }
  os << '\n';
}

static void printHead(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
                      llvm::SMLoc location) {
  if (!location.isValid())
    return;
  Position position = getPosition(sources, location);
  os << position.file << ':' << position.line << ':' << position.column << ": ";
}

/// Longer lines are machine made; the marks would only scroll the message out
/// of sight.
static constexpr size_t longestShownLine = 400;

void tilec::printDiagnostics(llvm::raw_ostream &os,
                             const llvm::SourceMgr &sources,
                             const DiagnosticEngine &diagnostics) {
  for (const Diagnostic *diagnostic : diagnostics.getSorted(sources)) {
    printHead(os, sources, diagnostic->range.Start);
    os << getSeverityName(diagnostic->severity) << ": " << diagnostic->message
       << '\n';
    if (diagnostic->range.isValid()) {
      llvm::StringRef line = getLine(sources, diagnostic->range.Start);
      if (line.size() <= longestShownLine) {
        printLine(os, line);
        os << getMarks(line, *diagnostic) << '\n';
      }
    }
    for (const DiagnosticNote &note : diagnostic->notes) {
      printHead(os, sources, note.location);
      os << "note: " << note.message << '\n';
    }
    if (!diagnostic->help.empty())
      os << "help: " << diagnostic->help << '\n';
  }
  unsigned hidden =
      diagnostics.getErrorCount() > DiagnosticEngine::maxErrors
          ? diagnostics.getErrorCount() - DiagnosticEngine::maxErrors
          : 0;
  if (hidden)
    os << "note: " << hidden << " more errors are not shown\n";
}

void tilec::printDiagnosticsAsJson(llvm::raw_ostream &os,
                                   const llvm::SourceMgr &sources,
                                   const DiagnosticEngine &diagnostics) {
  auto printPosition = [&](llvm::json::OStream &json, llvm::SMLoc location) {
    if (!location.isValid())
      return;
    Position position = getPosition(sources, location);
    json.attribute("file", llvm::json::fixUTF8(position.file));
    json.attribute("line", position.line);
    json.attribute("column", position.column);
  };
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.arrayBegin();
  for (const Diagnostic *diagnostic : diagnostics.getSorted(sources)) {
    json.objectBegin();
    json.attribute("severity", getSeverityName(diagnostic->severity));
    printPosition(json, diagnostic->range.Start);
    if (diagnostic->range.isValid()) {
      Position end = getPosition(sources, diagnostic->range.End);
      json.attribute("end_line", end.line);
      json.attribute("end_column", end.column);
    }
    json.attribute("message", llvm::json::fixUTF8(diagnostic->message));
    json.attributeBegin("notes");
    json.arrayBegin();
    for (const DiagnosticNote &note : diagnostic->notes) {
      json.objectBegin();
      printPosition(json, note.location);
      json.attribute("message", llvm::json::fixUTF8(note.message));
      json.objectEnd();
    }
    json.arrayEnd();
    json.attributeEnd();
    if (!diagnostic->help.empty())
      json.attribute("help", llvm::json::fixUTF8(diagnostic->help));
    json.objectEnd();
  }
  json.arrayEnd();
  os << '\n';
}
