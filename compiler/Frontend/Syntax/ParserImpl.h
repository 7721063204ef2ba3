//===- ParserImpl.h - The recursive descent parser ------------------------===//
//
// One function for each rule of the grammar (section 2 of the language
// reference), split over ParseDecl, ParseStmt and ParseExpr.  A function that
// met an error has reported it and returns null or false; only the lists
// (statements, parameters, clauses, declarations) recover.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SYNTAX_PARSERIMPL_H
#define TILEC_FRONTEND_SYNTAX_PARSERIMPL_H

#include "compiler/Frontend/Syntax/Parser.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

class Parser {
public:
  Parser(llvm::ArrayRef<Token> tokens, DiagnosticEngine &diagnostics)
      : tokens(tokens), diagnostics(diagnostics) {}

  ast::File parseFile();
  ast::ExprPtr parseLoneExpr();

private:
  // Deeper nesting is a mistake or an attack; either way the later phases,
  // which recurse, need a bound.
  static constexpr unsigned maxExprDepth = 256;
  static constexpr unsigned maxStmtDepth = 64;

  // Declarations.
  bool parseImport(ast::File &file);
  bool parseConst(ast::File &file);
  bool parseFunction(ast::File &file);
  bool parseFunctionParameter(ast::FunctionDecl &function);
  bool parseKernel(ast::File &file);
  bool parseKernelParameter(ast::KernelDecl &kernel);
  bool parseQualifiers(ast::KernelParameter &parameter);
  bool parseClause(ast::KernelDecl &kernel);
  bool parseConfig(ast::KernelDecl &kernel);
  bool parseGrid(ast::KernelDecl &kernel);
  std::optional<ast::TypeSyntax> parseType();

  // Statements.
  ast::BlockPtr parseBlock();
  ast::StmtPtr parseStmt();
  ast::StmtPtr parseLet();
  ast::StmtPtr parseIfStmt();
  ast::StmtPtr parseWhile();
  ast::StmtPtr parseFor();
  ast::StmtPtr parseReturn();
  ast::StmtPtr parseWarpgroup();
  ast::StmtPtr parseSimpleStmt();
  ast::StmtPtr parseJump();

  // Expressions.
  ast::ExprPtr parseExpr();
  ast::ExprPtr parseBinary(unsigned loosest);
  ast::ExprPtr parseUnary();
  ast::ExprPtr parsePostfix();
  ast::ExprPtr parsePrimary();
  ast::ExprPtr parseNumber();
  ast::ExprPtr parseNameOrCall();
  ast::ExprPtr parseParenthesised();
  ast::ExprPtr parseCast();
  ast::ExprPtr parseIfExpr();
  ast::ExprPtr parseBracedExpr();
  /// A TYPENAME or IDENT where a type's name is written.
  ast::ExprPtr parseTypeName();
  bool parseArguments(std::vector<ast::Argument> &arguments);
  bool parseIndex(ast::Index &index);
  /// Sets the depth of a new node from its children, and checks it.
  ast::ExprPtr finish(ast::ExprPtr expr,
                      std::initializer_list<const ast::Expr *> children);

  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool is(TokenKind kind) const { return peek().is(kind); }
  Token take() {
    const Token &token = peek();
    if (at + 1 < tokens.size())
      ++at;
    return token;
  }
  bool accept(TokenKind kind) {
    if (!is(kind))
      return false;
    take();
    return true;
  }
  llvm::SMLoc getLastEnd() const {
    return at ? tokens[at - 1].getEnd() : peek().getStart();
  }
  SourceRange getRangeFrom(llvm::SMLoc start) const {
    return {start, getLastEnd()};
  }

  // Errors and recovery.
  /// Reports `expected WHAT, found ...` at the next token.  Says nothing about
  /// a token that the lexer has reported.
  Diagnostic &errorExpected(const llvm::Twine &what);
  /// Takes a token of this kind or reports it missing in `where` ("after the
  /// parameters").
  bool expect(TokenKind kind, const llvm::Twine &where);
  bool expectName(ast::Name &name, const llvm::Twine &what);
  /// The `;` that ends what began at `start`.
  bool expectSemicolon(llvm::SMLoc start);
  /// Skips to the next token of one of `kinds` outside brackets that open on
  /// the way.  Stops at the end of the file and at a declaration in any case.
  void skipTo(std::initializer_list<TokenKind> kinds);
  void skipStmt();
  void skipToDeclaration();
  bool isAtDeclaration() const;

  /// `open item { "," item } [ "," ] close`, after `open` has been taken.  An
  /// item that fails is skipped; false if one did or the list has no end.
  bool parseList(TokenKind close, const llvm::Twine &what,
                 llvm::function_ref<bool()> parseItem);

  llvm::ArrayRef<Token> tokens;
  DiagnosticEngine &diagnostics;
  Diagnostic silent;
  size_t at = 0;
  unsigned exprDepth = 0;
  unsigned stmtDepth = 0;
};

} // namespace tilec

#endif // TILEC_FRONTEND_SYNTAX_PARSERIMPL_H
