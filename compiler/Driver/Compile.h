//===- Compile.h - From a source file to a cubin --------------------------===//
//
// The phases of the compiler in order, for all commands.  Each phase leaves a
// value that can be looked at; a command asks for the last one it needs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_COMPILE_H
#define TILE_COMPILER_DRIVER_COMPILE_H

#include "compiler/CodeGen/CodeGen.h"
#include "compiler/CodeGen/Manifest.h"
#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/PhaseTimer.h"
#include "compiler/Driver/Tune/TunedValues.h"
#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// A module of the tile dialect as one of the passes left it.
struct PassSnapshot {
  /// "select-mma"
  std::string pass;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

struct MeasuredSize;
struct SemaOptions;

class Compilation {
public:
  explicit Compilation(CompileOptions options);
  ~Compilation();

  /// Keep a snapshot of the module after every pass, for a report.  Before
  /// `compileTo`.
  void keepSnapshots() { wantsSnapshots = true; }

  /// What the code is for, where a tune file has entries for both: a GPU unless
  /// this is called.  Before `compileTo`.
  void makeForEmulator() { options.tuneFile.isForEmulator = true; }
  /// The meaning of the source as it is.  Before `compileTo`.
  void ignoreTuneFile() {
    options.tuneFile.isUsed = false;
    options.fits = false;
  }

  /// Asks for the function that a launch needs once all variants have been
  /// lowered and the manifest says so, and drops the others: only that one is
  /// optimised.  An error ends the compilation.  Before `compileTo`.
  using FunctionChooser =
      llvm::unique_function<llvm::Expected<llvm::StringRef>()>;
  void keepOneFunction(FunctionChooser choose) {
    chooseFunction = std::move(choose);
  }

  /// Runs the phases up to the one that makes `stage`.  Where the source is at
  /// fault the error says nothing and the diagnostics everything.
  llvm::Error compileTo(Stage stage);

  /// Runs the phases up to the last decision of the passes, where the module is
  /// still in the tile dialect.  Much faster than the whole.
  llvm::Error compileToDecisions();

  const CompileOptions &getOptions() const { return options; }
  /// What the tune file says of the kernels; empty without one.
  llvm::ArrayRef<TunedKernel> getTunedKernels() const { return tuned; }
  /// The target of --target, or of the GPU found, or sm_90a.
  const Target &getTarget() const { return *target; }
  PhaseTimer &getTimer() { return timer; }

  llvm::SourceMgr &getSources() { return sources; }
  DiagnosticEngine &getDiagnostics() { return diagnostics; }

  // What the phases made, in order.
  const std::string &getAst() const { return ast; }
  bool hasTileModule() const { return static_cast<bool>(tileModule); }
  /// The kernels as the frontend gives them: their meaning.
  mlir::ModuleOp getTileModule() { return *tileModule; }
  llvm::ArrayRef<PassSnapshot> getSnapshots() const { return snapshots; }
  /// After all passes, or those that decide.
  mlir::ModuleOp getLoweredModule() { return *loweredModule; }
  /// Optimised, of the stage LLVM: what PTX is made of and the emulator runs.
  const llvm::Module &getLLVMModule() const { return *llvmModule; }
  const std::string &getPtx() const { return ptx; }
  const Cubin &getCubin() const { return cubin; }
  /// Complete after the stage Cubin; after Tile without decisions, after Nvvm
  /// without registers and the cubin's hash.
  ManifestModel &getManifest() { return manifest; }

private:
  llvm::Error chooseTarget();
  llvm::Error readSource();
  llvm::Error printSyntaxTree();
  llvm::Error makeTileModule();
  llvm::Error findTuned();
  llvm::Error findMeasured(llvm::ArrayRef<TunableKernel> kernels,
                           std::vector<MeasuredSize> &measured);
  llvm::Error applyTuned();
  SemaOptions makeFrontendOptions(std::optional<size_t> sizeClass);
  llvm::Error addSizeClasses();
  llvm::Error adoptSizeClass(size_t sizeClass, mlir::ModuleOp made);
  mlir::LogicalResult verifySizeClasses();
  llvm::Error keepOneKernel();
  llvm::Error lower(bool stopsAtDecisions);
  llvm::Error dropOtherFunctions();
  llvm::Error addPackers();
  llvm::Error makeLLVMModule(bool isForPtx);
  llvm::Expected<std::string> emitOptimised(const Ptxas *assembler);
  llvm::Error makePtx();
  llvm::Error lintCode();
  llvm::Error makeCubin();

  bool isMlir() const;
  void describeOptions();
  /// The error of a phase that has reported what is wrong with the source, or
  /// failed without a word.
  llvm::Error stop(llvm::StringRef phase);

  CompileOptions options;
  bool wantsSnapshots = false;
  FunctionChooser chooseFunction;
  const Target *target = nullptr;
  PhaseTimer timer;

  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics;
  /// Kernels are few: threads of MLIR would cost more than they bring.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  llvm::LLVMContext llvmContext;

  std::string ast;
  std::vector<TunedKernel> tuned;
  mlir::OwningOpRef<mlir::ModuleOp> tileModule;
  std::vector<PassSnapshot> snapshots;
  mlir::OwningOpRef<mlir::ModuleOp> loweredModule;
  std::unique_ptr<llvm::Module> llvmModule;
  /// Its kernels, where nobody wants them in one module.
  std::unique_ptr<KernelParts> kernelParts;
  std::string ptx;
  PtxLintReport lint;
  Cubin cubin;
  ManifestModel manifest;
};

/// Compiles and prints the diagnostics, errors or not, and with --time the
/// times, on the standard error.
llvm::Error compileAndReport(Compilation &compilation, Stage stage);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_COMPILE_H
