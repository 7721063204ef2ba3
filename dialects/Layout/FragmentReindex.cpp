//===- FragmentReindex.cpp - Fragment layouts from others -----------------===//
//
// Dimensions dropped, added and moved, and parts.  All of it is choosing among
// the coordinates of each basis; what needs care is that registers which then
// hold the same element are merged.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/FragmentLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;

/// Coordinates of the source of an index map (see reindexSource).
static Coords pullBack(ArrayRef<int32_t> coords, ArrayRef<int> dimMap,
                       int32_t fill) {
  Coords result;
  for (int dim : dimMap)
    result.push_back(dim < 0 ? fill : coords[dim]);
  return result;
}

static std::vector<Coords> pullBack(ArrayRef<Coords> bases,
                                    ArrayRef<int> dimMap) {
  std::vector<Coords> result;
  for (const Coords &basis : bases)
    result.push_back(pullBack(basis, dimMap, 0));
  return result;
}

/// For each result dimension the source dimension that reads it, or -1; none if
/// two source dimensions read the same one.
static std::optional<llvm::SmallVector<int, 4>>
invertDimMap(ArrayRef<int> dimMap, int resultRank) {
  llvm::SmallVector<int, 4> sourceDim(resultRank, -1);
  for (auto [source, dim] : llvm::enumerate(dimMap)) {
    assert(dim >= -1 && dim < resultRank && "no such dimension");
    if (dim < 0)
      continue;
    if (sourceDim[dim] >= 0)
      return std::nullopt;
    sourceDim[dim] = static_cast<int>(source);
  }
  return sourceDim;
}

/// The bits of `value` at the places where `dropped` has none, closed up.
static int closeUp(uint64_t value, uint64_t dropped, int bits) {
  int result = 0, next = 0;
  for (int bit = 0; bit < bits; ++bit)
    if (!(dropped >> bit & 1))
      result |= static_cast<int>(value >> bit & 1) << next++;
  return result;
}

namespace {
/// What a source dimension takes of the result dimension that it reads in
/// groups: whole groups of the core, or of its repeats where a group is larger
/// than the core.
struct GroupedDim {
  int shift;      ///< log2 of the group's part in the core
  int32_t levels; ///< repeats of the core in one group
};
} // namespace

static GroupedDim splitDivisor(int32_t divisor, int32_t coreExtent) {
  assert(llvm::isPowerOf2_32(divisor) && "groups are powers of two");
  int32_t inCore = std::min(divisor, coreExtent);
  return {int(llvm::Log2_32(inCore)), divisor / inCore};
}

/// The groups of warps of a source that is read along `sourceDim` of a result
/// with `spread`, which has `cores` along that dimension, `levels` of them to
/// one element of the source; none if that spreads no core evenly.
static std::optional<Spread> pullSpread(Spread spread, int sourceDim,
                                        int32_t levels, int32_t cores) {
  if (levels >= cores)
    return Spread{-1, spread.count};
  if (levels != 1)
    return std::nullopt;
  return Spread{sourceDim, spread.count};
}

