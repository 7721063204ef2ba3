//===- BankConflictsTest.cpp - Tests of bank conflict counts --------------===//
//
// Counts against a naive model over all accesses, and the swizzles chosen for
// the tiles that matter.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BankConflicts.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/MmaLayout.h"
#include "gtest/gtest.h"

using namespace layout;

/// Wavefronts beyond one of one phase: addresses of `bytes` each.
static int countNaively(const std::vector<int> &addresses, int bytes) {
  std::vector<std::set<int>> words(32);
  for (int address : addresses)
    for (int byte = 0; byte < bytes; ++byte)
      words[(address + byte) / 4 % 32].insert((address + byte) / 4);
  size_t wavefronts = 1;
  for (const std::set<int> &bank : words)
    wavefronts = std::max(wavefronts, bank.size());
  return int(wavefronts) - 1;
}

/// All accesses of a vector plan, phase by phase.
static int64_t countNaively(const FragmentLayout &fragment,
                            const SharedLayout &shared,
                            const VectorPlan &plan) {
  int lanes = plan.bytes() == 16 ? 8 : plan.bytes() == 8 ? 16 : 32;
  int64_t conflicts = 0;
  for (int access = 0; access < plan.accesses(); ++access)
    for (int warp = 0; warp < fragment.numWarps(); ++warp)
      for (int first = 0; first < 32; first += lanes) {
        std::vector<int> addresses;
        for (int lane = first; lane < first + lanes; ++lane)
          addresses.push_back(shared.byteOffset(fragment.coordsOf(
              plan.registers[access * plan.elements], lane, warp)));
        conflicts += countNaively(addresses, plan.bytes());
      }
  return conflicts;
}

static int64_t countNaively(const SharedLayout &shared,
                            const LdmatrixPlan &plan) {
  int64_t conflicts = 0;
  for (const LdmatrixInstruction &instruction : plan.instructions)
    for (int warp = 0; warp < 1 << plan.warpBases.size(); ++warp)
      for (int matrix = 0; matrix < plan.matrices; ++matrix) {
        std::vector<int> addresses;
        for (int row = 0; row < 8; ++row)
          addresses.push_back(shared.byteOffset(
              plan.rowCoords(instruction, 8 * matrix + row, warp)));
        conflicts += countNaively(addresses, 16);
      }
  return conflicts;
}

TEST(BankConflicts, AgreeWithTheNaiveCount) {
  RandomLayouts random(61);
  int conflicting = 0;
  for (int trial = 0; trial < 300; ++trial) {
    FragmentLayout fragment = random.anyFragment(trial);
    int bits = 4 << random.below(5);
    Swizzle swizzle = random.below(2) ? Swizzle{2, 3, 3} : Swizzle{};
    int pad = random.below(2) * (swizzle.isIdentity() ? 8 : 32);
    std::optional<SharedLayout> shared =
        SharedLayout::create(fragment.shape(), bits, -1, swizzle, pad);
    if (!shared)
      continue;
    for (int vectorBytes : {1, 4, 8, 16}) {
      VectorPlan plan = planVector(fragment, *shared, vectorBytes);
      int64_t expected = countNaively(fragment, *shared, plan);
      EXPECT_EQ(countBankConflicts(fragment, *shared, vectorBytes), expected)
          << fragment.str() << " in " << shared->str();
      conflicting += expected > 0;
    }
  }
  EXPECT_GT(conflicting, 50);
}

TEST(BankConflicts, CountsAllWarpsOfGroups) {
  // 192 rows of 64 bf16 in the swizzle of TMA, stored as three warpgroups hold
  // an accumulator: every 8x8 of a warp is free of conflicts.
  MmaTiling tiling{{16, 8, 16, 16}, 192, 64, 12, 1, {}, {}, {}};
  FragmentLayout sums = tiling.accumulator();
  SharedLayout shared =
      *SharedLayout::create({192, 64}, 16, -1, Swizzle{3, 4, 3});
  VectorPlan plan = planVector(sums, shared, 16);
  EXPECT_EQ(plan.bytes(), 4);
  int64_t requests = 0;
  for (const WarpRequest &request : describeAccess(sums, shared, plan).requests)
    requests += request.count;
  EXPECT_EQ(requests, 12 * plan.accesses());
  EXPECT_EQ(countBankConflicts(sums, shared), 0);
  // The left operand by ldmatrix, the same rows.
  FragmentLayout left = tiling.operandA(64);
  std::optional<LdmatrixPlan> loads = planLdmatrix(left, shared);
  ASSERT_TRUE(loads);
  EXPECT_EQ(loads->warps, 12);
  EXPECT_EQ(countConflicts(describeAccess(shared, *loads), shared.swizzle()),
            0);
}

