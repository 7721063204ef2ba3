//===- KernelManifest.h - What a tile.kernel says about its launch --------===//
//
// Turns the kernels of a module into the structs of the manifest.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_KERNELMANIFEST_H
#define TILE_COMPILER_CODEGEN_KERNELMANIFEST_H

#include "compiler/CodeGen/Manifest.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {

/// Describes every `tile.kernel` of `module`, in order.  Those that are
/// variants of one source kernel become one entry.  The module is in the tile
/// dialect still, verified, after the pass that plans shared memory.
std::vector<ManifestKernel> describeKernels(mlir::ModuleOp module);

/// The same for kernels with the attribute below, which the others leave out.
std::vector<ManifestKernel> describeHelpers(mlir::ModuleOp module);

/// The class of sizes that a kernel is meant for; absent if it is for all.
std::optional<ManifestSizeClass> describeSizeClass(mlir::tile::KernelOp kernel);

/// Marks a kernel that the compiler added to serve others.
inline constexpr llvm::StringLiteral helperAttrName = "tile.helper";

/// The names of the helpers that pack a tensor, and unpack it.
std::string getPackerName(llvm::StringRef kernel, llvm::StringRef parameter);
std::string getUnpackerName(llvm::StringRef kernel, llvm::StringRef parameter);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_KERNELMANIFEST_H
