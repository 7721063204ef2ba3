//===-- Overlap.h - Whether two tensors share memory -----------*- C++ -*-===//

#ifndef TILERT_LIB_OVERLAP_H
#define TILERT_LIB_OVERLAP_H

#include "tilert/tilert.h"

namespace tilert::detail {

/// A bound tensor and the extents of its storage.
struct StoredTensor {
  const tilert_bound_tensor *bound;
  int rank;
  int elementBytes;
  int64_t extents[TILERT_MAX_RANK];
};

/// Whether two tensors share a byte. May say yes for tensors that interleave
/// without touching, except for column ranges of one array, which are told
/// apart.
bool doOverlap(const StoredTensor &a, const StoredTensor &b);

} // namespace tilert::detail

#endif // TILERT_LIB_OVERLAP_H
