//===- PassObserver.h - What happens between the passes -------------------===//
//
// Times the passes, prints the module after those of --print-ir-after, keeps
// snapshots for a report, and remembers which pass failed.
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
  /// `failedPass` receives the name of the pass that fails, if one does.
  PassObserver(PhaseTimer &timer, Wishes wishes, std::string &failedPass)
      : timer(timer), wishes(std::move(wishes)), failedPass(failedPass) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

private:
  PhaseTimer &timer;
  Wishes wishes;
  std::string &failedPass;
};

/// Fails if --print-ir-after names no pass of these pipelines.
llvm::Error checkPassName(llvm::StringRef name,
                          llvm::ArrayRef<const mlir::PassManager *> pipelines);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_PASSOBSERVER_H
