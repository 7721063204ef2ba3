//===- Instruction.cpp - How instructions are implemented -----------------===//
//
// The table of instruction families and the execution of one operation.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec::emulator;

void InstructionTable::add(llvm::StringRef name, Binder binder,
                           bool hasPtxResult) {
  bool isNew = entries.try_emplace(name, Entry{binder, hasPtxResult}).second;
  assert(isNew && "two families implement one instruction");
  (void)isNew;
}

void InstructionTable::addInPlace(llvm::StringRef name, Binder binder) {
  add(name, binder);
  entries[name].isInPlace = true;
}

const InstructionTable::Entry *
InstructionTable::find(llvm::ArrayRef<llvm::StringRef> words) const {
  for (size_t count = std::min<size_t>(words.size(), 6); count > 0; --count) {
    auto found = entries.find(llvm::join(words.take_front(count), "."));
    if (found != entries.end())
      return &found->second;
  }
  return nullptr;
}

const InstructionTable &InstructionTable::get() {
  static const InstructionTable table = [] {
    InstructionTable all;
    registerSpecialRegisters(all);
    registerWarpInstructions(all);
    registerBarrierInstructions(all);
    registerClusterInstructions(all);
    registerMatrixMemoryInstructions(all);
    registerAsyncCopyInstructions(all);
    registerTransactionBarrierInstructions(all);
    registerTensorCopyInstructions(all);
    registerWarpgroupInstructions(all);
    registerLaunchInstructions(all);
    registerMmaInstructions(all);
    registerWgmmaInstructions(all);
    registerMathInstructions(all);
    registerConversionInstructions(all);
    registerIntegerInstructions(all);
    registerMemoryInstructions(all);
    return all;
  }();
  return table;
}

void tilec::emulator::runOperation(const Operation &operation, Slots slots) {
  Thread &thread = currentThread();
  Block &block = *thread.block;
  block.countStep(thread, *operation.site);
  if (operation.threadHandler) {
    ++block.getTally().executions[operation.site->index];
    operation.threadHandler(thread, operation, slots);
    return;
  }
  uint32_t mask = operation.maskArgument < 0
                      ? thread.warp->lanes
                      : static_cast<uint32_t>(
                            slots[operation.results + operation.maskArgument]);
  block.runCollective(thread, operation, mask, slots);
}
