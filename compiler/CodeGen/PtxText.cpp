//===- PtxText.cpp - The instructions of PTX text -------------------------===//
//
// Statements end in semicolons, but for labels, braces of scopes and the
// directives that take a line.  A function's blocks begin where something
// branches to: labels that nothing names (those of line tables) are no matter.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/PtxText.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace tilec;
using llvm::StringRef;

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

llvm::SmallVector<StringRef> tilec::getPtxRegisters(StringRef operand) {
  llvm::SmallVector<StringRef> names;
  for (size_t at = operand.find('%'); at != StringRef::npos;
       at = operand.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < operand.size() && isNameCharacter(operand[end]))
      ++end;
    names.push_back(operand.slice(at, end));
  }
  return names;
}

/// Whether the first operand is read, where it is no address.
static bool readsFirstOperand(const PtxInstruction &instruction) {
  static constexpr llvm::StringLiteral readers[] = {
      "bar.sync", "bar.arrive", "barrier.", "bra",        "brx",
      "call",     "nanosleep",  "red.",     "setmaxnreg", "st"};
  return llvm::any_of(readers,
                      [&](StringRef start) { return instruction.is(start); });
}

namespace {
class PtxParser {
public:
  explicit PtxParser(StringRef text) : text(text) {}

  PtxText parse();

private:
  // Characters
  void skipSpace();
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  /// The text up to one of `ends`, which is passed over.
  StringRef takeUntil(StringRef ends);

  // Statements
  bool parseDirective();
  void parseFile();
  void parseLocation();
  void parseEntry();
  void parseBody();
  void parseInstruction(StringRef statement, unsigned line);

  // Registers and blocks
  unsigned numberOf(StringRef name);
  void makeBlocks();

  StringRef text;
  size_t at = 0;
  unsigned line = 1;

  PtxText result;
  PtxFunction *function = nullptr;
  llvm::DenseMap<StringRef, unsigned> numbers;
  llvm::DenseMap<StringRef, unsigned> labels;
  /// What `brx.idx` may go to.
  llvm::SmallVector<StringRef> tableTargets;
  unsigned sourceFile = 0, sourceLine = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Characters
//===----------------------------------------------------------------------===//

void PtxParser::skipSpace() {
  while (at < text.size()) {
    if (text[at] == '\n') {
      ++line;
      ++at;
    } else if (llvm::isSpace(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      return;
    }
  }
}

StringRef PtxParser::takeUntil(StringRef ends) {
  size_t end = std::min(text.find_first_of(ends, at), text.size());
  StringRef taken = text.slice(at, end);
  line += taken.count('\n');
  at = end;
  if (at < text.size()) {
    line += text[at] == '\n';
    ++at;
  }
  return taken.trim();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// `.file 1 "k.tile"`
void PtxParser::parseFile() {
  StringRef rest = takeUntil("\n").ltrim();
  unsigned number = 0;
  if (rest.consumeInteger(10, number) || number > 1000)
    return;
  if (result.files.size() <= number)
    result.files.resize(number + 1);
  result.files[number] = rest.split('"').second.split('"').first;
}

/// `.loc 1 12 5`
void PtxParser::parseLocation() {
  StringRef rest = takeUntil("\n").ltrim();
  unsigned file = 0, row = 0;
  if (rest.consumeInteger(10, file))
    return;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, row))
    return;
  sourceFile = file;
  sourceLine = row;
}

/// A directive at `at`, with the end of its line or statement.  False where
/// nothing is known of it.
bool PtxParser::parseDirective() {
  StringRef rest = text.substr(at);
  auto consume = [&](StringRef word) {
    if (!rest.starts_with(word) || isNameCharacter(rest[word.size()]))
      return false;
    at += word.size();
    return true;
  };
  if (consume(".loc"))
    parseLocation();
  else if (consume(".file"))
    parseFile();
  else if (consume(".branchtargets"))
    takeUntil(";").split(tableTargets, ',');
  else if (consume(".reg") || consume(".pragma") || consume(".local") ||
           consume(".shared") || consume(".param") || consume(".callprototype"))
    takeUntil(";");
  else
    return false;
  return true;
}

void PtxParser::parseInstruction(StringRef statement, unsigned line) {
  PtxInstruction instruction;
  instruction.line = line;
  instruction.sourceFile = sourceFile;
  instruction.sourceLine = sourceLine;
  if (statement.starts_with("@")) {
    StringRef guard = statement.take_until(llvm::isSpace);
    for (StringRef name : getPtxRegisters(guard))
      instruction.used.push_back(numberOf(name));
    statement = statement.substr(guard.size()).ltrim();
    instruction.isGuarded = true;
  }
  instruction.text = statement;
  instruction.mnemonic = statement.take_until(llvm::isSpace);

  // Cut at the commas that stand in no brackets.
  StringRef rest = statement.substr(instruction.mnemonic.size()).ltrim();
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (StringRef("{[(").contains(rest[i])) {
      ++depth;
    } else if (StringRef("}])").contains(rest[i])) {
      --depth;
    } else if (rest[i] == ',' && depth == 0) {
      instruction.operands.push_back(rest.slice(start, i).trim());
      start = i + 1;
    }
  }
  if (StringRef last = rest.substr(start).trim(); !last.empty())
    instruction.operands.push_back(last);

