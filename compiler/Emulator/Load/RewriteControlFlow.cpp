//===- RewriteControlFlow.cpp - Loops, traps and dead ends ----------------===//
//
// Each back edge of a loop counts a step, so that a loop without end is found
// by the step budget.  Traps and code that cannot be reached end the block
// with an error instead of ending the process.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace tilec;
using namespace tilec::emulator;

static void countLoopStep(const Site *site) {
  Thread &thread = currentThread();
  thread.block->countStep(thread, *site);
}

static void failTrap(const Site *site) {
  Thread &thread = currentThread();
  thread.block->fail(thread, EmulationErrorKind::Trap, *site,
                     "the kernel executes a trap");
}

static void failUnreachable(const Site *site) {
  Thread &thread = currentThread();
  thread.block->fail(thread, EmulationErrorKind::Trap, *site,
                     "the kernel reaches code marked as unreachable");
}

static void insertCall(llvm::Instruction &place, void (*callee)(const Site *),
                       LoadedModule &loaded, const char *text) {
  Site &site = makeSite<Site>(loaded, place, text);
  llvm::IRBuilder<> builder(&place);
  callEmulator(builder, reinterpret_cast<const void *>(callee),
               builder.getVoidTy(), {getAddress(builder.getContext(), &site)});
}

llvm::Error tilec::emulator::rewriteControlFlow(llvm::Function &function,
                                                LoadedModule &loaded) {
  llvm::SmallVector<llvm::Instruction *> traps;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call)
      continue;
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
    case llvm::Intrinsic::ubsantrap:
      traps.push_back(call);
      break;
    default:
      break;
    }
  }
  for (llvm::Instruction *trap : traps) {
    insertCall(*trap, failTrap, loaded, "trap");
    trap->eraseFromParent();
  }
  for (llvm::BasicBlock &block : function)
    if (llvm::isa<llvm::UnreachableInst>(block.getTerminator()))
      insertCall(*block.getTerminator(), failUnreachable, loaded,
                 "unreachable");

  llvm::SmallVector<
      std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>>
      backEdges;
  llvm::FindFunctionBackedges(function, backEdges);
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> latches;
  for (auto [latch, header] : backEdges)
    if (latches.insert(latch).second)
      insertCall(const_cast<llvm::Instruction &>(*latch->getTerminator()),
                 countLoopStep, loaded, "loop");
  return llvm::Error::success();
}
