//===- MemoryOpsTest.cpp - Loads, stores and copies of tiles --------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

#include <cmath>

using namespace tilec;

namespace {
struct MemoryOps : KernelHarness {
  /// Loads 4 elements of X from index `at` and stores them to Y.
  std::string move(Array &x, Array &y, int64_t at, const std::string &type,
                   const std::string &pad = "") {
    std::string pack = x.packDim >= 0 ? ", pack = 0" : "";
    return run("%at = arith.constant " + std::to_string(at) + " : i64\n" +
                   "%c0 = arith.constant 0 : i64\n" +
                   (pad.empty() ? "" : "%pad = " + pad + "\n") +
                   "%t = tile.load %X[%at] " +
                   (pad.empty() ? "" : "pad %pad : " + type) +
                   " : !tile.global<?x" + type + pack + "> -> tensor<4x" +
                   type + ">\n" + "tile.store %t, %Y[%c0] : tensor<4x" + type +
                   ">, !tile.global<?x" + type + pack + ">",
               {&x, &y});
  }
};
using Numbers = std::vector<double>;
} // namespace

TEST_F(MemoryOps, ReadsZeroOutsideATensor) {
  Array x = makeInput("X", "f32", {5}, {1, 2, 3, 4, 5}),
        y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(move(x, y, 3, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{4, 5, 0, 0}));
  EXPECT_EQ(move(x, y, -2, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 1, 2}));
  EXPECT_EQ(move(x, y, 5, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(move(x, y, -4, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 0}));
}

