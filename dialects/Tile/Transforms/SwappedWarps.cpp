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

SmallVector<GemmCandidate>
tile::findSwappedCandidates(GemmOp gemm, ArrayRef<GemmCandidate> wgmma,
                            std::string &obstacle) {
  constexpr int64_t rows = 16, columns = 8, depth = 16;
  SmallVector<GemmCandidate> candidates;
  for (const GemmCandidate &candidate : wgmma) {
    MmaAttr mma = candidate.mma;
    if (!mma.getSwap() || !isFromRegisters(gemm.getB(), mma.getTypeB())) {
      obstacle = "B is not made in registers";
      continue;
    }
    if (mma.getOperandBits() != 16) {
      obstacle = "the operands have no 16 bits";
      continue;
    }
    auto warps =
        MmaAttr::get(gemm.getContext(), rows, columns, depth, mma.getTypeA(),
                     mma.getTypeB(), mma.getWarpsM(), mma.getWarpsN(),
                     ArrayRef<int64_t>(), ArrayRef<int64_t>(), /*swap=*/true);
    // Candidates differ in the columns of one wgmma too.
    if (llvm::any_of(candidates, [&](const GemmCandidate &other) {
          return other.mma == warps;
        }))
      continue;
    GemmCost cost = candidate.cost;
    cost.products = gemm.getTileN() / rows * (gemm.getTileM() / columns) *
                    (gemm.getTileK() / depth);
    cost.asyncClocks = countSwappedClocks(gemm).bySync;
    candidates.push_back({warps, cost});
  }
  return candidates;
}
