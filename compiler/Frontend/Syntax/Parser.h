//===- Parser.h - Tokens to syntax tree -----------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_PARSER_H
#define TILEC_FRONTEND_SYNTAX_PARSER_H

#include "compiler/Frontend/Syntax/ASTDecl.h"
#include "compiler/Frontend/Syntax/Token.h"

namespace tilec {

/// Parses a file.  After an error it goes on at the next statement, parameter
/// or declaration, so that independent errors show in one run; the tree is then
/// incomplete and only good for printing.
ast::File parseFile(llvm::ArrayRef<Token> tokens,
                    DiagnosticEngine &diagnostics);

/// Parses an expression that stands alone, as the value of `-D`.  Null after an
/// error.
ast::ExprPtr parseLoneExpr(llvm::ArrayRef<Token> tokens,
                           DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_PARSER_H
