//===- BlockWork.cpp - What one block does, in clocks and bytes -----------===//
#include "compiler/Driver/Tune/BlockWork.h"

#include "compiler/Driver/Report/Traffic.h"
#include "dialects/Tile/Transforms/ScaledSums.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>

using namespace tilec;
using namespace mlir::tile;

/// Work of the tensor cores, of threads and of memory hides each other but for
/// this part of the lesser.
static constexpr double partOfTheLesser = 0.02;
/// What threads do to an element of a tile: casts, of floats of 4 bits and of
/// others, and arithmetic.
static constexpr double clocksPerFloatNibble = 0.052;
static constexpr double clocksPerCast = 0.021;
static constexpr double clocksPerOperation = 0.015;
/// The part of it that warps which multiply themselves (mma.sync) do not hide.
static constexpr double partBesideWarps = 0.56;
/// For them, bytes are made of nibbles with 3 instructions for 8 elements,
/// 16-bit numbers with 9 (docs/decisions/0012).
static constexpr double partOfBytes = 3. / 9;
/// Iterations that wait for a buffer and hand it back.
static constexpr double clocksPerIteration = 117;
/// Until a buffer that was given back is full again, where all multiprocessors
/// fill theirs.
static constexpr double clocksToAsk = 700;
static constexpr double bytesPerClockOfFilling = 30;
/// A tile whose rows are too short for TMA, which threads copy beside it:
/// scales of mxfp4 with steps of 128 took 186 and 316 clocks more than with two
/// of 64.
static constexpr double clocksPerShortCopy = 250;
static constexpr int64_t leastBytesOfTma = 16, leastBytesOfThreads = 4;

double tilec::overlapWork(double one, double other) {
  return std::max(one, other) + partOfTheLesser * std::min(one, other);
}

//===----------------------------------------------------------------------===//
// What threads convert
//===----------------------------------------------------------------------===//

static double countElements(mlir::Type tile) {
  double elements = 1;
  for (int64_t extent : getTileShape(tile))
    elements *= double(extent);
  return elements;
}

static double countCast(mlir::Type from) {
  from = mlir::getElementTypeOrSelf(from);
  bool isFloatNibble = !from.isInteger() && getElementBits(from) < 8;
  return isFloatNibble ? clocksPerFloatNibble : clocksPerCast;
}

/// Clocks for an element that an operand computes; scales that go with sums are
/// not multiplied with it.
static double countElement(OperandOp operand, bool hasScaledSums) {
  double clocks = 0;
  for (mlir::Operation &op : operand.getBody().front().without_terminator()) {
    if (mlir::isa<CastOp>(op))
      clocks += countCast(op.getOperand(0).getType());
    else if (!hasScaledSums)
      clocks += clocksPerOperation;
  }
  return clocks;
}

/// Clocks of what a product reads otherwise than it is stored.
static double countConversions(GemmOp gemm) {
  double clocks = 0;
  for (mlir::Value operand : {gemm.getA(), gemm.getB()}) {
    if (auto expression = operand.getDefiningOp<OperandOp>())
      clocks += countElements(operand.getType()) *
                countElement(expression, gemm->hasAttr(scaledSumsAttrName));
    else if (auto shared = mlir::dyn_cast<SharedType>(operand.getType());
             shared && gemm.getMma() &&
             getElementBits(shared.getElementType()) !=
                 int64_t(gemm.getMma()->getOperandBits()))
      clocks += countElements(shared) * countCast(shared.getElementType());
  }
  return clocks;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// What the products of a loop take in a block.
struct LoopWork {
  /// By the tensor cores or by warps, and by threads that convert for them.
  double products = 0, conversions = 0;
  bool isForWarpgroups = false;
  /// TMA brings what it can.
  bool isFedByTma = false;
};
} // namespace

static void addProduct(GemmOp gemm, LoopWork &work) {
  double times = countTimes(gemm);
  if (auto candidates = gemm->getAttrOfType<mlir::ArrayAttr>("tile.candidates");
      candidates && !candidates.empty())
    if (auto counted = mlir::cast<mlir::DictionaryAttr>(candidates[0])
                           .getAs<mlir::IntegerAttr>("clocks"))
      work.products += double(counted.getInt()) * times;
  std::optional<MmaAttr> mma = gemm.getMma();
  if (!mma)
    return;
  work.isForWarpgroups |= mma->isWgmma();
  work.isFedByTma |= mma->takesPanels();
  // Other products by warps are counted with their conversions.
  if (mma->isWgmma() || mma->getSwap()) {
    bool areBytes = !mma->isWgmma() && mma->getOperandBits() == 8;
    work.conversions +=
        countConversions(gemm) * times * (areBytes ? partOfBytes : 1);
  }
}

