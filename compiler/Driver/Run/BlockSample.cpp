//===- BlockSample.cpp - Which blocks of a large grid to look at ----------===//
#include "compiler/Driver/Run/BlockSample.h"

#include "llvm/ADT/STLExtras.h"
#include <random>
#include <set>

using namespace tilec;

static int64_t countBlocks(llvm::ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

std::vector<int64_t> tilec::pickCornerBlocks(llvm::ArrayRef<int64_t> extents) {
  std::set<int64_t> corners = {0};
  int64_t stride = 1;
  for (int64_t extent : extents) {
    std::set<int64_t> opposite;
    for (int64_t corner : corners)
      opposite.insert(corner + (extent - 1) * stride);
    corners.insert(opposite.begin(), opposite.end());
    stride *= extent;
  }
  return {corners.begin(), corners.end()};
}

/// A block anywhere, or on an edge.
static int64_t pickBlock(llvm::ArrayRef<int64_t> extents, bool onEdge,
                         std::mt19937_64 &random) {
  // The remainder is not quite uniform; a sample does not need that.
  size_t edgeAxis = onEdge ? random() % extents.size() : extents.size();
  int64_t block = 0, stride = 1;
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    int64_t index = axis == edgeAxis ? random() % 2 * (extent - 1)
                                     : int64_t(random() % uint64_t(extent));
    block += index * stride;
    stride *= extent;
  }
  return block;
}

std::vector<int64_t> tilec::pickBlocks(llvm::ArrayRef<int64_t> extents,
                                       size_t count,
                                       llvm::ArrayRef<int64_t> taken,
                                       uint64_t seed) {
  std::set<int64_t> picked;
  if (extents.empty())
    return {};
  std::mt19937_64 random(seed);
  // A small grid may not have that many edge blocks: give up after some misses.
  for (size_t attempt = 0; picked.size() < count && attempt < 4 * count;
       ++attempt) {
    int64_t block = pickBlock(extents, attempt % 2 == 0, random);
    if (!llvm::is_contained(taken, block))
      picked.insert(block);
  }
  return {picked.begin(), picked.end()};
}

std::vector<int64_t> tilec::pickOtherBlocks(llvm::ArrayRef<int64_t> extents,
                                            llvm::ArrayRef<int64_t> taken) {
  std::vector<int64_t> others;
  int64_t count = countBlocks(extents);
  for (int64_t block = 0; block < count; ++block) {
    if (!taken.empty() && taken.front() == block)
      taken = taken.drop_front();
    else
      others.push_back(block);
  }
  return others;
}
