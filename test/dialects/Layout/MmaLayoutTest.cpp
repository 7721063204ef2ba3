//===- MmaLayoutTest.cpp - Tests of matrix instruction fragments ----------===//
//
// Single fragments against the formulas of the PTX ISA, written out per type.
// Whole tiles by doing what the hardware does: each warp gathers its operands
// from registers, multiplies, and the accumulators are read back through their
// layout.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/MmaLayout.h"
#include "LayoutTestUtils.h"
#include "gtest/gtest.h"

using namespace layout;

/// One warp, one instruction.
static MmaTiling oneInstruction(int m, int k, int elementBits) {
  MmaTiling tiling;
  tiling.instruction = {m, 8, k, elementBits};
  tiling.m = m;
  tiling.n = 8;
  return tiling;
}

using Formula = std::function<Coords(int reg, int g, int q)>;

static void checkFragment(const FragmentLayout &layout, int elements,
                          const Formula &formula) {
  EXPECT_EQ(layout.elementsPerThread(), elements);
  forEachHolder(layout, [&](int reg, int lane, int warp) {
    EXPECT_EQ(layout.coordsOf(reg, lane, warp),
              formula(reg, lane / 4, lane % 4))
        << "register " << reg << ", lane " << lane;
  });
}

TEST(MmaLayout, Accumulator) {
  // PTX: row = g for c0, c1 and g + 8 for c2, c3; column = 2q + (i & 1).
  checkFragment(oneInstruction(16, 16, 16).accumulator(), 4,
                [](int i, int g, int q) {
                  return Coords{i < 2 ? g : g + 8, 2 * q + (i & 1)};
                });
}

TEST(MmaLayout, M16N8K16Of16Bits) {
  MmaTiling tiling = oneInstruction(16, 16, 16);
  // PTX: row = g for a0, a1, a4, a5, else g + 8; column = 2q + (i & 1), and 8
  // more from a4 on.
  checkFragment(tiling.operandA(16), 8, [](int i, int g, int q) {
    bool upper = i < 2 || (i >= 4 && i < 6);
    return Coords{upper ? g : g + 8, 2 * q + (i & 1) + (i >= 4 ? 8 : 0)};
  });
  // PTX: row = 2q + (i & 1), and 8 more from b2 on; column = g.
  checkFragment(tiling.operandB(16), 4, [](int i, int g, int q) {
    return Coords{2 * q + (i & 1) + (i >= 2 ? 8 : 0), g};
  });
}

TEST(MmaLayout, M16N8K8Of16Bits) {
  MmaTiling tiling = oneInstruction(16, 8, 16);
  checkFragment(tiling.operandA(8), 4, [](int i, int g, int q) {
    return Coords{i < 2 ? g : g + 8, 2 * q + (i & 1)};
  });
  checkFragment(tiling.operandB(8), 2,
                [](int i, int g, int q) { return Coords{2 * q + i, g}; });
}

TEST(MmaLayout, M16N8K8OfTf32) {
  MmaTiling tiling = oneInstruction(16, 8, 32);
  // PTX: row = g for a0, a2, else g + 8; column = q for a0, a1, else q + 4.
  checkFragment(tiling.operandA(8), 4, [](int i, int g, int q) {
    return Coords{i == 0 || i == 2 ? g : g + 8, i < 2 ? q : q + 4};
  });
  checkFragment(tiling.operandB(8), 2, [](int i, int g, int q) {
    return Coords{i == 0 ? q : q + 4, g};
  });
}

TEST(MmaLayout, M16N8K4OfTf32) {
  MmaTiling tiling = oneInstruction(16, 4, 32);
  checkFragment(tiling.operandA(4), 2, [](int i, int g, int q) {
    return Coords{i == 0 ? g : g + 8, q};
  });
  checkFragment(tiling.operandB(4), 1,
                [](int, int g, int q) { return Coords{q, g}; });
}

