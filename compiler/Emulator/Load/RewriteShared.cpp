//===- RewriteShared.cpp - Shared variables of a block --------------------===//
//
// Variables of fixed size are laid out one after another from the start of
// shared memory, arrays of size zero (the dynamic part) all begin behind them,
// as on the GPU.  Each function asks for its block's base address once.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/Alignment.h"

using namespace tilec;
using namespace tilec::emulator;

static uint64_t getSharedBase() {
  Thread &thread = currentThread();
  return thread.block->getSharedBase(thread.rank);
}

/// The base address in each function that uses shared memory.
static llvm::Value *
findBase(llvm::Function &function,
         llvm::DenseMap<llvm::Function *, llvm::Value *> &bases) {
  llvm::Value *&base = bases[&function];
  if (!base) {
    llvm::BasicBlock &entry = function.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    base = callEmulator(builder, reinterpret_cast<const void *>(getSharedBase),
                        builder.getInt64Ty(), {});
    base->setName("shared.base");
  }
  return base;
}

llvm::Error tilec::emulator::rewriteSharedVariables(llvm::Module &module,
                                                    LoadedModule &loaded) {
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  llvm::SmallVector<llvm::Constant *> constants;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == 3) {
      variables.push_back(&variable);
      constants.push_back(&variable);
    }
  if (variables.empty())
    return llvm::Error::success();
  llvm::convertUsersOfConstantsToInstructions(constants);

  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::DenseMap<llvm::GlobalVariable *, uint64_t> offsets;
  uint64_t end = 0;
  llvm::Align dynamicAlign;
  for (bool isDynamic : {false, true}) {
    if (isDynamic)
      end = llvm::alignTo(end, dynamicAlign);
    for (llvm::GlobalVariable *variable : variables) {
      uint64_t bytes = layout.getTypeAllocSize(variable->getValueType());
      llvm::Align align = layout.getValueOrABITypeAlignment(
          variable->getAlign(), variable->getValueType());
      if (bytes == 0)
        dynamicAlign = std::max(dynamicAlign, align);
      if ((bytes == 0) != isDynamic)
        continue;
      if (!isDynamic)
        end = llvm::alignTo(end, align);
      offsets[variable] = end;
      end += bytes;
    }
  }
  if (end > SharedArena::capacity)
    return makeEmulationError(EmulationErrorKind::Unsupported,
                              "the module has " + llvm::Twine(end) +
                                  " bytes of static shared memory");
  loaded.staticSharedBytes = static_cast<uint32_t>(end);

  llvm::DenseMap<llvm::Function *, llvm::Value *> bases;
  for (llvm::GlobalVariable *variable : variables) {
    // Entries of a phi for one block must agree, so one address serves all
    // uses at a place.
    llvm::DenseMap<llvm::Instruction *, llvm::Value *> addresses;
    for (llvm::Use &use : llvm::make_early_inc_range(variable->uses())) {
      auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user)
        return makeEmulationError(EmulationErrorKind::Unsupported,
                                  "the address of the shared variable '" +
                                      variable->getName() +
                                      "' is used in an initial value");
      llvm::Value *base = findBase(*user->getFunction(), bases);
      // A phi takes the value at the end of the block it comes from.
      llvm::Instruction *place = user;
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
        place = phi->getIncomingBlock(use)->getTerminator();
      llvm::Value *&address = addresses[place];
      if (!address) {
        llvm::IRBuilder<> builder(place);
        llvm::Value *sum =
            builder.CreateAdd(base, builder.getInt64(offsets[variable]));
        address = builder.CreateIntToPtr(sum, variable->getType());
      }
      use.set(address);
    }
    variable->eraseFromParent();
  }
  return llvm::Error::success();
}
