//===- MatmulOpsTest.cpp - Matrix products of one tile --------------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

#include <cmath>

using namespace tilec;

namespace {
struct MatmulOps : KernelHarness {};
using Numbers = std::vector<double>;
} // namespace

TEST_F(MatmulOps, MultipliesAllFourTransposes) {
  // A = [[1, 2, 3], [4, 5, 6]], B = A with 3 x 2 elements: A * B = [[22, 28],
  // [49, 64]].
  Array a = makeInput("A", "bf16", {2, 3}, {1, 2, 3, 4, 5, 6});
  Array at = makeInput("T", "bf16", {3, 2}, {1, 4, 2, 5, 3, 6});
  Array b = makeInput("B", "bf16", {3, 2}, {1, 2, 3, 4, 5, 6});
  Array bt = makeInput("U", "bf16", {2, 3}, {1, 3, 5, 2, 4, 6});
  Array c = makeOutput("C", "f32", {4, 2, 2});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %a = tile.load %A[%c0, %c0] : !tile.global<?x?xbf16> -> tensor<2x3xbf16>
    %at = tile.load %T[%c0, %c0] : !tile.global<?x?xbf16> -> tensor<3x2xbf16>
    %b = tile.alloc_shared "Bs" : !tile.shared<3x2xbf16>
    tile.copy %B[%c0, %c0] to %b : !tile.global<?x?xbf16>, !tile.shared<3x2xbf16>
    %bt = tile.load %U[%c0, %c0] : !tile.global<?x?xbf16> -> tensor<2x3xbf16>
    %z = arith.constant dense<0.0> : tensor<2x2xf32>
    %nn = tile.gemm %a, %b, %z : tensor<2x3xbf16>, !tile.shared<3x2xbf16>, tensor<2x2xf32>
    %nt = tile.gemm %a, %bt, %z {transpose_b} : tensor<2x3xbf16>, tensor<2x3xbf16>, tensor<2x2xf32>
    %tn = tile.gemm %at, %b, %z {transpose_a} : tensor<3x2xbf16>, !tile.shared<3x2xbf16>, tensor<2x2xf32>
    %tt = tile.gemm %at, %bt, %tn {transpose_a, transpose_b} : tensor<3x2xbf16>, tensor<2x3xbf16>, tensor<2x2xf32>
    tile.store %nn, %C[%c0, %c0, %c0] : tensor<2x2xf32>, !tile.global<?x?x?xf32>
    tile.store %nt, %C[%c1, %c0, %c0] : tensor<2x2xf32>, !tile.global<?x?x?xf32>
    tile.store %tn, %C[%c2, %c0, %c0] : tensor<2x2xf32>, !tile.global<?x?x?xf32>
    tile.store %tt, %C[%c3, %c0, %c0] : tensor<2x2xf32>, !tile.global<?x?x?xf32>)",
                {&a, &at, &b, &bt, &c}),
            "");
  EXPECT_EQ(c.getValues(),
            (Numbers{22, 28, 49, 64, 22, 28, 49, 64, 22, 28, 49, 64, //
                     44, 56, 98, 128}));
}

namespace {
/// The product of a 1 x 2 row and a 2 x 1 column, with `flags` on the gemm.
struct DotProduct : KernelHarness {
  std::string multiply(Array &a, Array &b, Array &c, const std::string &typeA,
                       const std::string &typeB, const std::string &typeC,
                       const std::string &start,
                       const std::string &flags = "") {
    auto global = [](const Array &x, const std::string &type,
                     const char *pack) {
      return "!tile.global<?x?x" + type + (x.packDim < 0 ? "" : pack) + ">";
    };
    return run("%c0 = arith.constant 0 : i64\n%a = tile.load %A[%c0, %c0] : " +
                   global(a, typeA, ", pack = 1") + " -> tensor<1x2x" + typeA +
                   ">\n%b = tile.load %B[%c0, %c0] : " +
                   global(b, typeB, ", pack = 1") + " -> tensor<2x1x" + typeB +
                   ">\n%z = arith.constant dense<" + start + "> : tensor<1x1x" +
                   typeC + ">\n%c = tile.gemm %a, %b, %z {" + flags +
                   "} : tensor<1x2x" + typeA + ">, tensor<2x1x" + typeB +
                   ">, tensor<1x1x" + typeC +
                   ">\ntile.store %c, %C[%c0, %c0] : tensor<1x1x" + typeC +
                   ">, " + global(c, typeC, ""),
               {&a, &b, &c});
  }
};
} // namespace

