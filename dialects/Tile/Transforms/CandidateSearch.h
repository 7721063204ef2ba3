//===- CandidateSearch.h - The products of a kernel together --------------===//
//
// Products that pass an accumulator on should agree on its layout: what one
// would like may cost the next a conversion.  A beam search in program order
// weighs both.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_CANDIDATESEARCH_H
#define TILE_DIALECTS_TILE_TRANSFORMS_CANDIDATESEARCH_H

#include "dialects/Tile/Transforms/GemmCandidates.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::tile {

/// "2x4, 4x2": the grids of warps among candidates, the best first.
std::string showGrids(ArrayRef<GemmCandidate> options);

/// Chooses among the candidates of all products of a kernel.
class CandidateSearch {
public:
  explicit CandidateSearch(KernelOp kernel);

  /// Adds the next product in program order, with at least one candidate.
  void add(GemmOp gemm, SmallVector<GemmCandidate> options);

  /// Sets the `mma` of every product, and keeps what was chosen from and why:
  /// `tile.candidates`, the costs of the winner and of the runner-up.
  void choose();

private:
  struct State {
    SmallVector<unsigned> chosen;
    double clocks = 0;
  };

  double getConversionClocks(const State &state, const GemmCandidate &next);

  SmallVector<GemmOp> gemms;
  SmallVector<SmallVector<GemmCandidate>> candidates;
  /// Fragments that should have one layout (FragmentTies.h).
  llvm::EquivalenceClasses<void *> classes;
};

/// Attribute of a `tile.gemm`: an array of one or two dictionaries {mma,
/// clocks, products, loads, wavefronts, conflicts, conversions, stores,
/// registers}.
inline constexpr StringLiteral candidatesAttrName = "tile.candidates";

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_CANDIDATESEARCH_H
