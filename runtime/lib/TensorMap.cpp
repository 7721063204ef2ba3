//===-- TensorMap.cpp - What TMA needs to know of a tensor ----------------===//
//
// The tensor's dimensions are turned around: tensor maps begin with the
// innermost one, which is contiguous.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include "Layout.h"
#include "Text.h"

namespace tilert::detail {
namespace {

// Limits of cuTensorMapEncodeTiled.
constexpr int64_t unit = 16; // of addresses and strides, in bytes
constexpr int64_t maxExtent = int64_t(1) << 32;
constexpr int64_t strideLimit = int64_t(1) << 40;

int64_t roundUp(int64_t bytes) {
  int64_t excess = bytes % unit;
  return excess > 0 && bytes < strideLimit ? bytes + unit - excess : bytes;
}

/// What is wrong with the map, or an empty string.
std::string findFault(const tilert_tensor_map &map, int64_t innerStride) {
  auto address = reinterpret_cast<uintptr_t>(map.data);
  if (address % uintptr_t(unit) != 0)
    return join("address ", toHex(address), " is not a multiple of ", unit);
  for (int i = 0; i < map.rank; ++i)
    if (map.extents[i] < 1 || map.extents[i] > maxExtent)
      return join("extent ", map.extents[i], " of dimension ", map.rank - 1 - i,
                  " is not from 1 to ", maxExtent);
  if (innerStride != map.element_bytes)
    return join("stride ", innerStride, " of the last dimension is not the ",
                map.element_bytes, " bytes of an element");
  for (int i = 0; i + 1 < map.rank; ++i) {
    int64_t stride = map.byte_strides[i];
    int dim = map.rank - 2 - i;
    if (stride < 0 || stride >= strideLimit)
      return join("stride ", stride, " bytes of dimension ", dim,
                  " is not from 0 to ", strideLimit - 1);
    if (stride % unit != 0)
      return join("stride ", stride, " bytes of dimension ", dim,
                  " is not a multiple of ", unit);
  }
  return "";
}

Status checkMap(const Variant &variant, const Parameter &parameter,
                const tilert_tensor_map &map, int64_t innerStride) {
  std::string fault = findFault(map, innerStride);
  if (fault.empty())
    return {};
  return {TILERT_CHECK_FAILED,
          join("variant ", quote(variant.name), " has no tensor map of ",
               quote(parameter.name), ": ", fault)};
}

/// Packed memory is dense, in rows of its own.
Status describePackedMap(const Variant &variant, const TensorMapSpec &spec,
                         const Parameter &parameter,
                         const tilert_bound_tensor &tensor,
                         tilert_tensor_map &map) {
  map.data = tensor.data;
  map.dtype = parameter.facts.dtype;
  map.rank = parameter.facts.rank + 1;
  map.element_bytes = storageBytes(parameter.facts.dtype);
  map.swizzle = spec.swizzle;
  map.l2_promotion = spec.l2Promotion;
  int64_t extents[TILERT_MAX_RANK];
  if (!memoryExtents(parameter, tensor.sizes, extents))
    return {TILERT_INVALID_ARGUMENT,
            join("packed ", quote(parameter.name), " exceeds int64 elements")};
  if (isFourBit(parameter.facts.dtype))
    extents[map.rank - 1] /= 2;
  int64_t stride = map.element_bytes;
  for (int i = 0; i < map.rank; ++i) {
    int dim = map.rank - 1 - i;
    map.box[i] = spec.box[dim];
    map.extents[i] = extents[dim];
    if (i > 0)
      map.byte_strides[i - 1] = stride;
    // The product is that of the bytes bound, or of an empty tensor.
    stride *= extents[dim] > 0 ? extents[dim] : 1;
  }
  return checkMap(variant, parameter, map, map.element_bytes);
}

} // namespace

Status describeTensorMap(const KernelInfo &kernel, const Variant &variant,
                         size_t index,
                         const std::vector<tilert_bound_tensor> &tensors,
                         tilert_tensor_map &map) {
  const TensorMapSpec &spec = variant.tensorMaps[index];
  const Parameter &parameter = kernel.parameters[size_t(spec.parameter)];
  const tilert_bound_tensor &tensor = tensors[size_t(spec.parameter)];
  if (parameter.packing)
    return describePackedMap(variant, spec, parameter, tensor, map);
  map.data = tensor.data;
  map.dtype = parameter.facts.dtype;
  map.rank = parameter.facts.rank;
  map.element_bytes = storageBytes(parameter.facts.dtype);
  map.swizzle = spec.swizzle;
  map.l2_promotion = spec.l2Promotion;
  for (int i = 0; i < map.rank; ++i) {
    int dim = map.rank - 1 - i;
    map.box[i] = spec.box[dim];
    map.extents[i] = storedExtent(parameter, tensor.sizes[dim], dim);
    if (i == 0)
      continue;
    // Along an extent of 1 no step is made, whatever the stride.
    int64_t stride = tensor.byte_strides[dim];
    map.byte_strides[i - 1] = map.extents[i] == 1 ? roundUp(stride) : stride;
  }
  return checkMap(variant, parameter, map, tensor.byte_strides[map.rank - 1]);
}

std::string showTensorMap(const tilert_tensor_map &map) {
  auto showNarrow = [](const int32_t *numbers, int count) {
    int64_t wide[TILERT_MAX_RANK];
    std::copy(numbers, numbers + count, wide);
    return showList(wide, count);
  };
  return join("address ", toHex(reinterpret_cast<uintptr_t>(map.data)),
              ", extents ", showList(map.extents, map.rank), ", strides ",
              showList(map.byte_strides, map.rank - 1), " bytes, elements of ",
              map.element_bytes, " bytes, box ", showNarrow(map.box, map.rank),
              ", swizzle ", map.swizzle, ", L2 promotion ", map.l2_promotion);
}

} // namespace tilert::detail
