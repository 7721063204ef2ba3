//===- PackedOrderTest.cpp - Tests of tiles in the order of their reader --===//

#include "dialects/Layout/PackedOrder.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BankConflicts.h"
#include "dialects/Layout/MmaLayout.h"
#include "dialects/Layout/VectorAccess.h"
#include "gtest/gtest.h"

using namespace layout;

namespace {
/// A tile of a product's right operand, [N, K], read in steps of K.
struct Case {
  MmaTiling tiling;
  Coords shape;
  int kStep, elementBits;

  FragmentLayout part() const {
    return tiling.operandB(kStep).permuteDims({1, 0});
  }
};
} // namespace

static std::vector<Case> someCases() {
  std::vector<Case> cases;
  for (int k : {16, 32})
    for (int n : {8, 64, 72, 96, 128})
      for (auto [warpsM, warpsN] :
           {std::pair{8, 1}, {2, 4}, {4, 1}, {1, 2}, {12, 1}, {4, 3}, {1, 6}})
        for (int stepTiles : {1, 2, 4})
          for (int elementBits : {4, 8, 16}) {
            MmaTiling tiling;
            tiling.instruction = {16, 8, k, 256 / k};
            tiling.m = 16 * warpsM;
            tiling.n = n;
            tiling.warpsM = warpsM;
            tiling.warpsN = warpsN;
            int kStep = k * stepTiles;
            if (tiling.verify(kStep))
              cases.push_back({tiling, {n, 3 * kStep}, kStep, elementBits});
          }
  return cases;
}

TEST(PackedOrder, GivesEveryElementOnePlace) {
  std::vector<Case> cases = someCases();
  EXPECT_GT(cases.size(), 100u);
  for (const Case &c : cases) {
    auto packed = packForReads(c.shape, c.elementBits, c.part());
    ASSERT_TRUE(packed);
    const PackedOrder &order = packed->order;
    EXPECT_EQ(order.bytes(), c.shape[0] * c.shape[1] * c.elementBits / 8);
    std::set<std::vector<int>> seen;
    for (int position = 0; position < order.elements(); ++position) {
      Coords coords = order.coordsOf(position);
      EXPECT_EQ(order.positionOf(coords), position);
      seen.insert(asVector(coords));
    }
    EXPECT_EQ(seen.size(), size_t(order.elements()));
  }
}

// What a thread reads from the rows of a part is, register for register, what
// the layout of the part says that it holds.
TEST(PackedOrder, ReadsEachThreadItsOwnElements) {
  for (const Case &c : someCases()) {
    FragmentLayout part = c.part();
    auto packed = packForReads(c.shape, c.elementBits, part);
    ASSERT_TRUE(packed);
    ASSERT_EQ(packed->load.elementsPerThread(), part.elementsPerThread());
    for (int start = 0; start < c.shape[1]; start += c.kStep) {
      int32_t firstRow = packed->rowOf({0, start});
      for (int warp = 0; warp < part.numWarps(); ++warp)
        for (int lane : {0, 1, 5, 31})
          for (int reg = 0; reg < part.elementsPerThread(); ++reg) {
            Coords wanted = part.coordsOf(reg, lane, warp);
            wanted[1] += start;
            Coords place = packed->load.coordsOf(reg, lane, warp);
            EXPECT_EQ(
                packed->order.coordsOf(
                    (firstRow + place[0]) * packed->rowElements + place[1]),
                wanted);
          }
    }
  }
}

TEST(PackedOrder, ReadsSixteenBytesAtOnceWithoutConflicts) {
  int wide = 0;
  for (const Case &c : someCases()) {
    FragmentLayout part = c.part();
    auto packed = packForReads(c.shape, c.elementBits, part);
    ASSERT_TRUE(packed);
    Coords rows(packed->load.shape());
    auto storage = SharedLayout::create(rows, c.elementBits);
    ASSERT_TRUE(storage);
    VectorPlan plan = planVector(packed->load, *storage);
    int most = std::min(128, c.elementBits * part.coreRegisters());
    EXPECT_EQ(plan.bits(), most);
    EXPECT_TRUE(plan.isNatural());
    wide += most == 128;
    if (most >= 32) {
      EXPECT_EQ(countConflicts(describeAccess(packed->load, *storage, plan),
                               Swizzle{}),
                0);
    }
  }
  EXPECT_GT(wide, 20);
}

