//===- LinearLayoutTest.cpp - Tests of maps that are linear over bits -----===//
//
// Each operation against its definition, on all indices of random layouts.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/LinearLayout.h"
#include "LayoutTestUtils.h"
#include "gtest/gtest.h"

using namespace layout;

/// Calls `visit(a, b, coords)` for all indices of a layout made by `linear`.
static void
forEachIndex(const LinearLayout &layout,
             const std::function<void(int, int, const Coords &)> &visit) {
  for (int b = 0; b < 1 << layout.inBits("b"); ++b)
    for (int a = 0; a < 1 << layout.inBits("a"); ++a)
      visit(a, b, layout.apply({a, b}));
}

/// A layout made by `linear` with inputs of other names.
static LinearLayout renameIns(const LinearLayout &layout, llvm::StringRef first,
                              llvm::StringRef second) {
  std::vector<LinearLayout::InDim> ins = layout.inDims().vec();
  ins[0].name = first.str();
  ins[1].name = second.str();
  return *LinearLayout::create(std::move(ins), layout.outDims().vec());
}

TEST(LinearLayout, AppliesTheXorOfBases) {
  LinearLayout layout = *LinearLayout::create(
      {{"register", {{0, 1}, {8, 0}}}, {"lane", {{1, 3}, {2, 0}}}},
      {{"dim0", 16}, {"dim1", 4}});
  EXPECT_EQ(layout.apply({0, 0}), Coords({0, 0}));
  EXPECT_EQ(layout.apply({1, 1}), Coords({1, 2}));
  EXPECT_EQ(layout.apply({2, 3}), Coords({11, 3}));
  EXPECT_EQ(layout.inBits("register"), 2);
  EXPECT_EQ(layout.inBits("warp"), 0);
  EXPECT_EQ(layout.outBits("dim0"), 4);
  EXPECT_EQ(layout.totalOutBits(), 6);
  EXPECT_EQ(layout.basis("lane", 0), Coords({1, 3}));
}

TEST(LinearLayout, CreateExplainsWhatIsWrong) {
  auto explain = [](std::vector<LinearLayout::InDim> ins,
                    std::vector<LinearLayout::OutDim> outs) {
    std::string error;
    EXPECT_FALSE(LinearLayout::create(std::move(ins), std::move(outs), &error));
    return error;
  };
  EXPECT_EQ(explain({}, {{"x", 12}}),
            "output 'x' has size 12, which is not a power of two");
  EXPECT_EQ(explain({}, {{"x", 0}}),
            "output 'x' has size 0, which is not a power of two");
  EXPECT_EQ(explain({}, {{"x", 4}, {"x", 4}}), "output 'x' appears twice");
  EXPECT_EQ(explain({{"a", {}}, {"a", {}}}, {}), "input 'a' appears twice");
  EXPECT_EQ(explain({{"a", {{1, 0}}}}, {{"x", 4}}),
            "a basis of 'a' has 2 coordinates instead of 1");
  EXPECT_EQ(explain({{"a", {{4}}}}, {{"x", 4}}),
            "a basis of 'a' has coordinate 4 in 'x', whose size is 4");
  EXPECT_EQ(explain({{"a", {{-1}}}}, {{"x", 4}}),
            "a basis of 'a' has coordinate -1 in 'x', whose size is 4");
  EXPECT_EQ(explain({{"a", std::vector<Coords>(31, Coords{0})}}, {{"x", 4}}),
            "input 'a' has more than 30 bits");
}

TEST(LinearLayout, BuildsIdentity) {
  LinearLayout identity = LinearLayout::identity1D(8, "a", "x");
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(identity.apply({i}), Coords({i}));
  EXPECT_TRUE(identity.invert());
}

TEST(LinearLayout, ComposesLikeTheMaps) {
  RandomLayouts random(2);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout inner = random.linear(3, 2, 8, 4);
    LinearLayout outer = renameIns(random.linear(4, 2, 16, 8), "x", "y");
    LinearLayout composed = inner.compose(outer);
    forEachIndex(inner, [&](int a, int b, const Coords &coords) {
      EXPECT_EQ(composed.apply({a, b}), outer.apply(coords));
    });
  }
}

TEST(LinearLayout, ComposeMatchesDimensionsByName) {
  RandomLayouts random(3);
  LinearLayout inner = random.linear(3, 2, 8, 4);
  LinearLayout outer = renameIns(random.linear(2, 3, 16, 8), "y", "x");
  forEachIndex(inner, [&](int a, int b, const Coords &coords) {
    EXPECT_EQ(inner.compose(outer).apply({a, b}),
              outer.apply({coords[1], coords[0]}));
  });
}

TEST(LinearLayout, ProductStacksBits) {
  RandomLayouts random(4);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout low = random.linear(2, 1, 4, 2);
    LinearLayout high = random.linear(1, 2, 2, 8);
    LinearLayout product = low * high;
    EXPECT_EQ(product.outBits("x"), 3);
    EXPECT_EQ(product.outBits("y"), 4);
    forEachIndex(low, [&](int a, int b, const Coords &lowCoords) {
      forEachIndex(high, [&](int c, int d, const Coords &highCoords) {
        EXPECT_EQ(product.apply({a | c << 2, b | d << 1}),
                  Coords({lowCoords[0] + 4 * highCoords[0],
                          lowCoords[1] + 2 * highCoords[1]}));
      });
    });
    EXPECT_EQ(product.divideLeft(low), high);
  }
}

