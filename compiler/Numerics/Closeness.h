//===- Closeness.h - Is an element what it should be? ---------------------===//
#ifndef TILEC_NUMERICS_CLOSENESS_H
#define TILEC_NUMERICS_CLOSENESS_H

#include "compiler/Numerics/NumberFormat.h"

namespace tilec {

/// An element that was computed and the one that is wanted.
struct ElementPair {
  uint64_t gotCode, wantCode;
  double got, want;

  /// Values decide for floats (+0 is -0, any NaN any NaN) and bits for the
  /// others, where a double may not hold all 64.
  bool isEqual(bool isFloat) const;
  /// Whether both are numbers and differ by at most `bound`.
  bool isWithin(double bound) const;
};

/// The tolerance of `tilec run --check` for a type, relative to an element and
/// to the root mean square of all: 1e-2 for floats of up to 16 bits, 1e-3 for
/// f32 and tf32, 1e-6 for f64, 0 for others.
double getScaleTolerance(NumberFormat format);

} // namespace tilec

#endif // TILEC_NUMERICS_CLOSENESS_H
