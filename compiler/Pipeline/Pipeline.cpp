//===- Pipeline.cpp - The passes in their order ---------------------------===//

#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Conversion/TileToNVVM/ConvertTileToNVVM.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/SharePasses.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tilec::addTilePasses(OpPassManager &manager, const Target &target) {
  // Nobody should meet an op that it does not know.
  tile::RefuseUnsupportedPassOptions refuse;
  refuse.target = target.name.str();
  manager.addPass(tile::createRefuseUnsupportedPass(refuse));

  // Element loops become whole-tile ops first, so that everything after sees
  // one form of elementwise code.
  manager.addPass(tile::createCanonicalizeKernelPass());

  // Sums are still those of the source, and no other pass knows that several
  // blocks work at one place of the grid.
  tile::ShareIterationsPassOptions share;
  share.target = target.name.str();
  share.sharedLimit = target.sharedBytesPerBlock;
  manager.addPass(tile::createShareIterationsPass(share));

  // Numbers with scales become arithmetic, on parts of tiles among others,
  // which is for the passes that follow.
  manager.addPass(tile::createExpandDequantPass());
  manager.addPass(tile::createExpandGemmScaledPass());

  // Loops that stay loops still move their elements as tiles, which the passes
  // behind know how to do well.
  manager.addPass(tile::createRaiseElementsPass());

  // What is left of them, and what moves elements about, becomes element loops
  // that find every element in their own thread or in shared memory.
  manager.addPass(tile::createExpandMovesPass());
  manager.addPass(tile::createExpandShapeOpsPass());
  tile::ExpandGemmPassOptions expand;
  expand.target = target.name.str();
  manager.addPass(tile::createExpandGemmPass(expand));
  // What writes single 4-bit elements, wherever it came from; what it collects
  // is in its thread.
  manager.addPass(tile::createSeparateNibblesPass());
  manager.addPass(tile::createStageElementsPass());

  // The instruction decides the layouts of its operands, so it comes before
  // them.
  tile::SelectMmaPassOptions select;
  select.target = target.name.str();
  manager.addPass(tile::createSelectMmaPass(select));
  // Reads of its tiles, which the instruction decides, order a prepacked
  // tensor; copies are plain from here on.
  manager.addPass(tile::createApplyPrepackPass());
  manager.addPass(tile::createInferLayoutsPass());

  // Needs the rows of shared tiles; its checks are those of every variant.
  manager.addPass(tile::createAlignAsyncCopiesPass());

  // Variants are made once layouts are known, so that they share them; what
  // comes after is decided for each variant on its own.
  tile::PlanPipelinePassOptions plan;
  plan.target = target.name.str();
  plan.sharedLimit = target.sharedBytesPerBlock;
  manager.addPass(tile::createPlanPipelinePass(plan));

  // The variant that TMA feeds has a warpgroup for its copies.
  tile::SpecializeWarpsPassOptions specialize;
  specialize.sharedLimit = target.sharedBytesPerBlock;
  manager.addPass(tile::createSpecializeWarpsPass(specialize));
  manager.addPass(tile::createOverlapLaunchesPass());
  // Tuples are shared out once nobody chooses another schedule for them; what
  // comes after knows plain loops only.
  manager.addPass(tile::createLowerPersistentPass());

  // TMA is told of whole tensors; needs the rows of shared tiles too.
  manager.addPass(tile::createAssignTensorMapsPass());

  // Copies move bytes from here on, whose width the next pass chooses.
  manager.addPass(tile::createPackSubBytePass());
  manager.addPass(tile::createLowerCopiesPass());

  // Loads of operand fragments become visible, then move ahead of their use,
  // within an iteration and across its end.
  manager.addPass(tile::createLowerGemmPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(tile::createSplitSumsPass());
  manager.addPass(tile::createScheduleMmaPass());
  // Which products stay in flight is known now; iterations are still single.
  manager.addPass(tile::createOrderProductsPass());
  manager.addPass(tile::createUnrollLoopsPass());
  manager.addPass(tile::createRotatePipelinePass());

  // Places first: tiles that share memory are ordered by barriers too.
  tile::AllocateSharedPassOptions allocate;
  allocate.target = target.name.str();
  allocate.sharedLimit = target.sharedBytesPerBlock;
  manager.addPass(tile::createAllocateSharedPass(allocate));
  manager.addPass(tile::createInsertBarriersPass());
  // In front of barriers, so that what one thread starts behind them sees what
  // all have written.
  manager.addPass(tile::createInsertFencesPass());
}

void tilec::registerLoweringInterfaces(DialectRegistry &registry) {
  registerConvertToLLVMDependentDialectLoading(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
}

void tilec::addLoweringPasses(OpPassManager &manager, const Target &target) {
  addThreadPasses(manager, target);
  addLLVMPasses(manager);
}

void tilec::addThreadPasses(OpPassManager &manager, const Target &target) {
  manager.addPass(tile::createConvertTileToNVVM(target.name));
}

void tilec::addLLVMPasses(OpPassManager &manager) {
  // Index arithmetic that the lowering wrote out for each register is shared.
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(arith::createArithExpandOpsPass());
  // One walk with the patterns of all dialects that are left.
  manager.addPass(createConvertToLLVMPass());
}

namespace {
struct TilePipelineOptions : PassPipelineOptions<TilePipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("GPU, such as sm_80"),
                             llvm::cl::init("sm_90a")};
};
} // namespace

void tilec::registerPipelinePasses() {
  tile::registerTilePasses();
  tile::registerTileSharePasses();
  tile::registerConvertTileToNVVM();
  auto addForTarget = [](void (*add)(OpPassManager &, const Target &)) {
    return [add](OpPassManager &manager, const TilePipelineOptions &options) {
      llvm::Expected<const Target *> target = parseTarget(options.target);
      if (!target) {
        llvm::errs() << llvm::toString(target.takeError()) << "\n";
        return;
      }
      add(manager, **target);
    };
  };
  PassPipelineRegistration<TilePipelineOptions>(
      "tile-pipeline", "All passes within the tile dialect, in order",
      addForTarget(addTilePasses));
  PassPipelineRegistration<TilePipelineOptions>(
      "tile-to-llvm", "From placed tiles to the LLVM dialect",
      addForTarget(addLoweringPasses));
}