TEST_F(DotProduct, ReadsIntegersWithTheirSignedness) {
  Array a = makeInput("A", "int8", {1, 2}, {-1, 100}),
        b = makeInput("B", "int4", {2, 1}, {-8, 7});
  Array c = makeOutput("C", "int32", {1, 1});
  EXPECT_EQ(multiply(a, b, c, "i8", "i4", "i32", "5"), "");
  EXPECT_EQ(c.getValues(), (Numbers{713}));
  EXPECT_EQ(multiply(a, b, c, "i8", "i4", "i32", "0", "unsigned_a"), "");
  EXPECT_EQ(c.getValues(), (Numbers{255 * -8 + 700}));
  EXPECT_EQ(multiply(a, b, c, "i8", "i4", "i32", "0", "unsigned_b"), "");
  EXPECT_EQ(c.getValues(), (Numbers{-8 + 700}));
}

TEST_F(DotProduct, WrapsSumsOfIntegers) {
  Array a = makeInput("A", "int8", {1, 2}, {1, 1}),
        b = makeInput("B", "int8", {2, 1}, {1, 1});
  Array c = makeOutput("C", "int32", {1, 1});
  EXPECT_EQ(multiply(a, b, c, "i8", "i8", "i32", "2147483647"), "");
  EXPECT_EQ(c.getValues(), (Numbers{-2147483647.0}));
}

TEST_F(DotProduct, ConvertsNarrowOperandsExactly) {
  Array a = makeInput("A", "bf16", {1, 2}, {1.5, -2});
  Array c = makeOutput("C", "f32", {1, 1});
  Array u = makeInput("B", "uint4", {2, 1}, {15, 1});
  EXPECT_EQ(multiply(a, u, c, "bf16", "i4", "f32", "0.0", "unsigned_b"), "");
  EXPECT_EQ(c.getValues(), (Numbers{20.5}));
  Array f = makeInput("B", "fp4_e2m1", {2, 1}, {6, 0.5});
  EXPECT_EQ(multiply(a, f, c, "bf16", "f4E2M1FN", "f32", "0.0"), "");
  EXPECT_EQ(c.getValues(), (Numbers{8}));
  Array e = makeInput("B", "fp8_e5m2", {2, 1}, {57344, std::ldexp(1.0, -16)});
  Array d = makeInput("A", "fp8_e4m3", {1, 2}, {448, 1});
  EXPECT_EQ(multiply(d, e, c, "f8E4M3FN", "f8E5M2", "f32", "0.0"), "");
  EXPECT_EQ(c.getValues(), (Numbers{448.0 * 57344}));
}

TEST_F(DotProduct, ReducesOperandsToTF32OnlyWhenAsked) {
  double x = 1.0 + std::ldexp(1.0, -12);
  Array a = makeInput("A", "f32", {1, 2}, {x, 0}),
        b = makeInput("B", "f32", {2, 1}, {4096, 0});
  Array c = makeOutput("C", "f32", {1, 1});
  EXPECT_EQ(multiply(a, b, c, "f32", "f32", "f32", "0.0"), "");
  EXPECT_EQ(c.getValues(), (Numbers{4097}));
  EXPECT_EQ(multiply(a, b, c, "f32", "f32", "f32", "0.0", "tf32"), "");
  EXPECT_EQ(c.getValues(), (Numbers{4096}));
}

TEST_F(MatmulOps, HoldsSumsOfF32InF64) {
  // 2^24 + 1 + 1: in f32, adding 1 twice would leave 2^24.  The sum survives a
  // loop, a select and an element loop that passes it on, and is rounded once.
  Array a = makeInput("A", "f32", {1, 1}, {1});
  Array c = makeOutput("C", "f32", {1, 1}), d = makeOutput("D", "f32", {1, 1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %yes = arith.constant true
    %a = tile.load %A[%c0, %c0] : !tile.global<?x?xf32> -> tensor<1x1xf32>
    %big = arith.constant dense<16777216.0> : tensor<1x1xf32>
    %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%x = %big) -> (tensor<1x1xf32>) : i64 {
      %n = tile.gemm %a, %a, %x : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
      %p = tile.parallel (%i, %j) in (1, 1) init(%n : tensor<1x1xf32>) {
        %e = tile.element %n[%i, %j] : tensor<1x1xf32>
        tile.yield %e : f32
      }
      %q = arith.select %yes, %p, %big : tensor<1x1xf32>
      scf.yield %q : tensor<1x1xf32>
    }
    tile.store %s, %C[%c0, %c0] : tensor<1x1xf32>, !tile.global<?x?xf32>
    // Arithmetic rounds: 2^24 + 1 is read as 2^24.
    %one = tile.gemm %a, %a, %big : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
    %two = arith.addf %one, %a : tensor<1x1xf32>
    tile.store %two, %D[%c0, %c0] : tensor<1x1xf32>, !tile.global<?x?xf32>)",
                {&a, &c, &d}),
            "");
  EXPECT_EQ(c.getValues(), (Numbers{16777218}));
  EXPECT_EQ(d.getValues(), (Numbers{16777216}));
}

