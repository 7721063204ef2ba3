//===- ParseExpr.cpp - Parsing of expressions -----------------------------===//
#include "compiler/Frontend/Syntax/Lexer.h"
#include "compiler/Frontend/Syntax/ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Error.h"

using namespace tilec;
using namespace tilec::ast;

namespace {
struct Operator {
  TokenKind token;
  BinaryOp op;
  unsigned level; // Larger binds tighter.
};
} // namespace

static constexpr unsigned comparisonLevel = 3;

static const Operator *findOperator(TokenKind token) {
  static constexpr Operator operators[] = {
      {TokenKind::PipePipe, BinaryOp::LogicalOr, 1},
      {TokenKind::AmpAmp, BinaryOp::LogicalAnd, 2},
      {TokenKind::EqualEqual, BinaryOp::Equal, comparisonLevel},
      {TokenKind::ExclaimEqual, BinaryOp::NotEqual, comparisonLevel},
      {TokenKind::Less, BinaryOp::Less, comparisonLevel},
      {TokenKind::LessEqual, BinaryOp::LessEqual, comparisonLevel},
      {TokenKind::Greater, BinaryOp::Greater, comparisonLevel},
      {TokenKind::GreaterEqual, BinaryOp::GreaterEqual, comparisonLevel},
      {TokenKind::Pipe, BinaryOp::BitOr, 4},
      {TokenKind::Caret, BinaryOp::BitXor, 5},
      {TokenKind::Amp, BinaryOp::BitAnd, 6},
      {TokenKind::LessLess, BinaryOp::ShiftLeft, 7},
      {TokenKind::GreaterGreater, BinaryOp::ShiftRight, 7},
      {TokenKind::Plus, BinaryOp::Add, 8},
      {TokenKind::Minus, BinaryOp::Subtract, 8},
      {TokenKind::Star, BinaryOp::Multiply, 9},
      {TokenKind::Slash, BinaryOp::Divide, 9},
      {TokenKind::Percent, BinaryOp::Remainder, 9},
  };
  const Operator *found = llvm::find_if(
      operators, [&](const Operator &entry) { return entry.token == token; });
  return found == std::end(operators) ? nullptr : found;
}

ExprPtr Parser::finish(ExprPtr expr,
                       std::initializer_list<const Expr *> children) {
  for (const Expr *child : children)
    if (child)
      expr->depth = std::max(expr->depth, child->depth + 1);
  if (expr->depth <= maxExprDepth)
    return expr;
  diagnostics
      .error({expr->getStart(), expr->getStart()},
             "this expression has more than " + llvm::Twine(maxExprDepth) +
                 " levels")
      .withHelp("name a part of it with 'let'");
  return nullptr;
}

ExprPtr Parser::parseExpr() { return parseBinary(1); }

ExprPtr Parser::parseBinary(unsigned loosest) {
  ExprPtr left = parseUnary();
  const BinaryExpr *comparison = nullptr;
  while (left) {
    const Operator *entry = findOperator(peek().kind);
    if (!entry || entry->level < loosest)
      return left;
    if (entry->level == comparisonLevel && comparison) {
      diagnostics.error(peek().getRange(), "comparisons do not chain")
          .underline(comparison->opRange)
          .withHelp("write a < b && b < c");
      return nullptr;
    }
    SourceRange opRange = take().getRange();
    ExprPtr right = parseBinary(entry->level + 1);
    if (!right)
      return nullptr;
    const Expr *leftNode = left.get(), *rightNode = right.get();
    auto node = std::make_unique<BinaryExpr>(entry->op, opRange,
                                             std::move(left), std::move(right));
    // A looser operator starts a new operand.
    comparison = entry->level == comparisonLevel  ? node.get()
                 : entry->level < comparisonLevel ? nullptr
                                                  : comparison;
    left = finish(std::move(node), {leftNode, rightNode});
  }
  return nullptr;
}

ExprPtr Parser::parseUnary() {
  std::optional<UnaryOp> op;
  if (is(TokenKind::Minus))
    op = UnaryOp::Negate;
  else if (is(TokenKind::Exclaim))
    op = UnaryOp::Not;
  else if (is(TokenKind::Tilde))
    op = UnaryOp::Complement;

  // Every cycle of the grammar passes here.
  ++exprDepth;
  llvm::scope_exit leave([&] { --exprDepth; });
  if (exprDepth > maxExprDepth) {
    diagnostics
        .error(peek().getRange(), "this expression has more than " +
                                      llvm::Twine(maxExprDepth) + " levels")
        .withHelp("name a part of it with 'let'");
    return nullptr;
  }
  if (!op)
    return parsePostfix();
  llvm::SMLoc start = take().getStart();
  ExprPtr operand = parseUnary();
  if (!operand)
    return nullptr;
  const Expr *child = operand.get();
  return finish(
      std::make_unique<UnaryExpr>(getRangeFrom(start), *op, std::move(operand)),
      {child});
}

