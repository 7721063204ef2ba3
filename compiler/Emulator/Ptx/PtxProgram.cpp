//===- PtxProgram.cpp - Inline assembly as a program ----------------------===//
//
// Binding of parsed statements, and their execution.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Ptx/PtxProgram.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::emulator;

static unsigned countRun(llvm::ArrayRef<PtxOperand> operands) {
  unsigned count = 0;
  while (count < operands.size() && operands[count].kind == PtxOperand::Slot &&
         !operands[count].isNegated && operands[count].constant == 0 &&
         operands[count].index == operands[0].index + count)
    ++count;
  return count;
}

/// Finds the instruction of a statement.
static llvm::Error bindStatement(PtxStatement &statement, const Site &site,
                                 SiteTable &sites) {
  InstructionForm form;
  form.isPtx = true;
  llvm::StringRef(statement.mnemonic)
      .split(form.words, '.', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  const InstructionTable::Entry *entry =
      InstructionTable::get().find(form.words);
  if (!entry)
    return llvm::createStringError("the emulator does not implement '" +
                                   statement.mnemonic + "'");
  if (entry->isInPlace)
    statement.arguments.insert(statement.arguments.begin(),
                               statement.results.begin(),
                               statement.results.end());
  if (!entry->hasPtxResult) {
    // What was taken for a result is the first argument.
    statement.arguments.insert(statement.arguments.begin(),
                               statement.results.begin(),
                               statement.results.end());
    statement.results.clear();
  }
  form.results = static_cast<unsigned>(statement.results.size());
  form.arguments = static_cast<unsigned>(statement.arguments.size());
  std::optional<Operation> operation = entry->binder(form);
  if (!operation)
    return llvm::createStringError(
        "the emulator does not implement this form: '" + statement.text + "'");
  Site &own = sites.create<Site>();
  own.location = site.location;
  // The registers of a wgmma would fill a page.
  own.text = statement.text.size() > 120 ? statement.mnemonic : statement.text;
  operation->site = &own;
  operation->results = form.results;
  operation->arguments = form.arguments;
  statement.operation = *operation;
  statement.resultRun = countRun(statement.results);
  statement.argumentRun = countRun(statement.arguments);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<PtxProgram>>
tilec::emulator::buildPtxProgram(llvm::StringRef text, unsigned results,
                                 unsigned inputs, const Site &site,
                                 SiteTable &sites) {
  auto program = parsePtx(text, results, inputs);
  if (!program)
    return program.takeError();
  (*program)->site = &site;
  (*program)->waitsForProducts =
      llvm::any_of((*program)->statements, [](const PtxStatement &statement) {
        return llvm::StringRef(statement.mnemonic)
            .starts_with("wgmma.wait_group");
      });
  for (PtxStatement &statement : (*program)->statements)
    if (!statement.target)
      if (llvm::Error error = bindStatement(statement, site, sites))
        return std::move(error);
  return program;
}

static uint64_t readOperand(const PtxOperand &operand, Slots frame) {
  switch (operand.kind) {
  case PtxOperand::Slot: {
    uint64_t value = frame[operand.index] + operand.constant;
    return operand.isNegated ? ~value & 1 : value;
  }
  case PtxOperand::Immediate:
    return operand.constant;
  case PtxOperand::Special:
    return readSpecialRegister(currentThread(),
                               static_cast<SpecialRegister>(operand.index));
  case PtxOperand::Discard:
    return 0;
  }
  llvm_unreachable("all operands are read");
}

void tilec::emulator::runPtxProgram(const PtxProgram &program, Slots frame) {
  std::fill_n(frame, program.resultSlots, 0);
  for (auto [result, input] : program.tiedInputs)
    frame[result] = frame[input];
  Slots scratch = frame + program.scratchSlot;
  Thread &thread = currentThread();
  for (size_t i = 0; i < program.statements.size();) {
    const PtxStatement &statement = program.statements[i];
    if (statement.guard && !(readOperand(*statement.guard, frame) & 1)) {
      ++i;
      continue;
    }
    if (statement.target) {
      thread.block->countStep(thread, *program.site);
      i = *statement.target;
      continue;
    }
    size_t results = statement.results.size();
    if (statement.argumentRun)
      std::copy_n(frame + statement.arguments[0].index, statement.argumentRun,
                  scratch + results);
    for (size_t a = statement.argumentRun; a < statement.arguments.size(); ++a)
      scratch[results + a] = readOperand(statement.arguments[a], frame);
    runOperation(statement.operation, scratch);
    if (statement.resultRun)
      std::copy_n(scratch, statement.resultRun,
                  frame + statement.results[0].index);
    for (size_t r = statement.resultRun; r < results; ++r)
      if (statement.results[r].kind == PtxOperand::Slot)
        frame[statement.results[r].index] = scratch[r];
    ++i;
  }
  if (program.waitsForProducts)
    thread.block->resolveResults(thread, frame, program.sumSlots);
}