TEST(LinearLayout, ProductJoinsDifferentDimensions) {
  LinearLayout product = LinearLayout::identity1D(4, "register", "dim1") *
                         LinearLayout::identity1D(8, "lane", "dim1") *
                         LinearLayout::identity1D(2, "lane", "dim0");
  EXPECT_EQ(product.apply({3, 5}), Coords({23, 0}));
  EXPECT_EQ(product.apply({0, 8}), Coords({0, 1}));
}

TEST(LinearLayout, DivideLeftDeclinesWhatIsNoFactor) {
  LinearLayout layout = LinearLayout::identity1D(16, "a", "x");
  EXPECT_TRUE(layout.divideLeft(LinearLayout::identity1D(4, "a", "x")));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(32, "a", "x")));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(4, "b", "x")));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity1D(4, "a", "y")));
  EXPECT_FALSE(
      layout.divideLeft(*LinearLayout::create({{"a", {{0}}}}, {{"x", 1}})));
  // The high bits move a low coordinate bit.
  LinearLayout mixed =
      *LinearLayout::create({{"a", {{1}, {2}, {5}}}}, {{"x", 8}});
  EXPECT_FALSE(mixed.divideLeft(LinearLayout::identity1D(4, "a", "x")));
}

TEST(LinearLayout, KnowsInjectiveAndSurjective) {
  RandomLayouts random(5);
  for (int trial = 0; trial < 200; ++trial) {
    LinearLayout layout = random.linear(trial % 4, 2, 4, 1 << (trial % 3));
    std::set<std::vector<int>> image;
    int indices = 0;
    forEachIndex(layout, [&](int, int, const Coords &coords) {
      image.insert(asVector(coords));
      ++indices;
    });
    EXPECT_EQ(layout.isInjective(), int(image.size()) == indices);
    EXPECT_EQ(layout.isSurjective(),
              int(image.size()) == 1 << layout.totalOutBits());
  }
}

TEST(LinearLayout, InvertsBothWays) {
  RandomLayouts random(6);
  int inverted = 0, rightInverted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    LinearLayout layout = random.linear(3, 1 + trial % 3, 4, 4);
    std::optional<LinearLayout> inverse = layout.invert();
    EXPECT_EQ(inverse.has_value(),
              layout.isInjective() && layout.isSurjective());
    if (inverse) {
      ++inverted;
      forEachIndex(layout, [&](int a, int b, const Coords &coords) {
        EXPECT_EQ(inverse->apply(coords), Coords({a, b}));
      });
    }
    std::optional<LinearLayout> right = layout.rightInverse();
    EXPECT_EQ(right.has_value(), layout.isSurjective());
    if (right) {
      ++rightInverted;
      forEachElement({4, 4}, [&](const Coords &coords) {
        EXPECT_EQ(layout.apply(right->apply(coords)), coords);
      });
    }
  }
  EXPECT_GT(inverted, 10);
  EXPECT_GT(rightInverted, inverted);
}

TEST(LinearLayout, SelectsAndReorders) {
  RandomLayouts random(7);
  LinearLayout layout = random.linear(2, 3, 4, 8);
  LinearLayout swapped = layout.selectIns({"b", "a"});
  LinearLayout transposed = layout.selectOuts({"y", "x"});
  LinearLayout onlyA = layout.selectIns({"a"});
  LinearLayout onlyY = layout.selectOuts({"y"});
  forEachIndex(layout, [&](int a, int b, const Coords &coords) {
    EXPECT_EQ(swapped.apply({b, a}), coords);
    EXPECT_EQ(transposed.apply({a, b}), Coords({coords[1], coords[0]}));
    EXPECT_EQ(onlyY.apply({a, b}), Coords({coords[1]}));
    EXPECT_EQ(onlyA.apply({a}), layout.apply({a, 0}));
  });
  LinearLayout renamed = renameIns(layout, "lane", "b");
  EXPECT_EQ(renamed.findIn("lane"), 0);
  EXPECT_EQ(renamed.findIn("a"), -1);
  EXPECT_NE(renamed, layout);
  EXPECT_EQ(renameIns(renamed, "a", "b"), layout);
  EXPECT_EQ(hash_value(layout), hash_value(transposed.selectOuts({"x", "y"})));
}

TEST(LinearLayout, PrintsBasesByBit) {
  LinearLayout layout =
      *LinearLayout::create({{"register", {{0, 1}, {8, 0}}}, {"warp", {}}},
                            {{"dim0", 16}, {"dim1", 2}});
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  EXPECT_EQ(text, "register: 1 -> (0, 1), 2 -> (8, 0)\n"
                  "warp:\n"
                  "out: dim0 = 16, dim1 = 2\n");
}
