//===- LdmatrixTest.cpp - Tests of ldmatrix plans -------------------------===//
//
// Plans are executed by a simulated ldmatrix over memory that knows which part
// of which element each of its 4-bit cells holds.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/Ldmatrix.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/MmaLayout.h"
#include "gtest/gtest.h"

using namespace layout;

namespace {

/// Four bits of one element.
struct Cell {
  std::vector<int> coords;
  int part = -1;
  bool operator==(const Cell &) const = default;
};

/// Shared memory, two cells per byte.
std::vector<Cell> fillMemory(const SharedLayout &shared) {
  std::vector<Cell> memory(2 * shared.bytes());
  int cells = shared.elementBits() / 4;
  forEachElement(shared.shape(), [&](const Coords &coords) {
    int first = 2 * shared.byteOffset(coords) + shared.nibble(coords);
    for (int part = 0; part < cells; ++part)
      memory[first + part] = {asVector(coords), part};
  });
  return memory;
}

/// The 8 cells of a 32-bit result of one lane.  PTX: without .trans lane L
/// receives 16-bit units 2 * (L % 4) and the next one of row L / 4; with .trans
/// unit L / 4 of rows 2 * (L % 4) and the next one.
std::vector<Cell> loadResult(const std::vector<Cell> &memory,
                             const std::vector<int> &rowAddresses, int matrix,
                             int lane, bool transposed) {
  std::vector<Cell> result;
  for (int half = 0; half < 2; ++half) {
    int row = transposed ? 2 * (lane % 4) + half : lane / 4;
    int unit = transposed ? lane / 4 : 2 * (lane % 4) + half;
    int first = 2 * rowAddresses[8 * matrix + row] + 4 * unit;
    result.insert(result.end(), memory.begin() + first,
                  memory.begin() + first + 4);
  }
  return result;
}

} // namespace

/// Executes a plan and compares each register with the fragment.
static void checkPlan(const FragmentLayout &fragment,
                      const SharedLayout &shared, const LdmatrixPlan &plan) {
  std::vector<Cell> memory = fillMemory(shared);
  int cells = shared.elementBits() / 4;
  std::set<int> loaded;
  for (const LdmatrixInstruction &instruction : plan.instructions) {
    ASSERT_EQ(int(instruction.results.size()), plan.matrices);
    for (int warp = 0; warp < fragment.numWarps(); ++warp) {
      std::vector<int> rowAddresses;
      for (int lane = 0; lane < 8 * plan.matrices; ++lane) {
        rowAddresses.push_back(
            shared.byteOffset(plan.rowCoords(instruction, lane, warp)));
        ASSERT_EQ(rowAddresses.back() % 16, 0);
      }
      for (auto [matrix, registers] : llvm::enumerate(instruction.results)) {
        ASSERT_EQ(int(registers.size()) * cells, 8);
        for (int lane = 0; lane < lanesPerWarp; ++lane) {
          std::vector<Cell> expected;
          for (int reg : registers)
            for (int part = 0; part < cells; ++part)
              expected.push_back(
                  {asVector(fragment.coordsOf(reg, lane, warp)), part});
          ASSERT_EQ(loadResult(memory, rowAddresses, int(matrix), lane,
                               plan.transposed),
                    expected);
        }
      }
    }
    for (const auto &registers : instruction.results)
      for (int reg : registers)
        EXPECT_TRUE(loaded.insert(reg).second);
  }
  EXPECT_EQ(int(loaded.size()), fragment.elementsPerThread());
}

static MmaTiling makeTiling(MmaInstruction instruction, int m, int n,
                            int warpsM, int warpsN) {
  MmaTiling tiling;
  tiling.instruction = instruction;
  tiling.m = m;
  tiling.n = n;
  tiling.warpsM = warpsM;
  tiling.warpsN = warpsN;
  return tiling;
}

TEST(Ldmatrix, LoadsOperandsThatAreContiguousAlongK) {
  for (MmaInstruction instruction :
       {MmaInstruction{16, 8, 16, 16}, MmaInstruction{16, 8, 32, 8},
        MmaInstruction{16, 8, 64, 4}, MmaInstruction{16, 8, 8, 32}}) {
    for (Swizzle swizzle : {Swizzle{}, Swizzle{3, 4, 3}}) {
      // 128 bytes of K.
      int k = 1024 / instruction.elementBits;
      MmaTiling tiling = makeTiling(instruction, 64, 64, 2, 2);
      FragmentLayout a = tiling.operandA(k);
      SharedLayout sharedA =
          *SharedLayout::create({64, k}, instruction.elementBits, -1, swizzle);
      std::optional<LdmatrixPlan> plan = planLdmatrix(a, sharedA);
      ASSERT_TRUE(plan);
      EXPECT_FALSE(plan->transposed);
      EXPECT_EQ(plan->matrices, 4);
      EXPECT_TRUE(plan->isNatural());
      checkPlan(a, sharedA, *plan);

      // B stored as [N, K].
      FragmentLayout b = tiling.operandB(k).permuteDims({1, 0});
      plan = planLdmatrix(b, sharedA);
      ASSERT_TRUE(plan);
      EXPECT_EQ(plan->matrices, 4);
      EXPECT_TRUE(plan->isNatural());
      checkPlan(b, sharedA, *plan);
    }
  }
}

