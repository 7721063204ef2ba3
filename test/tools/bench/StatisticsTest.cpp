//===-- StatisticsTest.cpp - Medians, ratios and verdicts -----------------===//

#include "tools/bench/Statistics.h"
#include "compiler/Gpu/Stopwatch.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilebench;
using tilec::gpu::visitInRandomOrder;

namespace {

TEST(Statistics, MedianIsTheMiddleSample) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
}

TEST(Statistics, SpreadIsRelativeToTheMedian) {
  EXPECT_EQ(spread({}), 0);
  EXPECT_DOUBLE_EQ(spread({10, 11, 9}), 0.2);
}

TEST(Statistics, RequirementsAreForBothStatesOrForOne) {
  EXPECT_TRUE(meets({{0.981, 0.99}}, {0.98, 0}));
  EXPECT_FALSE(meets({{0.979, 1.2}}, {0.98, 0}));
  EXPECT_TRUE(meets({{0.98, 1.0}}, {0.98, 1.0}));
  EXPECT_TRUE(meets({{1.0, 0.98}}, {0.98, 1.0}));
  EXPECT_FALSE(meets({{0.99, 0.99}}, {0.98, 1.0}));
  EXPECT_TRUE(meets({{0.1, 0.1}}, {0, 0}));
}

// What is printed as 1.000 meets 1.00.
TEST(Statistics, RatiosAreRoundedToAThousandth) {
  EXPECT_TRUE(meets({{0.9996, 1}}, {1.0, 0}));
  EXPECT_FALSE(meets({{0.9994, 1}}, {1.0, 0}));
}

TEST(Statistics, RequirementsAreDescribed) {
  EXPECT_EQ(describe(Requirement{}), "-");
  EXPECT_EQ(describe(Requirement{1.02, 0}), "1.02");
  EXPECT_EQ(describe(Requirement{0.98, 1}), "1.00 in one, 0.98 in both");
  EXPECT_EQ(describe(Requirement{0, 1}), "1.00 in one");
}

TEST(Statistics, EachRoundVisitsAllInAnotherOrder) {
  std::mt19937_64 random(1);
  std::vector<size_t> visits;
  visitInRandomOrder(8, 6, random, [&](size_t i) { visits.push_back(i); });
  ASSERT_EQ(visits.size(), 48u);
  std::set<std::vector<size_t>> orders;
  for (auto round = visits.begin(); round != visits.end(); round += 8) {
    orders.insert({round, round + 8});
    EXPECT_EQ(std::set<size_t>(round, round + 8).size(), 8u);
  }
  EXPECT_EQ(orders.size(), 6u);
}

} // namespace
