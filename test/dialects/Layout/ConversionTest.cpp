//===- ConversionTest.cpp - Tests of conversion plans ---------------------===//
//
// The class of each conversion against enumeration of all threads.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/Conversion.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/MmaLayout.h"
#include "gtest/gtest.h"

using namespace layout;

/// The class by looking at what each thread and each warp holds.
static ConversionKind classify(const FragmentLayout &from,
                               const FragmentLayout &to) {
  if (from.numWarps() != to.numWarps())
    return ConversionKind::SharedMemory;
  std::vector<std::set<std::vector<int>>> warpHolds(from.numWarps());
  forEachHolder(from, [&](int reg, int lane, int warp) {
    warpHolds[warp].insert(asVector(from.coordsOf(reg, lane, warp)));
  });
  bool inWarp = true;
  forEachHolder(to, [&](int reg, int lane, int warp) {
    inWarp &= warpHolds[warp].count(asVector(to.coordsOf(reg, lane, warp))) > 0;
  });

  // Source registers that serve a register in every thread.
  bool sameThread = true,
       identical = from.elementsPerThread() == to.elementsPerThread();
  for (int reg = 0; reg < to.elementsPerThread(); ++reg) {
    std::set<int> sources;
    for (int source = 0; source < from.elementsPerThread(); ++source) {
      bool serves = true;
      for (int warp = 0; warp < to.numWarps() && serves; ++warp)
        for (int lane = 0; lane < lanesPerWarp && serves; ++lane)
          serves =
              from.coordsOf(source, lane, warp) == to.coordsOf(reg, lane, warp);
      if (serves)
        sources.insert(source);
    }
    sameThread &= !sources.empty();
    identical &= sources.count(reg) > 0;
  }
  if (identical)
    return ConversionKind::Identical;
  if (sameThread)
    return ConversionKind::RegisterPermutation;
  return inWarp ? ConversionKind::Shuffle : ConversionKind::SharedMemory;
}

static ConversionPlan check(const FragmentLayout &from,
                            const FragmentLayout &to) {
  ConversionPlan plan = planConversion(from, to);
  EXPECT_EQ(plan.kind, classify(from, to)) << from.str() << "\n" << to.str();
  if (plan.kind <= ConversionKind::RegisterPermutation) {
    EXPECT_EQ(int(plan.registerOf.size()), to.elementsPerThread());
    forEachHolder(to, [&](int reg, int lane, int warp) {
      EXPECT_EQ(from.coordsOf(plan.registerOf[reg], lane, warp),
                to.coordsOf(reg, lane, warp));
    });
  } else {
    EXPECT_TRUE(plan.registerOf.empty());
  }
  return plan;
}

