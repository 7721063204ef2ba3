//===- PackedUnitTest.cpp - The pieces that packed memory is made of ------===//
#include "dialects/Layout/PackedUnit.h"

#include "gtest/gtest.h"

using namespace layout;

namespace {

/// The piece of a tile in rows of so many elements.
std::string unitOf(const char *text, int32_t rowElements, int along = 1) {
  auto order = PackedOrder::parse(text);
  EXPECT_TRUE(order);
  return findPackedUnit(*order, rowElements, along).str();
}

TEST(PackedUnit, IsWhatTheHighestDigitCounts) {
  EXPECT_EQ(unitOf("4x32 bits=8 order=[[1,1,4],[0,1,4],[1,4,8]]", 16),
            "4x4 bits=8 order=[[1,1,4],[0,1,4]]");
  // Of every tile of that width.
  EXPECT_EQ(unitOf("4x8 bits=8 order=[[1,1,4],[0,1,4],[1,4,2]]", 16),
            "4x4 bits=8 order=[[1,1,4],[0,1,4]]");
}

TEST(PackedUnit, IsAPartAlongAnyDimension) {
  const char *text = "32x4 bits=8 order=[[0,1,4],[1,1,4],[0,4,8]]";
  EXPECT_EQ(unitOf(text, 16, 0), "4x4 bits=8 order=[[0,1,4],[1,1,4]]");
  EXPECT_EQ(unitOf(text, 16, 1), text);
}

TEST(PackedUnit, IsMadeOfWholeRows) {
  // Two of eight pieces fill a row.
  EXPECT_EQ(unitOf("4x32 bits=8 order=[[1,1,4],[0,1,4],[1,4,8]]", 32),
            "4x8 bits=8 order=[[1,1,4],[0,1,4],[1,4,2]]");
  EXPECT_EQ(unitOf("4x12 bits=8 order=[[1,1,4],[0,1,4],[1,4,3]]", 48),
            "4x12 bits=8 order=[[1,1,4],[0,1,4],[1,4,3]]");
}

TEST(PackedUnit, IsTheTileWhereTheHighestDigitMovesElsewhere) {
  for (const char *text : {"4x32 bits=8 order=[[1,1,32],[0,1,4]]",
                           "4x32 bits=8 order=[[1,8,4],[0,1,4],[1,1,8]]"})
    EXPECT_EQ(unitOf(text, 8), text);
}

TEST(PackedUnit, HasAnEvenExtentWhereElementsShareBytes) {
  EXPECT_EQ(unitOf("64x4 bits=4 order=[[0,1,64],[1,1,4]]", 64),
            "64x2 bits=4 order=[[0,1,64],[1,1,2]]");
  EXPECT_EQ(unitOf("64x4 bits=8 order=[[0,1,64],[1,1,4]]", 64),
            "64x1 bits=8 order=[[0,1,64]]");
}

TEST(PackedUnit, HoldsTheElementsOfItsPartOfTheTile) {
  auto tile = PackedOrder::parse(
      "8x64 bits=4 order=[[1,8,4],[0,1,8],[1,1,8],[1,32,2]]");
  auto unit = PackedOrder::parse(unitOf(tile->str().c_str(), 64));
  ASSERT_TRUE(unit);
  EXPECT_EQ(unit->shape()[1], 32);
  for (int32_t position = 0; position < tile->elements(); ++position) {
    Coords coords = unit->coordsOf(position % unit->elements());
    coords[1] += position / unit->elements() * unit->shape()[1];
    EXPECT_EQ(tile->coordsOf(position), coords);
  }
}

} // namespace