TEST_F(MemoryOps, StaysInsideForIndicesAtTheEndOfInt64) {
  Array x = makeInput("X", "f32", {5}, {1, 2, 3, 4, 5}),
        y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(move(x, y, INT64_MAX, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(move(x, y, INT64_MIN, "f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 0}));
}

TEST_F(MemoryOps, ReadsThePadWhereOneIsGiven) {
  Array x = makeInput("X", "f32", {5}, {1, 2, 3, 4, 5}),
        y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(move(x, y, 3, "f32", "arith.constant -7.0 : f32"), "");
  EXPECT_EQ(y.getValues(), (Numbers{4, 5, -7, -7}));
  Array q = makeInput("X", "int4", {5}, {1, 2, 3, 4, 5}),
        r = makeOutput("Y", "int4", {4});
  EXPECT_EQ(move(q, r, 4, "i4", "arith.constant -3 : i4"), "");
  EXPECT_EQ(r.getValues(), (Numbers{5, -3, -3, -3}));
}

TEST_F(MemoryOps, ReadsOneOutsideATensorOfScales) {
  Array x = makeInput("X", "e8m0", {2}, {4, 0.5}),
        y = makeOutput("Y", "e8m0", {4});
  EXPECT_EQ(move(x, y, 1, "f8E8M0FNU"), "");
  EXPECT_EQ(y.getValues(), (Numbers{0.5, 1, 1, 1}));
}

TEST_F(MemoryOps, MovesEveryFormatBitByBit) {
  // Codes that a detour through arithmetic would change: NaNs with payloads,
  // negative zero, subnormals.
  struct Case {
    std::string dtype, type;
    std::vector<uint64_t> codes;
  };
  for (const Case &c :
       {Case{"f32", "f32", {0x7f800001, 0xffc12345, 0x80000000, 1}},
        Case{"bf16", "bf16", {0x7f81, 0xffc1, 0x8000, 1}},
        Case{"f16", "f16", {0x7c01, 0xfe03, 0x8000, 1}},
        Case{"f64", "f64", {0x7ff0000000000001, 1ull << 63, 1, 3}},
        Case{"fp8_e4m3", "f8E4M3FN", {0x7f, 0xff, 0x80, 1}},
        Case{"fp8_e5m2", "f8E5M2", {0x7d, 0xfe, 0x80, 1}},
        Case{"e8m0", "f8E8M0FNU", {0xff, 0, 1, 254}},
        Case{"int64", "i64", {~0ull, 1ull << 63, 0, 5}},
        Case{"uint16", "i16", {0xffff, 0x8000, 0, 5}},
        Case{"uint8", "i8", {0xff, 0x80, 0, 5}},
        Case{"bool", "i1", {1, 0, 1, 1}},
        Case{"fp4_e2m1", "f4E2M1FN", {0xf, 0x8, 0x1, 0x7}},
        Case{"uint4", "i4", {0xf, 0x8, 0x1, 0x7}}}) {
    NumberFormat format = *findNumberFormat(c.dtype);
    Array x = makeOutput("X", c.dtype, {4}), y = makeOutput("Y", c.dtype, {4});
    x.access = "in";
    if (isPacked(format))
      x.storage = packNibbles({c.codes.begin(), c.codes.end()}, {4}, 0);
    else
      for (int i = 0; i < 4; ++i)
        writeCode(format, &x.storage[i * getStorageBits(format) / 8],
                  c.codes[i]);
    EXPECT_EQ(move(x, y, 0, c.type), "");
    EXPECT_EQ(y.getCodes(), c.codes) << c.dtype;
  }
}

TEST_F(MemoryOps, IgnoresTheLowBitsOfTF32) {
  Array x = makeOutput("X", "tf32", {1}), y = makeOutput("Y", "tf32", {4});
  x.access = "in";
  writeCode(NumberFormat::F32, x.storage.data(), 0x3f801fff);
  EXPECT_EQ(move(x, y, 0, "tf32"), "");
  EXPECT_EQ(y.getCodes(), (std::vector<uint64_t>{0x3f800000, 0, 0, 0}));
}

TEST_F(MemoryOps, WritesNothingOutsideATensor) {
  // A store of 2 x 4 elements at [1, -1] of a 2 x 2 tensor reaches [1, 0] and
  // [1, 1] only.
  Array y = makeOutput("Y", "int32", {2, 2});
  written.assign(4, 0);
  EXPECT_EQ(run(R"(
    %c1 = arith.constant 1 : i64
    %m1 = arith.constant -1 : i64
    %t = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
    tile.store %t, %Y[%c1, %m1] : tensor<2x4xi32>, !tile.global<?x?xi32>)",
                {&y}),
            "");
  EXPECT_EQ(y.getCodes(),
            (std::vector<uint64_t>{0xaaaaaaaa, 0xaaaaaaaa, 2, 3}));
  EXPECT_EQ(written, (std::vector<uint8_t>{0, 0, 1, 1}));
}

TEST_F(MemoryOps, SelectsWithTheLeadingIndices) {
  Array x = makeIota("X", "f32", {2, 3, 4}), y = makeOutput("Y", "f32", {2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %t = tile.load %X[%c1, %c1, %c2] : !tile.global<?x?x?xf32> -> tensor<2x2xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>)",
                {&x, &y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{18, 19, 22, 23}));
}

TEST_F(MemoryOps, FollowsTheStridesOfATensor) {
  // Rows of 3 in a pitch of 5, and packed rows of 3 in a pitch of 4 bytes.
  Array x = makeIota("X", "int32", {10}), y = makeOutput("Y", "int32", {2, 3});
  x.shape = {2, 3};
  x.strides = {5, 1};
  std::string body = R"(
    %c0 = arith.constant 0 : i64
    %t = tile.load %X[%c0, %c0] : !tile.global<?x?xTYPE> -> tensor<2x3xTYPE>
    tile.store %t, %Y[%c0, %c0] : tensor<2x3xTYPE>, !tile.global<?x?xTYPE>)";
  auto withType = [&](const std::string &type, const std::string &pack) {
    std::string text = body;
    for (size_t at; (at = text.find("TYPE>")) != std::string::npos;) {
      bool isGlobal = text.rfind("!tile.global", at) != std::string::npos &&
                      text.rfind("!tile.global", at) + 20 > at;
      text.replace(at, 5, type + (isGlobal ? pack : "") + ">");
    }
    return text;
  };
  EXPECT_EQ(run(withType("i32", ""), {&x, &y}), "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 1, 2, 5, 6, 7}));

  Array q = makeInput("X", "uint4", {2, 8},
                      {1, 2, 3, 9, 9, 9, 9, 9, 4, 5, 6, 9, 9, 9, 9, 9});
  Array r = makeOutput("Y", "uint4", {2, 3});
  q.shape = {2, 3};
  q.strides = {4, 1};
  EXPECT_EQ(run(withType("i4", ", pack = 1"), {&q, &r}), "");
  EXPECT_EQ(r.getValues(), (Numbers{1, 2, 3, 4, 5, 6}));
}

//===----------------------------------------------------------------------===//
// Packed tensors
//===----------------------------------------------------------------------===//

/// Copies a 3 x 5 tensor through a 4 x 6 shared tile, packed along `pack`.
static std::string copyThroughShared(int pack) {
  std::string p = std::to_string(pack);
  return R"(
    %c0 = arith.constant 0 : i64
    %s = tile.alloc_shared "s" : !tile.shared<4x6xi4, pack = )" +
         p + R"(>
    tile.copy %X[%c0, %c0] to %s : !tile.global<?x?xi4, pack = )" +
         p + R"(>, !tile.shared<4x6xi4, pack = )" + p + R"(>
    tile.copy %s to %Y[%c0, %c0] : !tile.shared<4x6xi4, pack = )" +
         p + R"(>, !tile.global<?x?xi4, pack = )" + p + ">";
}

