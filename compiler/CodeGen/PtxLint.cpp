//===- PtxLint.cpp - Whether registers of wgmma are used in their order ---===//
//
// A data flow analysis over the blocks of a kernel.  Its state is what may be
// in flight: the groups of wgmmas that were committed, oldest first, and the
// open one, each with the registers that it reads (A) and writes (D); and what
// other instructions touched since the last wgmma.fence.  Where ways meet,
// groups are united by their age, since that is what `wait_group n` counts.
// ("Asynchronous warpgroup level matrix instructions" in the PTX manual.)
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/PtxLint.h"
#include "compiler/CodeGen/PtxText.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>
#include <set>

using namespace tilec;
using llvm::BitVector;
using llvm::StringRef;

std::string PtxFinding::str() const {
  return "line " + std::to_string(line) + " of kernel '" + kernel + "'" +
         (source.empty() ? "" : " (" + source + ")") + ": " + message;
}

bool PtxLintReport::holdsWgmma(StringRef symbol) const {
  return llvm::is_contained(kernels, symbol);
}

llvm::Error tilec::makeHazardError(llvm::ArrayRef<PtxFinding> hazards) {
  std::string message =
      "internal error: the PTX uses registers that a wgmma in flight owns";
  for (const PtxFinding &hazard : hazards.take_front(5))
    message += "\n  " + hazard.str();
  if (hazards.size() > 5)
    message += "\n  and " + std::to_string(hazards.size() - 5) + " more";
  return llvm::createStringError(
      message + "\n  this is a bug of tilec; please report it with the source "
                "file and the command");
}

static bool isMma(const PtxInstruction &instruction) {
  return instruction.is("wgmma.mma_async");
}

namespace {
/// Registers that wgmmas read and write until they are retired.
struct Group {
  BitVector fragments, accumulators;

  bool operator==(const Group &) const = default;
  void unite(const Group &other) {
    fragments |= other.fragments;
    accumulators |= other.accumulators;
  }
};

struct State {
  /// Committed, the oldest first.
  std::deque<Group> committed;
  Group open;
  /// Touched by other instructions since the last fence.
  BitVector defined, used;

  bool operator==(const State &) const = default;
};

class KernelLint {
public:
  KernelLint(const PtxText &text, const PtxFunction &function,
             PtxLintReport &report)
      : text(text), function(function), report(report) {}

  void run();

private:
  /// A loop that commits and never waits would else grow the state for ever.
  static constexpr unsigned maxGroups = 8;

  void collectRegisters();
  void checkDrift();
  bool isCheap(const PtxInstruction &instruction) const;

  State makeState() const;
  static void unite(State &state, const State &other);
  void execute(const PtxInstruction &instruction, State &state, bool reports);
  void executeMma(const PtxInstruction &instruction, State &state,
                  bool reports);
  void executeOther(const PtxInstruction &instruction, State &state,
                    bool reports);

  /// Those of `registers` that wgmmas name.
  BitVector getOwned(llvm::ArrayRef<unsigned> registers) const;
  /// Reports `instruction` if registers that it touches are owned.  One finding
  /// a line says enough.
  void checkOwned(const PtxInstruction &instruction, const BitVector &touched,
                  const BitVector &owned, StringRef verb, StringRef why);
  PtxFinding makeFinding(const PtxInstruction &instruction,
                         std::string message) const;

  const PtxText &text;
  const PtxFunction &function;
  PtxLintReport &report;

  /// Number in the analysis of each register of the function; -1: no wgmma
  /// names it.
  std::vector<int> indices;
  std::vector<StringRef> names;
  /// The registers of each wgmma.
  llvm::DenseMap<const PtxInstruction *, Group> products;
  /// Lines already reported.
  std::set<unsigned> reported;
};
} // namespace

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// The instruction as a message quotes it; the lists of a wgmma are long.
static std::string quote(const PtxInstruction &instruction) {
  StringRef shown = instruction.text;
  if (instruction.is("wgmma"))
    shown = instruction.mnemonic;
  std::string words = llvm::join(llvm::split(shown, '\t'), "");
  return "'" + (words.size() > 60 ? words.substr(0, 57) + "..." : words) + "'";
}

