//===- Settings.h - Decisions that --set overrides ------------------------===//
#ifndef TILE_COMPILER_DRIVER_SETTINGS_H
#define TILE_COMPILER_DRIVER_SETTINGS_H

#include "compiler/Driver/CommandLine.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

class DiagnosticEngine;

/// Puts --set KEY=VALUE into the `decisions` of the kernels, over those of the
/// source.  Fails with a usage error if there is no such decision, or it has no
/// such value.
llvm::Error applySettings(llvm::ArrayRef<NamedText> settings,
                          llvm::ArrayRef<mlir::tile::KernelOp> kernels);

/// The decisions of kernels, of --set or the source, that no pass had to take:
/// "'stages' of kernel 'copy'".
std::vector<std::string> listIdleDecisions(mlir::ModuleOp lowered);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_SETTINGS_H
