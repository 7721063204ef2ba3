//===-- Binding.cpp - Fits arguments to parameters ------------------------===//

#include "Binding.h"
#include "Dtype.h"
#include "Layout.h"
#include "Symbols.h"
#include "Text.h"

namespace tilert::detail {
namespace {

/// "takes 3 arguments (A, B, scale), got 2".
Status countError(const KernelInfo &kernel, size_t count) {
  std::string names;
  for (const Parameter &parameter : kernel.parameters)
    names += join(names.empty() ? "" : ", ", parameter.name);
  size_t expected = kernel.parameters.size();
  return {TILERT_INVALID_ARGUMENT,
          join("takes ", expected,
               expected == 1 ? " argument (" : " arguments (", names, "), got ",
               count)};
}

Status checkScalar(const Parameter &parameter, const tilert_scalar &scalar) {
  if (scalar.dtype == parameter.facts.dtype)
    return {};
  return {TILERT_INVALID_ARGUMENT,
          join("argument ", quote(parameter.name), " is ", nameOf(scalar.dtype),
               ", expected ", nameOf(parameter.facts.dtype))};
}

Status checkDtype(const Parameter &parameter, const tilert_tensor &tensor) {
  tilert_dtype wanted = parameter.facts.dtype;
  bool fits = tensor.dtype == wanted || isStorageForm(parameter, tensor) ||
              // tf32 is f32 in memory.
              (wanted == TILERT_TF32 && tensor.dtype == TILERT_F32);
  if (fits)
    return {};
  return {TILERT_INVALID_ARGUMENT,
          join("argument ", quote(parameter.name), " is ", nameOf(tensor.dtype),
               ", expected ", nameOf(wanted),
               isFourBit(wanted) ? ", or its storage as uint8" : "")};
}

/// Whether the elements lie in the order that the kernel takes, where that is
/// told.
Status checkOrder(const Parameter &parameter, const tilert_tensor &tensor) {
  uint64_t wanted = parameter.facts.order;
  if (tensor.order == TILERT_ORDER_UNKNOWN || tensor.order == wanted)
    return {};
  std::string name = join("argument ", quote(parameter.name));
  if (!parameter.packing)
    return {TILERT_INVALID_ARGUMENT,
            join(name, " is packed in order ", toHex(tensor.order),
                 ", expected a plain tensor")};
  if (tensor.order == TILERT_ORDER_PLAIN)
    return {TILERT_INVALID_ARGUMENT,
            join(name, " is a plain tensor, expected one that is packed by "
                       "tilert_prepack")};
  return {TILERT_INVALID_ARGUMENT,
          join(name, " is packed in order ", toHex(tensor.order), ", expected ",
               toHex(wanted), ": it was packed for another target or config")};
}

} // namespace

Status checkTensor(const Parameter &parameter, const tilert_tensor &tensor) {
  TILERT_RETURN_IF_ERROR(checkDtype(parameter, tensor));
  TILERT_RETURN_IF_ERROR(checkOrder(parameter, tensor));
  if (tensor.rank != parameter.facts.rank)
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name), " has rank ", tensor.rank,
                 ", expected ", parameter.facts.rank, ": ",
                 parameter.shapeText())};
  if (!tensor.sizes)
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name), " has no sizes")};
  bool isEmpty = false;
  for (int dim = 0; dim < tensor.rank; ++dim) {
    if (tensor.sizes[dim] < 0)
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(parameter.name), " dimension ", dim,
                   " is ", tensor.sizes[dim])};
    isEmpty |= tensor.sizes[dim] == 0;
  }
  if (!tensor.data && !isEmpty)
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name), " is a null pointer to ",
                 showList(tensor.sizes, tensor.rank), " elements")};
  return {};
}

namespace {

Status checkArgument(const Parameter &parameter,
                     const tilert_argument &argument) {
  if (argument.kind != parameter.facts.kind) {
    const char *found = argument.kind == TILERT_TENSOR   ? "a tensor"
                        : argument.kind == TILERT_SCALAR ? "a scalar"
                                                         : "missing";
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name), " is ", found,
                 ", expected ",
                 parameter.isTensor() ? "a tensor of " : "a scalar of ",
                 nameOf(parameter.facts.dtype))};
  }
  return parameter.isTensor() ? checkTensor(parameter, argument.value.tensor)
                              : checkScalar(parameter, argument.value.scalar);
}

