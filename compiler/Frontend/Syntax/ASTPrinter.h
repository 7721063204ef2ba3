//===- ASTPrinter.h - The syntax tree as text -----------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_ASTPRINTER_H
#define TILEC_FRONTEND_SYNTAX_ASTPRINTER_H

#include "compiler/Frontend/Syntax/ASTDecl.h"

namespace tilec {

/// Prints one node a line, children indented below their parent, each with its
/// line and column: what `tilec --emit=ast` shows.
void printAST(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
              const ast::File &file);

/// The shortest text that reads back as this double, always with a point or an
/// exponent.
std::string formatFloat(double value);
std::string formatInteger(__int128 value);

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_ASTPRINTER_H
