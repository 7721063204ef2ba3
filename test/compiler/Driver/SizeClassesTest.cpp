//===- SizeClassesTest.cpp - Which sizes share code -----------------------===//
#include "compiler/Driver/Tune/SizeClasses.h"

#include "gtest/gtest.h"
#include <limits>

using namespace tilec;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

using Classes = std::vector<SizeClass>;

TEST(SizeClasses, OfOneSizeIsItsBestWay) {
  EXPECT_EQ(chooseSizeClasses({{"", {3}}, {"", {2}}}), (Classes{{0, 1}}));
  EXPECT_EQ(chooseSizeClasses({}), Classes{});
}

TEST(SizeClasses, AreOneForEachBestWay) {
  EXPECT_EQ(
      chooseSizeClasses(
          {{"", {1, 1, 10, 40}}, {"", {2, 2, 3, 40}}, {"", {8, 8, 9, 20}}}),
      (Classes{{1, 0}, {2, 1}, {3, 2}}));
}

TEST(SizeClasses, AreSharedByWaysThatAreNearlyAsGood) {
  // The second way loses 2 % on the first size, 4 % would be too much.
  EXPECT_EQ(chooseSizeClasses({{"", {100, 210}}, {"", {102, 200}}}),
            (Classes{{1, 1}}));
  EXPECT_EQ(chooseSizeClasses({{"", {100, 210}}, {"", {104, 200}}}),
            (Classes{{0, 0}, {1, 1}}));
}

TEST(SizeClasses, AreTheFastestOfTheFewest) {
  // Two classes either way: the second size goes with the first.
  EXPECT_EQ(chooseSizeClasses({{"", {100, 100, 300}}, {"", {150, 102, 200}}}),
            (Classes{{1, 0}, {2, 1}}));
}

TEST(SizeClasses, LeaveOutWaysThatCannotBeLaunched) {
  EXPECT_EQ(chooseSizeClasses({{"", {1, never}}, {"", {never, 1}}}),
            (Classes{{0, 0}, {1, 1}}));
}

TEST(SizeClasses, ShareTheOrderOfPrepackedTensors) {
  // The best ways take two orders; with "b" the first size loses 10 %, with
  // "a" the second loses 50 %.
  EXPECT_EQ(chooseSizeClasses(
                {{"a", {100, 300}}, {"b", {110, 260}}, {"b", {300, 200}}}),
            (Classes{{0, 1}, {1, 2}}));
  EXPECT_EQ(chooseSizeClasses({{"a", {1, never}}, {"b", {never, 1}}}),
            Classes{});
}

} // namespace
