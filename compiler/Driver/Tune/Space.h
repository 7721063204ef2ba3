//===- Space.h - What tuning may change about a kernel ----------*- C++ -*-===//
//
// The space is the product of its dimensions: config constants with a set, and
// decisions of the compiler that --set overrides and for which there is more
// than one answer worth a try.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_TUNE_SPACE_H
#define TILE_COMPILER_DRIVER_TUNE_SPACE_H

#include "compiler/Driver/CommandLine.h"
#include "compiler/Frontend/Sema/CheckedModule.h"
#include "dialects/Tile/IR/TileOps.h"

namespace tilec {

struct TuneDimension {
  std::string name;
  /// Else it is a config constant.
  bool isDecision = false;
  /// The first is what a compilation without tuning takes.
  std::vector<std::string> values;
};

/// One value of each dimension, by its number.
using TunePoint = std::vector<unsigned>;

class TuneSpace {
public:
  /// The config constants that have a set and are not given.
  void addConfig(const checked::Kernel &kernel,
                 llvm::ArrayRef<NamedText> given);
  /// The decisions that the compiler took about the variants of a kernel and
  /// that are not given.  Where the source has sets, or -D gives one of its
  /// constants, the depth of its pipelines is left to these; where it says how
  /// many blocks share a loop, that is left to it.  Just one of them if `only`
  /// names it.
  void addDecisions(llvm::ArrayRef<mlir::tile::KernelOp> variants,
                    llvm::ArrayRef<NamedText> given, llvm::StringRef only = "");

  llvm::ArrayRef<TuneDimension> getDimensions() const { return dimensions; }
  /// The number of points; very large spaces count as INT64_MAX.
  int64_t count() const;

  TunePoint getDefault() const { return TunePoint(dimensions.size(), 0); }
  /// In how many dimensions a point differs from the default, of the decisions
  /// and in all.
  unsigned countDecided(const TunePoint &point) const;
  unsigned countChanged(const TunePoint &point) const;

  /// Every combination of the config constants with the compiler's own
  /// decisions: the nearest to the default first, `most` at most.
  std::vector<TunePoint> listConfigs(size_t most) const;
  /// `point` with up to two decisions changed, those with one change first.
  std::vector<TunePoint> listDecided(const TunePoint &point) const;

  /// What differs from the default, as -D and --set take it.
  std::vector<NamedText> getDefinitions(const TunePoint &point) const;
  std::vector<NamedText> getSettings(const TunePoint &point) const;

private:
  std::vector<NamedText> getChanges(const TunePoint &point,
                                    bool ofDecisions) const;

  std::vector<TuneDimension> dimensions;
  /// Whether the source or the user says what config constants to try.
  bool hasConfig = false;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_SPACE_H
