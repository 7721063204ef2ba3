//===-- TensorMap.h - What TMA needs to know of a tensor -------*- C++ -*-===//

#ifndef TILERT_LIB_TENSORMAP_H
#define TILERT_LIB_TENSORMAP_H

#include "Manifest.h"

namespace tilert::detail {

/// Describes map `index` of `variant` for the tensors of a launch, and refuses
/// what no driver encodes. Guards of the variant should have kept such tensors
/// away from it.
Status describeTensorMap(const KernelInfo &kernel, const Variant &variant,
                         size_t index,
                         const std::vector<tilert_bound_tensor> &tensors,
                         tilert_tensor_map &map);

/// "address 0x7f00, extents [64, 8], ...", innermost dimension first.
std::string showTensorMap(const tilert_tensor_map &map);

} // namespace tilert::detail

#endif // TILERT_LIB_TENSORMAP_H
