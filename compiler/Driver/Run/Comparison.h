//===- Comparison.h - Is a result what it should be? ----------------------===//
//
// The three rules by which `tilec run` judges an output: that of --check, and
// the exact and the close rule of --expect.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_COMPARISON_H
#define TILE_COMPILER_DRIVER_RUN_COMPARISON_H

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/Run/HostTensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// One element that differs too much.
struct Mismatch {
  int64_t position;
  uint64_t got;
  uint64_t want;
};

struct ComparisonResult {
  int64_t comparedCount = 0;
  int64_t mismatchCount = 0;
  /// The first few, in row-major order.
  std::vector<Mismatch> first;
  /// Over all pairs; infinite where only one side is finite.
  double maxAbsoluteError = 0;
  /// Frobenius norm of the difference over that of what is wanted.
  double relativeError = 0;

  bool passed() const { return mismatchCount == 0; }
};

/// The tolerance of --check for a type (Numerics/Closeness.h).
Tolerance getDefaultTolerance(NumberFormat format);

/// The rule of --check: |got - want| <= relative * (|want| + rms(want)) +
/// absolute, NaN only where NaN is wanted.  `selection` (one bit an element)
/// limits the comparison to some elements.
ComparisonResult compareByScale(const HostTensor &got, const HostTensor &want,
                                const Tolerance &tolerance,
                                const llvm::BitVector *selection = nullptr);

/// Bit for bit, but +0 equals -0 and any NaN any NaN.
ComparisonResult compareExactly(const HostTensor &got, const HostTensor &want);

/// |got - want| <= absolute + relative * |want|, NaN exactly where NaN is
/// wanted.
ComparisonResult compareClosely(const HostTensor &got, const HostTensor &want,
                                const Tolerance &tolerance);

/// Prints the verdict: a line with the errors and PASS or FAIL, and below a
/// FAIL the first mismatches.
void printComparison(llvm::raw_ostream &os, llvm::StringRef label,
                     const TensorShape &shape, const ComparisonResult &result);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_COMPARISON_H
