//===- Optimize.h - LLVM's optimisation pipeline --------------------------===//
//
// Runs those passes of O3 that serve kernels over a translated module.  Its
// result is what both the PTX emission and the emulator take.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_OPTIMIZE_H
#define TILE_COMPILER_CODEGEN_OPTIMIZE_H

#include "compiler/CodeGen/KernelParts.h"
#include "compiler/CodeGen/Target.h"

namespace tilec {

/// Optimises `module` in place; its triple and data layout are set already.
/// Fails if the module does not verify before or after.
llvm::Error optimize(llvm::Module &module, const Target &target);
/// The same of each kernel, where it is.
llvm::Error optimize(KernelParts &kernels, const Target &target);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_OPTIMIZE_H
