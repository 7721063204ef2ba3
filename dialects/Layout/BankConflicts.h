//===- BankConflicts.h - Cost of shared memory accesses ---------*- C++ -*-===//
//
// Shared memory has 32 banks of 4 bytes.  A warp's access is served in phases:
// all lanes at once up to 4 bytes per lane, half warps at 8 bytes, quarter
// warps at 16 bytes.  In a phase each bank delivers one word per wavefront to
// any number of lanes, so the wavefronts of a phase are the largest number of
// distinct words in one bank, and conflicts are the wavefronts beyond one per
// phase.  ldmatrix counts as one 16-byte phase per matrix.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_BANKCONFLICTS_H
#define TILE_DIALECTS_LAYOUT_BANKCONFLICTS_H

#include "dialects/Layout/Ldmatrix.h"
#include "dialects/Layout/VectorAccess.h"

#include <array>

namespace layout {

/// One access of a warp: the byte offset of each lane before swizzling, or -1
/// for a lane that takes no part.
struct WarpRequest {
  std::array<int32_t, lanesPerWarp> offsets;
  /// How many accesses of the pattern behave like this one.
  int64_t count = 1;
};

/// The accesses of all warps for one operation on a shared tile.
struct AccessPattern {
  /// Bytes per lane: 1, 2, 4, 8 or 16.
  int bytes = 16;
  std::vector<WarpRequest> requests;
  /// How often the operation runs compared with others (chooseSwizzle).
  int64_t weight = 1;
};

/// A fragment read or written as planned.
AccessPattern describeAccess(const FragmentLayout &fragment,
                             const SharedLayout &shared,
                             const VectorPlan &plan);

/// A fragment read by ldmatrix (or written by stmatrix) as planned.
AccessPattern describeAccess(const SharedLayout &shared,
                             const LdmatrixPlan &plan);

/// A tile copied in or out, `bytes` per thread, consecutive threads taking
/// consecutive chunks of the rows (so that each warp access is 32 of them,
/// however many warps there are).  `bytes` divides the row without its padding.
AccessPattern describeCopy(const SharedLayout &shared, int bytes = 16);

/// Wavefronts beyond the minimum, weight not counted.  Accesses are aligned,
/// and the swizzle keeps them together.
int64_t countConflicts(const AccessPattern &pattern, Swizzle swizzle);

/// Wavefronts beyond the minimum when all warps move a fragment in accesses of
/// up to `vectorBytes`.
int64_t countBankConflicts(const FragmentLayout &fragment,
                           const SharedLayout &shared, int vectorBytes = 16);

struct SwizzleChoice {
  Swizzle swizzle;
  /// The weighted conflicts that remain.
  int64_t conflicts = 0;
};

/// The swizzle, legal for `shared` and keeping 16-byte vectors, with the fewest
/// weighted conflicts over all patterns.  Among equals the simplest: fewest
/// bits, then base 4 and shift 3 as the hardware's own, then the smaller base
/// and shift.  The swizzle that `shared` has is ignored.
SwizzleChoice chooseSwizzle(llvm::ArrayRef<AccessPattern> patterns,
                            const SharedLayout &shared);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_BANKCONFLICTS_H
