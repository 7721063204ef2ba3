//===- IndexMap.cpp - Which element an element reads ----------------------===//
//
// Bases are read off at the powers of two; every other coordinate is checked.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/IndexMap.h"
#include "dialects/Layout/BitBasis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace layout;
using llvm::ArrayRef;

static bool isInside(ArrayRef<int32_t> coords, ArrayRef<int32_t> shape) {
  return coords.size() == shape.size() &&
         llvm::all_of(llvm::zip_equal(coords, shape), [](auto pair) {
           auto [coord, extent] = pair;
           return coord >= 0 && coord < extent;
         });
}

static void addXor(Coords &coords, ArrayRef<int32_t> other) {
  for (auto [coord, bits] : llvm::zip_equal(coords, other))
    coord ^= bits;
}

/// Calls `visit` for all coordinates of a shape until it gives false.
static bool forAllCoords(ArrayRef<int32_t> shape,
                         llvm::function_ref<bool(ArrayRef<int32_t>)> visit) {
  Coords coords(shape.size(), 0);
  while (visit(coords)) {
    int dim = static_cast<int>(shape.size()) - 1;
    while (dim >= 0 && ++coords[dim] == shape[dim])
      coords[dim--] = 0;
    if (dim < 0)
      return true;
  }
  return false;
}

std::optional<IndexMap>
IndexMap::create(ArrayRef<int32_t> from, ArrayRef<int32_t> to,
                 llvm::function_ref<Coords(ArrayRef<int32_t>)> at) {
  IndexMap map;
  map.fromShape.assign(from.begin(), from.end());
  map.toShape.assign(to.begin(), to.end());
  Coords zero(from.size(), 0);
  map.origin = at(zero);
  if (!isInside(map.origin, to))
    return std::nullopt;
  for (auto [dim, extent] : llvm::enumerate(from)) {
    map.bases.emplace_back();
    for (int32_t step = 1; step < extent; step *= 2) {
      Coords place = zero;
      place[dim] = step;
      Coords basis = at(place);
      if (!isInside(basis, to))
        return std::nullopt;
      addXor(basis, map.origin);
      map.bases.back().push_back(basis);
    }
  }
  if (!map.isLinear(at) || !map.keepsOddFactors() || !map.keepsOrigin())
    return std::nullopt;
  return map;
}

bool IndexMap::isLinear(
    llvm::function_ref<Coords(ArrayRef<int32_t>)> at) const {
  return forAllCoords(fromShape, [&](ArrayRef<int32_t> coords) {
    Coords place = at(coords);
    return isInside(place, toShape) && place == apply(coords);
  });
}

/// What the origin adds is added to all elements alike, so a thread has to hold
/// it beside what it holds: along bits that no element moves.
bool IndexMap::keepsOrigin() const {
  for (const auto &list : bases)
    for (const Coords &basis : list)
      for (auto [coord, shift] : llvm::zip_equal(basis, origin))
        if (coord & shift)
          return false;
  return true;
}

/// An odd factor is counted, not combined bit by bit: it passes from one
/// dimension to another as a whole, and nothing else reaches that high.
bool IndexMap::keepsOddFactors() const {
  int toRank = static_cast<int>(toShape.size());
  llvm::SmallVector<int, 4> steppedBy(toRank, -1);
  for (auto [dim, extent] : llvm::enumerate(fromShape)) {
    int32_t low = getPowerOfTwoFactor(extent);
    if (low == extent)
      continue;
    int32_t count = extent / low;
    int target = -1;
    for (const Coords &basis :
         ArrayRef(bases[dim]).drop_front(llvm::Log2_32(low)))
      for (int to = 0; to < toRank; ++to)
        if (basis[to] != 0)
          target = to;
    for (auto [bit, basis] : llvm::enumerate(bases[dim])) {
      Coords expected(toRank, 0);
      if (target >= 0)
        expected[target] =
            getPowerOfTwoFactor(toShape[target]) * ((1 << bit) / low);
      if ((1 << bit) >= low && basis != expected)
        return false;
    }
    if (target < 0)
      continue;
    if (steppedBy[target] >= 0 ||
        toShape[target] / getPowerOfTwoFactor(toShape[target]) != count)
      return false;
    steppedBy[target] = static_cast<int>(dim);
  }
  for (int to = 0; to < toRank; ++to) {
    int32_t low = getPowerOfTwoFactor(toShape[to]);
    // Without its steps, the part beyond powers of two is never read.
    if (low != toShape[to] && steppedBy[to] < 0)
      return false;
    if (origin[to] >= low)
      return false;
    for (auto [dim, list] : llvm::enumerate(bases))
      for (auto [bit, basis] : llvm::enumerate(list))
        if (basis[to] >= low &&
            (int(dim) != steppedBy[to] ||
             (1 << bit) < getPowerOfTwoFactor(fromShape[dim])))
          return false;
  }
  return true;
}

