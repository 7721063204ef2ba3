//===- BitBasisTest.cpp - Tests of linear algebra over bits ---------------===//
//
// Rank, kernel and solutions against enumeration of all sums of columns.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BitBasis.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <vector>

using namespace layout;

static uint64_t sumOf(const std::vector<uint64_t> &columns, uint64_t set) {
  uint64_t sum = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    if (set >> i & 1)
      sum ^= columns[i];
  return sum;
}

TEST(BitBasis, AgreesWithEnumeration) {
  std::mt19937 engine(1);
  for (int trial = 0; trial < 300; ++trial) {
    int columnCount = 1 + trial % 8, bits = 1 + trial % 6;
    std::vector<uint64_t> columns;
    BitBasis basis;
    for (int i = 0; i < columnCount; ++i) {
      columns.push_back(engine() & ((1u << bits) - 1));
      basis.insert(columns.back());
    }

    // All sums, each with the sets of columns that make it.
    std::map<uint64_t, std::vector<uint64_t>> sums;
    for (uint64_t set = 0; set < (1u << columnCount); ++set)
      sums[sumOf(columns, set)].push_back(set);

    EXPECT_EQ(size_t(1) << basis.rank(), sums.size());
    EXPECT_EQ(size_t(1) << basis.kernel().size(), sums[0].size());
    for (uint64_t dependency : basis.kernel()) {
      EXPECT_NE(dependency, 0u);
      EXPECT_EQ(sumOf(columns, dependency), 0u);
    }
    for (uint64_t target = 0; target < (1u << bits); ++target) {
      std::optional<uint64_t> solution = basis.solve(target);
      auto known = sums.find(target);
      ASSERT_EQ(solution.has_value(), known != sums.end());
      if (!solution)
        continue;
      EXPECT_EQ(sumOf(columns, *solution), target);
      // Exactly one of the sets has no free columns, and it is the solution.
      int owners = 0;
      for (uint64_t set : known->second)
        owners += (set & basis.freeColumns()) == 0;
      EXPECT_EQ(owners, 1);
      EXPECT_EQ(*solution & basis.freeColumns(), 0u);
    }
  }
}

TEST(BitBasis, PacksFirstDimensionLowest) {
  EXPECT_EQ(packCoords({3, 1, 2}, {4, 1024, 4}), 3u | 1u << 2 | 2u << 12);
}
