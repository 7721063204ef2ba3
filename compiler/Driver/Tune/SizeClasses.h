//===- SizeClasses.h - One kernel for several sizes -------------*- C++ -*-===//
//
// A size with several values (few tokens, many) may have code for each.  Which
// of them is worth it follows from what each way to compile the kernel is
// counted to take for each of the values.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_SIZECLASSES_H
#define TILE_COMPILER_DRIVER_TUNE_SIZECLASSES_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace tilec {

/// A way to compile the kernel.
struct SizedWay {
  /// Its parameters, with the orders of prepacked ones, as text: all classes
  /// take the same.
  std::string parameters;
  /// Its time for each of the values, in any unit; infinite where it cannot be
  /// launched.
  std::vector<double> times;
};

/// Neighbouring values that are compiled in one way.
struct SizeClass {
  /// The number of its largest value.
  size_t last = 0;
  /// The number of its way.
  size_t way = 0;

  bool operator==(const SizeClass &) const = default;
};

/// The fewest classes of values such that none takes much longer than in the
/// best way, and of these the fastest.  The ways have a time for each value,
/// all of them finite in one way at least.  Of the parameters that ways
/// take those are chosen whose best ways lose the least in all to the best of
/// any.  Empty if no ways with the same parameters can launch all values.
std::vector<SizeClass> chooseSizeClasses(llvm::ArrayRef<SizedWay> ways);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_SIZECLASSES_H
