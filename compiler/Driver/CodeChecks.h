//===- CodeChecks.h - What the checks of generated code tell the user -----===//
#ifndef TILE_COMPILER_DRIVER_CODECHECKS_H
#define TILE_COMPILER_DRIVER_CODECHECKS_H

#include "compiler/CodeGen/Manifest.h"
#include "compiler/CodeGen/PtxLint.h"
#include "compiler/CodeGen/PtxasReport.h"
#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// Code that is right and slower than it should be becomes warnings at the
/// kernels of `tileModule`: spills, instructions that ptxas serialised (C75xx),
/// and in kernels with wgmma a stack frame, or arithmetic between the wgmmas of
/// a group.  If `strict`, what ptxas says of a kernel with wgmma is an error,
/// and any C75xx.
void reportSlowCode(mlir::ModuleOp tileModule, const ManifestModel &manifest,
                    const PtxasReport &assembled, const PtxLintReport &lint,
                    bool strict, llvm::SourceMgr &sources,
                    DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_CODECHECKS_H