TEST(BankConflicts, KnownCases) {
  // 32 rows of 128 bytes, one row per lane: all in one bank.
  std::vector<Coords> lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}};
  FragmentLayout column = *FragmentLayout::create(
      {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}, lanes, {}, {32, 32}, {});
  EXPECT_EQ(countBankConflicts(column, *SharedLayout::create({32, 32}, 32), 4),
            32 * 31);
  // One word of padding cures it.
  EXPECT_EQ(countBankConflicts(
                column, *SharedLayout::create({32, 32}, 32, -1, {}, 4), 4),
            0);
  // Broadcast: all lanes read one word.
  FragmentLayout everywhere = FragmentLayout::replicated({32, 32}, 1);
  EXPECT_EQ(
      countBankConflicts(everywhere, *SharedLayout::create({32, 32}, 32), 4),
      0);
}

TEST(BankConflicts, CopiesCountAllChunks) {
  for (auto [shape, pad] :
       std::vector<std::pair<std::vector<int32_t>, int>>{{{128, 64}, 0},
                                                         {{4, 8}, 0},
                                                         {{8, 24}, 0},
                                                         {{20, 40}, 16},
                                                         {{4, 8}, 16}}) {
    SharedLayout shared = *SharedLayout::create(shape, 16, -1, {}, pad);
    int chunksPerRow = shape[1] / 8;
    int64_t expected = 0;
    for (int first = 0; first < shape[0] * chunksPerRow; first += 8) {
      std::vector<int> addresses;
      for (int chunk = first;
           chunk < std::min(first + 8, shape[0] * chunksPerRow); ++chunk)
        addresses.push_back(chunk / chunksPerRow * shared.rowPitch() +
                            chunk % chunksPerRow * 16);
      expected += countNaively(addresses, 16);
    }
    AccessPattern pattern = describeCopy(shared);
    EXPECT_EQ(countConflicts(pattern, {}), expected);
    int64_t chunks = 0;
    for (const WarpRequest &request : pattern.requests)
      for (int32_t offset : request.offsets)
        chunks += (offset >= 0) * request.count;
    EXPECT_EQ(chunks, shape[0] * chunksPerRow);
  }
}

//===----------------------------------------------------------------------===//
// Choice of the swizzle
//===----------------------------------------------------------------------===//

static MmaTiling makeTiling(int m, int n, int warpsM, int warpsN) {
  MmaTiling tiling;
  tiling.m = m;
  tiling.n = n;
  tiling.warpsM = warpsM;
  tiling.warpsN = warpsN;
  return tiling;
}

/// Chooses for an operand loaded by ldmatrix and a tile copied in, and counts
/// what remains naively.
static SwizzleChoice chooseForLdmatrix(const FragmentLayout &operand,
                                       const SharedLayout &plain) {
  LdmatrixPlan plan = *planLdmatrix(operand, plain);
  SwizzleChoice choice =
      chooseSwizzle({describeAccess(plain, plan), describeCopy(plain)}, plain);
  SharedLayout swizzled = *plain.withSwizzle(choice.swizzle);
  EXPECT_EQ(countNaively(swizzled, plan) +
                countConflicts(describeCopy(swizzled), choice.swizzle),
            choice.conflicts);
  EXPECT_TRUE(swizzled.preservesVectors(16));
  return choice;
}

TEST(BankConflicts, ChoosesSwizzleForRowMajorA) {
  SharedLayout plain = *SharedLayout::create({128, 64}, 16);
  FragmentLayout a = makeTiling(128, 128, 2, 4).operandA(64);
  EXPECT_EQ(countNaively(plain, *planLdmatrix(a, plain)),
            7 * 4 * 8 * int64_t(planLdmatrix(a, plain)->instructions.size()));
  SwizzleChoice choice = chooseForLdmatrix(a, plain);
  EXPECT_EQ(choice.conflicts, 0);
  EXPECT_EQ(choice.swizzle, (Swizzle{3, 4, 3}));
}

