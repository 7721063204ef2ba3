//===-- FakeCublasLt.h - cuBLASLt on the fake driver -----------*- C++ -*-===//
//
// The entry points of cuBLASLt that tile-bench uses, by their documentation:
// matrices column by column, in host memory. It lies in one library with the
// fake driver, whose clock it moves.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TEST_TOOLS_BENCH_FAKECUBLASLT_H
#define TILE_TEST_TOOLS_BENCH_FAKECUBLASLT_H

#include <vector>

namespace fakecublaslt {

struct State {
  /// Of each algorithm, in the order of recommendation.
  std::vector<double> milliseconds = {1};
  /// An algorithm that computes something else, if not negative.
  int wrong = -1;
  /// Algorithms run, by number.
  std::vector<int> runs;
};

} // namespace fakecublaslt

#endif // TILE_TEST_TOOLS_BENCH_FAKECUBLASLT_H
