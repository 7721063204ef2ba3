//===- DecisionTable.h - The decisions that have a name -------------------===//
//
// The one list of what `annotate(name = value)` in a source and
// `--set name=value` on the command line may decide.  It needs nothing of MLIR,
// so that semantic analysis may ask it as well as the passes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_TRANSFORMS_DECISIONTABLE_H
#define TILE_DIALECTS_TILE_TRANSFORMS_DECISIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace mlir::tile {

/// A decision by its name.
struct DecisionSpec {
  enum class Kind { Integer, Boolean, Word, WarpGrid };

  llvm::StringRef name;
  Kind kind;
  /// The range of an integer.
  int64_t least, most;
  /// The words that it may be, "a, b or c"; any if empty.
  llvm::StringLiteral words = "";
};

namespace detail {
/// In the order of their names.
inline constexpr DecisionSpec decisionSpecs[] = {
    // Blocks that load tiles together, and the axis along which they are
    // neighbours.
    {"cluster", DecisionSpec::Kind::Integer, 1, 2},
    {"cluster_axis", DecisionSpec::Kind::Integer, 0, 1},
    // Elements of K of an operand that is made in registers at a time.
    {"depth", DecisionSpec::Kind::Integer, 16, 1024},
    // Of products on sm_90a: wgmma or mma.
    {"instruction", DecisionSpec::Kind::Word, 0, 0, "wgmma or mma"},
    // Blocks that a multiprocessor holds at the same time.
    {"min_blocks", DecisionSpec::Kind::Integer, 1, 32},
    // What is done while the kernel before in the stream still runs
    // (Overlap.h).
    {"overlap", DecisionSpec::Kind::Word, 0, 0, "none, wait or weights"},
    // Columns of sums that join a total at a time.
    {"promotion", DecisionSpec::Kind::Integer, 8, 256},
    // Rows of blocks that run together, for the cache; 0 for none.
    {"raster", DecisionSpec::Kind::Integer, 0, 65535},
    // What the scales of few rows' weights are multiplied with.
    {"scales", DecisionSpec::Kind::Word, 0, 0, "weights or sums"},
    // How the warpgroups of a product share the work.
    {"schedule", DecisionSpec::Kind::Word, 0, 0,
     "cooperative, pingpong or none"},
    // Blocks that share the iterations of a pipelined loop.
    {"split", DecisionSpec::Kind::Integer, 1, 1024},
    // Buffers of a pipelined loop.
    {"stages", DecisionSpec::Kind::Integer, 0, 32},
    // Where blocks that share a loop meet.
    {"sums", DecisionSpec::Kind::Word, 0, 0, "cluster or workspace"},
    // The operands of products change places.
    {"swap", DecisionSpec::Kind::Boolean, 0, 0},
    // Warpgroups that share tiles multiply in turns.
    {"turns", DecisionSpec::Kind::Boolean, 0, 0},
    // Warps along M and N of a product.
    {"warps", DecisionSpec::Kind::WarpGrid, 0, 0},
};
} // namespace detail

/// All decisions that have a name, in the order of their names.
inline llvm::ArrayRef<DecisionSpec> getDecisionSpecs() {
  return detail::decisionSpecs;
}

/// Null if there is no such decision.
inline const DecisionSpec *findDecisionSpec(llvm::StringRef name) {
  for (const DecisionSpec &spec : getDecisionSpecs())
    if (spec.name == name)
      return &spec;
  return nullptr;
}

/// Of "2x4": warps along M and N.
inline std::optional<std::pair<int64_t, int64_t>>
parseWarpGrid(llvm::StringRef text) {
  auto [m, n] = text.split('x');
  int64_t warpsM, warpsN;
  if (m.getAsInteger(10, warpsM) || n.getAsInteger(10, warpsN) || warpsM < 1 ||
      warpsN < 1 || warpsM > 32 || warpsN > 32)
    return std::nullopt;
  return std::pair(warpsM, warpsN);
}

} // namespace mlir::tile

#endif // TILE_DIALECTS_TILE_TRANSFORMS_DECISIONTABLE_H
