//===- VectorAccessTest.cpp - Tests of wide accesses ----------------------===//
//
// Every planned vector has to be contiguous and aligned for every thread, and
// no plan may be narrower than what enumeration finds.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/VectorAccess.h"
#include "LayoutTestUtils.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/MmaLayout.h"
#include "gtest/gtest.h"

using namespace layout;

/// Position of an element in memory, in elements.
static int64_t positionOf(const SharedLayout &shared, const Coords &coords) {
  return int64_t(shared.byteOffset(coords)) / shared.unitBytes() *
             shared.elementsPerByte() +
         shared.nibble(coords);
}

static bool areContiguous(const FragmentLayout &fragment,
                          const SharedLayout &shared,
                          llvm::ArrayRef<int> registers, int elements) {
  for (int warp = 0; warp < fragment.numWarps(); ++warp) {
    for (int lane = 0; lane < lanesPerWarp; ++lane) {
      for (auto [i, reg] : llvm::enumerate(registers)) {
        int64_t first = positionOf(
            shared,
            fragment.coordsOf(registers[i / elements * elements], lane, warp));
        int64_t here = positionOf(shared, fragment.coordsOf(reg, lane, warp));
        if (first % elements != 0 || here != first + int(i) % elements)
          return false;
      }
    }
  }
  return true;
}

static void checkPlan(const FragmentLayout &fragment,
                      const SharedLayout &shared, const VectorPlan &plan) {
  ASSERT_EQ(int(plan.registers.size()), fragment.elementsPerThread());
  EXPECT_EQ(std::set<int>(plan.registers.begin(), plan.registers.end()).size(),
            plan.registers.size());
  EXPECT_TRUE(areContiguous(fragment, shared, plan.registers, plan.elements))
      << fragment.str() << " in " << shared.str();
}

/// The widest natural run by trying.
static int findNaturalBits(const FragmentLayout &fragment,
                           const SharedLayout &shared) {
  std::vector<int> natural;
  for (int reg = 0; reg < fragment.elementsPerThread(); ++reg)
    natural.push_back(reg);
  int elements = 1;
  while (shared.elementBits() * elements * 2 <= 128 &&
         fragment.elementsPerThread() % (elements * 2) == 0 &&
         areContiguous(fragment, shared, natural, elements * 2))
    elements *= 2;
  return shared.elementBits() * elements;
}

TEST(VectorAccess, PlansHoldForRandomLayouts) {
  RandomLayouts random(41);
  int wide = 0;
  for (int trial = 0; trial < 300; ++trial) {
    FragmentLayout fragment = random.anyFragment(trial);
    int bits = 4 << random.below(4);
    int pack = random.below(fragment.rank() + 1) - 1;
    std::optional<SharedLayout> shared =
        SharedLayout::create(fragment.shape(), bits, pack,
                             random.below(2) ? Swizzle{2, 3, 2} : Swizzle{});
    if (!shared)
      continue;
    VectorPlan plan = planVector(fragment, *shared);
    checkPlan(fragment, *shared, plan);
    wide += plan.elements > 1;
    int natural = contiguousBits(fragment, *shared);
    int found = findNaturalBits(fragment, *shared);
    EXPECT_LE(natural, found);
    // With one coordinate bit per index bit the search is exact, but for runs
    // that only repeats make (which are powers of two only by accident).
    if (trial % 2 == 0 && fragment.repeats().empty()) {
      EXPECT_EQ(natural, found) << fragment.str() << " in " << shared->str();
    }
  }
  EXPECT_GT(wide, 20);
}

TEST(VectorAccess, BlockedLayoutsUseWholeVectors) {
  for (int bits : {4, 8, 16, 32, 64}) {
    BlockedOptions options;
    options.elementBits = bits;
    FragmentLayout fragment = blocked({64, 256}, options);
    SharedLayout shared = *SharedLayout::create({64, 256}, bits, -1, {3, 4, 3});
    VectorPlan plan = planVector(fragment, shared);
    EXPECT_EQ(plan.bytes(), 16);
    EXPECT_TRUE(plan.isNatural());
    EXPECT_FALSE(plan.splitsByte());
    EXPECT_EQ(contiguousBits(fragment, shared), 128);
    checkPlan(fragment, shared, plan);
    EXPECT_EQ(planVector(fragment, shared, 8).bytes(), 8);
  }
}

