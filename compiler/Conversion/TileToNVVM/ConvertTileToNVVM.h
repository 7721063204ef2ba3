//===- ConvertTileToNVVM.h - From tiles to threads ------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_CONVERTTILETONVVM_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_CONVERTTILETONVVM_H

#include "llvm/ADT/StringRef.h"
#include <memory>

namespace mlir {
class Pass;
namespace tile {

/// Replaces each `tile.kernel`, whose fragments and shared tiles have layouts
/// and whose copies have plans, by an `llvm.func` that says what one thread
/// does, in the arith, scf, llvm and nvvm dialects.  Kernel-level facts stay in
/// the attribute `tile.kernels` of the module.  Test:
/// convert-tile-to-nvvm.mlir.  `target` is a GPU such as "sm_80".
std::unique_ptr<Pass> createConvertTileToNVVM(llvm::StringRef target);

/// Registers `--convert-tile-to-nvvm`.
void registerConvertTileToNVVM();

} // namespace tile
} // namespace mlir

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_CONVERTTILETONVVM_H