TEST(MmaLayout, M16N8K32Of8Bits) {
  MmaTiling tiling = oneInstruction(16, 32, 8);
  // PTX: row = g for 0 <= i < 4 and 8 <= i < 12, else g + 8; column = 4q +
  // (i & 3), and 16 more from a8 on.
  checkFragment(tiling.operandA(32), 16, [](int i, int g, int q) {
    bool upper = i < 4 || (i >= 8 && i < 12);
    return Coords{upper ? g : g + 8, 4 * q + (i & 3) + (i >= 8 ? 16 : 0)};
  });
  checkFragment(tiling.operandB(32), 8, [](int i, int g, int q) {
    return Coords{4 * q + (i & 3) + (i >= 4 ? 16 : 0), g};
  });
}

TEST(MmaLayout, M16N8K64Of4Bits) {
  MmaTiling tiling = oneInstruction(16, 64, 4);
  // PTX: row = g for 0 <= i < 8 and 16 <= i < 24, else g + 8; column = 8q +
  // (i & 7), and 32 more from a16 on.
  checkFragment(tiling.operandA(64), 32, [](int i, int g, int q) {
    bool upper = i < 8 || (i >= 16 && i < 24);
    return Coords{upper ? g : g + 8, 8 * q + (i & 7) + (i >= 16 ? 32 : 0)};
  });
  checkFragment(tiling.operandB(64), 16, [](int i, int g, int q) {
    return Coords{8 * q + (i & 7) + (i >= 8 ? 32 : 0), g};
  });
}

TEST(MmaLayout, M8N8K4OfF64) {
  MmaTiling tiling = oneInstruction(8, 4, 64);
  checkFragment(tiling.operandA(4), 1,
                [](int, int g, int q) { return Coords{g, q}; });
  checkFragment(tiling.operandB(4), 1,
                [](int, int g, int q) { return Coords{q, g}; });
  checkFragment(tiling.accumulator(), 2,
                [](int i, int g, int q) { return Coords{g, 2 * q + i}; });
}

TEST(MmaLayout, AccumulatorOfWgmma) {
  // m64nN: row = 16w + g + 8 * ((i >> 1) & 1), column = 8 * (i >> 2) + 2q +
  // (i & 1), for any multiple of 8.
  for (int n : {8, 24, 64, 96, 176, 192, 256}) {
    MmaTiling tiling;
    tiling.m = 64;
    tiling.n = n;
    tiling.warpsM = 4;
    FragmentLayout layout = tiling.accumulator();
    EXPECT_EQ(layout.elementsPerThread(), n / 2);
    forEachHolder(layout, [&](int i, int lane, int warp) {
      int g = lane / 4, q = lane % 4;
      EXPECT_EQ(layout.coordsOf(i, lane, warp),
                Coords({16 * warp + g + 8 * ((i >> 1) & 1),
                        8 * (i >> 2) + 2 * q + (i & 1)}));
    });
  }
}

