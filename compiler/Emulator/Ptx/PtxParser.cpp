//===- PtxParser.cpp - Parses inline assembly -----------------------------===//
//
// A recursive descent over the few forms that inline PTX has: scopes, .reg
// declarations, labels, guarded instructions, and operands that may be vectors
// in braces, addresses in brackets or pairs with '|'.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Ptx/PtxProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec::emulator;

namespace {

class PtxParser {
public:
  PtxParser(llvm::StringRef text, unsigned results, unsigned inputs)
      : rest(text), program(std::make_unique<PtxProgram>()),
        operandCount(results + inputs), nextSlot(results + inputs) {
    program->resultSlots = results;
  }

  llvm::Expected<std::unique_ptr<PtxProgram>> parse();

private:
  // Characters
  void skipSpace();
  bool consume(char c);
  llvm::StringRef takeName();
  llvm::Error fail(const llvm::Twine &message);

  // Statements
  llvm::Error parseStatement();
  llvm::Error parseDeclaration();
  llvm::Error parseInstruction();
  llvm::Error resolveBranches();

  // Operands
  llvm::Error parseOperandGroup(std::vector<PtxOperand> &into);
  llvm::Error parseOperand(std::vector<PtxOperand> &into);
  llvm::Error parseAtom(PtxOperand &operand);
  bool parseNumber(PtxOperand &operand);

  uint32_t slotOf(llvm::StringRef name) {
    auto [entry, isNew] = locals.try_emplace(name, nextSlot);
    nextSlot += isNew;
    return entry->second;
  }

  llvm::StringRef rest;
  std::unique_ptr<PtxProgram> program;
  unsigned operandCount;
  unsigned nextSlot;
  llvm::StringMap<uint32_t> locals;
  llvm::StringMap<uint32_t> labels;
  std::vector<std::pair<uint32_t, std::string>> branches;
};

} // namespace

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

void PtxParser::skipSpace() {
  for (;;) {
    rest = rest.ltrim();
    if (rest.starts_with("//"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    else if (rest.starts_with("/*"))
      rest = rest.drop_front(std::min(rest.size(), rest.find("*/") + 2));
    else
      return;
  }
}

bool PtxParser::consume(char c) {
  skipSpace();
  return rest.consume_front(llvm::StringRef(&c, 1));
}

llvm::StringRef PtxParser::takeName() {
  skipSpace();
  llvm::StringRef name = rest.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%';
  });
  rest = rest.drop_front(name.size());
  return name;
}

llvm::Error PtxParser::fail(const llvm::Twine &message) {
  return llvm::createStringError(message + " before '" + rest.take_front(20) +
                                 "'");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<PtxProgram>> PtxParser::parse() {
  for (;;) {
    skipSpace();
    if (rest.empty())
      break;
    if (consume('{') || consume('}') || consume(';'))
      continue;
    if (llvm::Error error = parseStatement())
      return std::move(error);
  }
  if (llvm::Error error = resolveBranches())
    return std::move(error);
  size_t most = 0;
  for (const PtxStatement &statement : program->statements)
    // Results may become arguments as well when the statement is bound.
    most = std::max(most,
                    2 * statement.results.size() + statement.arguments.size());
  program->scratchSlot = nextSlot;
  program->frameSlots = nextSlot + static_cast<unsigned>(most);
  return std::move(program);
}

llvm::Error PtxParser::parseStatement() {
  if (rest.starts_with(".reg"))
    return parseDeclaration();
  if (!rest.starts_with("@")) {
    // A label is a name with a colon; "shared::cta" has two.
    llvm::StringRef before = rest, name = takeName();
    if (consume(':') && !rest.starts_with(":")) {
      labels[name] = static_cast<uint32_t>(program->statements.size());
      return llvm::Error::success();
    }
    rest = before;
  }
  program->statements.emplace_back();
  llvm::StringRef text = rest;
  if (llvm::Error error = parseInstruction())
    return error;
  program->statements.back().text = text.drop_back(rest.size()).rtrim().str();
  return llvm::Error::success();
}

/// ".reg .pred p, q;" or ".reg .b32 r<4>;"
llvm::Error PtxParser::parseDeclaration() {
  takeName();
  llvm::StringRef type = takeName();
  if (!type.starts_with("."))
    return fail("a register declaration needs a type");
  do {
    llvm::StringRef name = takeName();
    if (name.empty())
      return fail("a register declaration needs a name");
    if (!consume('<')) {
      slotOf(name);
      continue;
    }
    unsigned count = 0;
    if (rest.consumeInteger(10, count) || count > 1024 || !consume('>'))
      return fail("a register range needs a count");
    for (unsigned i = 0; i < count; ++i)
      slotOf((name + llvm::Twine(i)).str());
  } while (consume(','));
  if (!consume(';'))
    return fail("expected ';'");
  return llvm::Error::success();
}

llvm::Error PtxParser::parseInstruction() {
  PtxStatement &statement = program->statements.back();
  if (consume('@')) {
    PtxOperand guard;
    bool isNegated = consume('!');
    if (llvm::Error error = parseAtom(guard))
      return error;
    guard.isNegated = isNegated;
    statement.guard = guard;
  }
  skipSpace();
  llvm::StringRef mnemonic = rest.take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':';
  });
  if (mnemonic.empty())
    return fail("expected an instruction");
  rest = rest.drop_front(mnemonic.size());
  statement.mnemonic = mnemonic.str();
  if (mnemonic == "bra" || mnemonic.starts_with("bra.")) {
    branches.push_back({static_cast<uint32_t>(program->statements.size() - 1),
                        takeName().str()});
    consume(';');
    return llvm::Error::success();
  }
  // The first operand's elements are results where the instruction has any;
  // which it is comes out when it is bound.
  skipSpace();
  if (!rest.empty() && !rest.starts_with(";")) {
    if (llvm::Error error = parseOperandGroup(statement.results))
      return error;
    while (consume(','))
      if (llvm::Error error = parseOperandGroup(statement.arguments))
        return error;
  }
  skipSpace();
  if (!rest.empty() && !consume(';') && !rest.starts_with("}"))
    return fail("expected ';'");
  return llvm::Error::success();
}

