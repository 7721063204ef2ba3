//===- ParseStmt.cpp - Parsing of statements ------------------------------===//
#include "compiler/Frontend/Syntax/ParserImpl.h"

#include "llvm/ADT/ScopeExit.h"

using namespace tilec;
using namespace tilec::ast;

BlockPtr Parser::parseBlock() {
  llvm::SMLoc start = peek().getStart();
  if (!expect(TokenKind::LBrace, "before the statements"))
    return nullptr;
  ++stmtDepth;
  llvm::scope_exit leave([&] { --stmtDepth; });
  if (stmtDepth > maxStmtDepth) {
    diagnostics
        .error({start, getLastEnd()}, "blocks nest deeper than " +
                                          llvm::Twine(maxStmtDepth) + " levels")
        .withHelp("move the inner part to a function");
    skipTo({TokenKind::RBrace});
    accept(TokenKind::RBrace);
    return nullptr;
  }

  std::vector<StmtPtr> statements;
  while (!is(TokenKind::RBrace)) {
    if (isAtDeclaration()) {
      errorExpected("'}' to end a block").note(start, "the block begins here");
      return nullptr;
    }
    size_t before = at;
    StmtPtr stmt = parseStmt();
    if (!stmt)
      skipStmt();
    else
      statements.push_back(std::move(stmt));
    // A stray token at which skipping stops at once must not stop us for good.
    if (at == before)
      take();
  }
  take();
  return std::make_unique<BlockStmt>(getRangeFrom(start),
                                     std::move(statements));
}

StmtPtr Parser::parseStmt() {
  switch (peek().kind) {
  case TokenKind::KwLet:
  case TokenKind::KwVar:
    return parseLet();
  case TokenKind::KwIf:
    return parseIfStmt();
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwFor:
    return parseFor();
  case TokenKind::KwBreak:
  case TokenKind::KwContinue:
    return parseJump();
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwWarpgroup:
    return parseWarpgroup();
  case TokenKind::LBrace:
    return parseBlock();
  default:
    return parseSimpleStmt();
  }
}

StmtPtr Parser::parseLet() {
  Token word = take();
  llvm::SMLoc start = word.getStart();
  Name name;
  if (!expectName(name, "a name after '" + word.text + "'"))
    return nullptr;
  std::optional<TypeSyntax> type;
  if (accept(TokenKind::Colon)) {
    type = parseType();
    if (!type)
      return nullptr;
  }
  if (!is(TokenKind::Equal)) {
    Diagnostic &diagnostic =
        errorExpected("'=' and a value for '" + name.text + "'");
    if (is(TokenKind::Semicolon))
      diagnostic.withHelp("every name begins with a value, e.g. " + word.text +
                          " " + name.text + " = 0;");
    return nullptr;
  }
  take();
  ExprPtr value = parseExpr();
  if (!value || !expectSemicolon(start))
    return nullptr;
  return std::make_unique<LetStmt>(getRangeFrom(start),
                                   word.is(TokenKind::KwVar), name,
                                   std::move(type), std::move(value));
}

StmtPtr Parser::parseIfStmt() {
  llvm::SMLoc start = take().getStart();
  ExprPtr condition = parseExpr();
  if (!condition)
    return nullptr;
  BlockPtr thenBlock = parseBlock();
  if (!thenBlock)
    return nullptr;
  StmtPtr elseBranch;
  if (accept(TokenKind::KwElse)) {
    // A chain of `else if` nests in the tree as deep as it is long.
    ++stmtDepth;
    llvm::scope_exit leave([&] { --stmtDepth; });
    if (is(TokenKind::KwIf) && stmtDepth > maxStmtDepth) {
      diagnostics.error(peek().getRange(), "more than " +
                                               llvm::Twine(maxStmtDepth) +
                                               " levels of 'if'");
      return nullptr;
    }
    elseBranch = is(TokenKind::KwIf) ? parseIfStmt() : StmtPtr(parseBlock());
    if (!elseBranch)
      return nullptr;
  }
  return std::make_unique<IfStmt>(getRangeFrom(start), std::move(condition),
                                  std::move(thenBlock), std::move(elseBranch));
}

StmtPtr Parser::parseWhile() {
  llvm::SMLoc start = take().getStart();
  ExprPtr condition = parseExpr();
  if (!condition)
    return nullptr;
  BlockPtr body = parseBlock();
  if (!body)
    return nullptr;
  return std::make_unique<WhileStmt>(getRangeFrom(start), std::move(condition),
                                     std::move(body));
}

static std::optional<LoopKind> getLoopKind(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwRange:
    return LoopKind::Range;
  case TokenKind::KwPipelined:
    return LoopKind::Pipelined;
  case TokenKind::KwUnrolled:
    return LoopKind::Unrolled;
  case TokenKind::KwParallel:
    return LoopKind::Parallel;
  case TokenKind::KwPersistent:
    return LoopKind::Persistent;
  default:
    return std::nullopt;
  }
}