TEST(MmaLayout, RegisterOperandOfWgmma) {
  // 16 bits: row = 16w + g + 8 * (r & 1), k = 2q + h + 8 * (r >> 1).
  MmaTiling tiling;
  tiling.m = 64;
  tiling.warpsM = 4;
  FragmentLayout layout = tiling.operandA(16);
  forEachHolder(layout, [&](int element, int lane, int warp) {
    int g = lane / 4, q = lane % 4, r = element / 2, h = element % 2;
    EXPECT_EQ(layout.coordsOf(element, lane, warp),
              Coords({16 * warp + g + 8 * (r & 1), 2 * q + h + 8 * (r >> 1)}));
  });
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

namespace {

/// The values that each thread of a block holds.
class Registers {
public:
  Registers(const FragmentLayout &layout,
            const std::function<int64_t(const Coords &)> &valueAt)
      : perThread(layout.elementsPerThread()) {
    for (int warp = 0; warp < layout.numWarps(); ++warp)
      for (int lane = 0; lane < lanesPerWarp; ++lane)
        for (int reg = 0; reg < perThread; ++reg)
          values.push_back(valueAt(layout.coordsOf(reg, lane, warp)));
  }
  int64_t &at(int reg, int lane, int warp) {
    return values[(warp * lanesPerWarp + lane) * perThread + reg];
  }

private:
  int perThread;
  std::vector<int64_t> values;
};

} // namespace

/// Tiles of one instruction along a dimension of the tile of a warp.
struct TileCount {
  int tiles;
  int core() const { return tiles & -tiles; } ///< the rest are repeats
  int repeats() const { return tiles / core(); }
};

/// The `count` registers of one instruction, in the order that MmaTiling
/// documents: `slow` and `fast` are the dimensions by the order of their tiles
/// among core registers; repeats of the outer one enclose those of the other.
static std::vector<int> listRegisters(TileCount slow, int slowTile,
                                      TileCount fast, int fastTile,
                                      bool slowIsOuter, int count) {
  int slowRepeat = slowTile / slow.core(), fastRepeat = fastTile / fast.core();
  int repeat = slowIsOuter ? slowRepeat * fast.repeats() + fastRepeat
                           : fastRepeat * slow.repeats() + slowRepeat;
  int tile = (repeat * slow.core() + slowTile % slow.core()) * fast.core() +
             fastTile % fast.core();
  std::vector<int> registers;
  for (int i = 0; i < count; ++i)
    registers.push_back(tile * count + i);
  return registers;
}

static std::vector<int> accumulatorRegisters(const MmaTiling &tiling, int mTile,
                                             int nTile) {
  return listRegisters({tiling.mTiles()}, mTile, {tiling.nTiles()}, nTile,
                       /*slowIsOuter=*/true, tiling.instruction.elementsC());
}

static std::vector<int> operandARegisters(const MmaTiling &tiling, int mTile,
                                          int kTile, int k) {
  return listRegisters({tiling.mTiles()}, mTile, {tiling.kTiles(k)}, kTile,
                       /*slowIsOuter=*/true, tiling.instruction.elementsA());
}

static std::vector<int> operandBRegisters(const MmaTiling &tiling, int kTile,
                                          int nTile, int k) {
  return listRegisters({tiling.nTiles()}, nTile, {tiling.kTiles(k)}, kTile,
                       /*slowIsOuter=*/false, tiling.instruction.elementsB());
}

/// Runs all instructions of a tiling on small random matrices.
static void checkTile(const MmaTiling &tiling, int k) {
  std::string error;
  ASSERT_TRUE(tiling.verify(k, &error)) << error;
  std::mt19937 engine(31);
  auto randomMatrix = [&](int rows, int columns) {
    std::vector<std::vector<int64_t>> matrix(rows,
                                             std::vector<int64_t>(columns));
    for (auto &row : matrix)
      for (int64_t &value : row)
        value = int64_t(engine() % 2001) - 1000;
    return matrix;
  };
  auto a = randomMatrix(tiling.m, k), b = randomMatrix(k, tiling.n);

  FragmentLayout layoutA = tiling.operandA(k), layoutB = tiling.operandB(k);
  FragmentLayout layoutC = tiling.accumulator();
  EXPECT_EQ(layoutA.numWarps(), tiling.numWarps());
  EXPECT_EQ(layoutB.numWarps(), tiling.numWarps());
  EXPECT_EQ(layoutC.numWarps(), tiling.numWarps());
  EXPECT_FALSE(layoutC.isReplicated());
  Registers valuesA(layoutA, [&](const Coords &c) { return a[c[0]][c[1]]; });
  Registers valuesB(layoutB, [&](const Coords &c) { return b[c[0]][c[1]]; });
  Registers valuesC(layoutC, [](const Coords &) { return 0; });

  // The fragments of the instruction, tested above.
  MmaTiling one = tiling;
  one.m = tiling.instruction.m;
  one.n = tiling.instruction.n;
  one.warpsM = one.warpsN = 1;
  one.mOrder.clear();
  one.nOrder.clear();
  one.kOrder.clear();
  int oneK = tiling.instruction.k;
  FragmentLayout oneA = one.operandA(oneK), oneB = one.operandB(oneK);
  FragmentLayout oneC = one.accumulator();

  std::set<int> seenC;
  for (int warp = 0; warp < tiling.numWarps(); ++warp) {
    for (int mTile = 0; mTile < tiling.mTiles(); ++mTile) {
      for (int nTile = 0; nTile < tiling.nTiles(); ++nTile) {
        auto registersC = accumulatorRegisters(tiling, mTile, nTile);
        seenC.insert(registersC.begin(), registersC.end());
        for (int kTile = 0; kTile < tiling.kTiles(k); ++kTile) {
          std::map<std::vector<int>, int64_t> smallA, smallB;
          auto registersA = operandARegisters(tiling, mTile, kTile, k);
          auto registersB = operandBRegisters(tiling, kTile, nTile, k);
          for (int lane = 0; lane < lanesPerWarp; ++lane) {
            for (auto [i, reg] : llvm::enumerate(registersA))
              smallA[asVector(oneA.coordsOf(i, lane, 0))] =
                  valuesA.at(reg, lane, warp);
            for (auto [i, reg] : llvm::enumerate(registersB))
              smallB[asVector(oneB.coordsOf(i, lane, 0))] =
                  valuesB.at(reg, lane, warp);
          }
          for (int lane = 0; lane < lanesPerWarp; ++lane)
            for (auto [i, reg] : llvm::enumerate(registersC)) {
              Coords place = oneC.coordsOf(i, lane, 0);
              for (int depth = 0; depth < oneK; ++depth)
                valuesC.at(reg, lane, warp) +=
                    smallA[{place[0], depth}] * smallB[{depth, place[1]}];
            }
        }
      }
    }
  }
  EXPECT_EQ(int(seenC.size()), layoutC.elementsPerThread());

  forEachHolder(layoutC, [&](int reg, int lane, int warp) {
    Coords place = layoutC.coordsOf(reg, lane, warp);
    int64_t expected = 0;
    for (int depth = 0; depth < k; ++depth)
      expected += a[place[0]][depth] * b[depth][place[1]];
    ASSERT_EQ(valuesC.at(reg, lane, warp), expected)
        << "at " << place[0] << ", " << place[1];
  });
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

TEST(MmaLayout, TilesMultiplyForAllInstructions) {
  for (MmaInstruction instruction :
       {MmaInstruction{16, 8, 16, 16}, MmaInstruction{16, 8, 8, 16},
        MmaInstruction{16, 8, 8, 32}, MmaInstruction{16, 8, 4, 32},
        MmaInstruction{16, 8, 32, 8}, MmaInstruction{16, 8, 16, 8},
        MmaInstruction{16, 8, 64, 4}, MmaInstruction{16, 8, 32, 4},
        MmaInstruction{8, 8, 4, 64}, MmaInstruction{16, 8, 16, 64}})
    checkTile(makeTiling(instruction, 64, 32, 2, 2), 2 * instruction.k);
}

TEST(MmaLayout, TilesMultiplyWithOddRepeats) {
  checkTile(makeTiling({16, 8, 16, 16}, 48, 24, 1, 1), 48);
  checkTile(makeTiling({16, 8, 16, 16}, 96, 48, 2, 2), 48);
  checkTile(makeTiling({16, 8, 16, 16}, 96, 192, 2, 4), 16);
  checkTile(makeTiling({16, 8, 32, 8}, 32, 40, 2, 1), 96);
  checkTile(makeTiling({16, 8, 16, 16}, 80, 56, 1, 1), 80);
}

TEST(MmaLayout, TilesMultiplyWithGroupsOfWarps) {
  checkTile(makeTiling({16, 8, 16, 16}, 192, 32, 12, 1), 32);
  checkTile(makeTiling({16, 8, 16, 16}, 96, 32, 6, 2), 16);
  checkTile(makeTiling({16, 8, 16, 16}, 64, 48, 2, 6), 32);
  checkTile(makeTiling({16, 8, 32, 8}, 32, 72, 2, 3), 96);
  checkTile(makeTiling({16, 8, 16, 16}, 80, 24, 5, 1), 16);
  // Rows as warpgroups have them: tiles of 64 one after the other.
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 384, 16, 12, 1);
  tiling.mOrder = {0, 1, 2, 3, 6, 4, 5};
  checkTile(tiling, 16);
  EXPECT_EQ(tiling.accumulator().coordsOf(0, 0, 7), Coords({128 + 48, 0}));
}

TEST(MmaLayout, TilesMultiplyWithPermutations) {
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 64, 64, 2, 2);
  tiling.kOrder = {2, 3, 4, 0, 1};
  tiling.nOrder = {2, 3, 4, 0, 1};
  tiling.mOrder = {1, 2, 3, 0};
  checkTile(tiling, 32);
  checkTile(tiling, 96);
  // Over the warp bits too.
  tiling.nOrder = {5, 4, 3, 2, 1, 0};
  checkTile(tiling, 64);
  tiling.n = 96 * 2;
  checkTile(tiling, 32);
}