std::string nameOfDevice(int32_t device) {
  return device == TILERT_DEVICE_HOST ? "in host memory"
                                      : join("on device ", device);
}

/// All tensors must be in one place. Empty ones are nowhere.
Status findDevice(const KernelInfo &kernel, const tilert_argument *arguments,
                  Binding &binding) {
  binding.device = TILERT_DEVICE_ANY;
  binding.deviceArgument = -1;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!kernel.parameters[i].isTensor())
      continue;
    const tilert_tensor &tensor = arguments[i].value.tensor;
    if (tensor.device < TILERT_DEVICE_ANY)
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(kernel.parameters[i].name),
                   " is on device ", tensor.device)};
    if (!tensor.data || tensor.device == TILERT_DEVICE_ANY)
      continue;
    if (binding.deviceArgument < 0) {
      binding.device = tensor.device;
      binding.deviceArgument = static_cast<int>(i);
    } else if (tensor.device != binding.device) {
      const Parameter &first =
          kernel.parameters[size_t(binding.deviceArgument)];
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(kernel.parameters[i].name), " is ",
                   nameOfDevice(tensor.device), ", but ", quote(first.name),
                   " is ", nameOfDevice(binding.device))};
    }
  }
  return {};
}

Status readScalarSlots(const KernelInfo &kernel,
                       const tilert_argument *arguments, int64_t *slots) {
  for (size_t i = kernel.symbols.size(); i < kernel.slots.size(); ++i) {
    const Slot &slot = kernel.slots[i];
    if (slot.kind != Slot::Kind::Scalar)
      continue;
    std::optional<int64_t> value =
        toInteger(arguments[slot.parameter].value.scalar);
    if (!value)
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(slot.text), " is ",
                   arguments[slot.parameter].value.scalar.bits,
                   ", which exceeds int64")};
    slots[i] = *value;
  }
  return {};
}

void readFactSlots(const KernelInfo &kernel, Binding &binding) {
  auto tensorOf = [&](int parameter) {
    return storageOf(kernel.parameters[size_t(parameter)],
                     binding.tensors[size_t(parameter)]);
  };
  for (size_t i = kernel.symbols.size(); i < kernel.slots.size(); ++i) {
    const Slot &slot = kernel.slots[i];
    int64_t &value = binding.slots[i];
    if (slot.kind == Slot::Kind::Address)
      value = reinterpret_cast<intptr_t>(
          binding.tensors[size_t(slot.parameter)].data);
    else if (slot.kind == Slot::Kind::ByteStride)
      value = binding.tensors[size_t(slot.parameter)].byte_strides[slot.other];
    else if (slot.kind == Slot::Kind::Overlap)
      value = doOverlap(tensorOf(slot.parameter), tensorOf(slot.other));
  }
}

uint64_t normalizeScalar(const tilert_scalar &scalar) {
  int bits = bytesOfScalar(scalar.dtype) * 8;
  uint64_t value =
      bits == 64 ? scalar.bits : scalar.bits & ((1ull << bits) - 1);
  return scalar.dtype == TILERT_BOOL ? value != 0 : value;
}

} // namespace

