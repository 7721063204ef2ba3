//===- Decisions.h - Decisions of the compiler that have a name -----------===//
//
// `annotate(name = value)` makes them in the source and `--set name=value` on
// the command line; `tilec report` shows them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_DECISIONS_H
#define TILEC_FRONTEND_SEMA_DECISIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {

struct DecisionRule {
  enum class Kind : uint8_t { Number, Flag, Word };
  llvm::StringLiteral name;
  Kind kind;
  /// Of numbers: the highest; the lowest is 1.
  int64_t highest = 0;
};

/// In the order of their names.
inline constexpr DecisionRule decisionRules[] = {
    // Blocks of a cluster, along the first axis of the grid.
    {"cluster", DecisionRule::Kind::Number, 16},
    // Blocks that a multiprocessor holds at the same time.
    {"min_blocks", DecisionRule::Kind::Number, 32},
    // Rows of tiles that are walked together, for the cache.
    {"raster", DecisionRule::Kind::Number, 1 << 20},
    // How the warpgroups of a product share the work.
    {"schedule", DecisionRule::Kind::Word},
    // The operands of products change places.
    {"swap", DecisionRule::Kind::Flag},
};

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_DECISIONS_H
