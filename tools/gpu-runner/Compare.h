//===-- Compare.h - Compares tensors, exactly or closely -------*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_COMPARE_H
#define TILE_TOOLS_GPURUNNER_COMPARE_H

#include "tools/gpu-runner/HostTensor.h"

namespace gpurunner {

/// Exact: every element the same, except that +0 equals -0 and any NaN any NaN.
/// Close: |got - want| <= absolute + relative * |want|, and NaN exactly where
/// NaN is wanted.
struct Tolerance {
  bool isExact = true;
  double relative = 0;
  double absolute = 0;
};

/// Reads "RTOL" or "RTOL,ATOL".
bool parseTolerance(const std::string &text, Tolerance &tolerance);

struct Comparison {
  int64_t count = 0;
  int64_t wrong = 0;
  double maxAbsError = 0;
  /// |got - want| / |want|, both Frobenius norms, of the elements finite in
  /// both.
  double relativeError = 0;
  /// The first wrong elements, one a line, as "[3, 5]: got 1.5, want 2".
  std::string firstWrong;
};

/// Compares two tensors as they lie in memory or in .npy files.
Comparison compare(const TensorType &type, const unsigned char *got,
                   const unsigned char *want, const Tolerance &tolerance);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_COMPARE_H
