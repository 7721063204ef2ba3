//===-- Reference.h - Products on the host, in double ----------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_REFERENCE_H
#define TILE_TOOLS_BENCH_REFERENCE_H

#include "tools/bench/HostMatrix.h"
#include "tools/bench/Table.h"

#include <string>

namespace tilebench {

/// The inputs of a product as the kernels get them.
struct HostInputs {
  HostMatrix a, b;
  /// Of blocks: [M, ceil(K / 128)] and [ceil(N / 128), ceil(K / 128)].
  HostMatrix scalesOfA, scalesOfB;
  float scale = 1; // of Scales::Tensor

  HostInputs(const Work &work, const Shape &shape, uint64_t seed);
};

/// What may lie between an exact result and a right one.
struct Tolerance {
  bool isExact = false; // integers: nothing
  /// Rounding of the result, relative to its value.
  double ofResult = 0;
  /// Rounding of the sums, relative to the sum of the magnitudes of the terms.
  double ofSums = 0;
  /// ||C - R|| / ||R||, both Frobenius norms.
  double ofNorm = 0;
};
Tolerance toleranceOf(const Work &work);

/// Exact results (in double) of some rows and columns: each row with each
/// column.
class Reference {
public:
  /// All rows and columns if there are few, else `count` of each: the first,
  /// the last, and random ones of equal parts.
  Reference(const Work &work, const Shape &shape, const HostInputs &inputs,
            int64_t count, uint64_t seed);

  struct Outcome {
    double error = 0;    // ||C - R|| / ||R|| over the elements looked at
    std::string failure; // empty if right
  };
  Outcome check(const HostMatrix &result) const;

  /// Compares every element of two results that may both be rounded. Elements
  /// that differ by too much are computed here: the failure is that of `result`
  /// and not of `other`.
  Outcome checkAgainst(const HostMatrix &result, const HostMatrix &other) const;

  size_t count() const { return rows.size() * columns.size(); }

private:
  struct Exact {
    double value = 0;
    double magnitude = 0; // the sum of the magnitudes of the terms
  };
  std::vector<double> readRowOfA(int64_t row) const;
  std::vector<double> readColumnOfB(int64_t column) const;
  Exact multiply(int64_t row, const double *a, int64_t column,
                 const double *b) const;
  bool isRight(double got, const Exact &want) const;
  std::string explain(int64_t row, int64_t column, double got,
                      const Exact &want) const;

  Work work;
  Shape shape;
  const HostInputs &inputs;
  Tolerance tolerance;
  std::vector<int64_t> rows, columns;
  std::vector<Exact> exact; // [row][column]
  double largestMagnitude = 0;
};

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_REFERENCE_H
