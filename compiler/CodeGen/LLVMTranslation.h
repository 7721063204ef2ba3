//===- LLVMTranslation.h - From the LLVM dialect to LLVM IR ---------------===//
//
// The step from a lowered MLIR module to an llvm::Module that has the target's
// triple and data layout and knows the source line of each instruction.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_LLVMTRANSLATION_H
#define TILE_COMPILER_CODEGEN_LLVMTRANSLATION_H

#include "compiler/CodeGen/Target.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace mlir {
class ModuleOp;
}

namespace tilec {

/// Translates `module`, which holds only ops of the `llvm` and `nvvm` dialects;
/// kernels are `llvm.func` with the attribute `nvvm.kernel`.  The line of each
/// op's location becomes a debug location; `module` gets the scopes for them
/// as attributes.  Fails with MLIR's diagnostics as text.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                const Target &target);

/// Sets the triple and data layout of `target`, which optimisation relies on.
llvm::Error setTargetLayout(llvm::Module &module, const Target &target);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_LLVMTRANSLATION_H
