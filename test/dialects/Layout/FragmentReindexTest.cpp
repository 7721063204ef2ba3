//===- FragmentReindexTest.cpp - Tests of layouts made from layouts -------===//
//
// Whatever happens to the dimensions, each thread has to find the elements that
// belong together in its own registers.
//
//===----------------------------------------------------------------------===//

#include "LayoutTestUtils.h"
#include "dialects/Layout/FragmentLayout.h"
#include "gtest/gtest.h"

using namespace layout;

/// Checks a reindexed layout element by element, and that no thread holds an
/// element twice for no reason.
static void checkReindexed(const FragmentLayout &result,
                           const ReindexedLayout &reindexed,
                           llvm::ArrayRef<int> dimMap,
                           llvm::ArrayRef<int32_t> divisors = {}) {
  const FragmentLayout &source = reindexed.layout;
  ASSERT_EQ(source.numWarps(), result.numWarps());
  ASSERT_EQ(int(reindexed.registerOf.size()), result.elementsPerThread());
  forEachHolder(result, [&](int reg, int lane, int warp) {
    Coords coords = result.coordsOf(reg, lane, warp), expected;
    for (auto [i, dim] : llvm::enumerate(dimMap))
      expected.push_back(
          dim < 0 ? 0 : coords[dim] / (divisors.empty() ? 1 : divisors[i]));
    ASSERT_EQ(source.coordsOf(reindexed.registerOf[reg], lane, warp), expected);
  });
  std::set<std::vector<int>> held;
  for (int reg = 0; reg < source.elementsPerThread(); ++reg)
    EXPECT_TRUE(held.insert(asVector(source.coordsOf(reg, 0, 0))).second);
  std::set<int> used(reindexed.registerOf.begin(), reindexed.registerOf.end());
  EXPECT_EQ(int(used.size()), source.elementsPerThread());
}

TEST(FragmentReindex, SlicesLineUp) {
  RandomLayouts random(21);
  for (int trial = 0; trial < 60; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    for (int dropped = 0; dropped < layout.rank(); ++dropped) {
      llvm::SmallVector<int> kept;
      for (int dim = 0; dim < layout.rank(); ++dim)
        if (dim != dropped)
          kept.push_back(dim);
      checkReindexed(layout, *layout.reindexSource(kept), kept);
    }
  }
}

TEST(FragmentReindex, SliceOfAccumulatorIsARowVector) {
  // m16n8 with 3 tiles of N: a thread has rows g and g + 8.
  FragmentLayout layout = *FragmentLayout::create(
      {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}, {16, 8},
      {Repeat{1, 3}});
  ReindexedLayout rows = *layout.reindexSource({0});
  EXPECT_EQ(rows.layout.str(), "16 registers=[[8]] "
                               "lanes=[[0],[0],[1],[2],[4]] warps=[]");
  EXPECT_EQ(rows.registerOf,
            std::vector<int>({0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(rows.layout.ownerMask(), (OwnerMask{0, 0b11, 0}));
}

TEST(FragmentReindex, SourcesOfIndexMaps) {
  RandomLayouts random(22);
  std::vector<std::vector<int>> maps = {{0},     {-1},    {1},        {1, 0},
                                        {-1, 1}, {0, -1}, {1, -1, 0}, {}};
  for (int trial = 0; trial < 120; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    const std::vector<int> &map = maps[trial % maps.size()];
    if (llvm::any_of(map, [&](int dim) { return dim >= layout.rank(); }))
      continue;
    std::optional<ReindexedLayout> source = layout.reindexSource(map);
    ASSERT_TRUE(source);
    checkReindexed(layout, *source, map);
  }
}

TEST(FragmentReindex, SourcesOfGroups) {
  RandomLayouts random(24);
  for (int trial = 0; trial < 200; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    std::vector<int> map;
    std::vector<int32_t> divisors;
    for (int dim = 0; dim < layout.rank(); ++dim) {
      map.push_back(dim);
      divisors.push_back(1 << (trial + 3 * dim) % 8);
    }
    std::shuffle(map.begin(), map.end(), random.engine);
    std::optional<ReindexedLayout> source = layout.reindexSource(map, divisors);
    // Groups of elements larger than a core are not shared out evenly among
    // groups of warps.
    if (int spread = layout.spread().dim; spread >= 0) {
      int32_t divisor =
          divisors[std::find(map.begin(), map.end(), spread) - map.begin()];
      if (divisor > layout.coreExtents()[spread] &&
          divisor < layout.shape()[spread]) {
        EXPECT_FALSE(source);
        continue;
      }
    }
    ASSERT_TRUE(source);
    for (auto [i, dim] : llvm::enumerate(map))
      ASSERT_EQ(source->layout.shape()[i],
                (layout.shape()[dim] + divisors[i] - 1) / divisors[i]);
    checkReindexed(layout, *source, map, divisors);
  }
}

TEST(FragmentReindex, GroupsLargerThanTheCoreTakeWholeRepeats) {
  // Five tiles of 8 columns; each group is made of two.
  FragmentLayout layout = *FragmentLayout::create(
      {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}, {16, 8},
      {Repeat{1, 5}});
  ReindexedLayout groups = *layout.reindexSource({1}, {16});
  EXPECT_EQ(groups.layout.shape(), llvm::ArrayRef<int32_t>({3}));
  EXPECT_EQ(groups.registerOf,
            std::vector<int>(
                {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(FragmentReindex, DeclinesDiagonals) {
  FragmentLayout layout = FragmentLayout::replicated({4, 4}, 1);
  EXPECT_FALSE(layout.reindexSource({0, 0}));
}

TEST(FragmentReindex, MergesDependentRegisters) {
  // Along dim1 register bit 2 moves what bits 0 and 1 together do.
  std::vector<Coords> lanes(5, Coords{0, 0});
  FragmentLayout layout = *FragmentLayout::create(
      {{1, 1}, {0, 2}, {2, 3}, {0, 1}}, lanes, {}, {4, 4}, {});
  ReindexedLayout columns = *layout.reindexSource({1});
  EXPECT_EQ(columns.layout.elementsPerThread(), 4);
  checkReindexed(layout, columns, {1});
}

TEST(FragmentReindex, PermutesWithoutRenumbering) {
  RandomLayouts random(23);
  for (int trial = 0; trial < 60; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    llvm::SmallVector<int> order;
    for (int dim = 0; dim < layout.rank(); ++dim)
      order.push_back(dim);
    std::shuffle(order.begin(), order.end(), random.engine);
    FragmentLayout permuted = layout.permuteDims(order);
    ASSERT_EQ(permuted.elementsPerThread(), layout.elementsPerThread());
    forEachHolder(layout, [&](int reg, int lane, int warp) {
      Coords coords = layout.coordsOf(reg, lane, warp), expected;
      for (int dim : order)
        expected.push_back(coords[dim]);
      ASSERT_EQ(permuted.coordsOf(reg, lane, warp), expected);
    });
  }
}
