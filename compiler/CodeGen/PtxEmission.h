//===- PtxEmission.h - From LLVM IR to PTX --------------------------------===//
//
// Code generation of an optimised module as PTX text.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXEMISSION_H
#define TILE_COMPILER_CODEGEN_PTXEMISSION_H

#include "compiler/CodeGen/KernelParts.h"
#include "compiler/CodeGen/Target.h"
#include <optional>
#include <string>

namespace tilec {

struct Ptxas;

struct PtxOptions {
  /// Keep the source lines as `.loc` lines, for a profiler.
  bool lineInfo = false;
};

/// Writes `module` as PTX for `target`.  The `.version` line is the lowest that
/// the instructions need.  Given the assembler that is to take it, a version
/// above what that knows is an error naming both and the tool's path.
/// `module` is left as it was.
llvm::Expected<std::string> emitPTX(const llvm::Module &module,
                                    const Target &target,
                                    const Ptxas *assembler = nullptr,
                                    const PtxOptions &options = {});

/// The same of kernels one by one, in threads; their modules are good for
/// nothing afterwards.
llvm::Expected<std::string> emitPTX(KernelParts &kernels, const Target &target,
                                    const Ptxas *assembler = nullptr);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXEMISSION_H
