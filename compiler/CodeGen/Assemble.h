//===- Assemble.h - From PTX to a cubin -----------------------------------===//
//
// Runs ptxas over PTX text.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_ASSEMBLE_H
#define TILE_COMPILER_CODEGEN_ASSEMBLE_H

#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/PtxasReport.h"
#include "compiler/CodeGen/Target.h"

namespace tilec {

struct AssembleOptions {
  /// Keep the `.loc` lines, for a profiler.
  bool lineInfo = false;
};

struct Cubin {
  /// An ELF image.
  std::string bytes;
  PtxasReport report;
};

/// Assembles `ptx` for `target`.  An error tells the command, the exit code and
/// what the tool printed.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, const Target &target,
                               const Ptxas &ptxas,
                               const AssembleOptions &options = {});

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_ASSEMBLE_H
