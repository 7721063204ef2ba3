//===- CheckCommand.cpp - tilec check -------------------------------------===//
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Compile.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

llvm::Error tilec::runCheckCommand(const Invocation &invocation) {
  Compilation compilation(invocation.compile);
  // The passes run too: some limits are those of the target.
  if (!invocation.json)
    return compileAndReport(compilation, Stage::Nvvm);
  llvm::Error error = compilation.compileTo(Stage::Nvvm);
  printDiagnosticsAsJson(llvm::outs(), compilation.getSources(),
                         compilation.getDiagnostics());
  return error;
}
