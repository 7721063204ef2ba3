//===- SwappedWarps.cpp - Products of few tokens by warps -----------------===//

#include "dialects/Tile/Transforms/SwappedWarps.h"
#include "dialects/Tile/IR/GemmTiling.h"

using namespace mlir;
using namespace mlir::tile;

// Clocks of an SM for 16x16 weights, their conversion from 4 bits included,
// measured on an H200 with 16 warps.  mma.sync hides the conversion: 1.7, 3.3,
// 6.3 and 12.3 for 8, 16, 32 and 64 tokens; wgmma does where it takes long
// itself: 3.8, 4.4, 5.2 and 8.
static double countSync(int64_t tokens) { return 0.2 * double(tokens); }
static double countWgmma(int64_t tokens) {
  return std::max(double(tokens) / 8, 3.25 + double(tokens) / 16);
}

SwappedClocks tile::countSwappedClocks(GemmOp gemm) {
  double blocks = double(gemm.getTileN() * gemm.getTileK()) / 256;
  return {std::lround(blocks * countSync(gemm.getTileM())),
          std::lround(blocks * countWgmma(gemm.getTileM()))};
}

/// The instruction of mma.sync for what a `wgmma` multiplies.
static MmaAttr getSynchronous(MmaAttr mma) {
  constexpr int64_t rows = 16, columns = 8, depthBits = 256;
  return MmaAttr::get(mma.getContext(), rows, columns,
                      depthBits / mma.getOperandBits(), mma.getTypeA(),
                      mma.getTypeB(), mma.getWarpsM(), mma.getWarpsN(),
                      ArrayRef<int64_t>(), ArrayRef<int64_t>(), /*swap=*/true);
}

/// Why mma.sync does not multiply an operand made in registers as `wgmma` does;
/// empty if it can.
static StringRef findObstacle(GemmOp gemm, MmaAttr mma) {
  if (!mma.getSwap() || !isFromRegisters(gemm.getB(), mma.getTypeB()))
    return "B is not made in registers";
  if (mma.getOperandBits() == 16)
    return "";
  // ptxas makes two products of 16 bits of 8-bit floats.
  if (!mma.getTypeA().isInteger(8))
    return "mma.sync multiplies 16 bits and 8-bit integers only";
  return isFromRegisters(gemm.getA(), mma.getTypeA())
             ? "A is converted to bytes, too"
             : "";
}

SmallVector<GemmCandidate>
tile::findSwappedCandidates(GemmOp gemm, ArrayRef<GemmCandidate> wgmma,
                            std::string &obstacle) {
  SmallVector<GemmCandidate> candidates;
  for (const GemmCandidate &candidate : wgmma) {
    if (StringRef why = findObstacle(gemm, candidate.mma); !why.empty()) {
      obstacle = why.str();
      continue;
    }
    MmaAttr warps = getSynchronous(candidate.mma);
    // Candidates differ in the columns of one wgmma too.
    if (llvm::any_of(candidates, [&](const GemmCandidate &other) {
          return other.mma == warps;
        }))
      continue;
    GemmCost cost = candidate.cost;
    cost.products = gemm.getTileN() / warps.getM() *
                    (gemm.getTileM() / warps.getN()) *
                    (gemm.getTileK() / warps.getK());
    cost.asyncClocks = countSwappedClocks(gemm).bySync;
    candidates.push_back({warps, cost});
  }
  return candidates;
}
