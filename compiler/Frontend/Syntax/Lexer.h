//===- Lexer.h - Source text to tokens ------------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_LEXER_H
#define TILEC_FRONTEND_SYNTAX_LEXER_H

#include "compiler/Frontend/Syntax/Token.h"
#include <vector>

namespace tilec {

/// Splits a source buffer into tokens; the last is EndOfFile.  Whatever is no
/// token is reported and becomes Invalid tokens, so that the parser can go on.
/// The tokens point into `text`, which must outlive them.
std::vector<Token> lex(llvm::StringRef text, DiagnosticEngine &diagnostics);

/// The value of a String token, its escapes replaced.  The lexer has checked
/// them.
std::string getStringValue(const Token &token);

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_LEXER_H
