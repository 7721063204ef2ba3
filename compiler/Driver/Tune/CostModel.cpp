//===- CostModel.cpp - What a way to compile a kernel may cost ------------===//
#include "compiler/Driver/Tune/CostModel.h"

#include "compiler/Driver/Report/Traffic.h"
#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "mlir/IR/Matchers.h"
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
/// To fill a pipeline and to store a tile.
static constexpr double clocksToStart = 2000;
/// For blocks that share a loop to know of each other that they are done.
static constexpr double clocksToMeet = 1200;
/// That a block which is alone reads or writes in a clock.
static constexpr double bytesOfOneBlock = 40;
/// Until bytes arrive that were asked for.
static constexpr double clocksOfLatency = 1700;
/// Until a buffer of some 36 KB that was given back is full again.
static constexpr double clocksToFill = 2200;
/// Work of the tensor cores and of memory that overlaps does so in part.
static constexpr double partOfTheLesser = 0.15;
/// What a byte of an operand costs that threads convert for wgmma, which waits
/// for it: products of 4-bit weights with 32 to 256 tokens took 150 to 190
/// clocks more for 16 KB than the tensor cores on an H200.
static constexpr double clocksPerConvertedByte = 0.01;
/// Clusters beyond two find fewer places than there are multiprocessors: of
/// four, 30 were seen on 132.
static constexpr double partForClusters = 0.92;
/// Iterations that wait for a buffer and hand it back.
static constexpr double clocksPerIteration = 50;

namespace {
/// What one block does.
struct BlockWork {
  double clocks = 0;
  double bytes = 0;
  /// Asked for before they are needed, at a time; 0 if nothing is.
  double bytesAhead = 0;
  /// Of what loops carry and end with.
  double sums = 0;
  /// Tiles of a persistent loop that all blocks share; 0 if there is none.
  double tiles = 0;
};
} // namespace

/// Bytes that threads write to registers or shared memory for a product.
static double countConvertedBytes(GemmOp gemm) {
  std::optional<MmaAttr> mma = gemm.getMma();
  // What mma.sync is counted at has its conversions in it.
  if (!mma || !mma->isWgmma())
    return 0;
  double bytes = 0;
  auto add = [&](mlir::Value operand) {
    auto shared = mlir::dyn_cast<SharedType>(operand.getType());
    if (shared && getElementBits(shared.getElementType()) ==
                      int64_t(mma->getOperandBits()))
      return;
    double elements = 1;
    for (int64_t extent : getTileShape(operand.getType()))
      elements *= double(extent);
    bytes += elements * mma->getOperandBits() / 8;
  };
  add(gemm.getA());
  add(gemm.getB());
  return bytes;
}

/// The clocks of an iteration whose products take `clocks`: a buffer is filled
/// anew when it has been read, and what is converted for the next product while
/// this one runs holds a second one.
static double waitForBuffers(GemmOp gemm, double clocks, bool isConverted) {
  auto loop = gemm->getParentOfType<PipelinedOp>();
  int64_t buffers = loop ? int64_t(loop.getStages().value_or(1)) : 1;
  if (buffers == 1)
    return clocks;
  double held = isConverted && buffers > 2 ? 2 : 1;
  return std::max(clocks, (clocksToFill + held * clocks) / double(buffers));
}

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
    if (auto loop = mlir::dyn_cast<PipelinedOp>(op)) {
      double iterations = countIterationsOf(loop);
      work.clocks += clocksPerIteration * iterations * countTimes(op);
      for (mlir::Value result : loop.getResults())
        if (auto tile =
                mlir::dyn_cast<mlir::RankedTensorType>(result.getType()))
          work.sums += double(tile.getNumElements()) *
                       double(getElementBits(tile.getElementType())) / 8;
      work.bytesAhead =
          std::max(work.bytesAhead, double(loop.getStages().value_or(1)) *
                                        countLoopTraffic(loop));
    }
    auto candidates = op->getAttrOfType<mlir::ArrayAttr>("tile.candidates");
    if (!candidates || candidates.empty())
      return;
    auto chosen = mlir::cast<mlir::DictionaryAttr>(candidates[0]);
    double clocks = 0;
    if (auto counted = chosen.getAs<mlir::IntegerAttr>("clocks"))
      clocks = double(counted.getInt());
    if (auto gemm = mlir::dyn_cast<GemmOp>(op)) {
      double converted = countConvertedBytes(gemm);
      clocks += clocksPerConvertedByte * converted;
      clocks = waitForBuffers(gemm, clocks, converted != 0);
    }
    work.clocks += clocks * countTimes(op);
  });
  return work;
}

/// The time of two works that overlap.
static double overlap(double one, double other) {
  return std::max(one, other) + partOfTheLesser * std::min(one, other);
}

/// Clocks that blocks take which share a loop to add up `bytes` of sums each:
/// in a cluster a part each, elsewhere the last to come adds all.
static double countSharing(KernelOp kernel, double bytes) {
  double shares = double(getShares(kernel));
  if (shares == 1)
    return 0;
  if (kernel->hasAttr(workspaceAttrName))
    return clocksToMeet + bytes * (1 + shares) / bytesOfOneBlock;
  return clocksToMeet + 2 * bytes / bytesOfOneBlock;
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
  estimate.workspace = tilert_plan_workspace(plan);
  KernelOp kernel = findDecided(compilation);
  if (!kernel)
    return estimate;
  BlockWork work = countWork(kernel);
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
  double products = resident * work.clocks;
  double memory = resident * work.bytes / rate;
  double clocks = overlap(products, memory);
  clocks += countSharing(kernel, work.sums);
  estimate.microseconds = std::ceil(blocks / slots) * (clocks + clocksToStart) /
                          clocksPerMicrosecond;
  if (std::optional<int64_t> tensors = countTensorBytes(kernel))
    estimate.microseconds =
        overlap(estimate.microseconds, double(*tensors) / bytesOfMemory);
  return estimate;
}