StmtPtr Parser::parseFor() {
  llvm::SMLoc start = take().getStart();
  std::vector<Name> variables;
  do {
    Name name;
    if (!expectName(name, "a loop variable"))
      return nullptr;
    variables.push_back(name);
  } while (accept(TokenKind::Comma));
  if (!expect(TokenKind::KwIn, "after the loop variables"))
    return nullptr;
  std::optional<LoopKind> loop = getLoopKind(peek().kind);
  if (!loop) {
    errorExpected("'range', 'pipelined', 'unrolled', 'parallel' or "
                  "'persistent'")
        .withHelp("a plain loop is: for i in range(n) { ... }");
    return nullptr;
  }
  SourceRange loopRange = take().getRange();
  std::vector<Argument> arguments;
  if (!expect(TokenKind::LParen, "before the bounds") ||
      !parseArguments(arguments))
    return nullptr;
  BlockPtr body = parseBlock();
  if (!body)
    return nullptr;
  return std::make_unique<ForStmt>(getRangeFrom(start), std::move(variables),
                                   *loop, loopRange, std::move(arguments),
                                   std::move(body));
}

StmtPtr Parser::parseJump() {
  Token word = take();
  if (!expectSemicolon(word.getStart()))
    return nullptr;
  if (word.is(TokenKind::KwBreak))
    return std::make_unique<BreakStmt>(word.getRange());
  return std::make_unique<ContinueStmt>(word.getRange());
}

StmtPtr Parser::parseReturn() {
  Token word = take();
  ExprPtr value;
  if (!is(TokenKind::Semicolon)) {
    value = parseExpr();
    if (!value)
      return nullptr;
  }
  if (!expectSemicolon(word.getStart()))
    return nullptr;
  return std::make_unique<ReturnStmt>(getRangeFrom(word.getStart()),
                                      word.getRange(), std::move(value));
}

StmtPtr Parser::parseWarpgroup() {
  Token word = take();
  if (!expect(TokenKind::LParen, "after 'warpgroup'"))
    return nullptr;
  std::vector<ExprPtr> groups;
  bool isGood = parseList(TokenKind::RParen, "the warpgroups", [&] {
    ExprPtr group = parseExpr();
    if (!group)
      return false;
    groups.push_back(std::move(group));
    return true;
  });
  if (!isGood)
    return nullptr;
  if (groups.empty()) {
    diagnostics
        .error(word.getRange(), "'warpgroup' needs the number of a group")
        .withHelp("write warpgroup(0) { ... }");
    return nullptr;
  }
  BlockPtr body = parseBlock();
  if (!body)
    return nullptr;
  return std::make_unique<WarpgroupStmt>(getRangeFrom(word.getStart()),
                                         word.getRange(), std::move(groups),
                                         std::move(body));
}

/// The operator of `op=`; none for `=` itself.
static std::optional<BinaryOp> getAssignOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Subtract;
  case TokenKind::StarEqual:
    return BinaryOp::Multiply;
  case TokenKind::SlashEqual:
    return BinaryOp::Divide;
  case TokenKind::PercentEqual:
    return BinaryOp::Remainder;
  case TokenKind::AmpEqual:
    return BinaryOp::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOp::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOp::BitXor;
  case TokenKind::LessLessEqual:
    return BinaryOp::ShiftLeft;
  case TokenKind::GreaterGreaterEqual:
    return BinaryOp::ShiftRight;
  default:
    return std::nullopt;
  }
}

StmtPtr Parser::parseSimpleStmt() {
  Token first = peek();
  llvm::SMLoc start = first.getStart();
  if (first.isOneOf({TokenKind::Semicolon, TokenKind::KwElse, TokenKind::KwIn,
                     TokenKind::RParen, TokenKind::RBracket})) {
    errorExpected("a statement");
    return nullptr;
  }
  ExprPtr target = parsePostfix();
  if (!target)
    return nullptr;

  std::optional<BinaryOp> op = getAssignOp(peek().kind);
  if (op || is(TokenKind::Equal)) {
    if (!llvm::isa<NameExpr, IndexExpr>(target.get())) {
      diagnostics.error(target->getRange(),
                        "only variables and elements can be assigned to");
      return nullptr;
    }
    SourceRange opRange = take().getRange();
    ExprPtr value = parseExpr();
    if (!value || !expectSemicolon(start))
      return nullptr;
    return std::make_unique<AssignStmt>(getRangeFrom(start), std::move(target),
                                        op, opRange, std::move(value));
  }

  if (!llvm::isa<CallExpr>(target.get())) {
    if (is(TokenKind::Semicolon))
      diagnostics.error(target->getRange(),
                        "this value is not used: a statement calls or assigns");
    else
      errorExpected("'=', an assignment operator or '('");
    return nullptr;
  }
  if (!expectSemicolon(start))
    return nullptr;
  return std::make_unique<CallStmt>(getRangeFrom(start), std::move(target));
}