TEST_F(MemoryOps, PadsOddRowsAlongEitherDimension) {
  Numbers values = {1, -2, 3, -4, 5, -6, 7, -8, 0, 1, -1, 2, -3, 4, -5};
  for (int pack : {0, 1}) {
    Array x = makeInput("X", "int4", {3, 5}, values, pack);
    // The spare nibbles of the source hold 0xB and must not count.
    if (pack == 0)
      for (int j = 0; j < 5; ++j)
        x.storage[5 + j] = setNibble(x.storage[5 + j], true, 0xb);
    else
      for (int i = 0; i < 3; ++i)
        x.storage[i * 3 + 2] = setNibble(x.storage[i * 3 + 2], true, 0xb);
    Array y = makeOutput("Y", "int4", {3, 5}, pack);
    EXPECT_EQ(run(copyThroughShared(pack), {&x, &y}), "");
    EXPECT_EQ(y.getValues(), values) << pack;
    // They are 0 after writing.
    EXPECT_EQ(y.storage, makeInput("Z", "int4", {3, 5}, values, pack).storage)
        << pack;
  }
}

TEST_F(MemoryOps, WritesOneNibbleOfAByte) {
  Array y = makeOutput("Y", "uint4", {4});
  EXPECT_EQ(run(R"(
    %c1 = arith.constant 1 : i64
    %t = arith.constant dense<[1, 2]> : tensor<2xi4>
    tile.store %t, %Y[%c1] : tensor<2xi4>, !tile.global<?xi4, pack = 0>)",
                {&y}),
            "");
  EXPECT_EQ(y.storage, (std::vector<uint8_t>{0x1a, 0xa2}));
}

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

TEST_F(MemoryOps, StopsAtASharedElementNeverWritten) {
  Array y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(run(R"(
    %s = tile.alloc_shared "As" : !tile.shared<2x4xf32>
    %c0 = arith.constant 0 : i64
    %row = arith.constant dense<1.0> : tensor<1x3xf32>
    tile.store %row, %s[%c0, %c0] : tensor<1x3xf32>, !tile.shared<2x4xf32>
    %t = tile.load %s : !tile.shared<2x4xf32> -> tensor<2x4xf32>)",
                {&y}),
            "k.mlir:6:10: error: shared tile 'As' is read at [0, 3] before "
            "anything was "
            "written there");
}

