//===- Lexer.cpp - Source text to tokens ----------------------------------===//
#include "compiler/Frontend/Syntax/Lexer.h"

#include "compiler/Frontend/ElementType.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tilec;
using llvm::StringRef;

StringRef tilec::getSpelling(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "the end of the file";
  case TokenKind::Invalid:
    return "a stray character";
  case TokenKind::Identifier:
    return "a name";
  case TokenKind::TypeName:
    return "a type";
  case TokenKind::Integer:
  case TokenKind::Float:
    return "a number";
  case TokenKind::String:
    return "a string";
#define TOKEN(name)
#define KEYWORD(name, spelling)                                                \
  case TokenKind::Kw##name:                                                    \
    return spelling;
#define PUNCTUATION(name, spelling)                                            \
  case TokenKind::name:                                                        \
    return spelling;
#include "compiler/Frontend/Syntax/Tokens.def"
  }
  llvm_unreachable("every token has a spelling");
}

static TokenKind classifyWord(StringRef word) {
  static const llvm::StringMap<TokenKind> keywords = {
#define TOKEN(name)
#define KEYWORD(name, spelling) {spelling, TokenKind::Kw##name},
#define PUNCTUATION(name, spelling)
#include "compiler/Frontend/Syntax/Tokens.def"
  };
  auto it = keywords.find(word);
  if (it != keywords.end())
    return it->second;
  if (word == "_")
    return TokenKind::Underscore;
  return findElementType(word) ? TokenKind::TypeName : TokenKind::Identifier;
}

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

namespace {
class Lexer {
public:
  Lexer(StringRef text, DiagnosticEngine &diagnostics)
      : text(text), diagnostics(diagnostics) {}

  std::vector<Token> run();

private:
  void checkEncoding();
  void skipBlanks();
  void skipBlockComment();
  void lexToken();
  void lexNumber();
  void lexString();
  void lexUnknown();

  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  void push(TokenKind kind, size_t begin) {
    tokens.push_back({kind, text.slice(begin, at)});
  }
  Diagnostic &error(size_t begin, size_t end, const llvm::Twine &message) {
    return diagnostics.error({llvm::SMLoc::getFromPointer(text.data() + begin),
                              llvm::SMLoc::getFromPointer(text.data() + end)},
                             message);
  }

  StringRef text;
  DiagnosticEngine &diagnostics;
  size_t at = 0;
  std::vector<Token> tokens;
};
} // namespace

std::vector<Token> Lexer::run() {
  checkEncoding();
  // Editors of some systems begin a file with a byte order mark.
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3;
  for (skipBlanks(); at < text.size(); skipBlanks())
    lexToken();
  // What is missing at the end of the file is missing after its last word.
  const char *end = tokens.empty() ? text.begin() : tokens.back().text.end();
  tokens.push_back({TokenKind::EndOfFile, StringRef(end, 0)});
  return std::move(tokens);
}

/// Reports the first byte that is not UTF-8, wherever it stands; in a comment
/// nothing else would.
void Lexer::checkEncoding() {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *p = begin;
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  if (llvm::isLegalUTF8String(&p, end))
    return;
  size_t offset = p - begin;
  error(offset, offset + 1,
        "the file is not UTF-8: byte 0x" +
            llvm::utohexstr(text[offset] & 0xFF, false, 2) +
            " begins no character")
      .withHelp("save the file as UTF-8");
}

void Lexer::skipBlanks() {
  while (at < text.size()) {
    if (StringRef(" \t\r\n\v\f").contains(peek()))
      ++at;
    else if (peek() == '/' && peek(1) == '/')
      at = std::min(text.find('\n', at), text.size());
    else if (peek() == '/' && peek(1) == '*')
      skipBlockComment();
    else
      return;
  }
}

void Lexer::skipBlockComment() {
  size_t close = text.find("*/", at + 2);
  if (close == StringRef::npos) {
    error(at, at + 2, "this comment has no end").withHelp("add '*/'");
    at = text.size();
    return;
  }
  at = close + 2;
}

void Lexer::lexToken() {
  size_t begin = at;
  char c = peek();
  if (isWordStart(c)) {
    while (isWordPart(peek()))
      ++at;
    constexpr size_t longestName = 1000;
    if (at - begin <= longestName)
      return push(classifyWord(text.slice(begin, at)), begin);
    error(begin, begin + 1,
          "this name has more than " + llvm::Twine(longestName) +
              " characters");
    return push(TokenKind::Invalid, begin);
  }
  if (llvm::isDigit(c))
    return lexNumber();
  if (c == '"')
    return lexString();
#define TOKEN(name)
#define KEYWORD(name, spelling)
#define PUNCTUATION(name, spelling)                                            \
  if (text.substr(at).starts_with(spelling)) {                                 \
    at += sizeof(spelling) - 1;                                                \
    return push(TokenKind::name, begin);                                       \
  }
#include "compiler/Frontend/Syntax/Tokens.def"
  lexUnknown();
}