TEST(MmaLayout, TransposedStorageKeepsRegisters) {
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 64, 48, 2, 2);
  FragmentLayout stored = tiling.operandB(48).permuteDims({1, 0});
  EXPECT_EQ(asVector(stored.shape()), std::vector<int>({48, 48}));
  forEachHolder(stored, [&](int reg, int lane, int warp) {
    Coords coords = tiling.operandB(48).coordsOf(reg, lane, warp);
    EXPECT_EQ(stored.coordsOf(reg, lane, warp), Coords({coords[1], coords[0]}));
  });
}

TEST(MmaLayout, OperandsAreReplicatedOverTheOtherWarps) {
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 128, 128, 2, 4);
  EXPECT_EQ(tiling.operandA(64).ownerMask(), (OwnerMask{0, 0, 0b110}));
  EXPECT_EQ(tiling.operandB(64).ownerMask(), (OwnerMask{0, 0, 0b001}));
  // The group of warps is the highest digit of the warp: bits 2 and 3.
  MmaTiling three = makeTiling({16, 8, 16, 16}, 192, 128, 6, 2);
  EXPECT_EQ(three.operandA(64).spread(), (Spread{0, 3}));
  EXPECT_EQ(three.operandA(64).ownerMask(), (OwnerMask{0, 0, 0b0010}));
  EXPECT_EQ(three.operandB(64).spread(), (Spread{-1, 3}));
  EXPECT_EQ(three.operandB(64).ownerMask(), (OwnerMask{0, 0, 0b1101}));
}