ExprPtr Parser::parsePostfix() {
  ExprPtr expr = parsePrimary();
  while (expr && is(TokenKind::LBracket)) {
    take();
    std::vector<Index> indices;
    unsigned deepest = 0;
    do {
      Index index;
      if (!parseIndex(index))
        return nullptr;
      for (const Expr *part : {index.first.get(), index.second.get()})
        if (part)
          deepest = std::max(deepest, part->depth);
      indices.push_back(std::move(index));
    } while (accept(TokenKind::Comma));
    if (!expect(TokenKind::RBracket, "after the indices"))
      return nullptr;
    const Expr *base = expr.get();
    auto node = std::make_unique<IndexExpr>(
        getRangeFrom(expr->getStart()), std::move(expr), std::move(indices));
    node->depth = deepest + 1;
    expr = finish(std::move(node), {base});
  }
  return expr;
}

bool Parser::parseIndex(Index &index) {
  llvm::SMLoc start = peek().getStart();
  auto finishIndex = [&](Index::Kind kind) {
    index.kind = kind;
    index.range = getRangeFrom(start);
    return true;
  };
  if (accept(TokenKind::Underscore))
    return finishIndex(Index::Kind::NewAxis);
  if (accept(TokenKind::Colon))
    return finishIndex(Index::Kind::Full);
  index.first = parseExpr();
  if (!index.first)
    return false;
  if (is(TokenKind::PlusColon) || is(TokenKind::Colon)) {
    bool isRegion = take().is(TokenKind::PlusColon);
    index.second = parseExpr();
    return index.second &&
           finishIndex(isRegion ? Index::Kind::Region : Index::Kind::Range);
  }
  return finishIndex(Index::Kind::Plain);
}

ExprPtr Parser::parsePrimary() {
  Token token = peek();
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
    return parseNumber();
  case TokenKind::String:
    take();
    return std::make_unique<StringExpr>(token.getRange(),
                                        getStringValue(token));
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    take();
    return std::make_unique<BoolExpr>(token.getRange(),
                                      token.is(TokenKind::KwTrue));
  case TokenKind::TypeName:
    return parseTypeName();
  case TokenKind::Identifier:
    return parseNameOrCall();
  case TokenKind::LParen:
    return parseParenthesised();
  case TokenKind::KwIf:
    return parseIfExpr();
  case TokenKind::KwCast:
  case TokenKind::KwReinterpret:
    return parseCast();
  default:
    break;
  }
  Diagnostic &diagnostic = errorExpected("an expression");
  if (token.is(TokenKind::Underscore))
    diagnostic.withHelp("'_' adds a dimension inside an index: x[:, _]");
  return nullptr;
}

ExprPtr Parser::parseNumber() {
  Token token = take();
  std::string digits = token.text.str();
  llvm::erase(digits, '_');
  if (token.is(TokenKind::Float)) {
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    auto status =
        value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
    bool isRead = bool(status);
    llvm::consumeError(status.takeError());
    if (!isRead || value.isInfinity()) {
      diagnostics
          .error(token.getRange(),
                 "'" + token.text + "' is larger than any f64")
          .withHelp("infinity is written inf");
      return nullptr;
    }
    return std::make_unique<FloatExpr>(token.getRange(),
                                       value.convertToDouble());
  }

  llvm::StringRef text = digits;
  unsigned radix = 10;
  if (text.consume_front("0x"))
    radix = 16;
  else if (text.consume_front("0b"))
    radix = 2;
  text = text.ltrim('0');
  llvm::APInt value;
  // getAsInteger makes the value as wide as its digits need, which for a file
  // of digits would take long; no value of 127 bits has so many.
  bool isTooLong = text.size() > 127;
  if (!text.empty() && !isTooLong)
    isTooLong = text.getAsInteger(radix, value) || value.getActiveBits() > 127;
  if (isTooLong) {
    diagnostics.error(token.getRange(),
                      "this integer needs more than 128 bits");
    return nullptr;
  }
  __int128 result = 0;
  if (!text.empty()) {
    value = value.zextOrTrunc(128);
    result = static_cast<__int128>(
        (static_cast<unsigned __int128>(value.extractBitsAsZExtValue(64, 64))
         << 64) |
        value.extractBitsAsZExtValue(64, 0));
  }
  return std::make_unique<IntegerExpr>(token.getRange(), result);
}

