//===- Decisions.h - Choices that a kernel may take from outside ----------===//
//
// The compiler decides how warps share a product, how many buffers a pipeline
// has, and so on.  `annotate` in the source and --set on the command line take
// such decisions out of its hands: they stand in the `decisions` of a
// `tile.kernel`, and are binding.  A pass that decides asks here first, and
// notes what it chose, from what and why, for `tilec report`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_DECISIONS_H
#define TILE_DIALECTS_TILE_TRANSFORMS_DECISIONS_H

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/DecisionTable.h"

namespace mlir::tile {

/// The value that `text` spells: an integer, true or false, else a word.
Attribute parseDecisionValue(MLIRContext *context, StringRef text);
/// "takes a whole number from 1 to 32, found 'x'"; empty if the value fits.
std::string describeDecisionFault(const DecisionSpec &spec, Attribute value);

/// Reports decisions of the kernel that do not exist or have a value that does
/// not fit.
LogicalResult checkDecisions(KernelOp kernel);

/// What was decided from outside, if it was.
std::optional<int64_t> getDecidedInteger(KernelOp kernel, StringRef name);
std::optional<bool> getDecidedFlag(KernelOp kernel, StringRef name);
std::optional<StringRef> getDecidedWord(KernelOp kernel, StringRef name);
/// Of "2x4": warps along M and N.
std::optional<std::pair<int64_t, int64_t>> getDecidedWarpGrid(KernelOp kernel);

/// Rows of blocks (the second axis) that run together where nothing decides on
/// `raster` (docs/decisions/0001).
inline constexpr int64_t defaultRaster = 8;

/// The same of the tuples of a persistent loop, which may say so itself.
int64_t getPersistentGroup(KernelOp kernel, PersistentOp loop);

/// What a pass chose, for people.
struct Choice {
  StringRef name;
  std::string value;
  /// "1x8, 2x4, 4x2"
  std::string candidates;
  std::string reason;
};

/// Notes a choice about the op, or the whole kernel, at `loc`.
void noteChoice(KernelOp kernel, Location loc, const Choice &choice);
/// Notes what is decided about the launch of the kernel: `raster`,
/// `min_blocks`.
void noteLaunchChoices(KernelOp kernel);

/// The attribute of a kernel that holds the choices: an array of dictionaries
/// {name, value, candidates, reason, line}.
inline constexpr StringLiteral choicesAttrName = "tile.choices";

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_DECISIONS_H
