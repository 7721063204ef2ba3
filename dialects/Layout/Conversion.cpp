//===- Conversion.cpp - From one fragment layout to another ---------------===//
//
// Between layouts of one core shape, whose groups of warps lie alike,
// everything is linear and decided by the bases.  Otherwise (repeats that one
// layout folds into its core and the other does not) all elements are
// enumerated.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/Conversion.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;

/// The source registers of thread 0, or none if it lacks an element.  Where
/// several registers hold an element, the one of the same number is preferred.
static std::optional<std::vector<int>> mapRegisters(const FragmentLayout &from,
                                                    const FragmentLayout &to) {
  std::vector<int> registerOf;
  for (int reg = 0; reg < to.elementsPerThread(); ++reg) {
    Coords coords = to.coordsOf(reg, 0, 0);
    std::optional<int> source = from.findRegister(coords, 0, 0);
    if (!source)
      return std::nullopt;
    if (reg < from.elementsPerThread() && from.coordsOf(reg, 0, 0) == coords)
      source = reg;
    registerOf.push_back(*source);
  }
  return registerOf;
}

/// Whether the map found for thread 0 holds in all threads.
static bool isSameInAllThreads(const FragmentLayout &from,
                               const FragmentLayout &to,
                               ArrayRef<int> registerOf) {
  if (from.coreExtents() == to.coreExtents() && from.spread() == to.spread())
    return from.laneBases() == to.laneBases() &&
           from.coreWarpBases() == to.coreWarpBases();
  for (int warp = 0; warp < to.numWarps(); ++warp)
    for (int lane = 0; lane < lanesPerWarp; ++lane)
      for (auto [reg, source] : llvm::enumerate(registerOf))
        if (from.coordsOf(source, lane, warp) != to.coordsOf(reg, lane, warp))
          return false;
  return true;
}

/// Whether each warp holds what it needs, decided by the bases: those of its
/// registers and lanes, and the difference of the warp's own place, lie in the
/// span of the source's registers and lanes.
static bool staysInWarpByBases(const FragmentLayout &from,
                               const FragmentLayout &to) {
  auto pack = [&](const Coords &coords) {
    return packCoords(coords, to.coreExtents());
  };
  BitBasis span;
  for (ArrayRef<Coords> bases : {from.laneBases(), from.registerBases()})
    for (const Coords &basis : bases)
      span.insert(pack(basis));
  for (ArrayRef<Coords> bases : {to.laneBases(), to.registerBases()})
    for (const Coords &basis : bases)
      if (!span.solve(pack(basis)))
        return false;
  for (auto [mine, theirs] :
       llvm::zip_equal(from.coreWarpBases(), to.coreWarpBases()))
    if (!span.solve(pack(mine) ^ pack(theirs)))
      return false;
  return true;
}

/// The same by enumeration.
static bool staysInWarpByElements(const FragmentLayout &from,
                                  const FragmentLayout &to) {
  int64_t elements = 1;
  for (int32_t extent : to.shape())
    elements *= extent;
  auto numberOf = [&](const Coords &coords) {
    int64_t number = 0;
    for (auto [coord, extent] : llvm::zip_equal(coords, to.shape()))
      number = number * extent + coord;
    return static_cast<unsigned>(number);
  };
  for (int warp = 0; warp < to.numWarps(); ++warp) {
    llvm::BitVector held(static_cast<unsigned>(elements));
    for (int lane = 0; lane < lanesPerWarp; ++lane)
      for (int reg = 0; reg < from.elementsPerThread(); ++reg)
        held.set(numberOf(from.coordsOf(reg, lane, warp)));
    for (int lane = 0; lane < lanesPerWarp; ++lane)
      for (int reg = 0; reg < to.elementsPerThread(); ++reg)
        if (!held.test(numberOf(to.coordsOf(reg, lane, warp))))
          return false;
  }
  return true;
}

ConversionPlan layout::planConversion(const FragmentLayout &from,
                                      const FragmentLayout &to) {
  assert(from.shape() == to.shape() && "conversion keeps the shape");
  if (from.numWarps() != to.numWarps())
    return {ConversionKind::SharedMemory, {}};

  if (std::optional<std::vector<int>> registerOf = mapRegisters(from, to)) {
    if (isSameInAllThreads(from, to, *registerOf)) {
      bool identical = int(registerOf->size()) == from.elementsPerThread();
      for (auto [reg, source] : llvm::enumerate(*registerOf))
        identical &= source == int(reg);
      return {identical ? ConversionKind::Identical
                        : ConversionKind::RegisterPermutation,
              std::move(*registerOf)};
    }
  }
  bool staysInWarp =
      from.coreExtents() == to.coreExtents() && from.spread() == to.spread()
          ? staysInWarpByBases(from, to)
          : staysInWarpByElements(from, to);
  return {staysInWarp ? ConversionKind::Shuffle : ConversionKind::SharedMemory,
          {}};
}