TEST(Ldmatrix, LaneAddressesOfAreThoseOfTheBooks) {
  // A: row = lane % 16, byte = 16 * (lane / 16).
  MmaTiling tiling;
  LdmatrixPlan a =
      *planLdmatrix(tiling.operandA(16), *SharedLayout::create({16, 16}, 16));
  ASSERT_EQ(a.instructions.size(), 1u);
  for (int lane = 0; lane < lanesPerWarp; ++lane)
    EXPECT_EQ(a.rowCoords(a.instructions[0], lane, 0),
              Coords({lane % 16, 8 * (lane / 16)}));
  // B stored [N][K], two tiles: n = lane % 8 + 8 * (lane / 16), k = 8 *
  // ((lane / 8) % 2).
  tiling.n = 16;
  LdmatrixPlan b = *planLdmatrix(tiling.operandB(16).permuteDims({1, 0}),
                                 *SharedLayout::create({16, 16}, 16));
  for (int lane = 0; lane < lanesPerWarp; ++lane)
    EXPECT_EQ(b.rowCoords(b.instructions[0], lane, 0),
              Coords({lane % 8 + 8 * (lane / 16), 8 * ((lane / 8) % 2)}));
  // B stored [K][N]: k = lane % 8 + 8 * ((lane / 8) % 2), n = 8 * (lane / 16).
  LdmatrixPlan t =
      *planLdmatrix(tiling.operandB(16), *SharedLayout::create({16, 16}, 16));
  EXPECT_TRUE(t.transposed);
  for (int lane = 0; lane < lanesPerWarp; ++lane)
    EXPECT_EQ(t.rowCoords(t.instructions[0], lane, 0),
              Coords({lane % 16, 8 * (lane / 16)}));
}

TEST(Ldmatrix, TransposesSixteenBitOperands) {
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 64, 128, 2, 2);
  for (Swizzle swizzle : {Swizzle{}, Swizzle{3, 4, 4}}) {
    FragmentLayout b = tiling.operandB(64);
    SharedLayout shared = *SharedLayout::create({64, 128}, 16, -1, swizzle);
    std::optional<LdmatrixPlan> plan = planLdmatrix(b, shared);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->transposed);
    EXPECT_EQ(plan->matrices, 4);
    EXPECT_TRUE(plan->isNatural());
    checkPlan(b, shared, *plan);
  }
  // A stored as [K, M].
  FragmentLayout a = tiling.operandA(32).permuteDims({1, 0});
  SharedLayout shared = *SharedLayout::create({32, 64}, 16);
  std::optional<LdmatrixPlan> plan = planLdmatrix(a, shared);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->transposed);
  EXPECT_TRUE(plan->isNatural());
  checkPlan(a, shared, *plan);
}

TEST(Ldmatrix, HandlesOddRepeatsAndPadding) {
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 96, 96, 2, 2);
  SharedLayout sharedA = *SharedLayout::create({96, 48}, 16, -1, {}, 16);
  std::optional<LdmatrixPlan> a = planLdmatrix(tiling.operandA(48), sharedA);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->matrices, 4);
  checkPlan(tiling.operandA(48), sharedA, *a);
  SharedLayout sharedB = *SharedLayout::create({48, 96}, 16, -1, {}, 16);
  std::optional<LdmatrixPlan> b = planLdmatrix(tiling.operandB(48), sharedB);
  ASSERT_TRUE(b);
  checkPlan(tiling.operandB(48), sharedB, *b);
}

TEST(Ldmatrix, UsesFewerMatricesWhereThereAreNoMore) {
  MmaTiling tiling;
  FragmentLayout b = tiling.operandB(16);
  SharedLayout shared = *SharedLayout::create({16, 8}, 16);
  std::optional<LdmatrixPlan> plan = planLdmatrix(b, shared);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->matrices, 2);
  checkPlan(b, shared, *plan);
  plan = planLdmatrix(b, shared, 1);
  EXPECT_EQ(plan->matrices, 1);
  EXPECT_EQ(plan->instructions.size(), 2u);
  checkPlan(b, shared, *plan);
}

