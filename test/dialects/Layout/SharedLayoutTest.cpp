//===- SharedLayoutTest.cpp - Tests of shared tile storage ----------------===//
//
// Addresses against the definition, on all elements of awkward tiles.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/SharedLayout.h"
#include "LayoutTestUtils.h"
#include "gtest/gtest.h"

using namespace layout;

static std::vector<SharedLayout> someLayouts() {
  std::vector<SharedLayout> layouts;
  for (std::vector<int32_t> shape :
       std::vector<std::vector<int32_t>>{{128, 64},
                                         {64, 128},
                                         {16, 32},
                                         {33, 17},
                                         {8, 96},
                                         {256},
                                         {3, 4, 32},
                                         {5, 1},
                                         {1, 1}})
    for (int bits : {1, 2, 4, 8, 16, 32, 64})
      for (int pack = -1; pack < (bits < 8 ? int(shape.size()) : 0); ++pack)
        for (Swizzle swizzle : {Swizzle{}, Swizzle{3, 4, 3}, Swizzle{2, 4, 3},
                                Swizzle{2, 5, 2}, Swizzle{1, 4, 5}})
          for (int pad : {0, 16})
            if (auto layout =
                    SharedLayout::create(shape, bits, pack, swizzle, pad))
              layouts.push_back(*layout);
  return layouts;
}

TEST(SharedLayout, AddressesFollowTheDefinition) {
  std::vector<SharedLayout> layouts = someLayouts();
  EXPECT_GT(layouts.size(), 200u);
  for (const SharedLayout &layout : layouts) {
    Coords storage = layout.storageShape();
    int bits = layout.elementBits();
    std::set<std::pair<int, int>> places;
    forEachElement(layout.shape(), [&](const Coords &coords) {
      // Row-major over the storage shape, padding after each row.
      int64_t row = 0, column = 0;
      for (int dim = 0; dim < layout.rank(); ++dim) {
        int64_t unit = coords[dim];
        if (dim == layout.packDim())
          unit = unit * bits / 8;
        if (dim + 1 < layout.rank())
          row = row * storage[dim] + unit;
        else
          column = unit;
      }
      int64_t unitBytes = std::max(1, bits / 8);
      int64_t linear = row * (storage.back() * unitBytes + layout.padBytes()) +
                       column * unitBytes;
      int nibble = bits < 8 ? coords[layout.packDim()] % (8 / bits) : 0;
      EXPECT_EQ(layout.linearOffset(coords), linear);
      EXPECT_EQ(layout.nibble(coords), nibble);

      // CuTe: offset ^ ((offset & yyy_mask) >> shift).
      Swizzle swizzle = layout.swizzle();
      int64_t mask = ((int64_t(1) << swizzle.bits) - 1)
                     << (swizzle.base + swizzle.shift);
      int64_t offset = linear ^ ((linear & mask) >> swizzle.shift);
      EXPECT_EQ(layout.byteOffset(coords), offset);
      EXPECT_LE(offset + unitBytes, layout.bytes());
      EXPECT_TRUE(places.insert({int(offset), nibble}).second);
    });
  }
}

TEST(SharedLayout, StandardSwizzles) {
  // The address functions of TMA and wgmma.
  for (int a = 0; a < 4096; a += 4) {
    EXPECT_EQ((Swizzle{3, 4, 3}.apply(a)), a ^ ((a >> 7 & 7) << 4));
    EXPECT_EQ((Swizzle{2, 4, 3}.apply(a)), a ^ ((a >> 7 & 3) << 4));
    EXPECT_EQ((Swizzle{1, 4, 3}.apply(a)), a ^ ((a >> 7 & 1) << 4));
    EXPECT_EQ((Swizzle{0, 5, 1}.apply(a)), a);
  }
  EXPECT_EQ((Swizzle{0, 5, 1}), Swizzle());
  SharedLayout layout = *SharedLayout::create({64, 64}, 16, -1, {3, 4, 3});
  EXPECT_EQ(layout.alignment(), 1024);
  EXPECT_EQ(layout.rowPitch(), 128);
  EXPECT_EQ(layout.bytes(), 8192);
}

TEST(SharedLayout, KeepsVectorsTogether) {
  int kept = 0;
  for (const SharedLayout &layout : someLayouts()) {
    for (int bytes : {2, 4, 8, 16}) {
      // Naively: the bytes of each aligned run of a row stay in order.
      int32_t rowBytes = layout.rowPitch() - layout.padBytes();
      bool together = true;
      for (int32_t row = 0; row < layout.bytes(); row += layout.rowPitch()) {
        together &= row % bytes == 0;
        for (int32_t i = 0; i < rowBytes; ++i)
          together &= layout.swizzle().apply(row + i) ==
                      layout.swizzle().apply((row + i) / bytes * bytes) +
                          (row + i) % bytes;
      }
      EXPECT_EQ(layout.preservesVectors(bytes), together)
          << layout.str() << ", " << bytes;
      kept += together;
    }
  }
  EXPECT_GT(kept, 50);
}

