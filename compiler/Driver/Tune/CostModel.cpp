//===- CostModel.cpp - What a way to compile a kernel may cost ------------===//
#include "compiler/Driver/Tune/CostModel.h"

#include "compiler/Driver/Report/Traffic.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/Matchers.h"
#include <algorithm>
#include <cmath>

using namespace tilec;
using namespace mlir::tile;

// A large Hopper GPU.  Only ratios between candidates matter.
static constexpr double clocksPerMicrosecond = 1700;
static constexpr double bytesPerMicrosecond = 5.5e6; // of the L2 cache
static constexpr double sharedOfMultiprocessor = 228 << 10;
static constexpr double threadsOfMultiprocessor = 2048;
/// To fill a pipeline and to store a tile.
static constexpr double clocksToStart = 2000;

namespace {
/// What one block does.
struct BlockWork {
  double clocks = 0;
  double bytes = 0;
  /// Tiles of a persistent loop that all blocks share; 0 if there is none.
  double tiles = 0;
};
} // namespace

static BlockWork countWork(KernelOp kernel) {
  BlockWork work;
  work.bytes = countBlockTraffic(kernel);
  kernel.walk([&](mlir::Operation *op) {
    if (auto loop = mlir::dyn_cast<PersistentOp>(op)) {
      work.tiles = 1;
      for (mlir::Value extent : loop.getExtents()) {
        llvm::APInt constant;
        if (mlir::matchPattern(extent, mlir::m_ConstantInt(&constant)))
          work.tiles *= double(constant.getSExtValue());
      }
    }
    auto candidates = op->getAttrOfType<mlir::ArrayAttr>("tile.candidates");
    if (!candidates || candidates.empty())
      return;
    auto chosen = mlir::cast<mlir::DictionaryAttr>(candidates[0]);
    if (auto clocks = chosen.getAs<mlir::IntegerAttr>("clocks"))
      work.clocks += double(clocks.getInt()) * countTimes(op);
  });
  return work;
}

/// The kernel with its products and loops as they were before the variants.
static KernelOp findDecided(Compilation &compilation) {
  for (const PassSnapshot &snapshot : llvm::reverse(compilation.getSnapshots()))
    if (snapshot.pass == "infer-layouts")
      for (auto kernel :
           mlir::ModuleOp(snapshot.module.get()).getOps<KernelOp>())
        return kernel;
  return {};
}

llvm::Expected<LaunchEstimate>
tilec::estimateLaunch(Compilation &compilation,
                      llvm::ArrayRef<tilert_argument> arguments) {
  std::string manifest = writeManifest(compilation.getManifest());
  llvm::Expected<RuntimeModule> module = loadRuntimeModule(manifest);
  if (!module)
    return module.takeError();
  const tilert_kernel *launched = tilert_module_kernel(module->get(), 0);
  llvm::Expected<tilert_device_facts> facts =
      getTargetFacts(compilation.getTarget().name);
  if (!facts)
    return facts.takeError();
  llvm::Expected<RuntimePlan> made = planLaunch(launched, arguments, *facts);
  if (!made)
    return made.takeError();
  const tilert_plan *plan = made->get();

  LaunchEstimate estimate;
  estimate.variant =
      tilert_kernel_variant(launched, tilert_plan_variant(plan))->name;
  KernelOp kernel = findDecided(compilation);
  if (!kernel)
    return estimate;
  BlockWork work = countWork(kernel);
  double tiles = work.tiles;
  if (tiles == 0) {
    tiles = 1;
    for (size_t axis = 0; axis < tilert_plan_axis_count(plan); ++axis)
      tiles *= double(tilert_plan_axis_extent(plan, axis));
  }
  double threads = std::max(1, tilert_plan_threads(plan));
  double shared = double(tilert_plan_shared_bytes(plan)) + 1024;
  double resident =
      std::max(1., std::floor(std::min(sharedOfMultiprocessor / shared,
                                       threadsOfMultiprocessor / threads)));
  // Blocks on one multiprocessor share its tensor cores, and hide each other's
  // starts.
  double slots = double(std::max(1, facts->sm_count)) * resident;
  double rounds = std::ceil(tiles / slots);
  double clocks = rounds * (resident * work.clocks + clocksToStart);
  estimate.microseconds = std::max(clocks / clocksPerMicrosecond,
                                   tiles * work.bytes / bytesPerMicrosecond);
  return estimate;
}
