//===- Imports.cpp - Files that a file imports ----------------------------===//
//
// Functions and constants of imported files become part of the program; their
// kernels do not.  A file that several others import is read once.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Frontend.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilec;
using llvm::StringRef;

namespace {
class ImportLoader {
public:
  ImportLoader(llvm::SourceMgr &sources, ast::File &program,
               DiagnosticEngine &diagnostics)
      : sources(sources), program(program), diagnostics(diagnostics) {}

  /// Loads what a buffer imports, and what that imports.
  void load(const std::vector<ast::ImportDecl> &imports, unsigned buffer);

private:
  void load(const ast::ImportDecl &import, StringRef folder);

  llvm::SourceMgr &sources;
  ast::File &program;
  DiagnosticEngine &diagnostics;
  /// Files by their real paths: all so far, and those that are being loaded.
  llvm::StringSet<> seen;
  std::vector<std::string> pending;
};
} // namespace

/// One name for a file, however it is written.
static std::string getRealPath(StringRef path) {
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(path, real))
    return path.str();
  return real.str().str();
}

void ImportLoader::load(const std::vector<ast::ImportDecl> &imports,
                        unsigned buffer) {
  std::string file =
      sources.getMemoryBuffer(buffer)->getBufferIdentifier().str();
  std::string path = getRealPath(file);
  seen.insert(path);
  pending.push_back(path);
  for (const ast::ImportDecl &import : imports)
    load(import, llvm::sys::path::parent_path(file));
  pending.pop_back();
}

void ImportLoader::load(const ast::ImportDecl &import, StringRef folder) {
  llvm::SmallString<128> path(import.path);
  if (!llvm::sys::path::is_absolute(path)) {
    path = folder;
    llvm::sys::path::append(path, import.path);
  }
  std::string real = getRealPath(path);
  if (llvm::is_contained(pending, real)) {
    bool isDirect = pending.back() == real;
    diagnostics
        .error(import.range,
               isDirect ? "this file imports itself"
                        : "'" + import.path + "' imports this file in turn")
        .withHelp("move what both need to a file that imports neither");
    return;
  }
  if (seen.contains(real))
    return;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    diagnostics
        .error(import.range, "cannot read '" + path.str() +
                                 "': " + buffer.getError().message())
        .withHelp("the path is relative to the file that imports it");
    return;
  }
  unsigned id = sources.AddNewSourceBuffer(std::move(*buffer), {});
  ast::File file = parseBuffer(sources, id, diagnostics);
  load(file.imports, id);
  auto move = [](auto &from, auto &to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  };
  move(file.functions, program.functions);
  move(file.constants, program.constants);
}

ast::File tilec::parseProgram(llvm::SourceMgr &sources,
                              DiagnosticEngine &diagnostics) {
  ast::File program = parseSource(sources, diagnostics);
  ImportLoader(sources, program, diagnostics)
      .load(program.imports, sources.getMainFileID());
  return program;
}
