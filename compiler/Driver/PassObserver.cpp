//===- PassObserver.cpp - What happens between the passes -----------------===//
#include "compiler/Driver/PassObserver.h"

#include "compiler/CodeGen/CrashGuard.h"
#include "compiler/Driver/Failure.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

StringRef tilec::getPassName(const mlir::Pass &pass) {
  StringRef name = pass.getArgument();
  name.consume_front("tile-");
  return name;
}

/// Wrappers that MLIR puts around passes have no flag.
static bool isOurs(const mlir::Pass *pass) {
  return !pass->getArgument().empty();
}

void PassObserver::runBeforePass(mlir::Pass *pass, mlir::Operation *op) {
  if (!isOurs(pass))
    return;
  lastPass = getPassName(*pass).str();
  timer.begin("pass " + lastPass);
}

void PassObserver::runAfterPass(mlir::Pass *pass, mlir::Operation *op) {
  if (!isOurs(pass))
    return;
  timer.end();
  StringRef name = getPassName(*pass);
  if (wishes.printAfter == "all" || wishes.printAfter == name) {
    llvm::errs() << "// ----- after " << name << " -----\n";
    op->print(llvm::errs());
    llvm::errs() << '\n';
  }
  if (wishes.snapshots)
    if (auto module = llvm::dyn_cast<mlir::ModuleOp>(op))
      wishes.snapshots->push_back({name.str(), module.clone()});
}

void PassObserver::runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) {
  if (isOurs(pass))
    timer.end();
}

llvm::Expected<bool> tilec::runPasses(mlir::PassManager &manager,
                                      mlir::OwningOpRef<mlir::ModuleOp> &module,
                                      const std::string &lastPass) {
  bool succeeded = false;
  if (llvm::Error crash = runGuarded(lastPass, [&] {
        succeeded = mlir::succeeded(manager.run(*module));
      })) {
    (void)module.release();
    return std::move(crash);
  }
  return succeeded;
}

llvm::Error
tilec::checkPassName(StringRef name,
                     llvm::ArrayRef<const mlir::PassManager *> pipelines) {
  if (name.empty() || name == "all")
    return llvm::Error::success();
  llvm::SmallVector<StringRef> names;
  for (const mlir::PassManager *pipeline : pipelines)
    for (const mlir::Pass &pass :
         const_cast<mlir::PassManager *>(pipeline)->getPasses())
      if (isOurs(&pass) && !llvm::is_contained(names, getPassName(pass)))
        names.push_back(getPassName(pass));
  if (llvm::is_contained(names, name))
    return llvm::Error::success();
  return makeUsageError("'--print-ir-after' knows no pass '" + name + "'",
                        suggestFrom(name, names));
}