TEST(MmaLayout, ColumnOrderForInt4PackedAlongK) {
  // Column slot g of tile j is column 4g + j, so lane q's accumulators of the
  // warp's 32 columns are 8q .. 8q + 7.
  MmaTiling tiling = makeTiling({16, 8, 16, 16}, 16, 64, 1, 2);
  tiling.nOrder = {2, 3, 4, 0, 1};
  FragmentLayout b = tiling.operandB(16);
  FragmentLayout c = tiling.accumulator();
  for (int warp = 0; warp < 2; ++warp) {
    for (int lane = 0; lane < lanesPerWarp; ++lane) {
      int g = lane / 4, q = lane % 4;
      std::set<int> columns;
      for (int tile = 0; tile < 4; ++tile) {
        for (int reg : operandBRegisters(tiling, 0, tile, 16))
          EXPECT_EQ(b.coordsOf(reg, lane, warp)[1], 32 * warp + 4 * g + tile);
        for (int reg : accumulatorRegisters(tiling, 0, tile))
          columns.insert(c.coordsOf(reg, lane, warp)[1]);
      }
      std::set<int> expected;
      for (int i = 0; i < 8; ++i)
        expected.insert(32 * warp + 8 * q + i);
      EXPECT_EQ(columns, expected);
    }
  }
  // N = 64 per warp: column 8g + j.
  MmaTiling wide = makeTiling({16, 8, 16, 16}, 16, 64, 1, 1);
  wide.nOrder = {3, 4, 5, 0, 1, 2};
  for (int lane = 0; lane < lanesPerWarp; ++lane)
    for (int tile = 0; tile < 8; ++tile)
      for (int reg : operandBRegisters(wide, 0, tile, 16))
        EXPECT_EQ(wide.operandB(16).coordsOf(reg, lane, 0)[1],
                  8 * (lane / 4) + tile);
}