TEST(SharedLayout, StepsAlongARow) {
  // int4 packed along K, tile [K, N]: first the two of a byte, then columns.
  EXPECT_EQ(contiguousBases({64, 8}, 4, 0),
            (std::vector<Coords>{{1, 0}, {0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(contiguousBases({64, 8}, 4),
            (std::vector<Coords>{{0, 1}, {0, 2}, {0, 4}}));
  EXPECT_EQ(contiguousBases({64, 12}, 16),
            (std::vector<Coords>{{0, 1}, {0, 2}}));
  EXPECT_EQ(contiguousBases({5, 12}, 4, 0), std::vector<Coords>());
  EXPECT_EQ(contiguousBases({}, 32), std::vector<Coords>());
}

TEST(SharedLayout, CreateExplainsWhatIsWrong) {
  auto explain = [](std::vector<int32_t> shape, int bits, int pack,
                    Swizzle swizzle, int pad) {
    std::string error;
    EXPECT_FALSE(SharedLayout::create(shape, bits, pack, swizzle, pad, &error));
    return error;
  };
  EXPECT_EQ(explain({8}, 6, -1, {}, 0),
            "elements of 6 bits cannot be stored; 1, 2, 4, 8, 16, 32 and 64 "
            "bits can");
  EXPECT_EQ(explain({8}, 4, 1, {}, 0),
            "packed dimension 1 of a tile of rank 1");
  EXPECT_EQ(explain({8, 0}, 8, -1, {}, 0), "a tile extent is 0");
  EXPECT_EQ(explain({8}, 8, -1, {}, -1), "row padding of -1 bytes");
  EXPECT_EQ(explain({8}, 32, -1, {}, 2),
            "row padding of 2 bytes is not a multiple of the element's 4");
  EXPECT_EQ(explain({1 << 16, 1 << 16}, 8, -1, {}, 0),
            "the tile is larger than 2^30 bytes");
  EXPECT_EQ(explain({64, 64}, 16, -1, {3, 4, 2}, 0),
            "swizzle shift 2 is smaller than its 3 bits");
  EXPECT_EQ(explain({64, 64}, 64, -1, {2, 2, 3}, 0),
            "swizzle base 2 tears elements of 8 bytes apart");
  EXPECT_EQ(explain({64, 32}, 16, -1, {3, 4, 3}, 0),
            "a row of 64 bytes is not a multiple of the 128 bytes that the "
            "swizzle permutes");
  EXPECT_EQ(explain({64, 64}, 16, -1, {3, 4, 3}, 16),
            "a row of 144 bytes is not a multiple of the 128 bytes that the "
            "swizzle permutes");
  EXPECT_EQ(explain({64, 64}, 16, -1, {3, 20, 10}, 0),
            "the swizzle's bits lie outside of an address");
}

TEST(SharedLayout, ReadsWhatItPrints) {
  for (const SharedLayout &layout : someLayouts()) {
    std::string error;
    std::optional<SharedLayout> parsed =
        SharedLayout::parse(layout.str(), &error);
    ASSERT_TRUE(parsed) << layout.str() << ": " << error;
    EXPECT_EQ(*parsed, layout);
    EXPECT_EQ(hash_value(*parsed), hash_value(layout));
  }
  EXPECT_EQ(SharedLayout::create({64, 128}, 4, 0, {3, 4, 3})->str(),
            "64x128 bits=4 pack=0 swizzle=[3,4,3]");
  EXPECT_EQ(SharedLayout::create({64, 128}, 16, -1, {}, 16)->str(),
            "64x128 bits=16 pad=16");
}

TEST(SharedLayout, ParseExplainsWhatIsWrong) {
  auto explain = [](llvm::StringRef text) {
    std::string error;
    EXPECT_FALSE(SharedLayout::parse(text, &error)) << text.str();
    return error;
  };
  EXPECT_EQ(explain("64x64"), "expected 'bits=' at the end of the layout");
  EXPECT_EQ(explain("64x64 bits=8 swizzle=[3,4]"),
            "a swizzle is a list of bits, base and shift");
  EXPECT_EQ(explain("64x64 bits=8 swizzle=3"), "expected '[' before '3'");
  EXPECT_EQ(explain("64x64 bits=8 pad=16 pack=0"), "text follows the layout");
  EXPECT_EQ(explain("64x64 bits=8 swizzle=[3,4,40]"),
            "the swizzle's bits lie outside of an address");
}
