//===- FragmentLayoutTest.cpp - Tests of fragment layouts -----------------===//
//
// The map from registers to elements and back, owners, and the text form, on
// all elements of random fragments.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/FragmentLayout.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/MmaLayout.h"
#include "gtest/gtest.h"

using namespace layout;

static const std::vector<Coords> noLanes2D(5, Coords{0, 0});

TEST(FragmentLayout, CoordsFollowTheDefinition) {
  // A core of 2 x 4 (register bit 0 along dim1, lane bit 4 the rest), three
  // times along dim0 and five times along dim1, dim0 outermost.
  std::vector<Coords> lanes = noLanes2D;
  lanes[3] = {0, 2};
  lanes[4] = {1, 0};
  FragmentLayout layout = *FragmentLayout::create({{0, 1}}, lanes, {}, {2, 4},
                                                  {Repeat{0, 3}, Repeat{1, 5}});
  EXPECT_EQ(asVector(layout.shape()), std::vector<int>({6, 20}));
  EXPECT_EQ(layout.elementsPerThread(), 30);
  EXPECT_EQ(layout.numWarps(), 1);
  for (int repeat0 = 0; repeat0 < 3; ++repeat0)
    for (int repeat1 = 0; repeat1 < 5; ++repeat1)
      for (int bit = 0; bit < 2; ++bit)
        for (int lane = 0; lane < 32; ++lane)
          EXPECT_EQ(layout.coordsOf((repeat0 * 5 + repeat1) * 2 + bit, lane, 0),
                    Coords({(lane >> 4) + 2 * repeat0,
                            bit + 2 * (lane >> 3 & 1) + 4 * repeat1}));
}

TEST(FragmentLayout, CoordsAreTheSumOfTheirParts) {
  RandomLayouts random(11);
  for (int trial = 0; trial < 60; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    bool alwaysAdds = true;
    Spread spread = layout.spread();
    int coreWarps = layout.numWarps() / spread.count;
    forEachHolder(layout, [&](int reg, int lane, int warp) {
      Coords expected = layout.core().apply(
          {reg % layout.coreRegisters(), lane, warp % coreWarps});
      if (spread.dim >= 0)
        expected[spread.dim] +=
            warp / coreWarps * layout.coreExtents()[spread.dim];
      Coords thread = layout.threadCoords(lane, warp);
      Coords constant = layout.registerXor(reg);
      Coords offset = layout.registerOffset(reg);
      Coords coords = layout.coordsOf(reg, lane, warp);
      for (int dim = 0; dim < layout.rank(); ++dim) {
        EXPECT_EQ(offset[dim] % layout.coreExtents()[dim], 0);
        EXPECT_EQ(coords[dim], expected[dim] + offset[dim]);
        EXPECT_EQ(coords[dim], (thread[dim] ^ constant[dim]) + offset[dim]);
        alwaysAdds &= coords[dim] == thread[dim] + constant[dim] + offset[dim];
      }
    });
    // Shared bits would carry for some thread and register.
    EXPECT_EQ(layout.isDisjoint(), alwaysAdds) << layout.str();
  }
}

TEST(FragmentLayout, FindsEveryRegister) {
  RandomLayouts random(12);
  for (int trial = 0; trial < 40; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    OwnerMask mask = layout.ownerMask();
    for (int warp = 0; warp < layout.numWarps(); ++warp) {
      for (int lane = 0; lane < lanesPerWarp; lane += 3) {
        std::map<std::vector<int>, std::vector<int>> held;
        for (int reg = 0; reg < layout.elementsPerThread(); ++reg)
          held[asVector(layout.coordsOf(reg, lane, warp))].push_back(reg);
        forEachElement(layout.shape(), [&](const Coords &coords) {
          std::optional<int> reg = layout.findRegister(coords, lane, warp);
          auto place = held.find(asVector(coords));
          ASSERT_EQ(reg.has_value(), place != held.end());
          if (reg) {
            EXPECT_TRUE(llvm::is_contained(place->second, *reg));
          }
        });
      }
    }
    EXPECT_EQ(layout.isReplicated(),
              mask.registers || mask.lanes || mask.warps);
    Coords outside(layout.shape());
    EXPECT_FALSE(layout.findRegister(outside, 0, 0));
  }
}

