//===- RewriteModule.h - From NVPTX IR to host IR ---------------*- C++ -*-===//
//
// The steps that turn a module for the GPU into one that runs on the host and
// calls back into the emulator.  Address spaces need no rewriting: host code
// generation takes those of the GPU for ordinary memory, and casts between
// them do nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_LOAD_REWRITEMODULE_H
#define TILE_COMPILER_EMULATOR_LOAD_REWRITEMODULE_H

#include "compiler/Emulator/Load/LoadedModule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace tilec::emulator {

/// Runs all steps below on `module`, whose triple and data layout are those of
/// the host already.
llvm::Error rewriteModule(llvm::Module &module, LoadedModule &loaded);

// The steps, in order.

/// Finds kernels, and makes every function an ordinary host function.
void rewriteFunctions(llvm::Module &module, LoadedModule &loaded);

/// Shared variables become offsets from the block's shared memory.
llvm::Error rewriteSharedVariables(llvm::Module &module, LoadedModule &loaded);

/// Products are fused into sums where the GPU does so.
void contractProducts(llvm::Function &function);

/// Integer divisions are checked; float functions whose host lowering differs
/// from the GPU's get the GPU's meaning.
llvm::Error rewriteArithmetic(llvm::Function &function, LoadedModule &loaded);

/// Loads, stores and atomic operations are preceded by a check.
llvm::Error instrumentMemory(llvm::Function &function, LoadedModule &loaded);

/// llvm.nvvm.* calls and inline assembly become calls of the emulator.
llvm::Error rewriteInstructions(llvm::Function &function, LoadedModule &loaded);

/// Loops count steps; traps and unreachable code report themselves.
llvm::Error rewriteControlFlow(llvm::Function &function, LoadedModule &loaded);

/// Each kernel gets a wrapper that takes its parameters from memory.
void addKernelWrappers(llvm::Module &module, LoadedModule &loaded);

//===----------------------------------------------------------------------===//
// Helpers of the steps
//===----------------------------------------------------------------------===//

/// The source location of an instruction, or else that of the nearest one
/// before it in its block.
EmulationLocation findLocation(const llvm::Instruction &instruction);

/// Makes a site for an instruction.
template <typename SiteType>
SiteType &makeSite(LoadedModule &loaded, const llvm::Instruction &instruction,
                   const llvm::Twine &text) {
  SiteType &site = loaded.sites.create<SiteType>();
  site.location = findLocation(instruction);
  site.text = text.str();
  return site;
}

/// A constant with the address of an object of the emulator.
llvm::Constant *getAddress(llvm::LLVMContext &context, const void *object);

/// Calls a function of the emulator by address.
llvm::CallInst *callEmulator(llvm::IRBuilderBase &builder, const void *callee,
                             llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> arguments);

/// The kernel parameter from which an address is derived, or -1.
int findOrigin(const llvm::Value *pointer);

/// Whether an address is surely on the thread's stack.
bool isLocalAddress(const llvm::Value *pointer);

/// An error about an instruction that the emulator lacks.
llvm::Error makeUnsupported(const llvm::Instruction &instruction,
                            const llvm::Twine &what);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_LOAD_REWRITEMODULE_H
