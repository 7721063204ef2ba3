//===- CandidateSearch.cpp - The products of a kernel together ------------===//

#include "dialects/Tile/Transforms/CandidateSearch.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/FragmentTies.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What reports show
//===----------------------------------------------------------------------===//

/// "2x4"
static std::string showGrid(MmaAttr mma) {
  return std::to_string(mma.getWarpsM()) + "x" +
         std::to_string(mma.getWarpsN());
}

std::string tile::showGrids(ArrayRef<GemmCandidate> options) {
  SmallVector<std::string> grids;
  for (const GemmCandidate &option : options)
    if (std::string grid = showGrid(option.mma);
        !llvm::is_contained(grids, grid))
      grids.push_back(grid);
  return llvm::join(grids, ", ");
}

/// Notes how the warps share a product, for reports.
static void noteWarps(GemmOp gemm, ArrayRef<GemmCandidate> options,
                      const GemmCandidate &chosen) {
  auto getClocks = [](const GemmCandidate &candidate) {
    return std::to_string(std::lround(candidate.cost.getClocks())) + " clocks";
  };
  std::string reason = getClocks(chosen);
  for (const GemmCandidate &option : options)
    if (showGrid(option.mma) != showGrid(chosen.mma)) {
      reason += "; " + showGrid(option.mma) + " takes " + getClocks(option);
      break;
    }
  noteChoice(gemm->getParentOfType<KernelOp>(), gemm.getLoc(),
             {"warps", showGrid(chosen.mma), showGrids(options), reason});
}

/// Keeps the costs of the choice and of the runner-up, for reports.
static void recordChoice(GemmOp gemm, ArrayRef<GemmCandidate> options,
                         unsigned chosen) {
  OpBuilder builder(gemm);
  auto describe = [&](const GemmCandidate &candidate) {
    const GemmCost &cost = candidate.cost;
    auto number = [&](int64_t value) {
      return builder.getI64IntegerAttr(value);
    };
    return builder.getDictionaryAttr({
        builder.getNamedAttr("mma", candidate.mma),
        builder.getNamedAttr("clocks", number(std::lround(cost.getClocks()))),
        builder.getNamedAttr("products", number(cost.products)),
        builder.getNamedAttr("loads", number(cost.loads)),
        builder.getNamedAttr("wavefronts", number(cost.wavefronts)),
        builder.getNamedAttr("conflicts", number(cost.conflicts)),
        builder.getNamedAttr("conversions", number(cost.conversions)),
        builder.getNamedAttr("stores", number(cost.stores)),
        builder.getNamedAttr("registers", number(cost.registers)),
    });
  };
  SmallVector<Attribute> described{describe(options[chosen])};
  for (auto [index, option] : llvm::enumerate(options))
    if (index != chosen && described.size() < 2)
      described.push_back(describe(option));
  gemm->setAttr(candidatesAttrName, builder.getArrayAttr(described));
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

CandidateSearch::CandidateSearch(KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    forEachTie(op, [&](Value a, Value b) {
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
    });
  });
}

void CandidateSearch::add(GemmOp gemm, SmallVector<GemmCandidate> options) {
  gemms.push_back(gemm);
  candidates.push_back(std::move(options));
}

/// What it costs to bring the accumulators that `next`, the product after those
/// of `state`, shares with them to its layout and back.
double CandidateSearch::getConversionClocks(const State &state,
                                            const GemmCandidate &next) {
  unsigned index = state.chosen.size();
  GemmOp gemm = gemms[index];
  int64_t warps = getNumWarps(gemm);
  double clocks = 0;
  for (unsigned i = 0; i < index; ++i) {
    if (!classes.isEquivalent(gemms[i].getResult().getAsOpaquePointer(),
                              gemm.getResult().getAsOpaquePointer()))
      continue;
    layout::FragmentLayout wanted = planGemm(gemm, next.mma, warps).accumulator;
    layout::FragmentLayout given =
        planGemm(gemms[i], candidates[i][state.chosen[i]].mma, warps)
            .accumulator;
    layout::ConversionKind kind = layout::planConversion(given, wanted).kind;
    if (kind == layout::ConversionKind::Identical ||
        kind == layout::ConversionKind::RegisterPermutation)
      continue;
    // Written and read through shared memory, there and back: a wavefront and
    // an instruction for each register of each warp.
    clocks += 4 * 1.25 * wanted.elementsPerThread() * warps;
  }
  return clocks;
}

void CandidateSearch::choose() {
  constexpr size_t beamWidth = 8;
  SmallVector<State> beam(1);
  for (const SmallVector<GemmCandidate> &next : candidates) {
    SmallVector<State> extended;
    for (const State &state : beam)
      for (auto [index, candidate] : llvm::enumerate(next)) {
        State &longer = extended.emplace_back(state);
        longer.clocks +=
            candidate.cost.getClocks() + getConversionClocks(state, candidate);
        longer.chosen.push_back(index);
      }
    // Among equals the candidates that come first.
    llvm::sort(extended, [](const State &a, const State &b) {
      return std::tie(a.clocks, a.chosen) < std::tie(b.clocks, b.chosen);
    });
    extended.truncate(std::min(beamWidth, extended.size()));
    beam = std::move(extended);
  }
  for (auto [gemm, chosen, options] :
       llvm::zip_equal(gemms, beam.front().chosen, candidates)) {
    gemm.setMmaAttr(options[chosen].mma);
    recordChoice(gemm, options, chosen);
    noteWarps(gemm, options, options[chosen]);
  }
}
