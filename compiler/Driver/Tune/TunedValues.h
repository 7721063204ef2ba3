//===- TunedValues.h - What a tune file says about kernels ------*- C++ -*-===//
//
// Every compilation for a launch looks into the tune file beside its source
// (docs/tuning.md) and takes the values of the entry that was made for it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_TUNEDVALUES_H
#define TILE_COMPILER_DRIVER_TUNE_TUNEDVALUES_H

#include "compiler/CodeGen/Manifest.h"
#include "compiler/Driver/CommandLine.h"
#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "compiler/Frontend/Syntax/ASTDecl.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// A kernel as the key of an entry knows it.
struct TunableKernel {
  std::string name;
  /// Of its text without comments and places, and of what it may use.
  std::string hash;
  /// Names of its config constants: other -D fix sizes.
  std::vector<std::string> config;
};

/// The kernels of a file that was parsed, with its imports.
std::vector<TunableKernel> listTunableKernels(const llvm::SourceMgr &sources,
                                              const ast::File &file);
/// Those of a module in the tile dialect.
std::vector<TunableKernel> listTunableKernels(mlir::ModuleOp module);

/// With what a kernel is compiled for a class of sizes.
struct TunedClass {
  /// What a size is at most; absent: any.
  std::optional<NamedSize> most;
  std::vector<NamedText> definitions, settings;
};

/// What the model counts for one of several values of a size.
struct FittedSize {
  int64_t value = 0;
  /// The number of its class.
  size_t sizeClass = 0;
  /// Microseconds in its class, in the best way for it alone, and by default;
  /// 0 where it cannot be launched so.
  double estimate = 0, alone = 0, before = 0;
};

/// What the tune file, or the model, has for a kernel.
struct TunedKernel {
  std::string kernel;
  /// By their bounds, the one without last; empty if nothing was taken.
  std::vector<TunedClass> classes;
  bool isTaken = false;
  /// By the model (Fit.h), not from a file.
  bool isFitted = false;
  /// For these values of a size, where there were several.
  std::string sizeName;
  std::vector<FittedSize> sizes;
  /// "gemm.tune.json: BM = 64, raster = 4; measured on NVIDIA H200", or why
  /// nothing was taken.
  std::string summary;
};

/// Whether there is something to look into: a file beside the source, or one
/// that was named.
bool mayHaveTuneFile(const CompileOptions &options);

/// Looks up each kernel.  An error if it cannot be
/// read, a warning for each entry of another time.
llvm::Expected<std::vector<TunedKernel>>
findTunedValues(const CompileOptions &options, llvm::StringRef target,
                llvm::ArrayRef<TunableKernel> kernels,
                DiagnosticEngine &diagnostics);

/// Rejects --size of names that no kernel has, where no launch would.
llvm::Error checkLaunchSizes(const CompileOptions &options,
                             llvm::ArrayRef<ManifestKernel> kernels);

/// The tune file of a source: "dir/gemm.tune.json".
std::string getTuneFilePath(llvm::StringRef sourceFile);

/// The name of the GPU of this machine if it runs code for the target, else "".
std::string findGpuForTarget(llvm::StringRef target);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_TUNEDVALUES_H
