//===- OperandDepth.cpp - K of an operand made at a time ------------------===//
//
// While tensor cores take an operand from registers, the next one is made in
// others.  Two sets for all of a tile's K are the least that is to be issued
// and waited for (ConversionsAhead.cpp); where K is long, or several blocks
// share the registers of a multiprocessor, sets are for a part of K
// (StepsAhead.cpp).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/OperandDepth.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"

using namespace mlir;
using namespace mlir::tile;

/// K beyond which a product starts sooner, and its operand is made between
/// others, in steps: with 256, 64 at a time take 5 % less than 128 (64 tokens);
/// with 128, all at once 1 % less (64 tokens) or 5 % more (128).
static constexpr int64_t mostAtOnce = 128;

static Value getLeft(GemmOp gemm, MmaAttr mma) {
  return mma.getSwap() ? gemm.getB() : gemm.getA();
}

/// Whether a step of the left operand can be read by itself: all that it is
/// made from lies in shared memory for the steps, in parts that suit them.
static bool comesInSteps(GemmOp gemm, MmaAttr mma) {
  Value left = getLeft(gemm, mma),
        right = mma.getSwap() ? gemm.getA() : gemm.getB();
  Type typeLeft = mma.getSwap() ? mma.getTypeB() : mma.getTypeA(),
       typeRight = mma.getSwap() ? mma.getTypeA() : mma.getTypeB();
  if (!mma.isWgmma() || !isFromRegisters(left, typeLeft) ||
      isFromRegisters(right, typeRight) || hasSumsOfItsOwn(gemm, mma) ||
      gemm.getBeginK() != 0)
    return false;
  // Others are read from global memory to registers, all at once.
  auto expression = left.getDefiningOp<OperandOp>();
  return isPrepacked(getStoredOperand(left)) &&
         (!expression || llvm::all_of(expression.getInputs(), [](Value input) {
           return isPrepacked(input);
         }));
}

/// The least depth: of 16 bytes of a thread, as the operand is packed.
static int64_t getLeastDepth(GemmOp gemm, MmaAttr mma,
                             const layout::MmaTiling &tiling) {
  constexpr int64_t pieceBits = 128;
  int64_t bits =
      getElementBits(getStoredType(getLeft(gemm, mma)).getElementType());
  int64_t depth = gemm.getTileK();
  while (depth % (2 * mma.getK()) == 0 &&
         tiling.operandA(depth / 2).elementsPerThread() * bits >= pieceBits)
    depth /= 2;
  return depth;
}

/// Registers of a thread that multiplies.
static int64_t getRegisters(KernelOp kernel) {
  int64_t blocks = getDecidedInteger(kernel, "min_blocks").value_or(1),
          threads = kernel.getThreads();
  constexpr int64_t registersOfMultiprocessor = 65536, warpThreads = 32;
  if (blocks == 1)
    return countConsumerRegisters(threads / warpThreads);
  if (blocks == 2 && threads == 2 * warpgroupThreads)
    return registersOfTwo.consumer;
  // Of more blocks no warpgroup gives any away.
  return registersOfMultiprocessor / (blocks * (threads + warpgroupThreads)) /
         8 * 8;
}

static int64_t countRegisters(MmaAttr mma, const layout::MmaTiling &tiling,
                              int64_t depth) {
  constexpr int64_t sets = 2, registerBits = 32;
  return tiling.accumulator().elementsPerThread() +
         sets * tiling.operandA(depth).elementsPerThread() *
             mma.getOperandBits() / registerBits +
         otherRegisters;
}

int64_t tile::getOperandDepth(GemmOp gemm, MmaAttr mma,
                              const layout::MmaTiling &tiling) {
  int64_t depth = gemm.getTileK();
  if (!comesInSteps(gemm, mma))
    return depth;
  auto kernel = gemm->getParentOfType<KernelOp>();
  int64_t least = getLeastDepth(gemm, mma, tiling);
  if (auto decided = getDecidedInteger(kernel, "depth"))
    return *decided >= least && depth % *decided == 0 &&
                   llvm::isPowerOf2_64(depth / *decided)
               ? *decided
               : depth;
  if (depth > mostAtOnce)
    return least;
  while (depth > least &&
         countRegisters(mma, tiling, depth) > getRegisters(kernel))
    depth /= 2;
  return depth;
}

LogicalResult tile::settleOperandDepth(GemmOp gemm) {
  MmaAttr mma = *gemm.getMma();
  if (!comesInSteps(gemm, mma))
    return success();
  auto kernel = gemm->getParentOfType<KernelOp>();
  layout::MmaTiling tiling = getTiling(gemm, mma);
  int64_t depth = getOperandDepth(gemm, mma, tiling);
  std::string candidates = std::to_string(gemm.getTileK());
  for (int64_t other = gemm.getTileK() / 2;
       other >= getLeastDepth(gemm, mma, tiling); other /= 2)
    candidates += ", " + std::to_string(other);
  auto decided = getDecidedInteger(kernel, "depth");
  if (decided && *decided != depth)
    return gemm.emitError("decision 'depth' = ")
           << *decided << " does not fit: it is one of " << candidates;
  noteChoice(kernel, gemm.getLoc(),
             {"depth", std::to_string(depth), candidates,
              "two sets of converted numbers of so much of K, the sums and " +
                  std::to_string(otherRegisters) + " others are " +
                  std::to_string(countRegisters(mma, tiling, depth)) + " of " +
                  std::to_string(getRegisters(kernel)) + " registers"});
  return success();
}