TEST_F(MatmulOps, RoundsASumOnceWhenItIsCast) {
  // 1 + 2^-8 + 2^-30 is above a tie of bf16; in f32 it would be the tie itself.
  Array a = makeInput("A", "f32", {1, 2}, {1, std::ldexp(1.0, -15)});
  Array b = makeInput("B", "f32", {2, 1},
                      {1.0 + std::ldexp(1.0, -8), std::ldexp(1.0, -15)});
  Array c = makeOutput("C", "bf16", {1, 1});
  EXPECT_EQ(run(R"(
    %c0 = arith.constant 0 : i64
    %a = tile.load %A[%c0, %c0] : !tile.global<?x?xf32> -> tensor<1x2xf32>
    %b = tile.load %B[%c0, %c0] : !tile.global<?x?xf32> -> tensor<2x1xf32>
    %z = arith.constant dense<0.0> : tensor<1x1xf32>
    %s = tile.gemm %a, %b, %z : tensor<1x2xf32>, tensor<2x1xf32>, tensor<1x1xf32>
    %r = tile.cast %s : tensor<1x1xf32> -> tensor<1x1xbf16>
    tile.store %r, %C[%c0, %c0] : tensor<1x1xbf16>, !tile.global<?x?xbf16>)",
                {&a, &b, &c}),
            "");
  EXPECT_EQ(c.getValues(), (Numbers{1.0 + std::ldexp(1.0, -7)}));
}

TEST_F(MatmulOps, StopsAtAnOperandNeverWritten) {
  Array c = makeOutput("C", "f32", {1, 1});
  EXPECT_EQ(run(R"(
    %a = tile.alloc_shared "As" : !tile.shared<2x2xbf16>
    %z = arith.constant dense<0.0> : tensor<2x2xf32>
    %s = tile.gemm %a, %a, %z : !tile.shared<2x2xbf16>, !tile.shared<2x2xbf16>, tensor<2x2xf32>)",
                {&c}),
            "k.mlir:4:10: error: shared tile 'As' is read at [0, 0] before "
            "anything was written "
            "there");
}

TEST_F(MatmulOps, RunsTheInstructionFormToo) {
  std::string layout = "#tile.layout<\"16x8 registers=[[0,1],[8,0]] "
                       "lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]\">";
  std::string layoutA = "#tile.layout<\"16x16 registers=[[0,1],[8,0],[0,8]] "
                        "lanes=[[0,2],[0,4],[1,0],[2,0],[4,0]] warps=[]\">";
  std::string layoutB = "#tile.layout<\"16x8 registers=[[1,0],[8,0]] "
                        "lanes=[[2,0],[4,0],[0,1],[0,2],[0,4]] warps=[]\">";
  Array c = makeOutput("C", "f32", {1, 1});
  EXPECT_EQ(
      run("%c0 = arith.constant 0 : i64\n%a = arith.constant dense<2.0> : "
          "tensor<16x16xbf16, " +
              layoutA +
              ">\n%b = arith.constant dense<3.0> : tensor<16x8xbf16, " +
              layoutB +
              ">\n%z = arith.constant dense<1.0> : tensor<16x8xf32, " + layout +
              ">\n%s = tile.mma %a, %b, %z using <m16n8k16, type = bf16, warps "
              "= "
              "[1, 1]> : tensor<16x16xbf16, " +
              layoutA + ">, tensor<16x8xbf16, " + layoutB +
              ">, tensor<16x8xf32, " + layout +
              ">\n%p = tile.convert_layout %s : tensor<16x8xf32, " + layout +
              "> -> tensor<16x8xf32>\ntile.store %p, %C[%c0, %c0] : "
              "tensor<16x8xf32>, "
              "!tile.global<?x?xf32>",
          {&c}),
      "");
  EXPECT_EQ(c.getValues(), (Numbers{97}));
}