TEST(PackedOrder, ReadsWhatItPrints) {
  for (const Case &c : someCases()) {
    auto packed = packForReads(c.shape, c.elementBits, c.part());
    ASSERT_TRUE(packed);
    EXPECT_EQ(PackedOrder::parse(packed->order.str()), packed->order);
  }
  auto order = PackedOrder::parse("4x6 bits=4 order=[[1,1,2],[0,1,4],[1,2,3]]");
  ASSERT_TRUE(order);
  EXPECT_EQ(order->str(), "4x6 bits=4 order=[[1,1,2],[0,1,4],[1,2,3]]");
  EXPECT_EQ(order->coordsOf(9), (Coords{0, 3}));
  EXPECT_EQ(order->bytes(), 12);
}

TEST(PackedOrder, JoinsDigitsThatFollowEachOther) {
  auto order =
      PackedOrder::create({8}, 8, {{0, 1, 2}, {0, 2, 1}, {0, 2, 2}, {0, 4, 2}});
  ASSERT_TRUE(order);
  EXPECT_EQ(order->str(), "8 bits=8 order=[[0,1,8]]");
}

TEST(PackedOrder, RefusesWhatIsNoOrder) {
  auto refuse = [](const char *text) {
    std::string error;
    EXPECT_FALSE(PackedOrder::parse(text, &error)) << text;
    return error;
  };
  EXPECT_EQ(refuse("8 bits=8 order=[[0,1,4]]"),
            "the digits along dimension 0 do not count to 8");
  EXPECT_EQ(refuse("8 bits=8 order=[[0,1,4],[0,1,2]]"),
            "the digits along dimension 0 do not count to 8");
  EXPECT_EQ(refuse("8 bits=8 order=[[1,1,8]]"),
            "a digit moves along dimension 1 of a tile of rank 1");
  EXPECT_EQ(refuse("8 bits=2 order=[[0,1,8]]"),
            "elements of 2 bits have no order of their own");
  EXPECT_EQ(refuse("8 bits=8 order=[[0,8]]"),
            "a digit is a list of dimension, stride and count");
  EXPECT_EQ(refuse("8 bits=8 order=[[0,0,8]]"),
            "a digit has a stride and a count of 1 at least");
  EXPECT_EQ(refuse("8 bits=8 order=[[0,1,8]] more"), "text follows the order");
  EXPECT_EQ(refuse("16777217 bits=8 order=[]"),
            "a packed tile has 1 to 2^24 elements");
}

TEST(PackedOrder, RefusesLayoutsThatAreNone) {
  std::string error;
  auto part = [](const char *text) { return *FragmentLayout::parse(text); };
  // A register that moves along both dimensions.
  EXPECT_FALSE(packForReads({2, 32}, 8,
                            part("2x32 registers=[[1,1]] "
                                 "lanes=[[0,1],[0,2],[0,4],[0,8],[0,16]] "
                                 "warps=[]"),
                            &error));
  EXPECT_EQ(
      error,
      "a step of the layout moves along several dimensions or along none");
  // Two registers with the same element.
  EXPECT_FALSE(packForReads({32}, 8,
                            part("32 registers=[[0]] "
                                 "lanes=[[1],[2],[4],[8],[16]] warps=[]"),
                            &error));
  EXPECT_FALSE(packForReads({48}, 8,
                            part("32 registers=[] "
                                 "lanes=[[1],[2],[4],[8],[16]] warps=[]"),
                            &error));
  EXPECT_EQ(error, "parts of 32 do not divide an extent of 48");
}