TEST(FragmentLayout, EachElementHasOneOwner) {
  RandomLayouts random(13);
  int replicated = 0;
  for (int trial = 0; trial < 60; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    std::map<std::vector<int>, int> owners;
    int holders = 0;
    forEachHolder(layout, [&](int reg, int lane, int warp) {
      owners[asVector(layout.coordsOf(reg, lane, warp))] +=
          layout.isOwner(reg, lane, warp);
      ++holders;
    });
    int elements = 1;
    for (int32_t extent : layout.shape())
      elements *= extent;
    ASSERT_EQ(int(owners.size()), elements);
    for (const auto &[coords, count] : owners)
      EXPECT_EQ(count, 1);
    EXPECT_EQ(layout.isReplicated(), holders > elements);
    replicated += layout.isReplicated();
  }
  EXPECT_GT(replicated, 10);
}

TEST(FragmentLayout, OwnersPreferRedundantRegisters) {
  // Register bit 0 and lane bit 0 both move along dim0.
  std::vector<Coords> lanes(5, Coords{0});
  lanes[0] = {1};
  FragmentLayout layout = *FragmentLayout::create({{1}}, lanes, {{0}}, {2}, {});
  EXPECT_EQ(layout.ownerMask(), (OwnerMask{1, 0b11110, 1}));
}

TEST(FragmentLayout, FoldsEvenRepeatsIntoTheCore) {
  std::vector<Coords> lanes(5, Coords{0, 0});
  std::vector<Repeat> repeats = {{0, 2}, {1, 4}};
  FragmentLayout folded =
      *FragmentLayout::create({}, lanes, {}, {1, 1}, repeats);
  FragmentLayout direct =
      *FragmentLayout::create({{0, 1}, {0, 2}, {1, 0}}, lanes, {}, {2, 4}, {});
  EXPECT_EQ(folded, direct);
  EXPECT_EQ(hash_value(folded), hash_value(direct));
  EXPECT_TRUE(folded.repeats().empty());

  // An odd repeat inside keeps the even one outside of it.
  FragmentLayout kept = *FragmentLayout::create({}, lanes, {}, {1, 1},
                                                {Repeat{0, 2}, Repeat{1, 6}});
  EXPECT_EQ(kept.coreExtents()[1], 2);
  ASSERT_EQ(kept.repeats().size(), 2u);
  for (int reg = 0; reg < 12; ++reg)
    EXPECT_EQ(kept.coordsOf(reg, 0, 0), Coords({reg / 6, reg % 6}));
}

TEST(FragmentLayout, ReplicatedHoldsTheWholeTileEverywhere) {
  FragmentLayout layout = FragmentLayout::replicated({3, 4}, 2);
  EXPECT_EQ(layout.elementsPerThread(), 12);
  forEachHolder(layout, [&](int reg, int lane, int warp) {
    EXPECT_EQ(layout.coordsOf(reg, lane, warp), Coords({reg / 4, reg % 4}));
  });
  EXPECT_EQ(FragmentLayout::replicated({}, 1).elementsPerThread(), 1);
}

TEST(FragmentLayout, GroupsOfWarpsHoldOtherCores) {
  // 64 rows for each of three warpgroups, repeated three times.
  std::vector<Coords> lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  FragmentLayout layout = *FragmentLayout::create(
      {{0, 1}, {8, 0}}, lanes, {{16, 0}, {32, 0}}, {64, 8},
      {Repeat{0, 3}, Repeat{1, 3}}, /*error=*/nullptr, Spread{0, 3});
  EXPECT_EQ(asVector(layout.shape()), std::vector<int>({576, 24}));
  EXPECT_EQ(layout.numWarps(), 12);
  EXPECT_EQ(layout.elementsPerThread(), 4 * 9);
  EXPECT_FALSE(layout.isReplicated());
  forEachHolder(layout, [&](int reg, int lane, int warp) {
    int group = warp / 4;
    EXPECT_EQ(layout.coordsOf(reg, lane, warp),
              Coords({lane / 4 + 8 * (reg / 2 % 2) + 16 * (warp % 4) +
                          64 * group + 192 * (reg / 12),
                      2 * (lane % 4) + reg % 2 + 8 * (reg / 4 % 3)}));
  });
  // Bits of the warp, those of the group too, each move coordinates by XOR.
  ASSERT_EQ(layout.warpBases().size(), 4u);
  EXPECT_EQ(layout.warpBases()[2], Coords({64, 0}));
  EXPECT_EQ(layout.warpBases()[3], Coords({128, 0}));
}