TEST(BankConflicts, ChoosesSwizzleForTransposedB) {
  SharedLayout plain = *SharedLayout::create({64, 128}, 16);
  FragmentLayout b = makeTiling(128, 128, 2, 4).operandB(64);
  EXPECT_TRUE(planLdmatrix(b, plain)->transposed);
  SwizzleChoice choice = chooseForLdmatrix(b, plain);
  EXPECT_EQ(choice.conflicts, 0);
  // Rows are 256 bytes: the row number starts at address bit 8.
  EXPECT_EQ(choice.swizzle, (Swizzle{3, 4, 4}));
}

TEST(BankConflicts, ChoosesSwizzleForNarrowRowsAndOddPitches) {
  for (int columns : {16, 32, 64, 96, 128, 192, 256}) {
    SharedLayout plain = *SharedLayout::create({64, columns}, 16);
    SwizzleChoice a =
        chooseForLdmatrix(makeTiling(64, 8, 1, 1).operandA(columns), plain);
    EXPECT_EQ(a.conflicts, 0) << "A, row of " << columns;
    SwizzleChoice b =
        chooseForLdmatrix(makeTiling(16, columns, 1, 1).operandB(64), plain);
    EXPECT_EQ(b.conflicts, 0) << "B, row of " << columns;
  }
}

TEST(BankConflicts, ChoosesSwizzleForInt4PackedAlongK) {
  SharedLayout plain = *SharedLayout::create({64, 128}, 4, 0);
  struct Case {
    int warpsN;
    llvm::SmallVector<int, 8> nOrder;
    int bytes;
  };
  for (const Case &test :
       {Case{4, {2, 3, 4, 0, 1}, 4}, Case{2, {3, 4, 5, 0, 1, 2}, 8}}) {
    MmaTiling tiling = makeTiling(128, 128, 8 / test.warpsN, test.warpsN);
    tiling.nOrder = test.nOrder;
    FragmentLayout b = tiling.operandB(64);
    VectorPlan plan = planVector(b, plain);
    EXPECT_EQ(plan.bytes(), test.bytes);
    EXPECT_GT(countNaively(b, plain, plan), 0);
    SwizzleChoice choice = chooseSwizzle(
        {describeAccess(b, plain, plan), describeCopy(plain)}, plain);
    EXPECT_EQ(choice.conflicts, 0);
    SharedLayout swizzled = *plain.withSwizzle(choice.swizzle);
    EXPECT_EQ(countNaively(b, swizzled, planVector(b, swizzled)), 0);
    EXPECT_EQ(planVector(b, swizzled).bytes(), test.bytes);
  }
}

TEST(BankConflicts, PrefersNoSwizzleWhereNoneIsNeeded) {
  SharedLayout plain = *SharedLayout::create({64, 64}, 16);
  SwizzleChoice choice = chooseSwizzle({describeCopy(plain)}, plain);
  EXPECT_TRUE(choice.swizzle.isIdentity());
  EXPECT_EQ(choice.conflicts, 0);
  EXPECT_TRUE(chooseSwizzle({}, plain).swizzle.isIdentity());
}

TEST(BankConflicts, WeightsDecideBetweenAccesses) {
  // Reads along rows and along columns of f32: no swizzle of 16-byte units
  // serves both without conflicts, so the heavier one wins.
  SharedLayout plain = *SharedLayout::create({32, 32}, 32);
  std::vector<Coords> unit = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}};
  std::vector<Coords> along = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}};
  FragmentLayout columns =
      *FragmentLayout::create(along, unit, {}, {32, 32}, {});
  AccessPattern read =
      describeAccess(columns, plain, planVector(columns, plain, 4));
  SwizzleChoice light = chooseSwizzle({read}, plain);
  EXPECT_LT(light.conflicts, 32 * 31);
  read.weight = 10;
  SwizzleChoice heavy = chooseSwizzle({read}, plain);
  EXPECT_EQ(heavy.conflicts, 10 * light.conflicts);
  EXPECT_EQ(heavy.swizzle, light.swizzle);
}