TEST(Conversion, ClassesAgreeWithEnumeration) {
  RandomLayouts random(71);
  std::map<ConversionKind, int> seen;
  for (int trial = 0; trial < 400; ++trial) {
    int warpBits = random.below(2);
    std::vector<Repeat> repeats;
    if (trial % 3 == 1)
      repeats = {{0, 3}};
    FragmentLayout from =
        random.fragment({4, 4}, repeats, random.below(4), warpBits, trial % 2);
    FragmentLayout to =
        random.fragment({4, 4}, repeats, random.below(4), warpBits, trial % 2);
    ++seen[check(from, to).kind];
    // The same threads, with registers in another order.
    std::vector<Coords> registers = from.registerBases();
    std::shuffle(registers.begin(), registers.end(), random.engine);
    FragmentLayout shuffled =
        *FragmentLayout::create(registers, from.laneBases(), from.warpBases(),
                                from.coreExtents(), from.repeats());
    ++seen[check(from, shuffled).kind];
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Conversion, SeesWarpsThatChangePlaces) {
  RandomLayouts random(72);
  std::map<ConversionKind, int> seen;
  for (int trial = 0; trial < 200; ++trial) {
    FragmentLayout from =
        random.fragment({16, 16}, {}, 1 + random.below(3), 2, trial % 2);
    std::vector<Coords> warps = from.warpBases();
    warps[random.below(2)][random.below(2)] ^= 1 << random.below(4);
    auto to = FragmentLayout::create(from.registerBases(), from.laneBases(),
                                     warps, from.coreExtents(), {});
    if (to)
      ++seen[check(from, *to).kind];
  }
  EXPECT_GT(seen[ConversionKind::Shuffle], 10);
  EXPECT_GT(seen[ConversionKind::SharedMemory], 10);
}

TEST(Conversion, SeesGroupsOfWarps) {
  RandomLayouts random(73);
  std::map<ConversionKind, int> seen;
  const Spread spreads[] = {{0, 3}, {1, 3}, {-1, 3}};
  for (int trial = 0; trial < 300; ++trial) {
    // The same tile of 12 x 12, whose odd factors are repeats elsewhere.
    auto draw = [&](Spread spread) {
      std::vector<Repeat> repeats;
      for (int dim : {0, 1})
        if (dim != spread.dim)
          repeats.push_back({dim, 3});
      return random.fragment({4, 4}, repeats, random.below(3), trial % 2,
                             trial % 3 == 0, spread);
    };
    Spread spread = spreads[random.below(3)];
    FragmentLayout from = draw(spread);
    FragmentLayout to = draw(trial % 4 ? spread : spreads[random.below(3)]);
    ++seen[check(from, to).kind];
    std::vector<Coords> registers = from.registerBases();
    std::shuffle(registers.begin(), registers.end(), random.engine);
    ++seen[check(from, from.withRegisterBases(registers)).kind];
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Conversion, EnumeratesWhereCoresDiffer) {
  // Both are 2 x 3 in one thread; dim0 is a repeat outside of dim1 in one, and
  // folded into the core in the other.
  std::vector<Coords> lanes(5, Coords{0, 0});
  FragmentLayout rows = *FragmentLayout::create({}, lanes, {}, {1, 1},
                                                {Repeat{0, 2}, Repeat{1, 3}});
  FragmentLayout columns = *FragmentLayout::create(
      {}, lanes, {}, {1, 1}, {Repeat{1, 3}, Repeat{0, 2}});
  EXPECT_NE(rows.coreExtents(), columns.coreExtents());
  ConversionPlan plan = check(rows, columns);
  EXPECT_EQ(plan.kind, ConversionKind::RegisterPermutation);
  EXPECT_EQ(plan.registerOf, std::vector<int>({0, 3, 1, 4, 2, 5}));

  lanes[0] = {1, 0};
  FragmentLayout split =
      *FragmentLayout::create({}, lanes, {}, {2, 1}, {Repeat{1, 3}});
  EXPECT_EQ(check(rows, split).kind, ConversionKind::Shuffle);
  EXPECT_EQ(check(split, rows).kind, ConversionKind::Shuffle);
}

TEST(Conversion, AccumulatorBecomesOperandWithoutMoving) {
  // The accumulator of S = Q K^T is, register by register, the A operand of
  // P V: two column tiles of 8 are one K step of 16.
  for (int n : {64, 48}) {
    MmaTiling scores, output;
    scores.m = output.m = 64;
    scores.warpsM = output.warpsM = 4;
    scores.n = n;
    output.n = 32;
    ConversionPlan plan = check(scores.accumulator(), output.operandA(n));
    EXPECT_EQ(plan.kind, ConversionKind::Identical);
  }
  // 8-bit operands want four neighbours: lanes exchange.
  MmaTiling scores, output;
  scores.n = 64;
  output.instruction = {16, 8, 32, 8};
  EXPECT_EQ(check(scores.accumulator(), output.operandA(64)).kind,
            ConversionKind::Shuffle);
  // Unless K of both operands is permuted to suit the accumulator: bits of k
  // are then half, q, q, and the register tiles.
  output.kOrder = {0, 3, 1, 2, 4};
  EXPECT_EQ(check(scores.accumulator(), output.operandA(64)).kind,
            ConversionKind::RegisterPermutation);
}

TEST(Conversion, DropsReplicatedRegisters) {
  FragmentLayout everywhere = FragmentLayout::replicated({64}, 1);
  std::vector<Coords> lanes = {{1}, {2}, {4}, {8}, {16}};
  FragmentLayout spread = *FragmentLayout::create({{32}}, lanes, {}, {64}, {});
  // Each thread has all it needs, but in registers that depend on the lane.
  EXPECT_EQ(check(everywhere, spread).kind, ConversionKind::Shuffle);
  EXPECT_EQ(check(spread, everywhere).kind, ConversionKind::Shuffle);

  std::vector<Coords> noLanes(5, Coords{0});
  FragmentLayout twice =
      *FragmentLayout::create({{0}, {1}}, noLanes, {}, {2}, {});
  FragmentLayout once = *FragmentLayout::create({{1}}, noLanes, {}, {2}, {});
  EXPECT_EQ(check(twice, once).kind, ConversionKind::RegisterPermutation);
  EXPECT_EQ(check(once, twice).kind, ConversionKind::RegisterPermutation);
}

TEST(Conversion, OtherWarpsNeedSharedMemory) {
  BlockedOptions options;
  options.threads = 128;
  MmaTiling tiling;
  tiling.m = 64;
  tiling.n = 64;
  tiling.warpsM = tiling.warpsN = 2;
  EXPECT_EQ(check(tiling.accumulator(), blocked({64, 64}, options)).kind,
            ConversionKind::SharedMemory);
  options.threads = 256;
  EXPECT_EQ(check(tiling.accumulator(), blocked({64, 64}, options)).kind,
            ConversionKind::SharedMemory);
}
