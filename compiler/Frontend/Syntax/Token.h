//===- Token.h - Words of the language ------------------------------------===//
//
// A token is a kind and its text; the text points into the source buffer and so
// is the token's place as well.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_TOKEN_H
#define TILEC_FRONTEND_SYNTAX_TOKEN_H

#include "compiler/Frontend/Diagnostics/Diagnostics.h"

namespace tilec {

enum class TokenKind : uint8_t {
#define TOKEN(name) name,
#define KEYWORD(name, spelling) Kw##name,
#define PUNCTUATION(name, spelling) name,
#include "compiler/Frontend/Syntax/Tokens.def"
};

/// How a token of this kind is spelled, or what it is called if it has no
/// spelling of its own ("a name").
llvm::StringRef getSpelling(TokenKind kind);

struct Token {
  TokenKind kind;
  llvm::StringRef text;

  bool is(TokenKind other) const { return kind == other; }
  bool isOneOf(std::initializer_list<TokenKind> kinds) const {
    return llvm::is_contained(kinds, kind);
  }
  llvm::SMLoc getStart() const {
    return llvm::SMLoc::getFromPointer(text.begin());
  }
  llvm::SMLoc getEnd() const { return llvm::SMLoc::getFromPointer(text.end()); }
  SourceRange getRange() const { return {getStart(), getEnd()}; }
};

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_TOKEN_H