/// The clocks of an iteration that takes `clocks` itself: a buffer is filled
/// anew when it has been read, and what is converted for the next product while
/// this one runs holds a second one.
static double waitForBuffers(PipelinedOp loop, double buffers, double clocks,
                             bool isConverted) {
  double toFill = clocksToAsk + countLoopTraffic(loop) / bytesPerClockOfFilling;
  if (buffers <= 1)
    return clocks + toFill;
  double held = isConverted && buffers > 2 ? 2 : 1;
  return std::max(clocks, (toFill + held * clocks) / buffers);
}

/// Copies of an iteration that threads make asynchronously beside TMA.
static double countShortCopies(PipelinedOp loop) {
  double copies = 0;
  for (auto copy : loop.getBody().getOps<CopyOp>()) {
    auto tile = mlir::dyn_cast<SharedType>(copy.getDestination().getType());
    if (!tile)
      continue;
    int64_t bytes =
        tile.getShape().back() * getElementBits(tile.getElementType()) / 8;
    copies += bytes >= leastBytesOfThreads && bytes < leastBytesOfTma;
  }
  return copies;
}

/// Adds what a loop takes that has so many buffers; products outside of loops
/// have none.
static void addLoop(PipelinedOp loop, const LoopWork &own, double buffers,
                    BlockWork &work) {
  double clocks = own.isForWarpgroups
                      ? overlapWork(own.products, own.conversions)
                      : own.products + partBesideWarps * own.conversions;
  work.clocks += clocks;
  if (!loop) {
    work.alone += clocks;
    return;
  }
  double iterations = std::max(1., countIterationsOf(loop) * countTimes(loop));
  double one = clocks / iterations;
  if (own.products != 0)
    one = waitForBuffers(loop, buffers, one, own.conversions != 0);
  else
    work.bytesAhead =
        std::max(work.bytesAhead, buffers * countLoopTraffic(loop));
  if (own.isFedByTma)
    one += clocksPerShortCopy * countShortCopies(loop);
  work.alone += iterations * (one + clocksPerIteration);
}

static double countTiles(PersistentOp loop) {
  double tiles = 1;
  for (mlir::Value extent : loop.getExtents()) {
    llvm::APInt constant;
    if (mlir::matchPattern(extent, mlir::m_ConstantInt(&constant)))
      tiles *= double(constant.getSExtValue());
  }
  return tiles;
}

/// Bytes of the sums that a loop ends with.
static double countSums(PipelinedOp loop) {
  double bytes = 0;
  for (mlir::Value result : loop.getResults())
    if (auto tile = mlir::dyn_cast<mlir::RankedTensorType>(result.getType()))
      bytes += double(tile.getNumElements()) *
               double(getElementBits(tile.getElementType())) / 8;
  return bytes;
}

BlockWork
tilec::countBlockWork(KernelOp kernel,
                      llvm::function_ref<int64_t(PipelinedOp)> countBuffers) {
  BlockWork work;
  work.bytes = countBlockTraffic(kernel);
  llvm::MapVector<mlir::Operation *, LoopWork> loops;
  kernel.walk([&](mlir::Operation *op) {
    if (auto persistent = mlir::dyn_cast<PersistentOp>(op))
      work.tiles = countTiles(persistent);
    if (auto loop = mlir::dyn_cast<PipelinedOp>(op)) {
      loops[op];
      work.sums += countSums(loop);
    }
    if (auto gemm = mlir::dyn_cast<GemmOp>(op))
      addProduct(gemm, loops[op->getParentOfType<PipelinedOp>()]);
  });
  for (const auto &[op, own] : loops) {
    auto loop = mlir::cast_or_null<PipelinedOp>(op);
    double buffers = loop ? double(countBuffers(loop)) : 1;
    addLoop(loop, own, buffers, work);
  }
  return work;
}
