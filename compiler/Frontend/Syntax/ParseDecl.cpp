//===- ParseDecl.cpp - Parsing of files, functions and kernels ------------===//
#include "compiler/Frontend/Syntax/Lexer.h"
#include "compiler/Frontend/Syntax/ParserImpl.h"

using namespace tilec;
using namespace tilec::ast;

bool Parser::parseImport(File &file) {
  llvm::SMLoc start = take().getStart();
  if (!is(TokenKind::String)) {
    errorExpected("the name of a file, as in import \"helpers.tile\";");
    return false;
  }
  Token path = take();
  file.imports.push_back({path.getRange(), getStringValue(path)});
  return expectSemicolon(start);
}

bool Parser::parseConst(File &file) {
  llvm::SMLoc start = take().getStart();
  ConstDecl constant;
  if (!expectName(constant.name, "a name after 'const'") ||
      !expect(TokenKind::Equal, "after the name"))
    return false;
  constant.value = parseExpr();
  if (!constant.value)
    return false;
  file.constants.push_back(std::move(constant));
  return expectSemicolon(start);
}

std::optional<TypeSyntax> Parser::parseType() {
  TypeSyntax type;
  llvm::SMLoc start = peek().getStart();
  type.element = parseTypeName();
  if (!type.element)
    return std::nullopt;
  if (accept(TokenKind::LBracket)) {
    type.hasExtents = true;
    do {
      ExprPtr extent = parseExpr();
      if (!extent)
        return std::nullopt;
      type.extents.push_back(std::move(extent));
    } while (accept(TokenKind::Comma));
    if (!expect(TokenKind::RBracket, "after the extents"))
      return std::nullopt;
  }
  type.range = getRangeFrom(start);
  return type;
}

bool Parser::parseFunction(File &file) {
  take();
  FunctionDecl function;
  if (!expectName(function.name, "a name after 'fn'") ||
      !expect(TokenKind::LParen, "before the parameters") ||
      !parseList(TokenKind::RParen, "the parameters",
                 [&] { return parseFunctionParameter(function); }))
    return false;
  if (accept(TokenKind::Arrow)) {
    function.result = parseType();
    if (!function.result)
      return false;
  }
  function.body = parseBlock();
  if (!function.body)
    return false;
  file.functions.push_back(std::move(function));
  return true;
}

bool Parser::parseFunctionParameter(FunctionDecl &function) {
  FunctionParameter parameter;
  if (!expectName(parameter.name, "the name of a parameter") ||
      !expect(TokenKind::Colon, "after the parameter's name"))
    return false;
  parameter.mode = FunctionParameter::Mode::Value;
  switch (peek().kind) {
  case TokenKind::KwInout:
    parameter.mode = FunctionParameter::Mode::Inout;
    break;
  case TokenKind::KwShared:
    parameter.mode = FunctionParameter::Mode::Shared;
    break;
  case TokenKind::KwGlobal:
    parameter.mode = FunctionParameter::Mode::Global;
    break;
  default:
    break;
  }
  if (parameter.mode != FunctionParameter::Mode::Value)
    parameter.modeRange = take().getRange();
  std::optional<TypeSyntax> type = parseType();
  if (!type)
    return false;
  parameter.type = std::move(*type);
  function.parameters.push_back(std::move(parameter));
  return true;
}

static bool isClauseStart(const Token &token) {
  return token.isOneOf({TokenKind::KwConfig, TokenKind::KwWhere,
                        TokenKind::KwGrid, TokenKind::KwThreads});
}

bool Parser::parseKernel(File &file) {
  take();
  KernelDecl kernel;
  // A kernel may be named like a builtin, and builtins are no keywords.
  if (!expectName(kernel.name, "a name after 'kernel'") ||
      !expect(TokenKind::LParen, "before the parameters"))
    return false;
  bool isGood = parseList(TokenKind::RParen, "the parameters",
                          [&] { return parseKernelParameter(kernel); });
  if (!isGood)
    // Mistakes in the body show in the same run.
    skipTo({TokenKind::KwConfig, TokenKind::KwWhere, TokenKind::KwGrid,
            TokenKind::KwThreads, TokenKind::LBrace});
  while (isClauseStart(peek())) {
    if (parseClause(kernel))
      continue;
    isGood = false;
    skipTo({TokenKind::KwConfig, TokenKind::KwWhere, TokenKind::KwGrid,
            TokenKind::KwThreads, TokenKind::LBrace});
  }
  if (!is(TokenKind::LBrace)) {
    if (isGood)
      errorExpected("'{' or one of 'config', 'where', 'grid', 'threads'");
    return false;
  }
  kernel.body = parseBlock();
  if (!kernel.body)
    return false;
  file.kernels.push_back(std::move(kernel));
  return true;
}

