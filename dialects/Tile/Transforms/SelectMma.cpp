//===- SelectMma.cpp - Choose the instruction of each product -------------===//
//
// The instruction follows from the types and the GPU (MmaTable.h); what is
// narrower is converted in registers, exactly.
//
// How warps share the tile, and the free orders of K and of the columns, follow
// from costs (GemmCandidates.h), for all products of a kernel together
// (CandidateSearch.h).  On sm_90a warpgroups multiply (WgmmaCandidates.h) where
// they can do all products of the kernel, or their warps by mma.sync, with
// weights as the left operand, where tokens are few (SwappedWarps.h).
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/CandidateSearch.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/OperandDepth.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/ScaledSums.h"
#include "dialects/Tile/Transforms/SchedulePlan.h"
#include "dialects/Tile/Transforms/SwappedWarps.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

namespace mlir::tile {
#define GEN_PASS_DEF_SELECTMMAPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Puts a fragment operand that is no expression over shared tiles in one, from
/// which the instruction's own fragments are read.
static void stageOperand(OpOperand &operand) {
  if (!isa<RankedTensorType>(operand.get().getType()) ||
      operand.get().getDefiningOp<OperandOp>())
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(
      storeInShared(builder, operand.getOwner()->getLoc(), operand.get()));
}

/// The instruction of a gemm, or an error that says why there is none.
static FailureOr<MmaInstructionChoice> requireInstruction(GemmOp gemm,
                                                          unsigned capability) {
  if (auto choice = selectInstruction(gemm, capability))
    return *choice;
  auto choices = findInstructions(gemm, capability);
  if (choices.empty())
    return gemm.emitError("'gemm' of ")
           << spellElementType(gemm.getElementTypeA(), gemm.getUnsignedA())
           << " and "
           << spellElementType(gemm.getElementTypeB(), gemm.getUnsignedB())
           << " has no matrix instruction; run tile-expand-gemm first";
  return gemm.emitError("no instruction fits this 'gemm': ")
         << describeMisfit(gemm, choices.back())
         << "; run tile-expand-gemm first";
}

/// The ways to do a product: those that the decision about `warps` leaves.
static FailureOr<SmallVector<GemmCandidate>>
findCandidates(GemmOp gemm, int64_t warps,
               const MmaInstructionChoice &instruction) {
  auto kernel = gemm->getParentOfType<KernelOp>();
  auto find = [&](std::pair<int64_t, int64_t> grid) {
    return findGemmCandidates(gemm, warps, instruction, grid);
  };
  auto decided = getDecidedWarpGrid(kernel);
  SmallVector<GemmCandidate> candidates =
      find(decided.value_or(std::pair<int64_t, int64_t>{0, 0}));
  if (!candidates.empty())
    return candidates;
  if (!decided)
    return gemm.emitError("'gemm' cannot be shared out among ")
           << warps << " warps";
  InFlightDiagnostic error = gemm.emitError("decision 'warps' = ")
                             << decided->first << "x" << decided->second
                             << " does not fit: the tile is " << gemm.getTileM()
                             << "x" << gemm.getTileN() << ", an instruction "
                             << instruction.m << "x" << instruction.n
                             << ", and the block has " << warps << " warps";
  error.attachNote() << "help: choose one of " << showGrids(find({0, 0}));
  return failure();
}

/// The largest magnitude of a small integer.
static int64_t getLargestMagnitude(Type type, bool isUnsigned) {
  int64_t count = int64_t(1) << type.getIntOrFloatBitWidth();
  return isUnsigned ? count - 1 : count / 2;
}

/// Warns where a known number of products may exceed the int32 in which they
/// are added up, which wraps (docs/language.md section 7).
static void warnOfOverflow(GemmOp gemm) {
  if (!getTileElementType(gemm.getAccumulator().getType()).isInteger(32))
    return;
  APInt lower, upper;
  auto loop = gemm->getParentOfType<PipelinedOp>();
  if (!loop || !matchPattern(loop.getLower(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpper(), m_ConstantInt(&upper)))
    return;
  int64_t trips = std::max<int64_t>(
      llvm::divideCeilSigned(upper.getSExtValue() - lower.getSExtValue(),
                             loop.getStep()),
      0);
  int64_t product =
      getLargestMagnitude(gemm.getElementTypeA(), gemm.getUnsignedA()) *
      getLargestMagnitude(gemm.getElementTypeB(), gemm.getUnsignedB());
  std::optional<int64_t> depth = llvm::checkedMul(trips, gemm.getTileK());
  std::optional<int64_t> sum =
      depth ? llvm::checkedMul(*depth, product) : std::nullopt;
  if (!depth || (sum && *sum <= INT32_MAX))
    return;
  gemm.emitWarning("sums of ")
      << *depth << " products of "
      << spellElementType(gemm.getElementTypeA(), gemm.getUnsignedA())
      << " and "
      << spellElementType(gemm.getElementTypeB(), gemm.getUnsignedB())
      << " may exceed int32, and wrap";
}

/// Notes how many columns of sums join their total at a time, where they do.
static void notePromotion(GemmOp gemm) {
  MmaAttr mma = *gemm.getMma();
  bool swap = mma.getSwap();
  if (!mma.isWgmma() || !hasSumsOfItsOwn(gemm, mma) ||
      (swap ? mma.getWarpsM() : mma.getWarpsN()) != 1)
    return;
  int64_t columns = swap ? gemm.getTileM() : gemm.getTileN();
  bool fromRegisters = swap ? isFromRegisters(gemm.getB(), mma.getTypeB())
                            : isFromRegisters(gemm.getA(), mma.getTypeA());
  std::string candidates = std::to_string(columns);
  for (int64_t width : getPartWidths(columns, fromRegisters))
    candidates += ", " + std::to_string(width);
  noteChoice(gemm->getParentOfType<KernelOp>(), gemm.getLoc(),
             {"promotion", std::to_string(mma.getN()), candidates,
              mma.getN() == columns
                  ? "all columns: their sums fit beside the total"
                  : "columns that join the total while others are multiplied"});
}

/// Notes that warpgroups do a product, and how.
static void noteWarpgroups(KernelOp kernel, GemmOp gemm, MmaAttr mma) {
  bool convertsA = isFromRegisters(gemm.getA(), mma.getTypeA()),
       convertsB = isFromRegisters(gemm.getB(), mma.getTypeB());
  bool convertsBoth = convertsA && convertsB;
  StringRef sources =
      convertsBoth
          ? "the tensor cores take one converted operand from registers, the "
            "other from shared memory, where the threads write it anew"
      : convertsA || convertsB
          ? "the tensor cores take one operand from shared memory, the "
            "converted one from registers"
          : "the tensor cores take both operands from shared memory";
  noteChoice(kernel, gemm.getLoc(),
             {"instruction", "wgmma", "wgmma, mma", sources.str()});
  StringRef side =
      convertsBoth     ? mma.getSwap() ? "both are converted, B in registers"
                                       : "both are converted, A in registers"
      : !mma.getSwap() ? "A can be the left operand"
      : convertsB ? "B is converted, and only a left operand may come from "
                    "registers"
                  : "the tile has no multiple of 64 rows";
  noteChoice(
      kernel, gemm.getLoc(),
      {"swap", mma.getSwap() ? "true" : "false", "true, false", side.str()});
}

/// Where the left operand comes from registers, a right one that is no less
/// narrow is converted in shared memory.
static void convertRight(GemmOp gemm) {
  MmaAttr mma = *gemm.getMma();
  bool isA = mma.getSwap();
  Type type = isA ? mma.getTypeA() : mma.getTypeB();
  if (isFromRegisters(isA ? gemm.getA() : gemm.getB(), type))
    convertInShared(gemm, isA, mma);
}

/// Decides where scales of B are multiplied: with each pair of weights, or with
/// their sums, of which a thread has two for each four rows and 16 columns, in
/// two instructions each.
static void leaveScalesToSums(KernelOp kernel, GemmOp gemm) {
  if (!hasScaleOfSums(gemm))
    return;
  int64_t ofWeights = std::gcd(swappedDepth, gemm.getTileK()) / 4,
          ofSums = gemm.getTileM();
  bool leaves = ofSums <= ofWeights;
  auto decided = getDecidedWord(kernel, "scales");
  if (decided)
    leaves = decided == StringRef("sums");
  if (leaves)
    gemm->setAttr(scaledSumsAttrName, UnitAttr::get(gemm.getContext()));
  noteChoice(kernel, gemm.getLoc(),
             {"scales", leaves ? "sums" : "weights", "weights, sums",
              "for 16 columns a thread takes " + std::to_string(ofWeights) +
                  " instructions for weights and " + std::to_string(ofSums) +
                  " for sums"});
}

/// Takes candidates by mma.sync with swapped operands instead of those of
/// warpgroups, for all products of the kernel, where they take fewer clocks or
/// were decided on; `obstacle` says why they cannot be.
static bool takeSwapped(KernelOp kernel, ArrayRef<GemmOp> gemms,
                        SmallVectorImpl<SmallVector<GemmCandidate>> &candidates,
                        std::string &obstacle) {
  auto decided = getDecidedWord(kernel, "instruction");
  if (decided == StringRef("wgmma"))
    return false;
  SmallVector<SmallVector<GemmCandidate>> swapped;
  SwappedClocks clocks{0, 0};
  for (auto [gemm, options] : llvm::zip_equal(gemms, candidates)) {
    swapped.push_back(findSwappedCandidates(gemm, options, obstacle));
    if (swapped.back().empty())
      return false;
    SwappedClocks counted = countSwappedClocks(gemm);
    clocks.bySync += counted.bySync;
    clocks.byWgmma += counted.byWgmma;
  }
  if (!decided && clocks.bySync >= clocks.byWgmma)
    return false;
  candidates.assign(swapped.begin(), swapped.end());
  for (GemmOp gemm : gemms) {
    leaveScalesToSums(kernel, gemm);
    noteChoice(kernel, gemm.getLoc(),
               {"instruction", "mma", "wgmma, mma",
                "few rows: with the conversion " +
                    std::to_string(clocks.bySync) + " clocks; wgmma takes " +
                    std::to_string(clocks.byWgmma)});
    noteChoice(kernel, gemm.getLoc(),
               {"swap", "true", "true, false",
                "B is converted, and has rows enough for the left operand"});
  }
  return true;
}

/// Chooses wgmma, or its swapped form by mma.sync, for all products of the
/// kernel; false, with the reason noted, if neither can do one of them or was
/// decided against.
static FailureOr<bool> chooseWarpgroups(KernelOp kernel, unsigned capability,
                                        CandidateSearch &search) {
  SmallVector<GemmOp> gemms;
  kernel.walk([&](GemmOp gemm) { gemms.push_back(gemm); });
  auto decided = getDecidedWord(kernel, "instruction");
  if (gemms.empty())
    return false;
  bool mustSwap = getDecidedFlag(kernel, "swap").value_or(false);
  // The order of K depends on what is packed.
  adoptPacking(kernel);
  auto refuse = [&](GemmOp gemm, const Twine &why) -> FailureOr<bool> {
    if (decided == StringRef("wgmma"))
      return gemm.emitError("decision 'instruction' = wgmma ") << why;
    if (mustSwap)
      return gemm.emitError("decision 'swap' = true ") << why;
    return false;
  };
  if (decided == StringRef("mma") && !mustSwap) {
    // Elsewhere there is nothing else to take.
    if (capability == 90)
      noteChoice(kernel, gemms.front().getLoc(),
                 {"instruction", "mma", "wgmma, mma", ""});
    return false;
  }
  if (capability != 90)
    return refuse(gemms.front(), "needs sm_90a");
  // Several products in turn each wait for the one before.
  if (gemms.size() > 1 && !decided && !mustSwap) {
    noteChoice(kernel, gemms.front().getLoc(),
               {"instruction", "mma", "wgmma, mma",
                "the kernel has several products"});
    return false;
  }
  // Warpgroups with a tile each have other candidates.
  if (!kernel.getSchedule()) {
    FailureOr<KernelOp> copy = forkPingPong(kernel, gemms);
    if (failed(copy))
      return failure();
    if (*copy) {
      CandidateSearch ofCopy(*copy);
      if (failed(chooseWarpgroups(*copy, capability, ofCopy)))
        return failure();
    }
  }
  SmallVector<SmallVector<GemmCandidate>> candidates;
  for (GemmOp gemm : gemms) {
    std::string obstacle;
    candidates.push_back(
        findWgmmaCandidates(gemm, getNumWarps(gemm), obstacle));
    if (!candidates.back().empty())
      continue;
    if (decided || mustSwap)
      return refuse(gemm, "does not fit: " + obstacle);
    if (auto promotion = getDecidedInteger(kernel, "promotion"))
      return gemm.emitError("decision 'promotion' = ")
             << *promotion << " does not fit: " << obstacle;
    noteChoice(kernel, gemm.getLoc(),
               {"instruction", "mma", "wgmma, mma", obstacle});
    return false;
  }
  std::string obstacle;
  bool bySync = takeSwapped(kernel, gemms, candidates, obstacle);
  if (!bySync && decided == StringRef("mma"))
    return refuse(gemms.front(),
                  "does not fit 'instruction' = mma: " + obstacle);
  for (auto [gemm, options] : llvm::zip_equal(gemms, candidates)) {
    if (!bySync)
      noteWarpgroups(kernel, gemm, options.front().mma);
    search.add(gemm, std::move(options));
  }
  search.choose();
  setCooperative(kernel);
  for (GemmOp gemm : gemms) {
    notePromotion(gemm);
    if (failed(settleOperandDepth(gemm)))
      return failure();
    convertRight(gemm);
  }
  return true;
}

namespace {
struct SelectMma : tile::impl::SelectMmaPassBase<SelectMma> {
  using SelectMmaPassBase::SelectMmaPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      noteLaunchChoices(kernel);
      if (failed(selectAll(kernel)))
        return signalPassFailure();
    }
  }

  LogicalResult selectAll(KernelOp kernel) {
    unsigned capability = getComputeCapability(target);
    SmallVector<GemmOp> gemms;
    bool failedAny = false;
    kernel.walk([&](GemmOp gemm) {
      // Warpgroups alone take some tiles.
      failedAny |= !selectInstruction(gemm, capability) &&
                   !(capability == 90 && isForWarpgroups(gemm)) &&
                   failed(requireInstruction(gemm, capability));
      gemms.push_back(gemm);
    });
    if (failedAny)
      return failure();
    for (GemmOp gemm : gemms) {
      warnOfOverflow(gemm);
      // What is staged is written in front of the product, after which nothing
      // can be read later than before.
      OpOperand *operands[] = {&gemm.getAMutable(), &gemm.getBMutable()};
      for (OpOperand *operand : operands)
        fuseOperand(*operand);
      for (OpOperand *operand : operands)
        stageOperand(*operand);
    }
    CandidateSearch search(kernel);
    auto chosen = chooseWarpgroups(kernel, capability, search);
    if (failed(chosen) || *chosen)
      return LogicalResult(chosen);
    // Costs depend on where packed elements lie.
    adoptPacking(kernel);
    for (GemmOp gemm : gemms) {
      auto instruction = requireInstruction(gemm, capability);
      if (failed(instruction))
        return failure();
      auto candidates = findCandidates(gemm, getNumWarps(gemm), *instruction);
      if (failed(candidates))
        return failure();
      search.add(gemm, std::move(*candidates));
    }
    search.choose();
    return success();
  }
};
} // namespace
