//===- KernelParts.h - Work on the kernels of a module in threads ---------===//
//
// A context of LLVM belongs to one thread.  So each kernel travels, as bitcode,
// to a context of its own, and back.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_KERNELPARTS_H
#define TILE_COMPILER_CODEGEN_KERNELPARTS_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// The number of functions with a body.
size_t countKernels(const llvm::Module &module);

/// Whether threads would gain anything: there are several kernels, and several
/// processors.
bool canShareKernels(const llvm::Module &module);

/// Calls `work`, from several threads, for each function that has a body, with
/// its number among those and a module that holds no other body; `module`
/// itself stays as it is.
llvm::Error
forEachKernel(const llvm::Module &module,
              llvm::function_ref<llvm::Error(size_t, llvm::Module &)> work);

/// Replaces `module` by what `work` makes of its kernels, each as in
/// forEachKernel.
llvm::Error
transformKernels(llvm::Module &module,
                 llvm::function_ref<llvm::Error(llvm::Module &)> work);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_KERNELPARTS_H