ExprPtr Parser::parseTypeName() {
  Token token = peek();
  if (token.is(TokenKind::TypeName)) {
    take();
    return std::make_unique<TypeNameExpr>(token.getRange(),
                                          *findElementType(token.text));
  }
  Name name;
  if (!expectName(name, "a type"))
    return nullptr;
  return std::make_unique<NameExpr>(name);
}

ExprPtr Parser::parseNameOrCall() {
  Token token = take();
  Name name{token.text, token.getRange()};
  if (!accept(TokenKind::LParen))
    return std::make_unique<NameExpr>(name);
  std::vector<Argument> arguments;
  if (!parseArguments(arguments))
    return nullptr;
  unsigned deepest = 0;
  for (const Argument &argument : arguments)
    deepest = std::max(deepest, argument.value->depth);
  auto call = std::make_unique<CallExpr>(getRangeFrom(token.getStart()), name,
                                         std::move(arguments));
  call->depth = deepest + 1;
  return finish(std::move(call), {});
}

bool Parser::parseArguments(std::vector<Argument> &arguments) {
  return parseList(TokenKind::RParen, "the arguments", [&] {
    Argument argument;
    // The option `tf32` of gemm is spelled like a type.
    bool isWord = is(TokenKind::Identifier) || is(TokenKind::TypeName);
    if (isWord && peek(1).is(TokenKind::Equal)) {
      Token name = take();
      take();
      argument.name = {name.text, name.getRange()};
    }
    argument.value = parseExpr();
    if (!argument.value)
      return false;
    if (!argument.name && !arguments.empty() && arguments.back().name) {
      diagnostics
          .error(argument.value->getRange(),
                 "this argument follows one given by name")
          .underline(arguments.back().name.range)
          .withHelp("arguments without a name come first");
      return false;
    }
    arguments.push_back(std::move(argument));
    return true;
  });
}

ExprPtr Parser::parseParenthesised() {
  llvm::SMLoc start = take().getStart();
  ExprPtr expr = parseExpr();
  if (!expr || !expect(TokenKind::RParen, "after the expression"))
    return nullptr;
  expr->setRange(getRangeFrom(start));
  return expr;
}

ExprPtr Parser::parseCast() {
  Token word = take();
  bool isReinterpret = word.is(TokenKind::KwReinterpret);
  if (!expect(TokenKind::Less, "after '" + word.text + "'"))
    return nullptr;
  ExprPtr type = parseTypeName();
  if (!type)
    return nullptr;
  Name option;
  if (!isReinterpret && accept(TokenKind::Comma) &&
      !expectName(option, "'sat', 'nosat' or 'up'"))
    return nullptr;
  if (!expect(TokenKind::Greater, "after the type") ||
      !expect(TokenKind::LParen, "before the value"))
    return nullptr;
  ExprPtr operand = parseExpr();
  if (!operand || !expect(TokenKind::RParen, "after the value"))
    return nullptr;
  const Expr *child = operand.get();
  return finish(std::make_unique<CastExpr>(getRangeFrom(word.getStart()),
                                           isReinterpret, std::move(type),
                                           option, std::move(operand)),
                {child});
}

ExprPtr Parser::parseIfExpr() {
  llvm::SMLoc start = take().getStart();
  ExprPtr condition = parseExpr();
  if (!condition)
    return nullptr;
  ExprPtr thenValue = parseBracedExpr();
  if (!thenValue || !expect(TokenKind::KwElse, "after the value of 'if'"))
    return nullptr;

  ++exprDepth;
  llvm::scope_exit leave([&] { --exprDepth; });
  ExprPtr elseValue;
  if (!is(TokenKind::KwIf))
    elseValue = parseBracedExpr();
  else if (exprDepth <= maxExprDepth)
    elseValue = parseIfExpr();
  else
    errorExpected("fewer 'else if'");
  if (!elseValue)
    return nullptr;
  std::initializer_list<const Expr *> children = {
      condition.get(), thenValue.get(), elseValue.get()};
  auto node =
      std::make_unique<IfExpr>(getRangeFrom(start), std::move(condition),
                               std::move(thenValue), std::move(elseValue));
  return finish(std::move(node), children);
}

ExprPtr Parser::parseBracedExpr() {
  if (!expect(TokenKind::LBrace, "before the value"))
    return nullptr;
  ExprPtr expr = parseExpr();
  if (!expr || !expect(TokenKind::RBrace, "after the value"))
    return nullptr;
  return expr;
}