std::optional<ReindexedLayout>
FragmentLayout::reindexSource(ArrayRef<int> dimMap,
                              ArrayRef<int32_t> divisors) const {
  std::optional<llvm::SmallVector<int, 4>> sourceDim =
      invertDimMap(dimMap, rank());
  if (!sourceDim)
    return std::nullopt;
  llvm::SmallVector<GroupedDim, 4> grouped;
  for (auto [source, dim] : llvm::enumerate(dimMap))
    grouped.push_back(dim < 0 || divisors.empty()
                          ? GroupedDim{0, 1}
                          : splitDivisor(divisors[source], extents[dim]));
  // Dropping low bits of coordinates is linear, as choosing among them is.
  auto pull = [&](ArrayRef<int32_t> coords, int32_t fill) {
    Coords result = pullBack(coords, dimMap, fill);
    for (auto [coord, group] : llvm::zip_equal(result, grouped))
      coord >>= group.shift;
    return result;
  };
  auto pullBases = [&](ArrayRef<Coords> bases) {
    std::vector<Coords> result;
    for (const Coords &basis : bases)
      result.push_back(pull(basis, 0));
    return result;
  };

  // Register bits that reach nothing new in the source are merged away.
  Coords sourceExtents = pull(extents, 1);
  std::vector<Coords> pulled = pullBases(registerBases()), kept;
  llvm::SmallVector<uint64_t, 16> words;
  BitBasis span;
  for (const Coords &basis : pulled) {
    words.push_back(packCoords(basis, sourceExtents));
    if (span.insert(words.back()))
      kept.push_back(basis);
  }
  Spread sourceSpread{-1, spreadDigit.count};
  if (int dim = spreadDigit.dim; dim >= 0 && (*sourceDim)[dim] >= 0) {
    int source = (*sourceDim)[dim];
    auto pulled = pullSpread(spreadDigit, source, grouped[source].levels,
                             tileShape[dim] / extents[dim]);
    if (!pulled)
      return std::nullopt;
    sourceSpread = *pulled;
  }
  // Cores of the repeats of a dimension that one source element stands for.
  auto getLevels = [&](const Repeat &level) {
    int32_t levels = grouped[(*sourceDim)[level.dim]].levels;
    return std::max(levels / groupsAlong(level.dim), 1);
  };
  llvm::SmallVector<Repeat, 4> sourceRepeats;
  for (const Repeat &level : repeatList)
    if (int source = (*sourceDim)[level.dim]; source >= 0)
      sourceRepeats.push_back(
          {source, int32_t(llvm::divideCeil(level.count, getLevels(level)))});

  std::optional<FragmentLayout> source =
      create(kept, pullBases(laneBases()), pullBases(coreWarpBases()),
             sourceExtents, sourceRepeats, /*error=*/nullptr, sourceSpread);
  assert(source && "a projection of a surjective map is surjective");

  // Follow each core register, then each repeat.  Folding repeats into the core
  // of the source does not change its register numbers.
  std::vector<int> coreRegisterOf;
  for (int reg = 0; reg < coreRegisters(); ++reg) {
    uint64_t word = 0;
    for (auto [bit, basis] : llvm::enumerate(words))
      if (reg >> bit & 1)
        word ^= basis;
    coreRegisterOf.push_back(
        closeUp(*span.solve(word), span.freeColumns(), int(words.size())));
  }
  ReindexedLayout result{std::move(*source), {}};
  for (int reg = 0; reg < elementsPerThread(); ++reg) {
    Coords offset = registerOffset(reg);
    int repeat = 0;
    for (auto [level, sourceLevel] : llvm::zip(
             llvm::make_filter_range(repeatList,
                                     [&](const Repeat &level) {
                                       return (*sourceDim)[level.dim] >= 0;
                                     }),
             sourceRepeats))
      repeat = repeat * sourceLevel.count +
               offset[level.dim] / extents[level.dim] / groupsAlong(level.dim) /
                   getLevels(level);
    result.registerOf.push_back((repeat << kept.size()) +
                                coreRegisterOf[reg % coreRegisters()]);
  }
  return result;
}

FragmentLayout FragmentLayout::permuteDims(ArrayRef<int> order) const {
  assert(int(order.size()) == rank() && "the order lists all dimensions");
  llvm::SmallVector<Repeat, 4> permuted;
  for (const Repeat &level : repeatList) {
    const int *place = llvm::find(order, level.dim);
    permuted.push_back({static_cast<int>(place - order.begin()), level.count});
  }
  Spread moved = spreadDigit;
  if (moved.dim >= 0)
    moved.dim = int(llvm::find(order, moved.dim) - order.begin());
  return *create(pullBack(registerBases(), order), pullBack(laneBases(), order),
                 pullBack(coreWarpBases(), order), pullBack(extents, order, 1),
                 permuted, /*error=*/nullptr, moved);
}

FragmentLayout FragmentLayout::withRegisterBases(ArrayRef<Coords> bases) const {
  return *create(bases, laneBases(), coreWarpBases(), extents, repeatList,
                 /*error=*/nullptr, spreadDigit);
}

std::optional<FragmentLayout>
FragmentLayout::partLayout(ArrayRef<int32_t> shape) const {
  assert(int(shape.size()) == rank() && "a part has all dimensions");
  Coords core;
  llvm::SmallVector<Repeat, 4> partRepeats;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (extent < 1 || tileShape[dim] % extent != 0)
      return std::nullopt;
    // Groups of warps would find parts of theirs in other registers.
    if (int(dim) == spreadDigit.dim && extent != tileShape[dim])
      return std::nullopt;
    core.push_back(std::min(extents[dim], extent & -extent));
    partRepeats.push_back(
        {int(dim), extent / core.back() / groupsAlong(int(dim))});
  }
  // A basis is inside the part or leads to another one.
  auto isInside = [&](const Coords &basis) {
    return llvm::all_of_zip(
        basis, core, [](int32_t step, int32_t size) { return step < size; });
  };
  if (!llvm::all_of(laneBases(), isInside) ||
      !llvm::all_of(coreWarpBases(), isInside))
    return std::nullopt;
  std::vector<Coords> registers;
  for (const Coords &basis : registerBases()) {
    if (isInside(basis))
      registers.push_back(basis);
    else if (!llvm::all_of_zip(basis, core, [](int32_t step, int32_t size) {
               return step % size == 0;
             }))
      return std::nullopt;
  }
  return create(registers, laneBases(), coreWarpBases(), core, partRepeats,
                /*error=*/nullptr, spreadDigit);
}
