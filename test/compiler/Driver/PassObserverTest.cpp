//===- PassObserverTest.cpp - Tests of what happens between passes --------===//
#include "compiler/Driver/PassObserver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"
#include <csignal>

using namespace tilec;

namespace {
/// A pass that ends as `end` says.
struct EndingPass
    : mlir::PassWrapper<EndingPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EndingPass)
  enum End { Success, Failure, Signal, FatalError };
  EndingPass(llvm::StringRef name, End end) : name(name), end(end) {}

  llvm::StringRef getArgument() const override { return name; }
  void runOnOperation() override {
    if (end == Failure)
      signalPassFailure();
    if (end == Signal)
      std::raise(SIGSEGV);
    if (end == FatalError)
      llvm::report_fatal_error("out of luck");
  }

  llvm::StringRef name;
  End end;
};
} // namespace

/// Runs a pass that succeeds and one that ends as `end` says.
static llvm::Expected<bool> run(EndingPass::End end) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::PassManager manager(&context);
  PhaseTimer timer;
  std::string lastPass;
  manager.addInstrumentation(
      std::make_unique<PassObserver>(timer, PassObserver::Wishes(), lastPass));
  manager.addPass(
      std::make_unique<EndingPass>("tile-first", EndingPass::Success));
  manager.addPass(std::make_unique<EndingPass>("tile-second", end));
  llvm::Expected<bool> succeeded = runPasses(manager, module, lastPass);
  EXPECT_EQ(lastPass, "second");
  EXPECT_EQ(bool(succeeded), bool(module));
  return succeeded;
}

TEST(PassObserver, TellsSuccessFromFailure) {
  EXPECT_TRUE(llvm::cantFail(run(EndingPass::Success)));
  EXPECT_FALSE(llvm::cantFail(run(EndingPass::Failure)));
}

TEST(PassObserver, NamesThePassThatCrashes) {
  EXPECT_EQ(llvm::toString(run(EndingPass::Signal).takeError()),
            "internal error in second: signal 11; please report it with the "
            "kernel's source");
  EXPECT_EQ(llvm::toString(run(EndingPass::FatalError).takeError()),
            "internal error in second: out of luck; please report it with the "
            "kernel's source");
}
