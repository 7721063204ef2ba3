//===- PassObserver.h - What happens between the passes -------------------===//
//
// Times the passes, prints the module after those of --print-ir-after, keeps
// snapshots for a report, and knows which pass runs or failed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_PASSOBSERVER_H
#define TILE_COMPILER_DRIVER_PASSOBSERVER_H

#include "compiler/Driver/Compile.h"
#include "mlir/Pass/PassInstrumentation.h"

namespace tilec {

/// The name of a pass for users: its flag without the "tile-".
llvm::StringRef getPassName(const mlir::Pass &pass);

class PassObserver : public mlir::PassInstrumentation {
public:
  struct Wishes {
    /// A pass's name, or "all".
    std::string printAfter;
    /// Null: none are kept.
    std::vector<PassSnapshot> *snapshots = nullptr;
  };
  /// `lastPass` always holds the name of the pass that began last.
  PassObserver(PhaseTimer &timer, Wishes wishes, std::string &lastPass)
      : timer(timer), wishes(std::move(wishes)), lastPass(lastPass) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  PhaseTimer &timer;
  Wishes wishes;
  std::string &lastPass;
};

/// Runs the passes of `manager`; whether they succeed.  If one crashes, the
/// result is an error that names it by `lastPass`, which an observer of
/// `manager` keeps, and `module` is gone: its ops are leaked.
llvm::Expected<bool> runPasses(mlir::PassManager &manager,
                               mlir::OwningOpRef<mlir::ModuleOp> &module,
                               const std::string &lastPass);

/// Fails if --print-ir-after names no pass of these pipelines.
llvm::Error checkPassName(llvm::StringRef name,
                          llvm::ArrayRef<const mlir::PassManager *> pipelines);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_PASSOBSERVER_H
