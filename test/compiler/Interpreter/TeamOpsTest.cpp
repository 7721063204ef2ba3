//===- TeamOpsTest.cpp - Teams of warpgroups and barriers -----------------===//
#include "test/compiler/Interpreter/KernelHarness.h"

using namespace tilec;

namespace {
struct TeamOps : KernelHarness {
  /// A producer fills a ring of two tiles, a consumer adds them up.
  std::string pipe(const std::string &release, Array &x, Array &y) {
    KernelText text;
    text.threads = 256;
    text.body = R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c5 = arith.constant 5 : i64
    %bytes = arith.constant 16 : i64
    %ring = tile.alloc_shared "ring" : !tile.shared<2x4xf32>
    %ready = tile.barrier_alloc "ready" count 1 : !tile.barrier<2>
    %free = tile.barrier_alloc "free" count 1 : !tile.barrier<2>
    tile.warpgroup [0] {
      tile.set_max_registers 40
      scf.for %k = %c0 to %c5 step %c1 : i64 {
        %s = arith.remsi %k, %c2 : i64
        %round = arith.divsi %k, %c2 : i64
        %next = arith.addi %round, %c1 : i64
        %parity = arith.remsi %next, %c2 : i64
        tile.wait %free[%s], %parity : !tile.barrier<2>
        tile.expect %ready[%s], %bytes : !tile.barrier<2>
        %t = tile.slice %ring[%s, %c0] : !tile.shared<2x4xf32> -> !tile.shared<4xf32>
        tile.tma_copy %X[%k, %c0] to %t barrier %ready[%s] : !tile.global<?x?xf32>, !tile.shared<4xf32>, !tile.barrier<2>
      }
    }, [1] {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%a = %zero) -> (tensor<4xf32>) : i64 {
        %s = arith.remsi %k, %c2 : i64
        %round = arith.divsi %k, %c2 : i64
        %parity = arith.remsi %round, %c2 : i64
        tile.wait %ready[%s], %parity : !tile.barrier<2>
        %t = tile.slice %ring[%s, %c0] : !tile.shared<2x4xf32> -> !tile.shared<4xf32>
        %v = tile.load %t : !tile.shared<4xf32> -> tensor<4xf32>
        %n = arith.addf %a, %v : tensor<4xf32>
        )" + release +
                R"(
        scf.yield %n : tensor<4xf32>
      }
      tile.store %sum, %Y[%c0] : tensor<4xf32>, !tile.global<?xf32>
    })";
    return run(text, {&x, &y});
  }
  Array x = makeIota("X", "f32", {5, 3}), y = makeOutput("Y", "f32", {4});
};
using Numbers = std::vector<double>;
} // namespace

TEST_F(TeamOps, RunAtTheSameTime) {
  EXPECT_EQ(pipe("tile.arrive %free[%s] : !tile.barrier<2>", x, y), "");
  // The fourth column lies outside X and is 0.
  EXPECT_EQ(y.getValues(), (Numbers{30, 35, 40, 0}));
}

TEST_F(TeamOps, ReportADeadlock) {
  EXPECT_EQ(pipe("", x, y),
            "k.mlir:17:9: error: deadlock: no team can go on, and this 'wait' "
            "is for a phase that has not ended");
}

TEST_F(TeamOps, StopAtABarrierThatIsNotThere) {
  EXPECT_EQ(run(R"(
    %b = tile.barrier_alloc "b" count 2 : !tile.barrier<1>
    %c1 = arith.constant 1 : i64
    tile.arrive %b : !tile.barrier<1>
    tile.arrive %b[%c1] : !tile.barrier<1>)",
                {&y}),
            "k.mlir:5:5: error: barrier 1 of 1 is named");
}
