//===- IndexMapTest.cpp - Tests of maps between tiles ---------------------===//
//
// What a thread reads through a map has to be in its own registers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/IndexMap.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BlockedLayout.h"
#include "gtest/gtest.h"

using namespace layout;

using Function = llvm::function_ref<Coords(llvm::ArrayRef<int32_t>)>;

/// Checks a composition element by element.
static void checkComposition(const FragmentLayout &fragment,
                             llvm::ArrayRef<int32_t> to, Function at) {
  auto map = IndexMap::create(fragment.shape(), to, at);
  ASSERT_TRUE(map) << fragment.str();
  ReindexedLayout source = readThrough(fragment, *map);
  ASSERT_EQ(source.layout.shape(), to);
  forEachHolder(fragment, [&](int reg, int lane, int warp) {
    Coords wanted = at(fragment.coordsOf(reg, lane, warp));
    ASSERT_EQ(source.layout.coordsOf(source.registerOf[reg], lane, warp),
              wanted)
        << fragment.str() << " reads " << source.layout.str();
  });
}

static FragmentLayout getBlocked(llvm::ArrayRef<int32_t> shape,
                                 int elementBits = 8) {
  BlockedOptions options;
  options.elementBits = elementBits;
  return blocked(shape, options);
}

static Coords halveColumn(llvm::ArrayRef<int32_t> c) {
  return {c[0], c[1] / 2};
}
static Coords halveRow(llvm::ArrayRef<int32_t> c) { return {c[0] / 2, c[1]}; }
static Coords interleave(llvm::ArrayRef<int32_t> c) {
  return {c[0], c[1] / 8 * 8 + c[1] % 8 / 2 + 4 * (c[1] % 2)};
}
static Coords everySecond(llvm::ArrayRef<int32_t> c) {
  return {c[0], 2 * c[1] + 1};
}

TEST(IndexMap, FindsPairsOfNibblesInOneThread) {
  for (auto shape : {Coords{64, 128}, Coords{16, 96}, Coords{24, 48},
                     Coords{6, 4}, Coords{1, 2}})
    for (int bits : {4, 8, 16, 32}) {
      FragmentLayout fragment = getBlocked(shape, bits);
      checkComposition(fragment, {shape[0], shape[1] / 2}, halveColumn);
      if (shape[0] % 2 == 0)
        checkComposition(fragment, {shape[0] / 2, shape[1]}, halveRow);
    }
}

TEST(IndexMap, HoldsElementsThatAreNotReadBesideTheOthers) {
  FragmentLayout fragment = getBlocked({64, 32});
  checkComposition(fragment, {64, 64}, everySecond);
  auto map = IndexMap::create(fragment.shape(), {64, 64}, everySecond);
  EXPECT_EQ(readThrough(fragment, *map).layout.elementsPerThread(),
            2 * fragment.elementsPerThread());
}

TEST(IndexMap, FollowsOrdersOfNibbles) {
  checkComposition(getBlocked({8, 64}, 4), {8, 64}, interleave);
  checkComposition(getBlocked({8, 40}, 4), {8, 40}, interleave);
}

TEST(IndexMap, KeepsTransposesAndOddFactors) {
  checkComposition(
      getBlocked({24, 40}), {40, 12},
      [](llvm::ArrayRef<int32_t> c) -> Coords { return {c[1], c[0] / 2}; });
}

TEST(IndexMap, RefusesWhatIsNotLinear) {
  auto refuses = [](llvm::ArrayRef<int32_t> from, llvm::ArrayRef<int32_t> to,
                    Function at) { return !IndexMap::create(from, to, at); };
  EXPECT_TRUE(refuses({16}, {16}, [](llvm::ArrayRef<int32_t> c) -> Coords {
    return {15 - c[0] / 3};
  }));
  EXPECT_TRUE(refuses(
      {16}, {8}, [](llvm::ArrayRef<int32_t> c) -> Coords { return {c[0]}; }));
  EXPECT_TRUE(refuses({16}, {17}, [](llvm::ArrayRef<int32_t> c) -> Coords {
    return {c[0] + 1};
  }));
  // Three rows cannot be read as two.
  EXPECT_TRUE(refuses({3}, {2}, [](llvm::ArrayRef<int32_t> c) -> Coords {
    return {c[0] / 2};
  }));
  EXPECT_TRUE(refuses({12}, {12}, [](llvm::ArrayRef<int32_t> c) -> Coords {
    return {(c[0] + 4) % 12};
  }));
  // Reversed, an element and its origin are in different threads.
  EXPECT_TRUE(refuses({16}, {16}, [](llvm::ArrayRef<int32_t> c) -> Coords {
    return {15 - c[0]};
  }));
}
