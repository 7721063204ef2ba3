//===- ASTPrinter.h - The syntax tree as text -----------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_ASTPRINTER_H
#define TILEC_FRONTEND_SYNTAX_ASTPRINTER_H

#include "compiler/Frontend/Syntax/ASTDecl.h"

namespace tilec {

/// Prints one node a line, children indented below their parent, each with its
/// line and column: what `tilec --emit=ast` shows.
void printAST(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
              const ast::File &file);

/// What a kernel is made of: the same text for it and for the constants and
/// functions of the file, without places, so that comments and white space do
/// not show.
std::string printKernelText(const llvm::SourceMgr &sources,
                            const ast::File &file, llvm::StringRef kernel);

/// The shortest text that reads back as this double, always with a point or an
/// exponent.
std::string formatFloat(double value);
std::string formatInteger(__int128 value);

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_ASTPRINTER_H