PtxFinding KernelLint::makeFinding(const PtxInstruction &instruction,
                                   std::string message) const {
  PtxFinding finding{function.name.str(), instruction.line, "",
                     std::move(message)};
  if (instruction.sourceFile < text.files.size() &&
      !text.files[instruction.sourceFile].empty())
    finding.source = text.files[instruction.sourceFile].str() + ":" +
                     std::to_string(instruction.sourceLine);
  return finding;
}

void KernelLint::checkOwned(const PtxInstruction &instruction,
                            const BitVector &touched, const BitVector &owned,
                            StringRef verb, StringRef why) {
  BitVector common = touched;
  common &= owned;
  if (common.none() || !reported.insert(instruction.line).second)
    return;
  std::string name = names[common.find_first()].str();
  report.hazards.push_back(
      makeFinding(instruction, quote(instruction) + " " + verb.str() + " " +
                                   name + ", " + why.str()));
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

State KernelLint::makeState() const {
  unsigned count = names.size();
  State state;
  state.open = {BitVector(count), BitVector(count)};
  state.defined.resize(count);
  state.used.resize(count);
  return state;
}

void KernelLint::unite(State &state, const State &other) {
  state.open.unite(other.open);
  state.defined |= other.defined;
  state.used |= other.used;
  // The latest are the last.
  auto mine = state.committed.rbegin();
  auto its = other.committed.rbegin();
  for (; mine != state.committed.rend() && its != other.committed.rend();
       ++mine, ++its)
    mine->unite(*its);
  for (; its != other.committed.rend(); ++its)
    state.committed.push_front(*its);
}

void KernelLint::executeMma(const PtxInstruction &instruction, State &state,
                            bool reports) {
  const Group &own = products.at(&instruction);
  if (reports) {
    BitVector written = state.open.accumulators;
    for (const Group &group : state.committed)
      written |= group.accumulators;
    BitVector touched = state.defined;
    touched |= state.used;
    checkOwned(instruction, own.accumulators, touched, "accumulates in",
               "which another instruction touched since the last wgmma.fence");
    checkOwned(instruction, own.fragments, state.defined, "reads",
               "which was written since the last wgmma.fence");
    checkOwned(instruction, own.fragments, written, "reads",
               "which a wgmma in flight writes");
  }
  state.open.unite(own);
}

void KernelLint::executeOther(const PtxInstruction &instruction, State &state,
                              bool reports) {
  auto isOwned = [&](unsigned number) { return indices[number] >= 0; };
  if (llvm::none_of(instruction.used, isOwned) &&
      llvm::none_of(instruction.defined, isOwned))
    return;
  BitVector used = getOwned(instruction.used);
  BitVector defined = getOwned(instruction.defined);
  state.used |= used;
  state.defined |= defined;
  if (!reports)
    return;
  Group inFlight = state.open;
  for (const Group &group : state.committed)
    inFlight.unite(group);
  checkOwned(instruction, used, inFlight.accumulators, "reads",
             "which a wgmma in flight writes");
  checkOwned(instruction, defined, inFlight.accumulators, "writes",
             "which a wgmma in flight writes");
  checkOwned(instruction, defined, inFlight.fragments, "writes",
             "which a wgmma in flight reads");
}

void KernelLint::execute(const PtxInstruction &instruction, State &state,
                         bool reports) {
  if (!instruction.is("wgmma."))
    return executeOther(instruction, state, reports);
  if (isMma(instruction))
    return executeMma(instruction, state, reports);
  if (instruction.is("wgmma.fence")) {
    state.defined.reset();
    state.used.reset();
  } else if (instruction.is("wgmma.commit_group")) {
    state.committed.push_back(state.open);
    state.open.fragments.reset();
    state.open.accumulators.reset();
    if (state.committed.size() > maxGroups) {
      state.committed[1].unite(state.committed[0]);
      state.committed.pop_front();
    }
  } else if (instruction.is("wgmma.wait_group")) {
    unsigned kept = 0;
    if (instruction.operands.empty() ||
        instruction.operands[0].getAsInteger(10, kept))
      return;
    while (state.committed.size() > kept)
      state.committed.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Drift
//===----------------------------------------------------------------------===//

/// Steps of descriptors and predicates, which the uniform data path takes.
bool KernelLint::isCheap(const PtxInstruction &instruction) const {
  if (instruction.is("setp.") || instruction.is("selp."))
    return true;
  if (instruction.is("mov."))
    return llvm::all_of(instruction.defined,
                        [&](unsigned number) { return indices[number] < 0; });
  return instruction.is("or.") || instruction.is("add.s") ||
         instruction.is("add.u");
}

/// Counts what stands between the fence of a group and its commit, which have
/// to be in one block, or from its first wgmma if it has no fence of its own.
void KernelLint::checkDrift() {
  for (const PtxBlock &block : function.blocks) {
    bool isOpen = false, hasMma = false;
    unsigned count = 0;
    const PtxInstruction *first = nullptr;
    auto start = [&] {
      isOpen = true;
      count = 0;
      first = nullptr;
    };
    for (unsigned i = block.begin; i < block.end; ++i) {
      const PtxInstruction &instruction = function.instructions[i];
      if (instruction.is("wgmma.fence")) {
        start();
      } else if (isMma(instruction)) {
        if (!isOpen)
          start();
        hasMma = true;
      } else if (instruction.is("wgmma.commit_group")) {
        if (hasMma && count > 0)
          report.drift.push_back(makeFinding(
              *first, std::to_string(count) + " instructions, " +
                          quote(*first) +
                          " the first, stand between the wgmmas of a group"));
        isOpen = hasMma = false;
      } else if (isOpen && !isCheap(instruction)) {
        if (count++ == 0)
          first = &instruction;
      }
    }
    if (isOpen && hasMma)
      report.drift.push_back(
          makeFinding(function.instructions[block.end - 1],
                      "a branch stands between the wgmmas of a group"));
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

BitVector KernelLint::getOwned(llvm::ArrayRef<unsigned> registers) const {
  BitVector owned(names.size());
  for (unsigned number : registers)
    if (indices[number] >= 0)
      owned.set(indices[number]);
  return owned;
}

void KernelLint::collectRegisters() {
  // The accumulators are what the instruction defines.  A descriptor in place
  // of fragments is read at once.
  auto getFragments = [](const PtxInstruction &mma) {
    bool hasFragments =
        mma.operands.size() > 1 && mma.operands[1].starts_with("{");
    return llvm::ArrayRef(mma.used)
        .drop_front(mma.isGuarded)
        .take_front(hasFragments ? getPtxRegisters(mma.operands[1]).size() : 0);
  };
  indices.assign(function.registers.size(), -1);
  auto addNames = [&](llvm::ArrayRef<unsigned> registers) {
    for (unsigned number : registers) {
      if (indices[number] >= 0)
        continue;
      indices[number] = names.size();
      names.push_back(function.registers[number]);
    }
  };
  auto mmas = llvm::make_filter_range(function.instructions, isMma);
  for (const PtxInstruction &mma : mmas) {
    addNames(mma.defined);
    addNames(getFragments(mma));
  }
  for (const PtxInstruction &mma : mmas)
    products[&mma] = {getOwned(getFragments(mma)), getOwned(mma.defined)};
}

void KernelLint::run() {
  collectRegisters();
  checkDrift();

  std::vector<std::optional<State>> entries(function.blocks.size());
  std::set<unsigned> pending = {0};
  entries[0] = makeState();
  while (!pending.empty()) {
    unsigned number = *pending.begin();
    pending.erase(pending.begin());
    const PtxBlock &block = function.blocks[number];
    State state = *entries[number];
    for (unsigned i = block.begin; i < block.end; ++i)
      execute(function.instructions[i], state, /*reports=*/false);
    for (unsigned successor : block.successors) {
      State united = entries[successor].value_or(makeState());
      unite(united, state);
      if (entries[successor] == united)
        continue;
      entries[successor] = std::move(united);
      pending.insert(successor);
    }
  }

  for (auto [block, entry] : llvm::zip_equal(function.blocks, entries))
    for (unsigned i = block.begin; entry && i < block.end; ++i)
      execute(function.instructions[i], *entry, /*reports=*/true);
}

PtxLintReport tilec::lintPtx(StringRef ptx) {
  PtxLintReport report;
  if (!ptx.contains("wgmma.mma_async"))
    return report;
  PtxText text = parsePtx(ptx);
  for (const PtxFunction &function : text.functions) {
    if (!llvm::any_of(function.instructions, isMma))
      continue;
    report.kernels.push_back(function.name.str());
    KernelLint(text, function, report).run();
  }
  return report;
}
