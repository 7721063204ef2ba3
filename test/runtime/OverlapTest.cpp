//===-- OverlapTest.cpp - Whether two tensors share memory ----------------===//

#include "runtime/lib/Overlap.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tilert::detail;

namespace {

struct Matrix {
  tilert_bound_tensor bound{};
  StoredTensor stored{};

  Matrix(uintptr_t address, int bytes, std::vector<int64_t> sizes,
         std::vector<int64_t> byteStrides) {
    stored.bound = &bound;
    stored.rank = static_cast<int>(sizes.size());
    stored.elementBytes = bytes;
    bound.bytes = bytes;
    for (size_t i = 0; i < sizes.size(); ++i) {
      stored.extents[i] = bound.sizes[i] = sizes[i];
      bound.byte_strides[i] = byteStrides[i];
      if (sizes[i] == 0)
        bound.bytes = 0;
    }
    for (size_t i = 0; i < sizes.size() && bound.bytes; ++i)
      bound.bytes += (sizes[i] - 1) * byteStrides[i];
    bound.data = bound.first = reinterpret_cast<void *>(address);
  }
  Matrix(const Matrix &) = delete;

  /// The addresses of every byte, for the plain truth.
  std::set<uintptr_t> addresses() const {
    std::set<uintptr_t> all{reinterpret_cast<uintptr_t>(bound.first)};
    auto repeat = [&](int64_t count, int64_t stride) {
      std::set<uintptr_t> repeated;
      for (int64_t i = 0; i < count; ++i)
        for (uintptr_t address : all)
          repeated.insert(address + uintptr_t(i * stride));
      all = repeated;
    };
    for (int dim = 0; dim < stored.rank; ++dim)
      repeat(stored.extents[dim], bound.byte_strides[dim]);
    repeat(stored.elementBytes, 1);
    return all;
  }
};

bool overlap(const Matrix &a, const Matrix &b) {
  bool answer = doOverlap(a.stored, b.stored);
  EXPECT_EQ(answer, doOverlap(b.stored, a.stored));
  return answer;
}

TEST(Overlap, ComparesRanges) {
  Matrix a(1000, 1, {4, 8}, {8, 1});
  EXPECT_TRUE(overlap(a, Matrix(1031, 1, {4, 8}, {8, 1})));
  EXPECT_FALSE(overlap(a, Matrix(1032, 1, {4, 8}, {8, 1})));
  EXPECT_FALSE(overlap(a, Matrix(1008, 1, {0, 8}, {8, 1})));
}

TEST(Overlap, SeparatesColumnRangesOfOneArray) {
  // Rows of 128 bytes; columns 0-63 and 64-127.
  Matrix left(1000, 2, {8, 32}, {128, 2});
  EXPECT_FALSE(overlap(left, Matrix(1064, 2, {8, 32}, {128, 2})));
  EXPECT_TRUE(overlap(left, Matrix(1062, 2, {8, 32}, {128, 2})));
  EXPECT_TRUE(overlap(left, Matrix(1064, 2, {8, 33}, {128, 2})));
}

TEST(Overlap, NeverMissesASharedByte) {
  std::mt19937 random(7);
  auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  int apart = 0, overlapping = 0;
  for (int i = 0; i < 40000; ++i) {
    int pitches[] = {8, 12, 16, 24};
    int pitch = pitches[pick(0, 3)];
    int other = pick(0, 3) ? pitch : pitches[pick(0, 3)];
    // Rows may be wider than the pitch, planes no multiple of it.
    auto sizes = [&]() -> std::vector<int64_t> {
      return {pick(1, 2), pick(1, 4), pick(1, 5)};
    };
    Matrix a(uintptr_t(1000 + pick(0, 40)), 2, sizes(),
             {pick(20, 60), pitch, 2});
    Matrix b(uintptr_t(1000 + pick(0, 40)), 2, sizes(),
             {pick(20, 60), other, 2});
    bool shared = false;
    std::set<uintptr_t> inA = a.addresses();
    for (uintptr_t address : b.addresses())
      shared |= inA.count(address) != 0;
    bool answer = overlap(a, b);
    if (shared) {
      ASSERT_TRUE(answer) << i;
    }
    apart += !answer;
    overlapping += shared;
  }
  // Both answers occur, so the comparison means something.
  EXPECT_GT(apart, 4000);
  EXPECT_GT(overlapping, 4000);
}

} // namespace
