//===- FitSearch.h - The best ways to compile for one launch ----*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_TUNE_FITSEARCH_H
#define TILE_COMPILER_DRIVER_TUNE_FITSEARCH_H

#include "compiler/Driver/Tune/Planner.h"
#include "compiler/Driver/Tune/TunedValues.h"
#include <map>

namespace tilec {

/// Plans ways to compile a kernel for a launch of fixed sizes.
class FitSearch {
public:
  /// `base` has a definition for each size.  The space, which outlives this,
  /// has the config constants; the decisions that are fitted, too, are added by
  /// `start`.  `value` is for the caller.
  FitSearch(CompileOptions base, TuneSpace &space,
            std::optional<int64_t> value = std::nullopt)
      : base(std::move(base)), space(&space), value(value) {}

  /// Compiles the default down to its decisions.  A usage error if a size is
  /// not known.
  llvm::Error start();
  /// Why the kernel has no meaning with these sizes; empty if it has.
  const std::string &getObstacle() const { return obstacle; }

  /// Changes one dimension after the other of the best ways so far, from the
  /// default and `seeds` on, until that brings nothing.
  void run(llvm::ArrayRef<TunePoint> seeds);
  /// Plans these, too.
  void plan(llvm::ArrayRef<TunePoint> points);

  /// What becomes of values that were found otherwise, of the space or not.
  PlannedPoint planOthers(const TunedClass &values) const;

  /// The most promising way; null if all were refused.
  const PlannedPoint *getBest() const;
  /// The most promising first, `most` at most; of these orders of prepacked
  /// tensors if they are given.
  std::vector<const PlannedPoint *>
  listBest(size_t most, const std::string *orders = nullptr) const;
  /// A way that was planned and not refused; else null.
  const PlannedPoint *find(const TunePoint &point) const;
  /// Its time with a surcharge for what differs from the default.
  double getPromise(const PlannedPoint &planned) const;

  std::optional<int64_t> getValue() const { return value; }
  /// Microseconds; 0 if the default was refused, for `getRefusal`.
  double getDefaultEstimate() const;
  const std::string &getRefusal() const { return byDefault.refusal; }

private:
  void keep(PlannedPoint planned);

  CompileOptions base;
  TuneSpace *space;
  std::optional<int64_t> value;
  tune::Bundle bundle;
  std::string obstacle;
  /// The default needs a workspace.
  bool hasWorkspace = false;
  PlannedPoint byDefault;
  std::map<TunePoint, PlannedPoint> known;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_FITSEARCH_H
