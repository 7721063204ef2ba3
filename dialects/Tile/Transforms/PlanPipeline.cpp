//===- PlanPipeline.cpp - Variants, and copies that run ahead -------------===//
//
// Two steps.  First each kernel is split into variants by what it may assume of
// its arguments (AlignedVariants.h).  Then each pipelined loop is rewritten
// over staged buffers (StagedLoop.h), with cp.async where copies are aligned,
// else with the tiles of the next iteration on their way through registers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignedVariants.h"
#include "dialects/Tile/Transforms/ClusterPlan.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/SchedulePlan.h"
#include "dialects/Tile/Transforms/StagedLoop.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/Transforms/TmaStore.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PLANPIPELINEPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// The narrowest copy worth running ahead: with 4-byte pieces a thread would
/// hold the addresses of four times as many.
static constexpr int64_t narrowestCopy = 8;

//===----------------------------------------------------------------------===//
// Which copies can run ahead
//===----------------------------------------------------------------------===//

/// Why `value`, made of pure ops of the body, cannot be computed for another
/// iteration; empty if it can.
static StringRef findRecomputeObstacle(Value value, PipelinedOp loop) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner() != loop.getBodyBlock() ||
                   arg == loop.getInductionVar()
               ? ""
               : "its place depends on the previous iteration";
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(op))
    return "";
  // An iteration that does not exist must not divide or read.
  if (op->getBlock() != loop.getBodyBlock() || op->getNumRegions() != 0 ||
      !isPure(op))
    return "its place is computed by what may not run ahead";
  for (Value operand : op->getOperands())
    if (StringRef why = findRecomputeObstacle(operand, loop); !why.empty())
      return why;
  return "";
}

/// Why the uses of a tile, or of a part of it, tie the copy that fills it to
/// its place; empty if they do not.
static StringRef findUseObstacle(Value tile, CopyOp copy, PipelinedOp loop) {
  for (Operation *user : tile.getUsers()) {
    if (user == copy)
      continue;
    if (!loop->isProperAncestor(user))
      return "its tile is used outside the loop";
    Operation *inBody = loop.getBodyBlock()->findAncestorOpInBlock(*user);
    if (inBody->isBeforeInBlock(copy))
      return "its tile is read before it";
    if (auto slice = dyn_cast<SliceOp>(user)) {
      if (StringRef why = findUseObstacle(slice.getResult(), copy, loop);
          !why.empty())
        return why;
    } else if (auto unpacked = dyn_cast<UnpackedOp>(user)) {
      if (StringRef why = findUseObstacle(unpacked.getResult(), copy, loop);
          !why.empty())
        return why;
    } else if (!isa<GemmOp, OperandOp, LoadOp, LoadElementOp>(user)) {
      return "its tile is written elsewhere too";
    }
  }
  return "";
}

/// Why a copy stays where it is, whatever its alignment; empty if it may run
/// ahead.
static StringRef getObstacle(CopyOp copy, PipelinedOp loop) {
  auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
  if (!alloc || !isa<GlobalType>(copy.getSource().getType()))
    return "it is not from a tensor to a whole shared tile";
  if (Value pad = copy.getPad()) {
    // Packed tiles travel as bytes, and a byte has two elements.
    if (alloc.getType().getPackDim() >= 0)
      return "it has a pad value, and its elements share bytes";
    if (StringRef why = findRecomputeObstacle(pad, loop); !why.empty())
      return why;
  }
  for (Value index : copy.getSourceIndices())
    if (StringRef why = findRecomputeObstacle(index, loop); !why.empty())
      return why;
  return findUseObstacle(alloc.getResult(), copy, loop);
}

/// Why a copy that may run ahead is not one for cp.async; empty if it is.
static StringRef getAsyncObstacle(CopyOp copy, PipelinedOp loop) {
  if (copy.getPad())
    return "it has a pad value, and cp.async fills with zeros";
  if (getCopyBytes(copy.getSource(), copy.getSourceIndices(),
                   getTileShape(copy.getDestination().getType())) <
      narrowestCopy)
    return "its rows are not made of aligned pieces of at least 8 bytes";
  return "";
}

using FindObstacle = llvm::function_ref<StringRef(CopyOp, PipelinedOp)>;