TEST(Ldmatrix, LoadsNarrowElementsInSixteenBitUnits) {
  // int4 packed along K, bytes [K/2][N], columns permuted so that a lane has
  // four neighbours: .trans gives it 2 columns of 2 rows (4 depths) per result.
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 16, 32, 1, 1);
  tiling.nOrder = {1, 2, 3, 0, 4};
  tiling.kOrder = {0, 2, 3, 1};
  FragmentLayout b = tiling.operandB(16);
  SharedLayout shared = *SharedLayout::create({16, 32}, 4, 0);
  std::optional<LdmatrixPlan> plan = planLdmatrix(b, shared);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->transposed);
  EXPECT_FALSE(plan->isNatural());
  checkPlan(b, shared, *plan);
}

TEST(Ldmatrix, LoadsPermutedDepths) {
  // bf16 A beside an int4 B whose K is permuted: 8 consecutive elements of K
  // belong to one lane, so the row of a matrix belongs to one lane too.
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 32, 8, 1, 1);
  tiling.kOrder = {0, 3, 4, 1, 2};
  EXPECT_FALSE(
      planLdmatrix(tiling.operandA(64), *SharedLayout::create({32, 64}, 16)));
  // A permutation of the steps and register halves alone is as good as none.
  tiling.kOrder = {0, 1, 2, 4, 3};
  SharedLayout shared = *SharedLayout::create({32, 64}, 16, -1, {3, 4, 3});
  std::optional<LdmatrixPlan> plan = planLdmatrix(tiling.operandA(64), shared);
  ASSERT_TRUE(plan);
  checkPlan(tiling.operandA(64), shared, *plan);
}

TEST(Ldmatrix, DeclinesWhatDoesNotFit) {
  MmaTiling tiling;
  tiling.n = 16;
  // Rows off 16-byte boundaries; 8 and 32 bits across rows; elementwise
  // fragments; a swizzle that breaks rows up.
  EXPECT_FALSE(planLdmatrix(tiling.operandA(16),
                            *SharedLayout::create({16, 16}, 16, -1, {}, 8)));
  EXPECT_FALSE(planLdmatrix(
      tiling.operandA(16), *SharedLayout::create({16, 16}, 16, -1, {1, 3, 2})));
  EXPECT_FALSE(
      planLdmatrix(makeTiling({16, 8, 32, 8}, 16, 16, 1, 1).operandB(32),
                   *SharedLayout::create({32, 16}, 8)));
  EXPECT_FALSE(
      planLdmatrix(makeTiling({16, 8, 8, 32}, 16, 16, 1, 1).operandB(8),
                   *SharedLayout::create({8, 16}, 32)));
  BlockedOptions options;
  options.elementBits = 16;
  EXPECT_FALSE(planLdmatrix(blocked({64, 64}, options),
                            *SharedLayout::create({64, 64}, 16)));
}

TEST(Ldmatrix, PlansOfRandomLayoutsHold) {
  // Few random layouts fit; those that do have to be right.
  RandomLayouts random(51);
  int planned = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    int bits = 4 << random.below(4);
    int row = 128 / bits;
    std::vector<Repeat> repeats;
    if (random.below(2))
      repeats.push_back({random.below(2), 3});
    FragmentLayout fragment =
        random.fragment({8, row}, repeats, 5 - random.below(2), 0, false);
    SharedLayout shared = *SharedLayout::create(fragment.shape(), bits);
    if (auto plan = planLdmatrix(fragment, shared)) {
      ++planned;
      checkPlan(fragment, shared, *plan);
    }
  }
  EXPECT_GT(planned, 5);
}

TEST(Ldmatrix, PlansOfAlteredOperandsHold) {
  // An operand that fits, with one bit of one basis changed.
  RandomLayouts random(52);
  int planned = 0, declined = 0;
  for (int trial = 0; trial < 400; ++trial) {
    MmaTiling tiling = makeTiling({16, 8, 16, 16}, 64, 64, 2, 2);
    FragmentLayout fragment =
        random.below(2) ? tiling.operandA(64) : tiling.operandB(64);
    if (random.below(2))
      fragment = fragment.permuteDims({1, 0});
    std::vector<Coords> bases[3] = {fragment.registerBases(),
                                    fragment.laneBases(), fragment.warpBases()};
    std::vector<Coords> &list = bases[random.below(3)];
    list[random.below(int(list.size()))][random.below(2)] ^= 1
                                                             << random.below(6);
    auto altered = FragmentLayout::create(bases[0], bases[1], bases[2],
                                          fragment.coreExtents(), {});
    if (!altered)
      continue;
    SharedLayout shared =
        *SharedLayout::create(altered->shape(), 16, -1, {3, 4, 3});
    if (auto plan = planLdmatrix(*altered, shared)) {
      ++planned;
      checkPlan(*altered, shared, *plan);
    } else {
      ++declined;
    }
  }
  EXPECT_GT(planned, 20);
  EXPECT_GT(declined, 20);
}