TEST(MmaLayout, DepthOrderGivesEachLaneAWord) {
  for (llvm::SmallVector<int, 8> order :
       {llvm::SmallVector<int, 8>{0, 3, 4, 1, 2},
        llvm::SmallVector<int, 8>{2, 3, 4, 0, 1}}) {
    MmaTiling tiling = makeTiling({16, 8, 16, 16}, 16, 8, 1, 1);
    tiling.kOrder = order;
    FragmentLayout b = tiling.operandB(32);
    for (int lane = 0; lane < lanesPerWarp; ++lane) {
      std::set<int> depths;
      for (int reg = 0; reg < 8; ++reg) {
        int depth = b.coordsOf(reg, lane, 0)[0];
        depths.insert(depth);
        // The second order puts register i's halves at nibbles i and i + 4.
        if (order[0] == 2) {
          EXPECT_EQ(depth % 8, reg / 2 + 4 * (reg % 2));
        }
      }
      std::set<int> expected;
      for (int i = 0; i < 8; ++i)
        expected.insert(8 * (lane % 4) + i);
      EXPECT_EQ(depths, expected);
    }
  }
}

TEST(MmaLayout, VerifyExplainsWhatIsWrong) {
  auto explain = [](MmaTiling tiling, int k) {
    std::string error;
    EXPECT_FALSE(tiling.verify(k, &error));
    return error;
  };
  MmaTiling good = makeTiling({16, 8, 16, 16}, 64, 64, 2, 2);
  EXPECT_TRUE(good.verify(32));
  EXPECT_EQ(explain(good, 24), "tile extent K = 24 is not a multiple of 16 "
                               "(16 in the instruction, 1 warp)");
  EXPECT_EQ(explain(good, 0), "tile extent K = 0 is not a multiple of 16 "
                              "(16 in the instruction, 1 warp)");
  MmaTiling bad = good;
  bad.m = 48;
  EXPECT_EQ(explain(bad, 32), "tile extent M = 48 is not a multiple of 32 "
                              "(16 in the instruction, 2 warps)");
  bad = good;
  bad.warpsN = 3;
  EXPECT_EQ(explain(bad, 32), "tile extent N = 64 is not a multiple of 24 "
                              "(8 in the instruction, 3 warps)");
  bad = good;
  bad.warpsN = 0;
  EXPECT_EQ(explain(bad, 32), "there are 0 warps along N");
  bad = makeTiling({16, 8, 16, 16}, 48, 48, 3, 3);
  EXPECT_EQ(explain(bad, 32), "neither 3 warps along M nor 3 along N are a "
                              "power of two");
  bad = good;
  bad.kOrder = {0, 2};
  EXPECT_EQ(explain(bad, 32),
            "the order of K is not a permutation of its bits");
  bad.kOrder = {1, 0, 2, 3, 5, 4};
  EXPECT_EQ(explain(bad, 32),
            "the order of K has 6 bits, but its core of 32 has 5");
  bad = good;
  bad.instruction.k = 4;
  EXPECT_EQ(explain(bad, 32), "no matrix instruction has the shape m16n8k4 "
                              "with 16 bits");
}