/// Reads everything that looks like one number, then says whether it is one:
/// `0x1G` or `1.0f` is one mistake, not two tokens.
void Lexer::lexNumber() {
  size_t begin = at;
  bool isHex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  while (isWordPart(peek()) || (peek() == '.' && llvm::isDigit(peek(1))) ||
         (!isHex && (peek() == '+' || peek() == '-') &&
          llvm::isDigit(peek(1)) &&
          (text[at - 1] == 'e' || text[at - 1] == 'E')))
    ++at;
  StringRef word = text.slice(begin, at);

  // `_` stands between digits only.
  auto isDigits = [](StringRef digits, auto isDigit) {
    if (digits.empty() || !isDigit(digits.front()) || !isDigit(digits.back()))
      return false;
    return llvm::all_of(digits, [&](char c) { return isDigit(c) || c == '_'; });
  };
  auto isDecimal = [](char c) { return llvm::isDigit(c); };

  if (word.starts_with("0x")) {
    if (isDigits(word.drop_front(2),
                 [](char c) { return llvm::isHexDigit(c); }))
      return push(TokenKind::Integer, begin);
  } else if (word.starts_with("0b")) {
    if (isDigits(word.drop_front(2),
                 [](char c) { return c == '0' || c == '1'; }))
      return push(TokenKind::Integer, begin);
  } else if (isDigits(word, isDecimal)) {
    return push(TokenKind::Integer, begin);
  } else {
    size_t exponentAt = word.find_first_of("eE");
    StringRef mantissa = word.take_front(exponentAt);
    auto [whole, fraction] = mantissa.split('.');
    bool isNumber = isDigits(whole, isDecimal);
    if (mantissa.contains('.'))
      isNumber &= isDigits(fraction, isDecimal);
    if (exponentAt != StringRef::npos) {
      StringRef exponent = word.substr(exponentAt + 1);
      if (exponent.starts_with("+") || exponent.starts_with("-"))
        exponent = exponent.drop_front();
      isNumber &= isDigits(exponent, isDecimal);
    }
    if (isNumber)
      return push(TokenKind::Float, begin);
  }
  error(begin, at, "'" + word + "' is not a number")
      .withHelp("integers are 42, 0x2A or 0b101, floats 1.0, 1e-6 or 2.5e3; a "
                "type is given by cast<T>(...)");
  push(TokenKind::Invalid, begin);
}

void Lexer::lexString() {
  size_t begin = at++;
  bool isGood = true;
  while (true) {
    if (at >= text.size() || peek() == '\n') {
      error(begin, begin + 1, "this string has no end").withHelp("add '\"'");
      return push(TokenKind::Invalid, begin);
    }
    char c = text[at++];
    if (c == '"')
      break;
    if (c != '\\')
      continue;
    char escaped = peek();
    if (StringRef("nt\"\\").contains(escaped) && escaped) {
      ++at;
      continue;
    }
    // A backslash at the end of a line is left for the check above.
    if (at >= text.size() || escaped == '\n')
      continue;
    error(at - 1, at + 1,
          "'\\" +
              llvm::Twine(escaped >= ' ' && escaped <= '~' ? escaped : '?') +
              "' means nothing in a string")
        .withHelp("the escapes are \\n, \\t, \\\" and \\\\");
    isGood = false;
    ++at;
  }
  push(isGood ? TokenKind::String : TokenKind::Invalid, begin);
}

/// Takes one character that begins no token.
void Lexer::lexUnknown() {
  size_t begin = at;
  auto byte = static_cast<unsigned char>(peek());
  unsigned size = byte < 0x80 ? 1 : llvm::getNumBytesForUTF8(byte);
  size = std::min<size_t>(size, text.size() - at);
  const auto *p = reinterpret_cast<const llvm::UTF8 *>(text.data() + at);
  bool isLegal = byte < 0x80 || llvm::isLegalUTF8Sequence(p, p + size);
  at += isLegal ? size : 1;
  push(TokenKind::Invalid, begin);
  // checkEncoding has spoken about bytes that are no character.
  if (!isLegal)
    return;
  std::string shown =
      byte >= 0x20 && byte != 0x7F
          ? "'" + text.slice(begin, at).str() + "'"
          : "the character 0x" + llvm::utohexstr(byte, false, 2);
  Diagnostic &diagnostic =
      error(begin, at, shown + " does not belong in a program");
  if (byte == '.')
    diagnostic.withHelp("a float has a digit on both sides of its point");
}

std::vector<Token> tilec::lex(StringRef text, DiagnosticEngine &diagnostics) {
  return Lexer(text, diagnostics).run();
}

std::string tilec::getStringValue(const Token &token) {
  std::string value;
  StringRef body = token.text.drop_front().drop_back();
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      value += body[i];
      continue;
    }
    char escaped = body[++i];
    value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
  }
  return value;
}