  for (auto [i, operand] : llvm::enumerate(instruction.operands)) {
    bool isDefined =
        i == 0 && !operand.starts_with("[") && !readsFirstOperand(instruction);
    for (StringRef name : getPtxRegisters(operand))
      (isDefined ? instruction.defined : instruction.used)
          .push_back(numberOf(name));
  }
  function->instructions.push_back(std::move(instruction));
}

/// From behind the opening brace to behind the closing one.
void PtxParser::parseBody() {
  int depth = 1;
  for (skipSpace(); at < text.size(); skipSpace()) {
    char c = peek();
    if (c == '{' || c == '}') {
      ++at;
      depth += c == '{' ? 1 : -1;
      if (depth == 0)
        return;
      continue;
    }
    if (c == '.' && parseDirective())
      continue;
    size_t end = at;
    while (end < text.size() && isNameCharacter(text[end]))
      ++end;
    if (end > at && end < text.size() && text[end] == ':' &&
        !text.substr(end).starts_with("::")) {
      labels[text.slice(at, end)] = function->instructions.size();
      at = end + 1;
      continue;
    }
    unsigned begin = line;
    StringRef statement = takeUntil(";");
    if (!statement.empty())
      parseInstruction(statement, begin);
  }
}

/// `.entry NAME(...) ... {`
void PtxParser::parseEntry() {
  StringRef name = takeUntil("(\n");
  takeUntil("{");
  result.functions.emplace_back();
  function = &result.functions.back();
  function->name = name;
  numbers.clear();
  labels.clear();
  tableTargets.clear();
  sourceFile = sourceLine = 0;
  parseBody();
  makeBlocks();
}

PtxText PtxParser::parse() {
  for (skipSpace(); at < text.size(); skipSpace()) {
    StringRef word = text.substr(at).take_until(llvm::isSpace);
    if (word == ".file") {
      at += word.size();
      parseFile();
      continue;
    }
    at += word.size();
    if (word == ".entry") {
      skipSpace();
      parseEntry();
    }
  }
  return std::move(result);
}

//===----------------------------------------------------------------------===//
// Registers and blocks
//===----------------------------------------------------------------------===//

unsigned PtxParser::numberOf(StringRef name) {
  auto [entry, isNew] = numbers.try_emplace(name, function->registers.size());
  if (isNew)
    function->registers.push_back(name);
  return entry->second;
}

void PtxParser::makeBlocks() {
  const auto &instructions = function->instructions;
  unsigned count = instructions.size();
  auto isBranch = [](const PtxInstruction &i) {
    return i.mnemonic == "bra" || i.is("bra.");
  };
  auto isEnd = [](const PtxInstruction &i) {
    return i.is("ret") || i.is("exit") || i.is("trap");
  };

  // Where blocks begin: what is branched to, and what follows a branch.
  llvm::SmallVector<unsigned> starts = {0};
  auto addTarget = [&](StringRef label) {
    if (auto found = labels.find(label.trim());
        found != labels.end() && found->second < count)
      starts.push_back(found->second);
  };
  for (auto [i, instruction] : llvm::enumerate(instructions)) {
    if (isBranch(instruction) && !instruction.operands.empty())
      addTarget(instruction.operands[0]);
    if (isBranch(instruction) || isEnd(instruction) || instruction.is("brx"))
      if (i + 1 < count)
        starts.push_back(i + 1);
  }
  for (StringRef label : tableTargets)
    addTarget(label);
  llvm::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  auto findBlock = [&](unsigned instruction) -> unsigned {
    return std::lower_bound(starts.begin(), starts.end(), instruction) -
           starts.begin();
  };
  for (auto [i, start] : llvm::enumerate(starts)) {
    PtxBlock block{start, i + 1 < starts.size() ? starts[i + 1] : count, {}};
    auto addSuccessor = [&](StringRef label) {
      if (auto found = labels.find(label.trim());
          found != labels.end() && found->second < count)
        block.successors.push_back(findBlock(found->second));
    };
    bool fallsThrough = true;
    if (block.end > block.begin) {
      const PtxInstruction &last = instructions[block.end - 1];
      if (isBranch(last) && !last.operands.empty())
        addSuccessor(last.operands[0]);
      if (last.is("brx"))
        llvm::for_each(tableTargets, addSuccessor);
      fallsThrough =
          last.isGuarded || !(isBranch(last) || isEnd(last) || last.is("brx"));
    }
    if (fallsThrough && i + 1 < starts.size())
      block.successors.push_back(i + 1);
    function->blocks.push_back(std::move(block));
  }
}

PtxText tilec::parsePtx(StringRef text) { return PtxParser(text).parse(); }
