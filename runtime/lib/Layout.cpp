//===-- Layout.cpp - Strides, packing and extent in memory ----------------===//
//
// Everything is counted in bytes of the storage, in which a 4-bit tensor has
// its packed dimension halved. Strides along extents of 0 and 1 reach no
// element: what is passed there is ignored and replaced by the dense stride, so
// that guards see one value for one meaning.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Text.h"

namespace tilert::detail {
namespace {

Status tooLarge(const Parameter &parameter, const tilert_tensor &tensor) {
  return {TILERT_INVALID_ARGUMENT,
          join("argument ", quote(parameter.name), " of shape ",
               showList(tensor.sizes, tensor.rank),
               tensor.strides ? join(" and strides ",
                                     showList(tensor.strides, tensor.rank))
                              : "",
               " is larger than the address space")};
}

/// Computes and checks the layout of one argument.
class LayoutBinder {
public:
  LayoutBinder(const Parameter &parameter, const tilert_tensor &tensor,
               tilert_bound_tensor &bound)
      : parameter(parameter), tensor(tensor), bound(bound),
        rank(parameter.facts.rank), bytes(storageBytes(parameter.facts.dtype)) {
    for (int dim = 0; dim < rank; ++dim) {
      extents[dim] = storedExtent(parameter, bound.sizes[dim], dim);
      isEmpty |= extents[dim] == 0;
    }
  }

  Status bind() {
    bound.data = tensor.data;
    TILERT_RETURN_IF_ERROR(computeStrides());
    TILERT_RETURN_IF_ERROR(checkStrides());
    TILERT_RETURN_IF_ERROR(checkAddress());
    return computeRange();
  }

private:
  bool matters(int dim) const { return !isEmpty && extents[dim] > 1; }

  Status computeStrides() {
    int64_t dense = bytes; // of the dimension at hand, given the inner ones
    bool overflows = false;
    for (int dim = rank - 1; dim >= 0; --dim) {
      int64_t &stride = bound.byte_strides[dim];
      stride = dense;
      if (tensor.strides && matters(dim))
        TILERT_RETURN_IF_ERROR(convertStride(dim, stride));
      int64_t factor = extents[dim] > 1 ? extents[dim] : 1;
      overflows |= __builtin_mul_overflow(stride, factor, &dense);
    }
    // The product of an empty tensor's other extents may be anything.
    return overflows && !isEmpty ? tooLarge(parameter, tensor) : Status();
  }

  /// From elements of the array passed to bytes.
  Status convertStride(int dim, int64_t &stride) {
    stride = tensor.strides[dim];
    bool isElementForm =
        isFourBit(parameter.facts.dtype) && !isStorageForm(parameter, tensor);
    if (isElementForm && dim < parameter.facts.pack) {
      if (stride % 2 != 0)
        return {TILERT_INVALID_ARGUMENT,
                join("argument ", quote(parameter.name), " has stride ", stride,
                     " along dimension ", dim, ": two ",
                     nameOf(parameter.facts.dtype),
                     " share a byte along dimension ", parameter.facts.pack,
                     ", so it must be even")};
      stride /= 2;
      return {};
    }
    if (__builtin_mul_overflow(stride, int64_t(bytes), &stride))
      return tooLarge(parameter, tensor);
    return {};
  }

  Status checkStrides() {
    // Multiplied without overflow: the strides seen so far are the dense ones,
    // and computeStrides has multiplied those.
    if (tensor.strides && !isEmpty && parameter.facts.strided == TILERT_DENSE) {
      int64_t dense = bytes;
      for (int dim = rank - 1; dim >= 0; --dim) {
        if (matters(dim) && bound.byte_strides[dim] != dense)
          return strideError("is declared dense", /*isDense=*/true);
        dense *= extents[dim] > 1 ? extents[dim] : 1;
      }
    }
    if (parameter.facts.strided == TILERT_STRIDED && matters(rank - 1) &&
        bound.byte_strides[rank - 1] != bytes)
      return strideError("is declared strided with a last stride of 1",
                         /*isDense=*/false);
    for (int dim = 0; dim < rank; ++dim)
      if (parameter.facts.access != TILERT_IN && matters(dim) &&
          bound.byte_strides[dim] == 0)
        return {TILERT_INVALID_ARGUMENT,
                join("argument ", quote(parameter.name),
                     " is written, but its ", extents[dim],
                     " elements along dimension ", dim,
                     " share memory (stride 0)")};
    return {};
  }

