//===- Optimize.cpp - LLVM's optimisation pipeline ------------------------===//
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/CrashGuard.h"
#include "compiler/CodeGen/TargetMachine.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace tilec;

static llvm::Error verify(const llvm::Module &module, llvm::StringRef when) {
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (!llvm::verifyModule(module, &stream))
    return llvm::Error::success();
  return llvm::createStringError(
      "internal error: the LLVM IR does not verify " + when +
      " optimisation:\n" + messages);
}

static void runO3(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  // A thread is one lane already: vectorised loops only cost registers, and
  // the vectors that matter (loads, packed arithmetic) are explicit.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes =
      builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  // The middle end splits wide loads whose parts go different ways, and the
  // backend joins them again.  Joining them here shows the emulator the
  // accesses that the GPU makes.
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(llvm::LoadStoreVectorizerPass()));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::DCEPass()));
  passes.run(module, modules);
}

llvm::Error tilec::optimize(llvm::Module &module, const Target &target) {
  if (llvm::Error error = verify(module, "before"))
    return error;
  auto machine = createTargetMachine(target, target.lowestPtx);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = runGuarded("the optimisation of the LLVM IR",
                                     [&] { runO3(module, **machine); }))
    return error;
  return verify(module, "after");
}
