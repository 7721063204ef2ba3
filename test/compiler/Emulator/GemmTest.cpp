//===- GemmTest.cpp - A whole matrix kernel -------------------------------===//
//
// The pipelined kernel of GemmKernel.h, right and with the faults that such
// kernels have.
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"
#include "GemmKernel.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Small integers, so that sums are exact, as bf16 codes.
struct Problem {
  unsigned m, n, k;
  std::vector<uint16_t> a, b;
  std::vector<float> c, want;

  Problem(unsigned m, unsigned n, unsigned k) : m(m), n(n), k(k) {
    auto fill = [](std::vector<uint16_t> &codes, size_t count, unsigned seed) {
      std::vector<float> values;
      for (size_t i = 0; i < count; ++i) {
        float value = static_cast<float>((i * 7 + i / 13 + seed) % 9) - 4;
        values.push_back(value);
        codes.push_back(llvm::bit_cast<uint32_t>(value) >> 16);
      }
      return values;
    };
    std::vector<float> av = fill(a, size_t(m) * k, 1);
    std::vector<float> bv = fill(b, size_t(n) * k, 5);
    c.assign(size_t(m) * n, -1);
    want.assign(size_t(m) * n, 0);
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t x = 0; x < k; ++x)
          want[i * n + j] += av[i * k + x] * bv[j * k + x];
  }

  TestKernel makeKernel(const GemmOptions &options,
                        const std::string &dataLayout = "") {
    GemmText text = makeGemm(options);
    text.globals = dataLayout + text.globals;
    TestKernel kernel(text.parameters, text.body, text.globals);
    kernel.buffer("A", a, false)
        .buffer("B", b, false)
        .buffer("C", c)
        .scalar<int32_t>(static_cast<int32_t>(n))
        .scalar<int32_t>(static_cast<int32_t>(k))
        .threads(128)
        .grid(m / 64 * (n / 64))
        .shared(text.sharedBytes);
    return kernel;
  }
};

} // namespace

TEST(Gemm, MultipliesForAnyNumberOfStages) {
  for (unsigned stages : {2u, 3u, 4u})
    for (unsigned k : {0u, 32u, 64u, 256u}) {
      Problem problem(128, 64, k);
      EmulatorCounters counters = problem.makeKernel({.stages = stages}).run();
      EXPECT_EQ(problem.c, problem.want) << stages << " stages, K = " << k;
      EXPECT_EQ(counters.matrixInstructions, 2u * 4 * 16 * (k / 32));
      EXPECT_EQ(counters.asyncCopies16, 2u * 128 * 4 * (k / 32));
      EXPECT_EQ(counters.bankConflicts, 0u);
      EXPECT_EQ(counters.barriers, 2u * (k / 32));
    }
}

// Code generation may be told to keep shared addresses in 32 bits.
TEST(Gemm, RunsWithShortPointers) {
  Problem problem(64, 64, 64);
  problem
      .makeKernel({}, "target datalayout = "
                      "\"e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-"
                      "i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n")
      .run();
  EXPECT_EQ(problem.c, problem.want);
}

TEST(Gemm, CountsConflictsWithoutSwizzle) {
  Problem problem(64, 64, 64);
  EmulatorCounters counters = problem.makeKernel({.swizzles = false}).run();
  EXPECT_EQ(problem.c, problem.want);
  // Rows 64 bytes apart: the rows of a matrix fall into two groups of four
  // banks, so each takes four wavefronts.  Copies are free of conflicts.
  uint64_t matrices = counters.matrixInstructions / 8 * 4 * 4;
  EXPECT_EQ(counters.bankConflicts, matrices * 3);
}

TEST(Gemm, FindsMissingWait) {
  Problem problem(64, 64, 128);
  EmulationReport report = problem.makeKernel({.waits = false}).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
}

TEST(Gemm, FindsMissingBarrier) {
  Problem problem(64, 64, 128);
  TestKernel kernel = problem.makeKernel({.hasBarrier = false});
  kernel.options().checkUninitialised = false;
  EmulationReport report = kernel.fail();
  EXPECT_TRUE(report.kind == EmulationErrorKind::Race ||
              report.kind == EmulationErrorKind::InFlightAccess)
      << print(report);
}

TEST(Gemm, FindsTooLittleSharedMemory) {
  Problem problem(64, 64, 128);
  TestKernel kernel = problem.makeKernel({});
  EXPECT_EQ(kernel.shared(3 * 8192 - 16).fail().kind,
            EmulationErrorKind::OutOfBounds);
}

TEST(Gemm, FindsTail) {
  // The last block of rows has 63 of 64.
  Problem problem(128, 64, 64);
  problem.a.resize(127 * 64);
  EmulationReport report = problem.makeKernel({}).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_EQ(report.block, 1u);
  EXPECT_NE(report.message.find("'A'"), std::string::npos);
}

TEST(Gemm, RunsOnSeveralHostThreads) {
  Problem problem(256, 128, 64);
  TestKernel kernel = problem.makeKernel({});
  kernel.options().hostThreads = 3;
  EmulatorCounters counters = kernel.run();
  EXPECT_EQ(problem.c, problem.want);
  EXPECT_EQ(counters.barriers, 8u * 2);
}
