//===- PassObserver.cpp - What happens between the passes -----------------===//
#include "compiler/Driver/PassObserver.h"

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
  if (isOurs(pass))
    timer.begin(("pass " + getPassName(*pass)).str());
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
  if (!isOurs(pass))
    return;
  timer.end();
  failedPass = getPassName(*pass).str();
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