TEST(VectorAccess, RowPitchLimitsTheWidth) {
  BlockedOptions options;
  options.elementBits = 16;
  options.order = {1, 0};
  FragmentLayout fragment = blocked({16, 24}, options);
  // 48 bytes per row keep 16-byte vectors, 8 more bytes only 8-byte ones.
  EXPECT_EQ(planVector(fragment, *SharedLayout::create({16, 24}, 16)).bytes(),
            16);
  EXPECT_EQ(planVector(fragment, *SharedLayout::create({16, 24}, 16, -1, {}, 8))
                .bytes(),
            8);
  // A base of 3 breaks them up.
  EXPECT_EQ(
      planVector(fragment, *SharedLayout::create({16, 24}, 16, -1, {1, 3, 2}))
          .bytes(),
      8);
}

TEST(VectorAccess, ReordersRegistersOfMatrixOperands) {
  // int4 [K/2][N] bytes: a thread's 4 columns x 2 depths are one 32-bit word,
  // and 8 columns two of them.
  MmaTiling tiling;
  tiling.n = 64;
  tiling.warpsN = 2;
  tiling.nOrder = {2, 3, 4, 0, 1};
  FragmentLayout b = tiling.operandB(64);
  SharedLayout shared = *SharedLayout::create({64, 64}, 4, 0);
  VectorPlan plan = planVector(b, shared);
  EXPECT_EQ(plan.bytes(), 4);
  EXPECT_FALSE(plan.isNatural());
  EXPECT_EQ(contiguousBits(b, shared), 8);
  checkPlan(b, shared, plan);

  tiling.warpsN = 1;
  tiling.nOrder = {3, 4, 5, 0, 1, 2};
  b = tiling.operandB(64);
  plan = planVector(b, shared);
  EXPECT_EQ(plan.bytes(), 8);
  checkPlan(b, shared, plan);

  // [N, K] packed along K with a permuted K: one word is 8 elements of k.
  tiling.nOrder.clear();
  tiling.kOrder = {2, 3, 4, 0, 1};
  FragmentLayout stored = tiling.operandB(64).permuteDims({1, 0});
  shared = *SharedLayout::create({64, 64}, 4);
  plan = planVector(stored, shared);
  EXPECT_EQ(plan.bytes(), 4);
  checkPlan(stored, shared, plan);
}

TEST(VectorAccess, SaysWhenAByteIsSplit) {
  // int4 packed along N, but a thread's B fragment is one column per tile.
  MmaTiling tiling;
  FragmentLayout b = tiling.operandB(16);
  SharedLayout shared = *SharedLayout::create({16, 8}, 4);
  VectorPlan plan = planVector(b, shared);
  EXPECT_TRUE(plan.splitsByte());
  EXPECT_EQ(plan.bytes(), 1);
  checkPlan(b, shared, plan);
}

TEST(VectorAccess, GlobalVectorsIgnoreThePitch) {
  BlockedOptions options;
  options.elementBits = 16;
  FragmentLayout fragment = blocked({64, 40}, options);
  EXPECT_EQ(planGlobalVector(fragment, 16).bytes(), 16);
  EXPECT_EQ(planGlobalVector(fragment, 16, -1, 4).bytes(), 4);
  // The accumulator of m16n8: pairs of columns.
  MmaTiling tiling;
  tiling.m = 64;
  tiling.n = 48;
  VectorPlan plan = planGlobalVector(tiling.accumulator(), 32);
  EXPECT_EQ(plan.bytes(), 8);
  for (int access = 0; access < plan.accesses(); ++access)
    EXPECT_EQ(plan.registers[2 * access + 1], plan.registers[2 * access] + 1);
  // int4 packed along dimension 0 pairs up rows.
  MmaTiling packed;
  EXPECT_EQ(planGlobalVector(packed.operandB(16), 4, 0).elements, 2);
}
