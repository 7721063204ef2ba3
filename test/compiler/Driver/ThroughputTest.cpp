//===- ThroughputTest.cpp - Tests of the work of a launch -----------------===//
#include "compiler/Driver/Run/Throughput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tilec;
using mlir::tile::KernelOp;

using Sizes = std::vector<llvm::SmallVector<int64_t>>;

namespace {

/// A kernel with parameters A [M, K], B [K, N] and C, of which `body` copies
/// tiles to %as and %bs.
class ThroughputTest : public testing::Test {
protected:
  ThroughputTest() {
    context.loadDialect<mlir::tile::TileDialect, mlir::arith::ArithDialect>();
  }

  Work count(const std::string &products, const Sizes &sizes) {
    std::string text = R"(
      tile.kernel @k(%A: !tile.global<?x?xi8> {tile.name = "A", tile.dtype = "int8", tile.access = "in", tile.dims = ["M", "K"]},
                     %B: !tile.global<?x?xi4, pack = 0> {tile.name = "B", tile.dtype = "int4", tile.access = "in", tile.dims = ["K", "N"]},
                     %C: !tile.global<?x?xi32> {tile.name = "C", tile.dtype = "int32", tile.access = "inout", tile.dims = ["M", "N"]},
                     %s: f32 {tile.name = "s", tile.dtype = "f32"})
          attributes {symbols = [], checks = [], grid = [], axes = [], threads = 128 : i64} {
        %i = arith.constant 0 : i64
        %as = tile.alloc_shared : !tile.shared<64x32xi8>
        %bs = tile.alloc_shared : !tile.shared<32x64xi4, pack = 0>
        tile.copy %A[%i, %i] to %as : !tile.global<?x?xi8>, !tile.shared<64x32xi8>
        tile.copy %B[%i, %i] to %bs : !tile.global<?x?xi4, pack = 0>, !tile.shared<32x64xi4, pack = 0>
        %z = arith.constant dense<0> : tensor<64x64xi32>
)" + products + R"(
        tile.return
      })";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return countWork(*module->getOps<KernelOp>().begin(), sizes);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

static const std::string product =
    "%r = tile.gemm %as, %bs, %z : !tile.shared<64x32xi8>, "
    "!tile.shared<32x64xi4, pack = 0>, tensor<64x64xi32>\n";

TEST_F(ThroughputTest, CountsTheProductOfTheTensorsNotOfTheTiles) {
  Work work = count(product, {{1, 100}, {100, 30}, {1, 30}, {}});
  EXPECT_EQ(work.operations, 2.0 * 1 * 100 * 30);
  EXPECT_TRUE(work.isInteger);
}

TEST_F(ThroughputTest, CountsBytesAndTwiceThoseOfInout) {
  Work work = count(product, {{4, 100}, {100, 30}, {4, 30}, {}});
  EXPECT_EQ(work.bytes, 4 * 100 + 100 * 30 / 2 + 2 * 4 * (4 * 30));
}

TEST_F(ThroughputTest, KnowsNoOperationsOfOtherKernels) {
  EXPECT_FALSE(count("", {{4, 4}, {4, 4}, {4, 4}, {}}).operations);
  std::string second = product;
  second.replace(0, 2, "%q");
  EXPECT_FALSE(
      count(product + second, {{4, 4}, {4, 4}, {4, 4}, {}}).operations);
}

TEST_F(ThroughputTest, NamesRates) {
  Work work = count(product, {{1000, 1000}, {1000, 1000}, {1000, 1000}, {}});
  EXPECT_EQ(describeRates(work, 10), "200 TOP/s, 950 GB/s");
  work.isInteger = false;
  EXPECT_EQ(describeRates(work, 1000), "2 TFLOP/s, 9.5 GB/s");
  work.operations.reset();
  EXPECT_EQ(describeRates(work, 1000), "9.5 GB/s");
}
