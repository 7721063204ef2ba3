//===-- Layout.h - Strides, packing and extent in memory -------*- C++ -*-===//

#ifndef TILERT_LIB_LAYOUT_H
#define TILERT_LIB_LAYOUT_H

#include "Dtype.h"
#include "Manifest.h"

namespace tilert::detail {

/// True if a tensor is the uint8 storage of a 4-bit parameter.
inline bool isStorageForm(const Parameter &parameter,
                          const tilert_tensor &tensor) {
  return tensor.dtype == TILERT_UINT8 && isFourBit(parameter.facts.dtype);
}

/// Bytes of what is stored: an element, or two of 4 bits.
inline int storageBytes(tilert_dtype dtype) { return bytesOfScalar(dtype); }

/// The extent in storage of a logical extent.
inline int64_t storedExtent(const Parameter &parameter, int64_t extent,
                            int dim) {
  return dim == parameter.facts.pack ? extent / 2 + extent % 2 : extent;
}

/// Checks the strides and the address of an argument and describes its memory.
/// The sizes of `bound` are set.
Status bindLayout(const Parameter &parameter, const tilert_tensor &tensor,
                  tilert_bound_tensor &bound);

/// The same for an argument in packed memory, which is as long as its packing
/// says.
Status bindPacked(const Parameter &parameter, const tilert_tensor &tensor,
                  tilert_bound_tensor &bound);

/// "[3, 4, 6]".
std::string showList(const int64_t *numbers, int count);

} // namespace tilert::detail

#endif // TILERT_LIB_LAYOUT_H