/// The copies of a loop's body that may run ahead, by a means that
/// `findObstacle` says more of.
static SmallVector<CopyOp> findPipelinedCopies(PipelinedOp loop,
                                               FindObstacle findObstacle) {
  // A store to global memory may be seen by a later copy.  insert-barriers
  // relies on it: a barrier ends the reads of an asynchronous copy for it.
  SmallVector<MemoryAccess, 0> accesses;
  loop.getBody().walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      collectAccesses(op, accesses);
  });
  bool stores = llvm::any_of(accesses, [](const MemoryAccess &access) {
    return access.inGlobal && access.isWrite;
  });
  SmallVector<CopyOp> copies;
  if (stores)
    return copies;
  for (auto copy : loop.getBodyBlock()->getOps<CopyOp>())
    if (getObstacle(copy, loop).empty() && findObstacle(copy, loop).empty())
      copies.push_back(copy);
  return copies;
}

//===----------------------------------------------------------------------===//
// How many buffers
//===----------------------------------------------------------------------===//

/// Bytes of the kernel's shared tiles with the copies of a loop staged.
static int64_t countSharedBytes(KernelOp kernel, const StagedCopies &copies) {
  auto isInto = [](Value alloc) {
    return [alloc](CopyOp copy) { return copy.getDestination() == alloc; };
  };
  int64_t bytes = 0;
  kernel.walk([&](AllocSharedOp alloc) {
    layout::SharedLayout storage = alloc.getType().getStorage();
    int64_t size = llvm::alignTo(storage.bytes(), storage.alignment());
    if (llvm::any_of(copies.async, isInto(alloc.getResult())))
      size *= copies.stages;
    else if (llvm::any_of(copies.throughRegisters, isInto(alloc.getResult())))
      size *= 2;
    bytes += size;
  });
  return bytes;
}

/// Registers of a thread that the loop's carried fragments take.
static int64_t countCarriedRegisters(PipelinedOp loop) {
  int64_t registers = 0;
  for (Type type : loop.getInitArgs().getTypes())
    if (LayoutAttr layout = getFragmentLayout(type))
      registers +=
          llvm::divideCeil(layout.getLayout().elementsPerThread() *
                               getElementBits(getTileElementType(type)),
                           32);
  return registers;
}

/// Whether the tiles of one more iteration fit into the registers beside what
/// the loop carries.  An element on its way takes a register of its own.
static bool fitsRegisters(PipelinedOp loop, ArrayRef<CopyOp> copies) {
  // For operands of products, addresses, bounds and indices.
  constexpr int64_t others = 96;
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t limit =
      std::min<int64_t>(255, 65536 / std::max<int64_t>(kernel.getThreads(), 1));
  int64_t transit = 0;
  for (CopyOp copy : copies)
    transit +=
        getFragmentLayout(getTransitType(copy)).getLayout().elementsPerThread();
  return countCarriedRegisters(loop) + transit + others <= limit;
}

/// The number of buffers that the program wants, or --set.
static int64_t getAskedStages(PipelinedOp loop) {
  auto kernel = loop->getParentOfType<KernelOp>();
  std::optional<int64_t> decided = getDecidedInteger(kernel, "stages");
  return std::max<int64_t>(
      decided ? *decided : int64_t(loop.getStages().value_or(4)), 1);
}

static std::string getVariantName(KernelOp kernel) {
  return kernel.getVariant().value_or("the kernel").str();
}

/// Notes how many buffers a loop has, and why.
static void noteStages(PipelinedOp loop, const StagedCopies &copies,
                       int64_t sharedLimit) {
  auto kernel = loop->getParentOfType<KernelOp>();
  int64_t asked = getAskedStages(loop);
  if (copies.async.empty()) {
    // A variant in which the number of stages means nothing.
    if (!getDecidedInteger(kernel, "stages"))
      noteChoice(kernel, loop.getLoc(),
                 {"stages", copies.empty() ? "1" : "2",
                  "1 to " + std::to_string(asked),
                  copies.empty()
                      ? "no copy of " + getVariantName(kernel) + " runs ahead"
                      : "copies of " + getVariantName(kernel) +
                            " pass through registers"});
    return;
  }
  std::string reason = loop.getStages() ? "as the source says" : "the default";
  if (copies.stages < asked)
    reason = "lowered from " + std::to_string(asked) + " to fit " +
             std::to_string(sharedLimit) + " bytes of shared memory";
  noteChoice(kernel, loop.getLoc(),
             {"stages", std::to_string(copies.stages),
              asked == 1 ? "1" : "1 to " + std::to_string(asked), reason});
}

