//===-- Overlap.cpp - Whether two tensors share memory --------------------===//
//
// Two tensors whose address ranges are apart do not overlap. If the ranges
// meet, they can still be column ranges of one array: rows a pitch apart, of
// which each tensor has its own columns. That is seen by looking at addresses
// modulo the pitch.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <algorithm>

namespace tilert::detail {
namespace {

/// The smallest stride that leaves the run of contiguous bytes at the end of
/// the tensor; 0 if the tensor is one run. Sets `runBytes`, or gives up with -1
/// if strides are not positive.
int64_t findPitch(const StoredTensor &tensor, int64_t &runBytes) {
  runBytes = tensor.elementBytes;
  int64_t pitch = 0;
  for (int dim = tensor.rank - 1; dim >= 0; --dim) {
    if (tensor.extents[dim] <= 1)
      continue;
    int64_t stride = tensor.bound->byte_strides[dim];
    if (stride <= 0)
      return -1;
    if (pitch == 0 && stride == runBytes)
      runBytes *= tensor.extents[dim];
    else
      pitch = pitch == 0 ? stride : std::min(pitch, stride);
  }
  return pitch;
}

bool isMultipleOfPitch(const StoredTensor &tensor, int64_t pitch) {
  for (int dim = 0; dim < tensor.rank; ++dim) {
    int64_t stride = tensor.bound->byte_strides[dim];
    if (tensor.extents[dim] > 1 && stride >= pitch && stride % pitch != 0)
      return false;
  }
  return true;
}

/// Whether a and b take separate columns of rows that are a pitch apart.
bool haveSeparateColumns(const StoredTensor &a, const StoredTensor &b) {
  int64_t runA, runB;
  int64_t pitch = findPitch(a, runA), pitchB = findPitch(b, runB);
  if (pitch <= 0 || pitch != pitchB)
    return false;
  if (!isMultipleOfPitch(a, pitch) || !isMultipleOfPitch(b, pitch))
    return false;
  auto startOf = [](const StoredTensor &tensor) {
    return reinterpret_cast<uintptr_t>(tensor.bound->first);
  };
  auto modulus = static_cast<uintptr_t>(pitch);
  // The columns of b, counted from those of a, around the pitch.
  uintptr_t shift =
      (startOf(b) % modulus + modulus - startOf(a) % modulus) % modulus;
  return shift >= uintptr_t(runA) && shift + uintptr_t(runB) <= modulus;
}

} // namespace

bool doOverlap(const StoredTensor &a, const StoredTensor &b) {
  if (a.bound->bytes == 0 || b.bound->bytes == 0)
    return false;
  auto firstA = reinterpret_cast<uintptr_t>(a.bound->first);
  auto firstB = reinterpret_cast<uintptr_t>(b.bound->first);
  bool rangesMeet = firstA <= firstB
                        ? firstB - firstA < uintptr_t(a.bound->bytes)
                        : firstA - firstB < uintptr_t(b.bound->bytes);
  return rangesMeet && !haveSeparateColumns(a, b);
}

} // namespace tilert::detail