bool Parser::parseKernelParameter(KernelDecl &kernel) {
  KernelParameter parameter;
  if (!expectName(parameter.name, "the name of a parameter") ||
      !expect(TokenKind::Colon, "after the parameter's name"))
    return false;
  if (accept(TokenKind::KwOut))
    parameter.access = Access::Out;
  else if (accept(TokenKind::KwInout))
    parameter.access = Access::Inout;
  std::optional<TypeSyntax> type = parseType();
  if (!type)
    return false;
  parameter.type = std::move(*type);
  if (!parseQualifiers(parameter))
    return false;
  kernel.parameters.push_back(std::move(parameter));
  return true;
}

bool Parser::parseQualifiers(KernelParameter &parameter) {
  while (true) {
    KernelParameter::Qualifier *qualifier = nullptr;
    switch (peek().kind) {
    case TokenKind::KwPack:
      qualifier = &parameter.pack;
      break;
    case TokenKind::KwStrided:
      qualifier = &parameter.strided;
      break;
    case TokenKind::KwPrepack:
      qualifier = &parameter.prepack;
      break;
    case TokenKind::KwNoalias:
      qualifier = &parameter.noalias;
      break;
    default:
      return true;
    }
    Token word = take();
    if (*qualifier) {
      diagnostics.error(word.getRange(), "'" + word.text + "' is given twice")
          .underline(qualifier->range);
      return false;
    }
    if (word.is(TokenKind::KwPack)) {
      if (!expect(TokenKind::LParen, "after 'pack'"))
        return false;
      parameter.packDim = parseExpr();
      if (!parameter.packDim ||
          !expect(TokenKind::RParen, "after the packed dimension"))
        return false;
    }
    if (word.is(TokenKind::KwStrided) && accept(TokenKind::LParen)) {
      if (!expectName(parameter.stridedOption, "'all'") ||
          !expect(TokenKind::RParen, "after 'all'"))
        return false;
    }
    qualifier->range = getRangeFrom(word.getStart());
  }
}

bool Parser::parseClause(KernelDecl &kernel) {
  Token word = take();
  bool isRepeated = (word.is(TokenKind::KwConfig) && !kernel.config.empty()) ||
                    (word.is(TokenKind::KwWhere) && !kernel.facts.empty()) ||
                    (word.is(TokenKind::KwGrid) && kernel.hasGrid) ||
                    (word.is(TokenKind::KwThreads) && kernel.threads);
  if (isRepeated) {
    diagnostics
        .error(word.getRange(), "a kernel has one '" + word.text + "' clause")
        .withHelp("write both in one, separated by a comma");
    return false;
  }
  if (word.is(TokenKind::KwWhere)) {
    do {
      ExprPtr fact = parseExpr();
      if (!fact)
        return false;
      kernel.facts.push_back(std::move(fact));
    } while (accept(TokenKind::Comma));
    return true;
  }
  if (!expect(TokenKind::LParen, "after '" + word.text + "'"))
    return false;
  if (word.is(TokenKind::KwConfig))
    return parseConfig(kernel);
  if (word.is(TokenKind::KwGrid))
    return parseGrid(kernel);
  kernel.threads = parseExpr();
  return kernel.threads &&
         expect(TokenKind::RParen, "after the number of threads");
}

bool Parser::parseConfig(KernelDecl &kernel) {
  return parseList(TokenKind::RParen, "'config'", [&] {
    ConfigConstant constant;
    if (!expectName(constant.name, "the name of a constant") ||
        !expect(TokenKind::Equal, "after '" + constant.name.text + "'"))
      return false;
    constant.value = parseExpr();
    if (!constant.value)
      return false;
    if (accept(TokenKind::KwIn)) {
      if (!expect(TokenKind::LBrace, "after 'in'"))
        return false;
      do {
        ExprPtr choice = parseExpr();
        if (!choice)
          return false;
        constant.choices.push_back(std::move(choice));
      } while (accept(TokenKind::Comma));
      if (!expect(TokenKind::RBrace, "after the choices"))
        return false;
    }
    kernel.config.push_back(std::move(constant));
    return true;
  });
}

bool Parser::parseGrid(KernelDecl &kernel) {
  kernel.hasGrid = true;
  return parseList(TokenKind::RParen, "'grid'", [&] {
    GridAxis axis;
    if (!expectName(axis.name, "the name of a block axis") ||
        !expect(TokenKind::KwIn, "after '" + axis.name.text + "'"))
      return false;
    axis.extent = parseExpr();
    if (!axis.extent)
      return false;
    kernel.axes.push_back(std::move(axis));
    return true;
  });
}