TEST_F(MemoryOps, ReadsAPartOfASharedTileThatWasWritten) {
  Array y = makeOutput("Y", "f32", {3});
  EXPECT_EQ(run(R"(
    %s = tile.alloc_shared "As" : !tile.shared<2x4xf32>
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %row = arith.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
    tile.store %row, %s[%c1, %c1] : tensor<1x3xf32>, !tile.shared<2x4xf32>
    %t = tile.load %s[%c1, %c1] : !tile.shared<2x4xf32> -> tensor<3xf32>
    tile.store %t, %Y[%c0] : tensor<3xf32>, !tile.global<?xf32>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 2, 3}));
}

TEST_F(MemoryOps, ForgetsASharedTileWhenItIsAllocatedAgain) {
  Array y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %ones = arith.constant dense<1.0> : tensor<4xf32>
    scf.for %i = %c0 to %c2 step %c1 : i64 {
      %s = tile.alloc_shared "s" : !tile.shared<4xf32>
      %isFirst = arith.cmpi eq, %i, %c0 : i64
      scf.if %isFirst {
        tile.store %ones, %s : tensor<4xf32>, !tile.shared<4xf32>
      }
      %t = tile.load %s : !tile.shared<4xf32> -> tensor<4xf32>
    })",
                {&y}),
            "k.mlir:12:12: error: shared tile 's' is read at [0] before "
            "anything was written "
            "there");
}

TEST_F(MemoryOps, StopsAtAnAccessOutsideASharedTile) {
  Array y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(run(R"(
    %s = tile.alloc_shared "As" : !tile.shared<2x4xf32>
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %t = arith.constant dense<1.0> : tensor<2x4xf32>
    tile.store %t, %s[%c1, %c0] : tensor<2x4xf32>, !tile.shared<2x4xf32>)",
                {&y}),
            "k.mlir:6:5: error: shared tile 'As' is accessed at index 2 of "
            "dimension 0, which "
            "has 2");
  EXPECT_EQ(run(R"(
    %s = tile.alloc_shared : !tile.shared<2x4xf32>
    %c0 = arith.constant 0 : i64
    %m1 = arith.constant -1 : i64
    %t = tile.load %s[%c0, %m1] : !tile.shared<2x4xf32> -> tensor<2xf32>)",
                {&y}),
            "k.mlir:5:10: error: a shared tile is accessed at index -1 of "
            "dimension 1, which "
            "has 4");
}

TEST_F(MemoryOps, NamesTheBufferOfAStage) {
  Array y = makeOutput("Y", "f32", {2});
  EXPECT_EQ(run(R"(
    %s = tile.alloc_shared "As" : !tile.shared<3x2xf32>
    %c0 = arith.constant 0 : i64
    %c4 = arith.constant 4 : i64
    %a = tile.stage %s[%c4] offset 1 : !tile.shared<3x2xf32> -> !tile.shared<2xf32>
    %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    tile.store %t, %a : tensor<2xf32>, !tile.shared<2xf32>
    %c2 = arith.constant 2 : i64
    %r = tile.load %s[%c2, %c0] : !tile.shared<3x2xf32> -> tensor<2xf32>
    tile.store %r, %Y[%c0] : tensor<2xf32>, !tile.global<?xf32>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{1, 2}));
}

//===----------------------------------------------------------------------===//
// Access rights
//===----------------------------------------------------------------------===//

// Writes to a read-only tensor are refused by the verifier (kernel-c10).
TEST_F(MemoryOps, DoesNotReadAnOutTensor) {
  Array y = makeOutput("Y", "f32", {4});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %t = tile.load %Y[%c0] : !tile.global<?xf32> -> tensor<4xf32>)",
                {&y}),
            "k.mlir:3:10: error: 'Y' is 'out' and cannot be read");
}