TEST(FragmentLayout, GroupsOfWarpsThatHoldTheSameHaveOneOwner) {
  std::vector<Coords> lanes = {{1}, {2}, {4}, {8}, {16}};
  FragmentLayout one = *FragmentLayout::create({}, lanes, {{32}}, {64}, {});
  FragmentLayout six = *one.replicateWarps(6);
  EXPECT_EQ(six.str(), "64 spread=[3] registers=[] "
                       "lanes=[[1],[2],[4],[8],[16]] warps=[[32]]");
  // Bits 1 and 2 of the warp are the group.
  EXPECT_EQ(six.ownerMask(), (OwnerMask{0, 0, 6}));
  EXPECT_TRUE(six.isOwner(0, 7, 1));
  EXPECT_FALSE(six.isOwner(0, 7, 3));
  EXPECT_FALSE(six.isOwner(0, 7, 5));
  EXPECT_EQ(six.replicateWarps(12)->coreWarpBases().size(), 2u);
  // No whole number of times as many, and an odd factor twice.
  EXPECT_FALSE(six.replicateWarps(8));
  EXPECT_FALSE(six.replicateWarps(18));
}

TEST(FragmentLayout, CreateExplainsWhatIsWrong) {
  auto explain = [](std::vector<Coords> registers, std::vector<Coords> lanes,
                    std::vector<int32_t> extents, std::vector<Repeat> repeats) {
    std::string error;
    EXPECT_FALSE(
        FragmentLayout::create(registers, lanes, {}, extents, repeats, &error));
    return error;
  };
  std::vector<Coords> lanes(5, Coords{0});
  EXPECT_EQ(explain({{1}}, {}, {2}, {}),
            "a fragment layout has 5 lane bases, got 0");
  EXPECT_EQ(explain({}, lanes, {2}, {}),
            "some elements of the fragment are held by no thread");
  EXPECT_EQ(explain({{1}}, lanes, {3}, {}),
            "output 'dim0' has size 3, which is not a power of two");
  EXPECT_EQ(explain({{1}}, lanes, {2}, {{1, 3}}),
            "a repeat names dimension 1 of a fragment of rank 1");
  EXPECT_EQ(explain({{1}}, lanes, {2}, {{0, 3}, {0, 5}}),
            "dimension 0 is repeated twice");
  EXPECT_EQ(explain({{1}}, lanes, {2}, {{0, 0}}),
            "dimension 0 is repeated 0 times");
  EXPECT_EQ(explain({{1}}, lanes, {2}, {{0, 1 << 30}}),
            "dimension 0 is repeated 1073741824 times");
  EXPECT_FALSE(FragmentLayout::create(
      LinearLayout::identity1D(2, "register", "dim0"), {}));
  auto explainSpread = [&](Spread spread, int32_t repeat) {
    std::string error;
    EXPECT_FALSE(FragmentLayout::create({{1}}, lanes, {}, {2},
                                        {Repeat{0, repeat}}, &error, spread));
    return error;
  };
  EXPECT_EQ(explainSpread({0, 2}, 1),
            "an odd number of groups of warps is expected, got 2");
  EXPECT_EQ(explainSpread({0, 33}, 1),
            "an odd number of groups of warps is expected, got 33");
  EXPECT_EQ(explainSpread({1, 3}, 1),
            "groups of warps along dimension 1 of a fragment of rank 1");
  EXPECT_EQ(explainSpread({0, 3}, 6), "dimension 0 has groups of warps, and is "
                                      "repeated an even number of times");
  EXPECT_EQ(explainSpread({0, 3}, (1 << 29) - 1),
            "dimension 0 is spread over 3 groups of warps");
}

