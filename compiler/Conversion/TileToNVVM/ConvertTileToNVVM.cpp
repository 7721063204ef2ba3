//===- ConvertTileToNVVM.cpp - The pass -----------------------------------===//

#include "compiler/Conversion/TileToNVVM/ConvertTileToNVVM.h"
#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tile;

/// Declares the block's dynamic shared memory.  Its size is given at launch.
static void declareSharedMemory(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, "tile_shared", Attribute(),
                         /*alignment=*/1024, /*addrSpace=*/3);
}

/// Parameters whose elements lie in an order that has no addresses yet.
static bool refuseOrders(KernelOp kernel) {
  bool isRefused = false;
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), "tile.strided_all")) {
      emitError(argument.getLoc()) << "'strided(all)' is not supported yet";
      isRefused = true;
    }
  return isRefused;
}

/// Whether an expression reads the number of multiprocessors.
static bool readsSmCount(Attribute expression) {
  if (auto name = dyn_cast<StringAttr>(expression))
    return name.getValue() == "sm_count";
  auto operation = dyn_cast<ArrayAttr>(expression);
  return operation && llvm::any_of(operation, readsSmCount);
}

/// A block that finds its place by division needs extents that it can compute.
static LogicalResult checkGrid(KernelOp kernel) {
  if (kernel.getGrid().size() < 2 ||
      llvm::none_of(kernel.getGrid(), readsSmCount))
    return success();
  return kernel.emitError("'sm_count' in 'grid' of several axes is not "
                          "supported yet");
}

namespace {
struct ConvertTileToNVVM
    : PassWrapper<ConvertTileToNVVM, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertTileToNVVM)

  ConvertTileToNVVM() = default;
  ConvertTileToNVVM(const ConvertTileToNVVM &other) : PassWrapper(other) {}
  explicit ConvertTileToNVVM(StringRef name) { target = name.str(); }

  StringRef getArgument() const override { return "convert-tile-to-nvvm"; }
  StringRef getDescription() const override {
    return "Lower tile kernels to what one thread does";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    arith::ArithDialect, math::MathDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    if (kernels.empty())
      return;
    declareSharedMemory(module);
    // What is wrong with one variant of a kernel is wrong with the others.
    llvm::StringSet<> failed;
    for (KernelOp kernel : kernels) {
      if (failed.contains(kernel.getSourceName()))
        continue;
      if (verifyLaunch(kernel).failed() || checkGrid(kernel).failed()) {
        failed.insert(kernel.getSourceName());
        continue;
      }
      cloneConstantsIntoTeams(kernel);
      KernelEmitter emitter(kernel, getComputeCapability(target));
      if (refuseOrders(kernel) || !emitter.emitKernel()) {
        failed.insert(kernel.getSourceName());
        continue;
      }
      std::string name = kernel.getSymName().str();
      kernel.erase();
      emitter.function.setSymName(name);
    }
    if (!failed.empty())
      signalPassFailure();
  }

  Option<std::string> target{*this, "target",
                             llvm::cl::desc("GPU, such as sm_80"),
                             llvm::cl::init("sm_90a")};
};
} // namespace

std::unique_ptr<Pass> tile::createConvertTileToNVVM(StringRef target) {
  return std::make_unique<ConvertTileToNVVM>(target);
}

void tile::registerConvertTileToNVVM() {
  PassRegistration<ConvertTileToNVVM>();
}
