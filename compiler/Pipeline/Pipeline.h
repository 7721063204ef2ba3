//===- Pipeline.h - The passes in their order -----------------------------===//
//
// Two halves.  The first stays in the tile dialect and ends with every decision
// taken and written in the IR, which is what `tilec report` and the manifest
// read.  The second says what one thread does, in the LLVM and NVVM dialects.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_PIPELINE_PIPELINE_H
#define TILE_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/CodeGen/Target.h"
#include "mlir/Pass/PassManager.h"

namespace tilec {

/// Appends the passes from what the frontend makes to placed shared tiles.
void addTilePasses(mlir::OpPassManager &manager, const Target &target);

/// Registers what `addLoweringPasses` asks the dialects for.  Contexts in which
/// it runs need it.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

/// Appends the passes from there to the LLVM and NVVM dialects: the two below,
/// one after the other.
void addLoweringPasses(mlir::OpPassManager &manager, const Target &target);
/// From kernels to functions that say what one thread does, which refuses what
/// has no code yet.
void addThreadPasses(mlir::OpPassManager &manager, const Target &target);
/// From there to the LLVM dialect alone.
void addLLVMPasses(mlir::OpPassManager &manager);

/// Registers every pass, and both halves as the pipelines `--tile-pipeline` and
/// `--tile-to-llvm`, for `tile-opt`.
void registerPipelinePasses();

} // namespace tilec

#endif // TILE_COMPILER_PIPELINE_PIPELINE_H