/// Sets the number of buffers of a loop: as asked for, lowered to what fits
/// unless it was given on purpose.
static void chooseStages(PipelinedOp loop, StagedCopies &copies,
                         int64_t sharedLimit, bool withRemarks) {
  auto kernel = loop->getParentOfType<KernelOp>();
  copies.stages = getAskedStages(loop);
  if (!loop.getStagesFixed() && !getDecidedInteger(kernel, "stages"))
    while (copies.stages > 1 && countSharedBytes(kernel, copies) > sharedLimit)
      --copies.stages;
  if (withRemarks && loop.getStages() && !copies.async.empty() &&
      copies.stages < getAskedStages(loop))
    loop.emitRemark("stages lowered from ")
        << getAskedStages(loop) << " to " << copies.stages << " to fit "
        << sharedLimit << " bytes of shared memory";
}

/// Whether products of a kernel read tiles as TMA brings them.
static bool isForRings(KernelOp kernel) {
  return kernel
      .walk([](GemmOp gemm) {
        return gemm.getMma() && gemm.getMma()->takesPanels()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Buffers where nobody says how many: what fits, up to this.
static constexpr int64_t mostRingStages = 8;

/// Room for the barriers of rings: two of 8 bytes for each of up to 32 buffers.
static constexpr int64_t barrierBytes = 512;

/// Where a tile may start.
static constexpr int64_t leastAlignment = 128;

/// Bytes that a tile takes at most where it is placed.
static int64_t getPlacedBytes(SharedType tile) {
  layout::SharedLayout storage = tile.getStorage();
  return llvm::alignTo(storage.bytes(),
                       std::max<int64_t>(storage.alignment(), leastAlignment));
}

/// Sets the number of buffers of each loop that TMA feeds: as asked for,
/// lowered together to what fits beside the other tiles and what stores need,
/// unless it was given on purpose.
static void chooseRingStages(KernelOp kernel, int64_t sharedLimit) {
  KernelParts parts = getParts(kernel);
  auto decided = getDecidedInteger(kernel, "stages");
  int64_t others = barrierBytes;
  kernel.walk(
      [&](AllocSharedOp alloc) { others += getPlacedBytes(alloc.getType()); });
  // Blocks that share a tile read its sums in rows, which they store as they
  // are.
  if (!parts.work->getOps<StoreOp>().empty() && getShares(kernel) == 1)
    others += getTeams(kernel) * getStagingBytes(kernel.getThreads());
  SmallVector<int64_t> bytes, stages;
  for (PipelinedOp loop : parts.loops) {
    int64_t ring = 0;
    LoopCopies copies = getLoopCopies(loop);
    for (CopyOp copy : llvm::concat<CopyOp>(copies.byTma, copies.byThreads)) {
      auto tile = cast<SharedType>(copy.getDestination().getType());
      ring += tile.getStorage().bytes();
      // Small tiles lie together, without room for a swizzle.
      others -= llvm::is_contained(copies.byTma, copy)
                    ? tile.getStorage().bytes()
                    : getPlacedBytes(tile) - leastAlignment;
    }
    for (AllocSharedOp alloc : getConvertedTiles(loop))
      others += (convertedBuffers - 1) * alloc.getType().getStorage().bytes();
    bytes.push_back(ring);
    stages.push_back(std::max<int64_t>(
        decided ? *decided : int64_t(loop.getStages().value_or(mostRingStages)),
        1));
  }
  auto exceeds = [&]() {
    int64_t total = others;
    for (auto [ring, count] : llvm::zip(bytes, stages))
      total += ring * count;
    return total > getSharedShare(kernel, sharedLimit);
  };
  while (exceeds()) {
    int64_t *most = nullptr;
    for (auto [loop, count] : llvm::zip(parts.loops, stages))
      if (!loop.getStagesFixed() && !decided && count > 1 &&
          (!most || count > *most))
        most = &count;
    if (!most)
      break;
    --*most;
  }
  for (auto [loop, count] : llvm::zip(parts.loops, stages)) {
    noteChoice(
        kernel, loop.getLoc(),
        {"stages", std::to_string(count),
         "1 to " + std::to_string(loop.getStages().value_or(mostRingStages)),
         "what fits beside the tiles that stores go through"});
    loop.setStages(count);
  }
}

namespace {
struct PlanPipeline : tile::impl::PlanPipelinePassBase<PlanPipeline> {
  using PlanPipelinePassBase::PlanPipelinePassBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    // Whether a copy of the next kernel (SchedulePlan.h) is its variant.
    bool isFed = false;
    for (KernelOp kernel : kernels) {
      bool isCopy = isPingPongCopy(kernel);
      FailureOr<bool> hasTma = true;
      if (isFed)
        kernel.removeScheduleAttr();
      else
        hasTma = makeTmaVariant(kernel);
      if (failed(hasTma))
        return signalPassFailure();
      isFed = isCopy && *hasTma;
      if (isCopy) {
        kernel.erase();
        continue;
      }
      // What TMA takes is what the widest copies take.
      SmallVector<KernelOp> variants =
          forkAlignedVariants(kernel, /*withWidest=*/!*hasTma);
      variants.push_back(kernel);
      for (KernelOp variant : variants)
        stageLoops(variant, /*withRemarks=*/variant == variants.front());
    }
  }

  /// Makes the variant that TMA feeds, with the number of buffers of its loops;
  /// false if there is none, an error if one is asked for that cannot be.
  FailureOr<bool> makeTmaVariant(KernelOp kernel) {
    auto decided = getDecidedWord(kernel, "schedule");
    bool forRings = isForRings(kernel);
    std::string obstacle;
    KernelOp variant;
    if (!forRings)
      obstacle = "no product reads tiles as TMA brings them";
    else if (decided == StringRef("none"))
      obstacle = "'schedule' is none";
    else
      variant = forkTmaVariant(kernel, obstacle);
    if (!variant && decided && decided != StringRef("none"))
      return kernel.emitError("decision 'schedule' = ")
             << *decided << " cannot be honoured: " << obstacle;
    if (!variant && failed(refuseCluster(kernel, obstacle)))
      return failure();
    if (!forRings)
      return false;
    noteSchedule(variant && isPingPongCopy(kernel) ? variant : kernel,
                 obstacle);
    // The other variants have no teams.
    kernel.removeScheduleAttr();
    if (!variant)
      return false;
    chooseRingStages(variant, sharedLimit);
    if (failed(chooseCluster(variant)))
      return failure();
    return true;
  }

  /// Remarks say what does not run ahead, once for all variants.
  void stageLoops(KernelOp kernel, bool withRemarks) {
    SmallVector<PipelinedOp> loops;
    kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
    for (PipelinedOp loop : loops) {
      StagedCopies copies = findStagedCopies(loop, withRemarks);
      noteStages(loop, copies, sharedLimit);
      if (copies.empty())
        makeSerialLoop(loop);
      else
        stageLoop(loop, copies);
    }
  }

  StagedCopies findStagedCopies(PipelinedOp loop, bool withRemarks) {
    StagedCopies copies;
    copies.async = findPipelinedCopies(loop, getAsyncObstacle);
    chooseStages(loop, copies, sharedLimit, withRemarks);
    StringRef obstacle = findTransitCopies(loop, copies);
    if (withRemarks)
      remarkOnSerialCopies(loop, copies, obstacle);
    return copies;
  }

  /// Adds the copies that run ahead through registers, or returns why those
  /// that could do not.
  StringRef findTransitCopies(PipelinedOp loop, StagedCopies &copies) {
    auto kernel = loop->getParentOfType<KernelOp>();
    if (getAskedStages(loop) == 1)
      return "the loop has one stage";
    auto getTransitObstacle = [](CopyOp copy, PipelinedOp loop) -> StringRef {
      if (getAsyncObstacle(copy, loop).empty())
        return "it is asynchronous";
      return getTransitType(copy) ? "" : "its bytes are not moved whole";
    };
    copies.throughRegisters = findPipelinedCopies(loop, getTransitObstacle);
    StringRef obstacle;
    if (!fitsRegisters(loop, copies.throughRegisters))
      obstacle = "elements on their way do not fit into the registers beside "
                 "what the loop carries";
    else if (countSharedBytes(kernel, copies) > sharedLimit)
      obstacle = "a second buffer does not fit into shared memory";
    if (!obstacle.empty())
      copies.throughRegisters.clear();
    return obstacle;
  }

  /// Says of each copy that does not run ahead why.
  void remarkOnSerialCopies(PipelinedOp loop, const StagedCopies &copies,
                            StringRef transitObstacle) {
    for (auto copy : loop.getBodyBlock()->getOps<CopyOp>()) {
      if (llvm::is_contained(copies.async, copy) ||
          llvm::is_contained(copies.throughRegisters, copy))
        continue;
      std::string why = getObstacle(copy, loop).str();
      if (why.empty() && getAskedStages(loop) == 1)
        continue;
      if (why.empty()) {
        why = getAsyncObstacle(copy, loop).str();
        if (!transitObstacle.empty())
          why += ", and " + transitObstacle.str();
      }
      if (!why.empty())
        copy.emitRemark("this copy does not run ahead: ") << why;
    }
  }
};
} // namespace