Coords IndexMap::applyLinear(ArrayRef<int32_t> coords) const {
  Coords result(toShape.size(), 0);
  for (auto [coord, list] : llvm::zip_equal(coords, bases))
    for (auto [bit, basis] : llvm::enumerate(list))
      if (coord >> bit & 1)
        addXor(result, basis);
  return result;
}

Coords IndexMap::apply(ArrayRef<int32_t> coords) const {
  Coords result = applyLinear(coords);
  addXor(result, origin);
  return result;
}

//===----------------------------------------------------------------------===//
// Composition with a fragment layout
//===----------------------------------------------------------------------===//

/// The place of an element in a row-major tile: neighbours first.
static int64_t getRowMajor(ArrayRef<int32_t> coords, ArrayRef<int32_t> shape) {
  int64_t place = 0;
  for (auto [coord, extent] : llvm::zip_equal(coords, shape))
    place = place * extent + coord;
  return place;
}

/// The steps of one thread's registers, those of repeats by powers of two
/// included.
static std::vector<Coords> getRegisterSteps(const FragmentLayout &layout) {
  std::vector<Coords> steps(layout.registerBases());
  for (const Repeat &repeat : layout.repeats())
    for (int32_t count = 1; count < getPowerOfTwoFactor(repeat.count);
         count *= 2) {
      Coords step(layout.rank(), 0);
      step[repeat.dim] = layout.coreExtents()[repeat.dim] * count;
      steps.push_back(step);
    }
  return steps;
}

/// The groups of warps of what a fragment reads.  An odd factor of a dimension,
/// as they are, passes to another dimension as a whole.
static Spread pullSpread(const FragmentLayout &fragment, const IndexMap &map) {
  Spread spread = fragment.spread();
  if (spread.dim < 0)
    return spread;
  Coords group(fragment.rank(), 0);
  group[spread.dim] = fragment.coreExtents()[spread.dim];
  Coords moved = map.applyLinear(group);
  const int32_t *dim = llvm::find_if(moved, [](int32_t c) { return c != 0; });
  return {dim == moved.end() ? -1 : int(dim - moved.begin()), spread.count};
}

ReindexedLayout layout::readThrough(const FragmentLayout &fragment,
                                    const IndexMap &map) {
  assert(map.from() == fragment.shape() && "a map from another shape");
  Coords sizes;
  llvm::SmallVector<Repeat, 4> repeats;
  Spread spread = pullSpread(fragment, map);
  for (auto [dim, extent] : llvm::enumerate(map.to())) {
    sizes.push_back(getPowerOfTwoFactor(extent));
    int32_t groups = int(dim) == spread.dim ? spread.count : 1;
    repeats.push_back({int(dim), extent / sizes.back() / groups});
  }
  auto pull = [&](ArrayRef<Coords> list) {
    std::vector<Coords> pulled;
    for (const Coords &basis : list)
      pulled.push_back(map.applyLinear(basis));
    return pulled;
  };
  // Registers that reach nothing new are merged; elements that nobody reads are
  // held beside the others.
  BitBasis own, all;
  std::vector<Coords> registers, lanes = pull(fragment.laneBases()),
                                 warps = pull(fragment.coreWarpBases());
  for (const Coords &step : pull(getRegisterSteps(fragment)))
    if (own.insert(packCoords(step, sizes)))
      registers.push_back(step);
  for (const std::vector<Coords> *list : {&registers, &lanes, &warps})
    for (const Coords &basis : *list)
      all.insert(packCoords(basis, sizes));
  for (int dim = static_cast<int>(sizes.size()) - 1; dim >= 0; --dim)
    for (int32_t step = 1; step < sizes[dim]; step *= 2) {
      Coords basis(sizes.size(), 0);
      basis[dim] = step;
      if (all.insert(packCoords(basis, sizes)))
        registers.push_back(basis);
    }
  llvm::sort(registers, [&](const Coords &a, const Coords &b) {
    return getRowMajor(a, sizes) < getRowMajor(b, sizes);
  });
  std::optional<FragmentLayout> source =
      FragmentLayout::create(registers, lanes, warps, sizes, repeats,
                             /*error=*/nullptr, spread);
  assert(source && "every bit of the source is reached");

  ReindexedLayout result{std::move(*source), {}};
  for (int reg = 0; reg < fragment.elementsPerThread(); ++reg) {
    Coords coords = fragment.registerOffset(reg);
    addXor(coords, fragment.registerXor(reg));
    std::optional<int> held =
        result.layout.findRegister(map.apply(coords), /*lane=*/0, /*warp=*/0);
    assert(held && "a thread holds what its registers read");
    result.registerOf.push_back(*held);
  }
  return result;
}
