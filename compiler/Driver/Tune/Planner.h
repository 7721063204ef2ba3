//===- Planner.h - Which candidates to try first ----------------*- C++ -*-===//
//
// The passes decide about points of the space without making code, which takes
// milliseconds.  What they refuse is counted with the reason; the rest is
// ordered by what the cost model expects.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_PLANNER_H
#define TILE_COMPILER_DRIVER_TUNE_PLANNER_H

#include "compiler/Driver/Tune/Space.h"
#include "compiler/Tune/Bundle.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// A point and what became of it.
struct PlannedPoint {
  TunePoint point;
  /// Microseconds, for what is not refused.
  double estimate = 0;
  /// The variant that its launch takes.
  std::string variant;
  /// Bytes that the launch needs beside its arguments.
  int64_t workspace = 0;
  /// In which orders it takes prepacked tensors; empty if there are none.
  std::string orders;
  /// Why it was refused: one line, and the whole as it would be printed.
  std::string refusal, diagnostics;
};

/// What to compile: `base` with a point of the space.
CompileOptions makeCandidateOptions(const CompileOptions &base,
                                    const TuneSpace &space,
                                    const TunePoint &point);

class Compilation;

/// What became of a compilation that kept its snapshots, with fixed sizes, down
/// to the decisions: `error` is what that gave.
PlannedPoint judgePlan(Compilation &compilation, llvm::Error error,
                       const tune::Bundle &bundle);

struct Plan {
  /// The most promising first; the default is the very first if it can be
  /// compiled.
  std::vector<PlannedPoint> points;
  std::vector<PlannedPoint> refused;
};

/// Plans points of the space for the launch that the bundle describes, `jobs`
/// at a time.
Plan planPoints(const CompileOptions &base, const TuneSpace &space,
                const tune::Bundle &bundle, unsigned jobs);

/// Plans just these points, in their order, refused or not.
std::vector<PlannedPoint> planThese(const CompileOptions &base,
                                    const TuneSpace &space,
                                    const tune::Bundle &bundle, unsigned jobs,
                                    llvm::ArrayRef<TunePoint> points);

/// Refuses a point whose launch needs a workspace: for a kernel whose default
/// needs none, since who launches it has none.
void refuseWorkspace(PlannedPoint &planned);

/// Calls work(i) for each i below `count` on `jobs` threads.
void runInParallel(size_t count, unsigned jobs,
                   llvm::function_ref<void(size_t)> work);

/// The first error of a compilation in one line; empty if there is none.
std::string getFirstError(llvm::StringRef diagnostics);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_PLANNER_H
