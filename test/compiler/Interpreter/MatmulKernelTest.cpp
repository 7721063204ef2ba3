//===- MatmulKernelTest.cpp - A whole bf16 x int4 kernel ------------------===//
//
// The kernel of docs/examples/matmul_bf16_int4.tile as the frontend writes it,
// compared with a plain loop.
//
//===----------------------------------------------------------------------===//
#include "compiler/Numerics/NumberCast.h"
#include "test/compiler/Interpreter/KernelHarness.h"

#include <chrono>
#include <random>

using namespace tilec;

namespace {
struct MatmulKernel : KernelHarness {
  Array a, b, c;

  /// Small integers, whose products no order of summation rounds.
  void makeOperands(int64_t m, int64_t n, int64_t k, int packDim) {
    std::mt19937 random(m * 7919 + n * 31 + k);
    std::vector<double> left(m * k), right(k * n);
    for (double &x : left)
      x = int(random() % 17) - 8;
    for (double &x : right)
      x = int(random() % 16) - 8;
    a = makeInput("A", "bf16", {m, k}, left);
    b = makeInput("B", "int4", {k, n}, right, packDim);
    c = makeOutput("C", "bf16", {m, n});
    a.dims = {"M", "K"};
    b.dims = {"K", "N"};
    c.dims = {"M", "N"};
  }

  KernelText makeKernel(int64_t bm, int64_t bn, int64_t bk, int packDim) {
    auto replaceAll = [](std::string text, const std::string &what,
                         const std::string &by) {
      for (size_t at; (at = text.find(what)) != std::string::npos;)
        text.replace(at, what.size(), by);
      return text;
    };
    std::string body = R"(
    %bx = tile.block_id 0 : i64
    %by = tile.block_id 1 : i64
    %bm = arith.constant $M : i64
    %bn = arith.constant $N : i64
    %bk = arith.constant $K : i64
    %row = arith.muli %by, %bm : i64
    %column = arith.muli %bx, %bn : i64
    %c0 = arith.constant 0 : i64
    %k = tile.symbol "K" : i64
    %steps = arith.ceildivsi %k, %bk : i64
    %as = tile.alloc_shared "As" : !tile.shared<$Mx$Kxbf16>
    %bs = tile.alloc_shared "Bs" : !tile.shared<$Kx$Nxi4, pack = $P>
    %zero = arith.constant dense<0.0> : tensor<$Mx$Nxf32>
    %acc = tile.pipelined %i = %c0 to %steps step 1 iter_args(%x = %zero) -> (tensor<$Mx$Nxf32>) stages(4) {
      %depth = arith.muli %i, %bk : i64
      tile.copy %A[%row, %depth] to %as : !tile.global<?x?xbf16>, !tile.shared<$Mx$Kxbf16>
      tile.copy %B[%depth, %column] to %bs : !tile.global<?x?xi4, pack = $P>, !tile.shared<$Kx$Nxi4, pack = $P>
      %y = tile.gemm %as, %bs, %x : !tile.shared<$Mx$Kxbf16>, !tile.shared<$Kx$Nxi4, pack = $P>, tensor<$Mx$Nxf32>
      tile.yield %y : tensor<$Mx$Nxf32>
    }
    %short = tile.cast %acc : tensor<$Mx$Nxf32> -> tensor<$Mx$Nxbf16>
    tile.store %short, %C[%row, %column] : tensor<$Mx$Nxbf16>, !tile.global<?x?xbf16>)";
    body = replaceAll(body, "$M", std::to_string(bm));
    body = replaceAll(body, "$N", std::to_string(bn));
    body = replaceAll(body, "$K", std::to_string(bk));
    body = replaceAll(body, "$P", std::to_string(packDim));
    std::string axis = "[\"ceildiv\", ";
    return {body,
            "[" + axis + "\"N\", " + std::to_string(bn) + " : i64], " + axis +
                "\"M\", " + std::to_string(bm) + " : i64]]",
            "[\"bx\", \"by\"]"};
  }

  std::vector<double> multiplyPlainly() const {
    int64_t m = a.shape[0], n = b.shape[1], k = a.shape[1];
    std::vector<double> left = a.getValues(), right = b.getValues(), result;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += left[i * k + p] * right[p * n + j];
        result.push_back(castToFloat(sum, NumberFormat::BF16));
      }
    return result;
  }

  void check(int64_t m, int64_t n, int64_t k, int packDim) {
    makeOperands(m, n, k, packDim);
    EXPECT_EQ(run(makeKernel(32, 32, 16, packDim), {&a, &b, &c}), "");
    EXPECT_EQ(c.getValues(), multiplyPlainly())
        << m << "x" << n << "x" << k << " pack " << packDim;
  }
};
} // namespace

TEST_F(MatmulKernel, AgreesWithAPlainLoopAtEverySize) {
  for (int packDim : {0, 1}) {
    check(1, 1, 1, packDim);
    check(17, 17, 17, packDim);
    check(37, 53, 96, packDim);
    check(32, 32, 16, packDim);
    check(64, 33, 131, packDim);
    check(1, 64, 256, packDim);
  }
}

TEST_F(MatmulKernel, StoresZeroWhereKIsZero) {
  check(5, 7, 0, 0);
  check(5, 7, 0, 1);
  EXPECT_EQ(c.getValues(), std::vector<double>(35, 0.0));
}

TEST_F(MatmulKernel, RunsNothingWhereTheResultIsEmpty) {
  check(0, 7, 16, 0);
  check(7, 0, 16, 1);
  EXPECT_EQ(report.blocksRun, 0);
}

TEST_F(MatmulKernel, IsFastEnoughToCheckKernelsOfUsefulSize) {
  makeOperands(512, 512, 512, 0);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run(makeKernel(128, 128, 64, 0), {&a, &b, &c}), "");
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(c.getValues(), multiplyPlainly());
  // It takes about a tenth of this on one idle core of 2023.
  EXPECT_LT(seconds.count(), 5.0);
  RecordProperty("seconds", std::to_string(seconds.count()));
}