Status bindArguments(const KernelInfo &kernel, const tilert_argument *arguments,
                     size_t count, Binding &binding) {
  size_t parameters = kernel.parameters.size();
  if (count != parameters)
    return countError(kernel, count);
  binding.slots.assign(kernel.slots.size(), 0);
  binding.tensors.resize(parameters);
  binding.scalars.resize(parameters);

  for (size_t i = 0; i < parameters; ++i)
    TILERT_RETURN_IF_ERROR(checkArgument(kernel.parameters[i], arguments[i]));
  TILERT_RETURN_IF_ERROR(findDevice(kernel, arguments, binding));
  TILERT_RETURN_IF_ERROR(
      readScalarSlots(kernel, arguments, binding.slots.data()));

  TILERT_RETURN_IF_ERROR(bindSymbols(kernel, arguments, binding.slots.data(),
                                     binding.tensors.data()));

  for (size_t i = 0; i < parameters; ++i) {
    const Parameter &parameter = kernel.parameters[i];
    const tilert_tensor &tensor = arguments[i].value.tensor;
    if (parameter.packing)
      TILERT_RETURN_IF_ERROR(bindPacked(parameter, tensor, binding.tensors[i]));
    else if (parameter.isTensor())
      TILERT_RETURN_IF_ERROR(bindLayout(parameter, tensor, binding.tensors[i]));
    else
      binding.scalars[i] = normalizeScalar(arguments[i].value.scalar);
  }
  readFactSlots(kernel, binding);
  return {};
}

/// The checks of present arguments, for calls that allow absent ones.
static Status checkPresent(const KernelInfo &kernel,
                           const tilert_argument *arguments, size_t count) {
  if (count != kernel.parameters.size())
    return countError(kernel, count);
  if (count)
    TILERT_RETURN_IF_ERROR(requireNonNull(arguments, "arguments"));
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].kind == TILERT_ABSENT)
      continue;
    const Parameter &parameter = kernel.parameters[i];
    tilert_argument argument = arguments[i];
    // Only shapes matter here, so memory need not be there yet.
    if (argument.kind == TILERT_TENSOR && !argument.value.tensor.data)
      argument.value.tensor.data = &argument;
    TILERT_RETURN_IF_ERROR(checkArgument(parameter, argument));
  }
  return {};
}

Status solveSymbols(const KernelInfo &kernel, const tilert_argument *arguments,
                    size_t count, int64_t *values, unsigned char *known) {
  TILERT_RETURN_IF_ERROR(checkPresent(kernel, arguments, count));
  return solvePresent(kernel, arguments, values, known);
}

Status evaluateSizes(const KernelInfo &kernel, size_t index,
                     const int64_t *symbols, const tilert_argument *arguments,
                     size_t count, int64_t *sizes) {
  if (arguments)
    TILERT_RETURN_IF_ERROR(checkPresent(kernel, arguments, count));
  if (index >= kernel.parameters.size() || !kernel.parameters[index].isTensor())
    return {TILERT_INVALID_ARGUMENT,
            join("parameter ", index, " is not a tensor")};
  return evaluatePresentSizes(kernel, index, symbols, arguments, sizes);
}

StoredTensor storageOf(const Parameter &parameter,
                       const tilert_bound_tensor &bound) {
  StoredTensor stored{
      &bound, parameter.facts.rank, storageBytes(parameter.facts.dtype), {}};
  for (int dim = 0; dim < stored.rank; ++dim)
    stored.extents[dim] = storedExtent(parameter, bound.sizes[dim], dim);
  return stored;
}

int64_t storedStride(const Parameter &parameter,
                     const tilert_bound_tensor &bound, int dim) {
  return bound.byte_strides[dim] / storageBytes(parameter.facts.dtype);
}

std::string showSlot(const KernelInfo &kernel, int slot, int64_t value) {
  const Slot &info = kernel.slots[size_t(slot)];
  switch (info.kind) {
  case Slot::Kind::Address:
    return toHex(static_cast<unsigned long long>(value));
  case Slot::Kind::Scalar:
    if (kernel.parameters[size_t(info.parameter)].facts.dtype == TILERT_BOOL)
      return value ? "true" : "false";
    break;
  case Slot::Kind::Overlap:
    return value ? "yes" : "no";
  default:
    break;
  }
  return std::to_string(value);
}

std::string showSlots(const KernelInfo &kernel,
                      const std::vector<int32_t> &slots,
                      const int64_t *values) {
  std::string text;
  for (int32_t slot : slots)
    text += join(text.empty() ? "" : ", ", kernel.slots[size_t(slot)].text,
                 " = ", showSlot(kernel, slot, values[slot]));
  return text;
}

} // namespace tilert::detail
