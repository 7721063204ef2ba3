//===- PackedStorageTest.cpp - Two elements to a byte ---------------------===//
#include "compiler/Numerics/PackedStorage.h"

#include <gtest/gtest.h>

using namespace tilec;
using Bytes = std::vector<uint8_t>;

TEST(PackedStorage, PutsTheLowerIndexIntoTheLowNibble) {
  EXPECT_EQ(packNibbles({1, 2, 3, 4}, {2, 2}, 1), (Bytes{0x21, 0x43}));
  EXPECT_EQ(packNibbles({1, 2, 3, 4}, {2, 2}, 0), (Bytes{0x31, 0x42}));
}

TEST(PackedStorage, PadsOddRowsWithZero) {
  EXPECT_EQ(getPackedShape({2, 3}, 1), (Extents{2, 2}));
  EXPECT_EQ(packNibbles({1, 2, 3, 4, 5, 6}, {2, 3}, 1),
            (Bytes{0x21, 0x03, 0x54, 0x06}));
  EXPECT_EQ(packNibbles({1, 2, 3, 4, 5, 6}, {3, 2}, 0),
            (Bytes{0x31, 0x42, 0x05, 0x06}));
}

TEST(PackedStorage, IgnoresTheSpareNibble) {
  Bytes packed = {0x21, 0xb3, 0x54, 0xb6};
  EXPECT_EQ(unpackNibbles(packed.data(), {2, 3}, 1), (Bytes{1, 2, 3, 4, 5, 6}));
}

TEST(PackedStorage, UnpacksWhatItPackedAlongAnyDimension) {
  Extents shape = {3, 5, 7};
  Bytes codes(countElements(shape));
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = (i * 7 + 3) % 16;
  for (int64_t dim = 0; dim < 3; ++dim) {
    Bytes packed = packNibbles(codes, shape, dim);
    EXPECT_EQ(int64_t(packed.size()),
              countElements(getPackedShape(shape, dim)));
    EXPECT_EQ(unpackNibbles(packed.data(), shape, dim), codes) << dim;
  }
}

TEST(PackedStorage, HandlesEmptyTensors) {
  EXPECT_EQ(getPackedShape({5, 0}, 1), (Extents{5, 0}));
  EXPECT_TRUE(packNibbles({}, {5, 0}, 1).empty());
  EXPECT_TRUE(packNibbles({}, {0, 5}, 1).empty());
}

TEST(PackedStorage, ChangesOneNibbleOnly) {
  EXPECT_EQ(setNibble(0x21, true, 0xf), 0xf1);
  EXPECT_EQ(setNibble(0x21, false, 0xf), 0x2f);
  EXPECT_EQ(getNibble(0x21, true), 2);
  EXPECT_EQ(getNibble(0x21, false), 1);
}
