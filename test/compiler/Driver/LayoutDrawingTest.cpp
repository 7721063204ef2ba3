//===- LayoutDrawingTest.cpp - Tests of drawn layouts ---------------------===//
#include "compiler/Driver/Report/LayoutDrawing.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tilec;

static std::string print(const TextTable &table) {
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os, 0);
  return text;
}

TEST(LayoutDrawing, ShowsWhoHoldsTheFirstElements) {
  // Two warps, one below the other; eight rows of four lanes, two columns each.
  auto layout = layout::FragmentLayout::parse(
      "16x8 registers=[[0,1]] lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] "
      "warps=[[8,0]]");
  ASSERT_TRUE(layout);
  std::string text = print(drawFragment(*layout));
  EXPECT_NE(text.find("  0     0.0     0.1     1.0     1.1"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  8   1/0.0   1/0.1   1/1.0"), std::string::npos)
      << text;
}

TEST(LayoutDrawing, ShowsWherePackedElementsLie) {
  auto order =
      layout::PackedOrder::parse("4x8 bits=4 order=[[0,1,2],[1,1,8],[0,2,2]]");
  ASSERT_TRUE(order);
  std::string text = print(drawPackedOrder(*order));
  EXPECT_NE(text.find("  0   0   2   4   6"), std::string::npos) << text;
  EXPECT_NE(text.find("  3  17  19  21  23"), std::string::npos) << text;
  order = layout::PackedOrder::parse("8 bits=8 order=[[0,1,8]]");
  ASSERT_TRUE(order);
  EXPECT_TRUE(drawPackedOrder(*order).isEmpty());
}

TEST(LayoutDrawing, ShowsBanksAfterTheSwizzle) {
  auto shared = layout::SharedLayout::create(
      {8, 64}, /*elementBits=*/16, /*packDim=*/-1, layout::Swizzle{3, 4, 3});
  ASSERT_TRUE(shared);
  std::string text = print(drawBanks(*shared));
  EXPECT_NE(text.find("  0   0   4   8  12  16  20  24   28"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  1   4   0  12   8  20  16  28   24"),
            std::string::npos)
      << text;
}

TEST(LayoutDrawing, DrawsNothingWhereRowsAreShort) {
  auto shared = layout::SharedLayout::create({8, 5}, /*elementBits=*/16);
  ASSERT_TRUE(shared);
  EXPECT_TRUE(drawBanks(*shared).isEmpty());
  auto vector = layout::FragmentLayout::replicated({32}, 1);
  EXPECT_TRUE(drawFragment(vector).isEmpty());
}