TEST(FragmentLayout, PartsHoldTheirElementsOfTheWhole) {
  // 16 rows a warp, columns in eights, as wgmma has them: 64x192 in parts of
  // 96 columns, and 64x128 in parts of 64.
  for (auto [columns, part] : {std::pair(192, 96), {128, 64}, {128, 128}}) {
    MmaTiling tiling{{16, 8, 16, 16}, 64, columns, 4, 1, {}, {}, {}};
    FragmentLayout whole = tiling.accumulator();
    std::optional<FragmentLayout> half = whole.partLayout({64, part});
    ASSERT_TRUE(half.has_value());
    EXPECT_EQ(half->elementsPerThread(),
              whole.elementsPerThread() * part / columns);
    for (int offset = 0; offset < columns; offset += part)
      for (int reg = 0; reg < half->elementsPerThread(); ++reg)
        for (int lane : {0, 5, 31})
          for (int warp : {0, 3}) {
            Coords coords = half->coordsOf(reg, lane, warp);
            coords[1] += offset;
            std::optional<int> there = whole.findRegister(coords, lane, warp);
            Coords first = half->coordsOf(reg, 0, 0);
            first[1] += offset;
            EXPECT_EQ(there, whole.findRegister(first, 0, 0));
          }
  }
  // Lanes lead beyond a part of one column.
  MmaTiling tiling{{16, 8, 16, 16}, 64, 128, 4, 1, {}, {}, {}};
  EXPECT_FALSE(tiling.accumulator().partLayout({64, 1}).has_value());
  EXPECT_FALSE(tiling.accumulator().partLayout({64, 48}).has_value());
  // Three warpgroups: parts of all rows, but no rows of one alone.
  MmaTiling three{{16, 8, 16, 16}, 192, 128, 12, 1, {}, {}, {}};
  std::optional<FragmentLayout> half =
      three.accumulator().partLayout({192, 64});
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(half->numWarps(), 12);
  EXPECT_EQ(half->coordsOf(3, 9, 11), three.accumulator().coordsOf(3, 9, 11));
  EXPECT_FALSE(three.accumulator().partLayout({64, 128}).has_value());
}

TEST(FragmentLayout, ReadsWhatItPrints) {
  RandomLayouts random(14);
  for (int trial = 0; trial < 60; ++trial) {
    FragmentLayout layout = random.anyFragment(trial);
    std::string error;
    std::optional<FragmentLayout> parsed =
        FragmentLayout::parse(layout.str(), &error);
    ASSERT_TRUE(parsed) << layout.str() << ": " << error;
    EXPECT_EQ(*parsed, layout);
    EXPECT_EQ(hash_value(*parsed), hash_value(layout));
  }
  FragmentLayout scalar = FragmentLayout::replicated({}, 1);
  EXPECT_EQ(FragmentLayout::parse(scalar.str()), scalar);
}

TEST(FragmentLayout, PrintsCompactly) {
  FragmentLayout layout = *FragmentLayout::create(
      {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}, {16, 8},
      {Repeat{1, 3}});
  EXPECT_EQ(layout.str(), "16x24 repeats=[[1,3]] registers=[[0,1],[8,0]] "
                          "lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]");
}

TEST(FragmentLayout, ParseExplainsWhatIsWrong) {
  auto explain = [](llvm::StringRef text) {
    std::string error;
    EXPECT_FALSE(FragmentLayout::parse(text, &error)) << text.str();
    return error;
  };
  EXPECT_EQ(explain(""), "expected a number before ''");
  EXPECT_EQ(explain("16x"), "expected a number before ''");
  EXPECT_EQ(explain("0 registers=[] lanes=[] warps=[]"), "a tile extent is 0");
  EXPECT_EQ(explain("16 lanes=[]"), "expected 'registers=' before 'lanes=[]'");
  EXPECT_EQ(explain("99999999999 registers=[]"),
            "number '99999999999' is larger than 2^30");
  EXPECT_EQ(explain("2 registers=[[1]] lanes=[[0],[0],[0],[0],[0]] warps=[] x"),
            "text follows the layout");
  EXPECT_EQ(explain("2 registers=[[1]] lanes=[[0],[0],[0],[0],[0] warps=[]"),
            "expected ',' before 'warps=[]'");
  EXPECT_EQ(explain("9 repeats=[[0,2]] registers=[] lanes=[] warps=[]"),
            "extent 9 is not a multiple of 2, the count of a repeat");
  EXPECT_EQ(explain("9 spread=[0,2] registers=[] lanes=[] warps=[]"),
            "extent 9 is not a multiple of 2, the count of the spread");
  EXPECT_EQ(explain("9 spread=[] registers=[] lanes=[] warps=[]"),
            "the spread is not a pair of dimension and count");
  EXPECT_EQ(explain("9 repeats=[[1,3]] registers=[] lanes=[] warps=[]"),
            "a repeat is not a pair of dimension and count");
  EXPECT_EQ(explain("9 repeats=[[0]] registers=[] lanes=[] warps=[]"),
            "a repeat is not a pair of dimension and count");
  EXPECT_EQ(explain("9 repeats=[[0,3],[0,3]] registers=[] "
                    "lanes=[[0],[0],[0],[0],[0]] warps=[]"),
            "dimension 0 is repeated twice");
}