TEST_F(MemoryOps, SeesItsOwnStoresInOrder) {
  Array y = makeIota("Y", "f32", {4});
  y.access = "inout";
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %a = tile.load %Y[%c0] : !tile.global<?xf32> -> tensor<4xf32>
    tile.store %a, %Y[%c1] : tensor<4xf32>, !tile.global<?xf32>
    %b = tile.load %Y[%c0] : !tile.global<?xf32> -> tensor<4xf32>
    tile.store %b, %Y[%c1] : tensor<4xf32>, !tile.global<?xf32>)",
                {&y}),
            "");
  EXPECT_EQ(y.getValues(), (Numbers{0, 0, 0, 1}));
}

TEST_F(MemoryOps, NamesPartsOfASharedTile) {
  Array x = makeIota("X", "f32", {4, 4}), y = makeOutput("Y", "f32", {2, 2});
  Array r = makeOutput("R", "f32", {4});
  auto text = [](const char *row) {
    return std::string(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %s = tile.alloc_shared "S" : !tile.shared<4x4xf32>
    tile.copy %X[%c0, %c0] to %s : !tile.global<?x?xf32>, !tile.shared<4x4xf32>
    %p = tile.slice %s[)") +
           row + R"(, %c2] : !tile.shared<4x4xf32> -> !tile.shared<2x2xf32>
    %two = arith.constant dense<9.0> : tensor<1x2xf32>
    tile.store %two, %p[%c1, %c0] : tensor<1x2xf32>, !tile.shared<2x2xf32>
    %t = tile.load %p : !tile.shared<2x2xf32> -> tensor<2x2xf32>
    tile.store %t, %Y[%c0, %c0] : tensor<2x2xf32>, !tile.global<?x?xf32>
    %q = tile.slice %s[%c0, %c1] {kept = array<i64: 0>} : !tile.shared<4x4xf32> -> !tile.shared<4xf32>
    %u = tile.load %q : !tile.shared<4xf32> -> tensor<4xf32>
    tile.store %u, %R[%c0] : tensor<4xf32>, !tile.global<?xf32>)";
  };
  EXPECT_EQ(run(text("%c1"), {&x, &y, &r}), "");
  EXPECT_EQ(y.getValues(), (Numbers{6, 7, 9, 9}));
  EXPECT_EQ(r.getValues(), (Numbers{1, 5, 9, 13}));
  EXPECT_EQ(run(text("%c3"), {&x, &y, &r}),
            "k.mlir:8:10: error: shared tile 'S' is accessed at index 4 of "
            "dimension 0, which has 4");
}

TEST_F(MemoryOps, ViewsHaveBoundsOfTheirOwn) {
  Array x = makeIota("X", "f32", {3, 4}), y = makeOutput("Y", "f32", {6});
  Array z = makeIota("Z", "f32", {3, 4});
  z.access = "inout";
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %m1 = arith.constant -1 : i64
    %pad = arith.constant 7.0 : f32
    %row = tile.view %X[%c1, %c1] sizes [%c2] : !tile.global<?x?xf32> -> !tile.global<?xf32>
    %t = tile.load %row[%m1] pad %pad : f32 : !tile.global<?xf32> -> tensor<6xf32>
    tile.store %t, %Y[%c0] : tensor<6xf32>, !tile.global<?xf32>
    %column = tile.view %Z[%m1, %c2] sizes [%c2] {kept = array<i64: 0>} : !tile.global<?x?xf32> -> !tile.global<?xf32>
    %f = arith.constant dense<50.0> : tensor<4xf32>
    tile.store %f, %column[%c0] : tensor<4xf32>, !tile.global<?xf32>
    %x = tile.load_element %row[%c2] pad %pad : f32 : !tile.global<?xf32> -> f32
    tile.store_element %x, %Z[%c2, %c2] : f32, !tile.global<?x?xf32>)",
                {&x, &y, &z}),
            "");
  // Elements 5 and 6 of X; before and after them is padding.
  EXPECT_EQ(y.getValues(), (Numbers{7, 5, 6, 7, 7, 7}));
  // The view begins above the tensor and ends with its first row.
  EXPECT_EQ(z.getValues(), (Numbers{0, 1, 50, 3, 4, 5, 6, 7, 8, 9, 7, 11}));
}
