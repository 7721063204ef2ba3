//===- CostModel.cpp - What a way to compile a kernel may cost ------------===//
#include "compiler/Driver/Tune/CostModel.h"

#include "compiler/Driver/Report/Traffic.h"
#include "compiler/Driver/Tune/BlockWork.h"
#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include <algorithm>
#include <cmath>

using namespace tilec;
using namespace mlir::tile;

// A large Hopper GPU.  Only ratios between candidates matter.
static constexpr double clocksPerMicrosecond = 1700;
static constexpr double bytesPerMicrosecond = 10e6; // of the L2 cache
static constexpr double bytesOfMemory = 4.3e6;
static constexpr double sharedOfMultiprocessor = 228 << 10;
static constexpr double threadsOfMultiprocessor = 2048;
/// To start a block, fill its pipeline and store its tile.
static constexpr double clocksToStart = 6300;
/// That no launch is below, one after another.
static constexpr double microsecondsToLaunch = 2.8;
/// For blocks that share a loop by a workspace to know that all are done.
static constexpr double clocksToMeet = 1200;
/// That a block reads or writes in a clock which shares a loop.
static constexpr double bytesOfOneBlock = 25;
/// Until bytes arrive that were asked for.
static constexpr double clocksOfLatency = 1700;
/// Clusters beyond two find fewer places than there are multiprocessors: of
/// four, 30 were seen on 132.
static constexpr double partForClusters = 0.92;
/// Clocks that blocks take which share a loop to add up `bytes` of sums each:
/// in a cluster a part each, elsewhere the last to come adds all.
static double countSharing(KernelOp kernel, double bytes) {
  double shares = double(getShares(kernel));
  if (shares == 1)
    return 0;
  if (kernel->hasAttr(workspaceAttrName))
    return clocksToMeet + bytes * (1 + shares) / bytesOfOneBlock;
  return 2 * bytes / bytesOfOneBlock;
}

/// Blocks that run at a time, for `resident` on a multiprocessor.
static double countSlots(double multiprocessors, double resident,
                         int32_t cluster) {
  if (cluster <= 2)
    return multiprocessors * resident;
  double clusters =
      std::floor(multiprocessors * resident * partForClusters / cluster);
  return std::max(1., clusters) * cluster;
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

namespace {
/// The buffers that a variant has for its loops, where fewer fit than were
/// asked for.
class StageCounts {
public:
  StageCounts(Compilation &compilation, llvm::StringRef symbol) {
    for (auto variant : compilation.getLoweredModule().getOps<KernelOp>())
      if (variant.getSymName() == symbol)
        if (auto noted =
                variant->getAttrOfType<mlir::ArrayAttr>(choicesAttrName))
          for (auto choice : noted.getAsRange<mlir::DictionaryAttr>())
            add(choice);
  }

  int64_t count(PipelinedOp loop) const {
    auto found = byLine.find(getLine(loop));
    return found != byLine.end() ? found->second
                                 : int64_t(loop.getStages().value_or(1));
  }

private:
  void add(mlir::DictionaryAttr choice) {
    int64_t buffers = 0;
    if (choice.getAs<mlir::StringAttr>("name").getValue() == "stages" &&
        !choice.getAs<mlir::StringAttr>("value").getValue().getAsInteger(
            10, buffers))
      byLine[choice.getAs<mlir::IntegerAttr>("line").getInt()] = buffers;
  }
  static int64_t getLine(mlir::Operation *op) {
    auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    return place ? place.getLine() : 0;
  }

  llvm::SmallDenseMap<int64_t, int64_t> byLine;
};
} // namespace

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
  const tilert_variant *launchedVariant =
      tilert_kernel_variant(launched, tilert_plan_variant(plan));
  estimate.variant = launchedVariant->name;
  estimate.workspace = tilert_plan_workspace(plan);
  KernelOp kernel = findDecided(compilation);
  if (!kernel)
    return estimate;
  StageCounts stages(compilation, launchedVariant->symbol);
  BlockWork work = countBlockWork(
      kernel, [&](PipelinedOp loop) { return stages.count(loop); });
  double blocks = 1;
  for (size_t axis = 0; axis < tilert_plan_axis_count(plan); ++axis)
    blocks *= double(tilert_plan_axis_extent(plan, axis));
  // Blocks that share a loop have one place in the grid; those of a persistent
  // loop have many each.
  blocks = std::max(blocks, double(tilert_plan_grid(plan)));
  if (work.tiles != 0)
    blocks = work.tiles;
  double threads = std::max(1, tilert_plan_threads(plan));
  double shared = double(tilert_plan_shared_bytes(plan)) + 1024;
  double resident =
      std::max(1., std::floor(std::min(sharedOfMultiprocessor / shared,
                                       threadsOfMultiprocessor / threads)));
  // Warps that copy for the others: the registers of a multiprocessor go to as
  // many blocks as were asked for.
  if (tilert_plan_threads(plan) > int64_t(kernel.getThreads()))
    resident = std::min(
        resident, double(getDecidedInteger(kernel, "min_blocks").value_or(1)));
  double multiprocessors = std::max(1, facts->sm_count);
  double slots =
      countSlots(multiprocessors, resident, tilert_plan_cluster(plan));
  resident = std::min(resident, std::ceil(blocks / multiprocessors));

  // Blocks on one multiprocessor share its tensor cores and its way to memory.
  double rate = bytesPerMicrosecond / clocksPerMicrosecond / multiprocessors;
  if (work.bytesAhead != 0)
    rate = std::min(rate, resident * work.bytesAhead / clocksOfLatency);
  double products = std::max(resident * work.clocks, work.alone);
  double memory = resident * work.bytes / rate;
  double clocks = overlapWork(products, memory);
  clocks += countSharing(kernel, work.sums);
  estimate.microseconds = std::ceil(blocks / slots) * (clocks + clocksToStart) /
                          clocksPerMicrosecond;
  if (std::optional<int64_t> tensors = countTensorBytes(kernel))
    estimate.microseconds =
        overlapWork(estimate.microseconds, double(*tensors) / bytesOfMemory);
  estimate.microseconds += microsecondsToLaunch;
  return estimate;
}