  Status strideError(const char *declared, bool isDense) {
    std::string text = join("argument ", quote(parameter.name), " ", declared,
                            ", but has shape ", showList(tensor.sizes, rank),
                            " and strides ", showList(tensor.strides, rank));
    if (isDense)
      text += join(", dense strides are ", showDenseStrides());
    return {TILERT_INVALID_ARGUMENT, std::move(text)};
  }

  /// Dense strides, counted as the caller counts.
  std::string showDenseStrides() {
    bool isElementForm =
        isFourBit(parameter.facts.dtype) && !isStorageForm(parameter, tensor);
    int64_t strides[TILERT_MAX_RANK];
    int64_t stride = 1;
    for (int dim = rank - 1; dim >= 0; --dim) {
      strides[dim] = stride;
      int64_t extent = tensor.sizes[dim];
      if (isElementForm && dim == parameter.facts.pack)
        extent += extent % 2;
      if (__builtin_mul_overflow(stride, extent, &stride))
        return "larger than int64";
    }
    return showList(strides, rank);
  }

  Status checkAddress() {
    auto address = reinterpret_cast<uintptr_t>(tensor.data);
    if (isEmpty || address % uintptr_t(bytes) == 0)
      return {};
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name), ": address ",
                 toHex(address), " is not a multiple of the ", bytes,
                 " bytes of ", nameOf(parameter.facts.dtype))};
  }

  Status computeRange() {
    bound.first = bound.data;
    bound.bytes = 0;
    if (isEmpty)
      return {};
    int64_t before = 0, after = bytes;
    bool overflows = false;
    for (int dim = 0; dim < rank; ++dim) {
      int64_t reach;
      overflows |= __builtin_mul_overflow(extents[dim] - 1,
                                          bound.byte_strides[dim], &reach);
      int64_t &side = reach < 0 ? before : after;
      overflows |= __builtin_add_overflow(side, reach, &side);
    }
    auto address = reinterpret_cast<uintptr_t>(bound.data);
    uintptr_t below = uintptr_t(0) - uintptr_t(before);
    overflows |= __builtin_sub_overflow(after, before, &bound.bytes) ||
                 below > address || uintptr_t(after) > UINTPTR_MAX - address;
    if (overflows)
      return tooLarge(parameter, tensor);
    bound.first = reinterpret_cast<void *>(address - below);
    return {};
  }

  const Parameter &parameter;
  const tilert_tensor &tensor;
  tilert_bound_tensor &bound;
  int rank;
  int bytes;
  int64_t extents[TILERT_MAX_RANK] = {};
  bool isEmpty = false;
};

} // namespace

Status bindLayout(const Parameter &parameter, const tilert_tensor &tensor,
                  tilert_bound_tensor &bound) {
  return LayoutBinder(parameter, tensor, bound).bind();
}

Status bindPacked(const Parameter &parameter, const tilert_tensor &tensor,
                  tilert_bound_tensor &bound) {
  TILERT_RETURN_IF_ERROR(bindLayout(parameter, tensor, bound));
  std::optional<int64_t> bytes = packedBytes(parameter, bound.sizes);
  auto address = reinterpret_cast<uintptr_t>(bound.data);
  if (!bytes || uintptr_t(*bytes) > UINTPTR_MAX - address)
    return tooLarge(parameter, tensor);
  bound.bytes = *bytes;
  return {};
}

std::string showList(const int64_t *numbers, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i)
    text += join(i ? ", " : "", numbers[i]);
  return text + ']';
}

} // namespace tilert::detail
