//===- Parser.cpp - Tokens, errors and recovery of the parser -------------===//
#include "compiler/Frontend/Syntax/ParserImpl.h"

using namespace tilec;

/// The token as a message quotes it.
static std::string describe(const Token &token) {
  if (token.is(TokenKind::EndOfFile))
    return getSpelling(token.kind).str();
  if (token.is(TokenKind::String) || token.text.size() > 40)
    return getSpelling(token.kind).str();
  return "'" + token.text.str() + "'";
}

/// The kind as a message quotes it.
static std::string describe(TokenKind kind) {
  bool isWord = kind <= TokenKind::String;
  return isWord ? getSpelling(kind).str() : "'" + getSpelling(kind).str() + "'";
}

Diagnostic &Parser::errorExpected(const llvm::Twine &what) {
  if (is(TokenKind::Invalid))
    return silent;
  SourceRange range = peek().getRange();
  return diagnostics.error(range,
                           "expected " + what + ", found " + describe(peek()));
}

bool Parser::expect(TokenKind kind, const llvm::Twine &where) {
  if (accept(kind))
    return true;
  errorExpected(describe(kind) + " " + where);
  return false;
}

bool Parser::expectName(ast::Name &name, const llvm::Twine &what) {
  if (is(TokenKind::Identifier)) {
    Token token = take();
    name = {token.text, token.getRange()};
    return true;
  }
  Diagnostic &diagnostic = errorExpected(what);
  if (peek().kind >= TokenKind::KwKernel && peek().kind <= TokenKind::KwFalse)
    diagnostic.withHelp("'" + peek().text +
                        "' is a keyword; choose another name");
  else if (is(TokenKind::TypeName))
    diagnostic.withHelp("'" + peek().text + "' is a type; choose another name");
  return false;
}

bool Parser::expectSemicolon(llvm::SMLoc start) {
  if (accept(TokenKind::Semicolon))
    return true;
  if (is(TokenKind::Invalid))
    return false;
  // The place of the missing ';' is where the statement stops, not where the
  // next one begins.
  llvm::SMLoc end = getLastEnd();
  llvm::StringRef text(start.getPointer(),
                       end.getPointer() - start.getPointer());
  if (text.contains('\n') || text.size() > 60)
    text = at ? tokens[at - 1].text : text;
  llvm::StringRef gap(end.getPointer(),
                      peek().getStart().getPointer() - end.getPointer());
  diagnostics.error({end, end}, "expected ';' after '" + text + "'")
      .withHelp("add ';'");
  // On a new line the next statement follows; on the same one, a leftover.
  return gap.contains('\n') || is(TokenKind::RBrace) ||
         is(TokenKind::EndOfFile);
}

bool Parser::isAtDeclaration() const {
  return peek().isOneOf({TokenKind::KwKernel, TokenKind::KwFn,
                         TokenKind::KwConst, TokenKind::KwImport,
                         TokenKind::EndOfFile});
}

void Parser::skipTo(std::initializer_list<TokenKind> kinds) {
  unsigned braces = 0, parentheses = 0;
  while (!isAtDeclaration()) {
    TokenKind kind = peek().kind;
    // A statement never ends inside parentheses, so what is open then was
    // forgotten.
    bool endsStmt = kind == TokenKind::Semicolon || kind == TokenKind::LBrace ||
                    kind == TokenKind::RBrace;
    if (endsStmt && braces == 0)
      parentheses = 0;
    if (braces == 0 && parentheses == 0 && peek().isOneOf(kinds))
      return;
    take();
    if (kind == TokenKind::LBrace)
      ++braces;
    else if (kind == TokenKind::RBrace && braces > 0)
      --braces;
    else if (kind == TokenKind::LParen || kind == TokenKind::LBracket)
      ++parentheses;
    else if ((kind == TokenKind::RParen || kind == TokenKind::RBracket) &&
             parentheses > 0)
      --parentheses;
  }
}

/// Skips the rest of a statement that went wrong: past its `;`, past the block
/// it ends in, or up to the end of the enclosing block.
void Parser::skipStmt() {
  do {
    skipTo({TokenKind::Semicolon, TokenKind::RBrace, TokenKind::LBrace});
    if (accept(TokenKind::LBrace)) {
      skipTo({TokenKind::RBrace});
      accept(TokenKind::RBrace);
    }
  } while (is(TokenKind::KwElse));
  accept(TokenKind::Semicolon);
}

void Parser::skipToDeclaration() {
  while (!isAtDeclaration())
    take();
}

bool Parser::parseList(TokenKind close, const llvm::Twine &what,
                       llvm::function_ref<bool()> parseItem) {
  bool isGood = true;
  while (!is(close)) {
    if (!parseItem()) {
      isGood = false;
      skipTo({TokenKind::Comma, close, TokenKind::Semicolon, TokenKind::LBrace,
              TokenKind::RBrace});
    }
    if (accept(TokenKind::Comma))
      continue;
    if (!is(close)) {
      if (isGood)
        errorExpected("',' or '" + getSpelling(close) + "' in " + what);
      return false;
    }
  }
  take();
  return isGood;
}

ast::File Parser::parseFile() {
  ast::File file;
  while (!is(TokenKind::EndOfFile)) {
    bool isGood = true;
    switch (peek().kind) {
    case TokenKind::KwImport:
      isGood = parseImport(file);
      break;
    case TokenKind::KwConst:
      isGood = parseConst(file);
      break;
    case TokenKind::KwFn:
      isGood = parseFunction(file);
      break;
    case TokenKind::KwKernel:
      isGood = parseKernel(file);
      break;
    default:
      errorExpected("'kernel', 'fn', 'const' or 'import'");
      isGood = false;
      break;
    }
    if (!isGood)
      skipToDeclaration();
  }
  return file;
}

ast::ExprPtr Parser::parseLoneExpr() {
  ast::ExprPtr expr = parseExpr();
  if (expr && !is(TokenKind::EndOfFile)) {
    errorExpected("one value");
    return nullptr;
  }
  return expr;
}

ast::File tilec::parseFile(llvm::ArrayRef<Token> tokens,
                           DiagnosticEngine &diagnostics) {
  return Parser(tokens, diagnostics).parseFile();
}

ast::ExprPtr tilec::parseLoneExpr(llvm::ArrayRef<Token> tokens,
                                  DiagnosticEngine &diagnostics) {
  return Parser(tokens, diagnostics).parseLoneExpr();
}
