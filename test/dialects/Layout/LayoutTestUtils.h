//===- LayoutTestUtils.h - What the layout tests share ----------*- C++ -*-===//
//
// Random layouts, and loops over everything a layout maps.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_DIALECTS_LAYOUT_LAYOUTTESTUTILS_H
#define TILE_TEST_DIALECTS_LAYOUT_LAYOUTTESTUTILS_H

#include "dialects/Layout/FragmentLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <vector>

namespace layout {

/// For messages of GoogleTest.
inline void PrintTo(const FragmentLayout &layout, std::ostream *os) {
  *os << layout.str();
}

/// Coordinates as a key of ordered containers.
inline std::vector<int> asVector(llvm::ArrayRef<int32_t> coords) {
  return std::vector<int>(coords.begin(), coords.end());
}

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  int below(int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(engine);
  }

  Coords coordsBelow(llvm::ArrayRef<int32_t> extents) {
    Coords coords;
    for (int32_t extent : extents)
      coords.push_back(below(extent));
    return coords;
  }

  /// A linear layout with inputs "a", "b" and outputs "x", "y".
  LinearLayout linear(int aBits, int bBits, int32_t xSize, int32_t ySize) {
    auto bases = [&](int bits) {
      std::vector<Coords> list;
      for (int i = 0; i < bits; ++i)
        list.push_back(coordsBelow({xSize, ySize}));
      return list;
    };
    return *LinearLayout::create({{"a", bases(aBits)}, {"b", bases(bBits)}},
                                 {{"x", xSize}, {"y", ySize}});
  }

  /// A core of the given extents spread over registers, lanes and `warps`
  /// warps: a random assignment of coordinate bits to index bits, with some
  /// index bits redundant.  With `mixed`, index bits move random coordinates
  /// instead of single bits.
  FragmentLayout fragment(llvm::ArrayRef<int32_t> coreExtents,
                          llvm::ArrayRef<Repeat> repeats, int registerBits,
                          int warpBits, bool mixed, Spread spread = {}) {
    std::vector<Coords> units;
    for (auto [dim, extent] : llvm::enumerate(coreExtents)) {
      for (int32_t step = 1; step < extent; step *= 2) {
        units.push_back(Coords(coreExtents.size(), 0));
        units.back()[dim] = step;
      }
    }
    size_t bits = registerBits + 5 + warpBits;
    for (;;) {
      std::vector<Coords> bases = units;
      while (bases.size() < bits)
        bases.push_back(Coords(coreExtents.size(), 0));
      std::shuffle(bases.begin(), bases.end(), engine);
      if (mixed)
        for (Coords &basis : bases)
          if (below(2))
            basis = coordsBelow(coreExtents);
      llvm::ArrayRef<Coords> all = bases;
      auto layout = FragmentLayout::create(all.take_front(registerBits),
                                           all.slice(registerBits, 5),
                                           all.take_back(warpBits), coreExtents,
                                           repeats, /*error=*/nullptr, spread);
      if (layout)
        return *layout;
    }
  }

  /// Groups of warps, or one, that go with these repeats.
  Spread anySpread(int rank, llvm::ArrayRef<Repeat> repeats) {
    if (below(2))
      return {};
    int dim = below(rank + 1) - 1;
    for (const Repeat &repeat : repeats)
      if (repeat.dim == dim && repeat.count % 2 == 0)
        dim = -1;
    return {dim, 3 + 2 * below(2)};
  }

  /// Fragments of all sorts, one per `index`.
  FragmentLayout anyFragment(int index) {
    static const std::vector<std::vector<int32_t>> extents = {
        {64}, {8, 16}, {16, 8}, {4, 4, 8}, {1, 32}, {128, 1}, {2, 2}, {32, 16}};
    static const std::vector<std::vector<Repeat>> repeats = {
        {}, {{0, 3}}, {{0, 2}}, {{0, 3}, {1, 5}}, {{1, 3}, {0, 2}}, {{0, 6}}};
    const std::vector<int32_t> &core = extents[below(int(extents.size()))];
    std::vector<Repeat> chosen = repeats[below(int(repeats.size()))];
    if (core.size() == 1 && chosen.size() > 1)
      chosen.pop_back();
    if (core.size() == 1 && !chosen.empty())
      chosen[0].dim = 0;
    int coreBits = 0;
    for (int32_t extent : core)
      coreBits += llvm::Log2_32(extent);
    int warpBits = below(3);
    int registerBits = std::max(0, coreBits - 5 - warpBits) + below(3);
    Spread spread = anySpread(int(core.size()), chosen);
    return fragment(core, chosen, registerBits, warpBits, index % 2 == 1,
                    spread);
  }

  std::mt19937 engine;
};

/// Calls `visit(reg, lane, warp)` for all there are.
inline void
forEachHolder(const FragmentLayout &layout,
              const std::function<void(int reg, int lane, int warp)> &visit) {
  for (int warp = 0; warp < layout.numWarps(); ++warp)
    for (int lane = 0; lane < lanesPerWarp; ++lane)
      for (int reg = 0; reg < layout.elementsPerThread(); ++reg)
        visit(reg, lane, warp);
}

/// Calls `visit(coords)` for each element of a tile.
inline void forEachElement(llvm::ArrayRef<int32_t> shape,
                           const std::function<void(const Coords &)> &visit) {
  Coords coords(shape.size(), 0);
  for (;;) {
    visit(coords);
    int dim = int(shape.size()) - 1;
    while (dim >= 0 && ++coords[dim] == shape[dim])
      coords[dim--] = 0;
    if (dim < 0)
      return;
  }
}

} // namespace layout

#endif // TILE_TEST_DIALECTS_LAYOUT_LAYOUTTESTUTILS_H
