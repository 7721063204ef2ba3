//===- Optimize.cpp - LLVM's optimisation pipeline ------------------------===//
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/CrashGuard.h"
#include "compiler/CodeGen/OrderArrivals.h"
#include "compiler/CodeGen/TargetMachine.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

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

/// The passes of LLVM's O3, in its order, that change what kernels become.  It
/// has 58 for functions alone; of the others, each was found to leave the PTX
/// of every example as it was, except for 0.4 % of mla_decode's, and they took
/// a third of the time; so were three of its five runs of InstCombine, without
/// which the examples have as many instructions or fewer.  A kernel calls
/// nothing, so that those between functions have nothing to do; and a thread is
/// one lane already: vectorised loops would only cost registers, and the
/// vectors that matter (loads, packed arithmetic) are explicit.
static constexpr llvm::StringLiteral kernelPasses =
    "function("
    // What the numbers of threads and blocks can be, and what follows.
    "nvvm-intr-range,sccp,simplifycfg,sroa,early-cse,"
    "instcombine<no-verify-fixpoint>,early-cse<memssa>,"
    "speculative-execution<only-if-divergent-target>,"
    "aggressive-instcombine,reassociate,"
    // Loops.
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication>,licm,"
    "simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg<switch-range-to-icmp>,"
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
    // Values that come twice, or to nothing.
    "gvn,sccp,dse,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-common-insts;"
    "sink-common-insts>,"
    // What is left of loops.
    "loop-unroll<O3>,instcombine<no-verify-fixpoint>,infer-alignment,"
    "loop-mssa(licm),div-rem-pairs,"
    // The passes above split wide loads whose parts go different ways, and the
    // back end joins them again.  Joining them here shows the emulator the
    // accesses that the GPU makes.
    "load-store-vectorizer,dce)";

static void runPasses(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kernelPasses));
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(tilec::OrderArrivals()));
  passes.run(module, modules);
}

static llvm::Error optimizeHere(llvm::Module &module, const Target &target) {
  if (llvm::Error error = verify(module, "before"))
    return error;
  auto machine = createTargetMachine(target, target.lowestPtx);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = runGuarded("the optimisation of the LLVM IR",
                                     [&] { runPasses(module, **machine); }))
    return error;
  return verify(module, "after");
}

llvm::Error tilec::optimize(llvm::Module &module, const Target &target) {
  if (!canShareKernels(module))
    return optimizeHere(module, target);
  // What does not verify cannot travel.
  if (llvm::Error error = verify(module, "before"))
    return error;
  KernelParts kernels(module);
  if (llvm::Error error = optimize(kernels, target))
    return error;
  return kernels.join(module);
}

llvm::Error tilec::optimize(KernelParts &kernels, const Target &target) {
  return kernels.forEach(
      [&](size_t, llvm::Module &part) { return optimizeHere(part, target); });
}
