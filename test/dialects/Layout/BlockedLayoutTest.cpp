//===- BlockedLayoutTest.cpp - Tests of the coalesced layout --------------===//
//
// Coverage at awkward extents, vectors, coalescing, and whole bytes per thread.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BlockedLayout.h"
#include "LayoutTestUtils.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace layout;

TEST(BlockedLayout, CoversAwkwardTilesOnce) {
  for (std::vector<int32_t> shape :
       std::vector<std::vector<int32_t>>{{1},
                                         {2},
                                         {33},
                                         {1000},
                                         {4096},
                                         {1, 1},
                                         {1, 37},
                                         {37, 1},
                                         {16, 96},
                                         {48, 40},
                                         {128, 64},
                                         {3, 5, 7},
                                         {2, 1, 64},
                                         {}}) {
    for (int threads : {32, 96, 128, 256, 384}) {
      for (int elementBits : {4, 8, 16, 32, 64}) {
        BlockedOptions options;
        options.threads = threads;
        options.elementBits = elementBits;
        FragmentLayout layout = blocked(shape, options);
        EXPECT_EQ(asVector(layout.shape()), shape);
        // All of them, or a power of two.
        EXPECT_TRUE(layout.numThreads() == threads ||
                    layout.numThreads() ==
                        int(llvm::bit_floor(unsigned(threads))));
        std::map<std::vector<int>, int> owners;
        forEachHolder(layout, [&](int reg, int lane, int warp) {
          owners[asVector(layout.coordsOf(reg, lane, warp))] +=
              layout.isOwner(reg, lane, warp);
        });
        size_t elements = 1;
        for (int32_t extent : shape)
          elements *= extent;
        EXPECT_EQ(owners.size(), elements);
        for (const auto &[coords, count] : owners)
          EXPECT_EQ(count, 1);
        // No thread holds an element twice.
        EXPECT_EQ(layout.ownerMask().registers, 0);
      }
    }
  }
}

TEST(BlockedLayout, SharesOddFactorsAmongGroupsOfWarps) {
  BlockedOptions options;
  options.elementBits = 16;
  options.threads = 384;
  // 64 rows for each warpgroup, of which each warp has 4, and 16 later on.
  FragmentLayout rows = blocked({192, 64}, options);
  EXPECT_EQ(rows.numThreads(), 384);
  EXPECT_EQ(rows.spread(), (Spread{0, 3}));
  EXPECT_EQ(rows.elementsPerThread(), 32);
  EXPECT_EQ(rows.coordsOf(9, 17, 6), Coords({64 + 16 + 8 + 2, 9}));
  EXPECT_EQ(blocked({64, 96}, options).spread(), (Spread{1, 3}));
  // Both have the factor: that of the slower dimension.
  EXPECT_EQ(blocked({96, 96}, options).spread(), (Spread{0, 3}));
  // None has it: 8 of the 12 warps.
  FragmentLayout square = blocked({128, 128}, options);
  EXPECT_EQ(square.numThreads(), 256);
  EXPECT_EQ(square.spread(), Spread());
  EXPECT_EQ(blocked({128, 576}, options).numThreads(), 256);
  options.threads = 96;
  EXPECT_EQ(blocked({128, 48}, options).numThreads(), 96);
  EXPECT_EQ(blocked({128, 32}, options).numThreads(), 64);
}

TEST(BlockedLayout, LanesTakeConsecutiveVectors) {
  BlockedOptions options;
  options.elementBits = 16;
  options.threads = 128;
  FragmentLayout layout = blocked({64, 64}, options);
  EXPECT_EQ(layout.elementsPerThread(), 32);
  forEachHolder(layout, [&](int reg, int lane, int warp) {
    int vector = warp * 32 + lane + 128 * (reg / 8);
    EXPECT_EQ(layout.coordsOf(reg, lane, warp),
              Coords({vector / 8, vector % 8 * 8 + reg % 8}));
  });
}

TEST(BlockedLayout, FollowsTheOrder) {
  BlockedOptions options;
  options.elementBits = 32;
  options.threads = 64;
  options.order = {0, 1};
  FragmentLayout layout = blocked({32, 16}, options);
  forEachHolder(layout, [&](int reg, int lane, int warp) {
    int vector = warp * 32 + lane + 64 * (reg / 4);
    EXPECT_EQ(layout.coordsOf(reg, lane, warp),
              Coords({vector % 8 * 4 + reg % 4, vector / 8}));
  });
}

TEST(BlockedLayout, ReplicatesSmallTiles) {
  BlockedOptions options;
  options.threads = 128;
  options.elementBits = 32;
  FragmentLayout layout = blocked({64}, options);
  // 16 vectors of 4: lane bit 4 and both warp bits are redundant.
  EXPECT_EQ(layout.elementsPerThread(), 4);
  EXPECT_EQ(layout.ownerMask(), (OwnerMask{0, 16, 3}));
}

TEST(BlockedLayout, OddFactorsBecomeRepeats) {
  BlockedOptions options;
  options.elementBits = 8;
  options.threads = 32;
  FragmentLayout layout = blocked({6, 48}, options);
  EXPECT_EQ(asVector(layout.coreExtents()), std::vector<int>({2, 16}));
  EXPECT_EQ(layout.elementsPerThread(), 16 * 9);
}

TEST(BlockedLayout, NeverSplitsAByte) {
  for (std::vector<int32_t> shape : std::vector<std::vector<int32_t>>{
           {64, 64}, {64, 33}, {33, 64}, {2, 2}, {6, 10}, {17, 19}}) {
    for (int packDim : {-1, 0, 1}) {
      for (bool columnOrder : {false, true}) {
        BlockedOptions options;
        options.elementBits = 4;
        options.packDim = packDim;
        options.vectorBits = packDim == 1 ? 8 : 128;
        if (columnOrder)
          options.order = {0, 1};
        int pack = packDim < 0 ? (columnOrder ? 0 : 1) : packDim;
        FragmentLayout layout = blocked(shape, options);
        // All owners of a byte's elements are one thread.
        std::map<std::vector<int>, std::set<int>> threads;
        forEachHolder(layout, [&](int reg, int lane, int warp) {
          if (!layout.isOwner(reg, lane, warp))
            return;
          Coords byte = layout.coordsOf(reg, lane, warp);
          byte[pack] /= 2;
          threads[asVector(byte)].insert(warp * 32 + lane);
        });
        for (const auto &[byte, owners] : threads)
          EXPECT_EQ(owners.size(), 1u);
      }
    }
  }
}
