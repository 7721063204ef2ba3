//===- BlockSampleTest.cpp - Tests of samples of a grid -------------------===//
#include "compiler/Driver/Run/BlockSample.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace tilec;

using Blocks = std::vector<int64_t>;

TEST(BlockSample, CornersAreFirstOrLastAlongEveryAxis) {
  EXPECT_EQ(pickCornerBlocks({5, 3}), (Blocks{0, 4, 10, 14}));
  EXPECT_EQ(pickCornerBlocks({1, 3}), (Blocks{0, 2}));
  EXPECT_EQ(pickCornerBlocks({1}), (Blocks{0}));
  EXPECT_EQ(pickCornerBlocks({}), (Blocks{0}));
  EXPECT_EQ(pickCornerBlocks({2, 2, 2}).size(), 8u);
}

TEST(BlockSample, PicksDistinctBlocksOfTheGridThatAreNotTaken) {
  Blocks corners = pickCornerBlocks({100, 50});
  Blocks picked = pickBlocks({100, 50}, 20, corners, 0);
  EXPECT_EQ(picked.size(), 20u);
  EXPECT_TRUE(std::is_sorted(picked.begin(), picked.end()));
  EXPECT_EQ(std::adjacent_find(picked.begin(), picked.end()), picked.end());
  for (int64_t block : picked) {
    EXPECT_GE(block, 0);
    EXPECT_LT(block, 5000);
    EXPECT_EQ(std::count(corners.begin(), corners.end(), block), 0);
  }
}

TEST(BlockSample, PicksEdgesAndBlocksWithin) {
  int edges = 0;
  for (int64_t block : pickBlocks({1000, 1000}, 100, {}, 1)) {
    int64_t x = block % 1000, y = block / 1000;
    edges += x == 0 || x == 999 || y == 0 || y == 999;
  }
  // Half of them are asked for; of the others, chance puts few there.
  EXPECT_GE(edges, 40);
  EXPECT_LE(edges, 60);
}

TEST(BlockSample, RepeatsForTheSameSeed) {
  EXPECT_EQ(pickBlocks({9, 9}, 5, {}, 3), pickBlocks({9, 9}, 5, {}, 3));
  EXPECT_NE(pickBlocks({99, 99}, 5, {}, 3), pickBlocks({99, 99}, 5, {}, 4));
}

TEST(BlockSample, GivesUpWhenNothingIsLeft) {
  EXPECT_EQ(pickBlocks({2}, 8, {0, 1}, 0), Blocks());
  EXPECT_EQ(pickBlocks({}, 8, {0}, 0), Blocks());
}

TEST(BlockSample, OthersAndTakenMakeTheGrid) {
  EXPECT_EQ(pickOtherBlocks({3, 2}, {0, 2, 5}), (Blocks{1, 3, 4}));
  EXPECT_EQ(pickOtherBlocks({}, {0}), Blocks());
}