llvm::Error PtxParser::resolveBranches() {
  for (auto &[statement, label] : branches) {
    auto found = labels.find(label);
    if (found == labels.end())
      return llvm::createStringError("label '" + label + "' is not defined");
    program->statements[statement].target = found->second;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A vector, an address, or one operand; "d|p" makes two.
llvm::Error PtxParser::parseOperandGroup(std::vector<PtxOperand> &into) {
  for (auto [open, close] : {std::pair('{', '}'), std::pair('[', ']')}) {
    if (!consume(open))
      continue;
    do {
      if (llvm::Error error = parseOperandGroup(into))
        return error;
    } while (consume(','));
    if (!consume(close))
      return fail("expected '" + llvm::Twine(close) + "'");
    return llvm::Error::success();
  }
  if (llvm::Error error = parseOperand(into))
    return error;
  while (consume('|'))
    if (llvm::Error error = parseOperand(into))
      return error;
  return llvm::Error::success();
}

/// An atom with an optional "+ constant" or "- constant".
llvm::Error PtxParser::parseOperand(std::vector<PtxOperand> &into) {
  PtxOperand operand;
  operand.isNegated = consume('!');
  if (llvm::Error error = parseAtom(operand))
    return error;
  skipSpace();
  if (rest.starts_with("+") || rest.starts_with("-")) {
    rest.consume_front("+");
    PtxOperand offset;
    if (!parseNumber(offset))
      return fail("expected a constant offset");
    operand.constant += offset.constant;
  }
  into.push_back(operand);
  return llvm::Error::success();
}

/// Decimal and hexadecimal integers, 0f and 0d floats, decimal fractions.
bool PtxParser::parseNumber(PtxOperand &operand) {
  skipSpace();
  llvm::StringRef before = rest;
  bool isNegative = rest.consume_front("-");
  operand.kind = PtxOperand::Immediate;
  for (auto [prefix, digits] : {std::pair("0f", 8), std::pair("0F", 8),
                                std::pair("0d", 16), std::pair("0D", 16)}) {
    llvm::StringRef code = rest;
    if (code.consume_front(prefix) &&
        !code.take_front(digits).getAsInteger(16, operand.constant)) {
      rest = code.drop_front(digits);
      return true;
    }
  }
  llvm::StringRef number =
      rest.take_while([](char c) { return llvm::isAlnum(c) || c == '.'; });
  llvm::StringRef digits = number;
  digits.consume_back("U");
  if (number.empty() || digits.getAsInteger(0, operand.constant)) {
    // A fraction stands for a float of 32 bits.
    double value = 0;
    if (number.empty() || number.getAsDouble(value)) {
      rest = before;
      return false;
    }
    operand.constant = toSlot(static_cast<float>(isNegative ? -value : value));
    rest = rest.drop_front(number.size());
    return true;
  }
  rest = rest.drop_front(number.size());
  if (isNegative)
    operand.constant = 0 - operand.constant;
  return true;
}

llvm::Error PtxParser::parseAtom(PtxOperand &operand) {
  skipSpace();
  if (rest.consume_front("$")) {
    // "$0" or "${0:modifier}"
    bool isBraced = rest.consume_front("{");
    unsigned number = 0;
    if (rest.consumeInteger(10, number) || number >= operandCount)
      return fail("expected the number of an operand");
    if (isBraced) {
      rest = rest.drop_until([](char c) { return c == '}'; });
      rest.consume_front("}");
    }
    operand.index = number;
    return llvm::Error::success();
  }
  if (!rest.empty() && (llvm::isDigit(rest[0]) || rest[0] == '-')) {
    if (!parseNumber(operand))
      return fail("expected a number");
    return llvm::Error::success();
  }
  llvm::StringRef name = takeName();
  if (name.empty())
    return fail("expected an operand");
  if (name == "_") {
    operand.kind = PtxOperand::Discard;
    return llvm::Error::success();
  }
  if (auto local = locals.find(name); local != locals.end()) {
    operand.index = local->second;
    return llvm::Error::success();
  }
  llvm::StringRef special = name;
  special.consume_front("%");
  if (auto which = findSpecialRegister(special)) {
    operand.kind = PtxOperand::Special;
    operand.index = static_cast<uint32_t>(*which);
    return llvm::Error::success();
  }
  return fail("register '" + name + "' is not declared");
}

llvm::Expected<std::unique_ptr<PtxProgram>>
tilec::emulator::parsePtx(llvm::StringRef text, unsigned results,
                          unsigned inputs) {
  // LLVM puts a number in place of this word, to make labels unique.
  std::string unique = text.str();
  constexpr llvm::StringLiteral word = "${:uid}";
  for (size_t at; (at = unique.find(word)) != std::string::npos;)
    unique.replace(at, word.size(), "0");
  return PtxParser(unique, results, inputs).parse();
}
