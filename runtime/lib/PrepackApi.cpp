//===-- PrepackApi.cpp - Packs tensors for a kernel -----------------------===//
//
// On a device this is a launch of a helper of the module, whose arguments are
// the extents of the tensor and both memories as arrays of unsigned integers.
//
//===----------------------------------------------------------------------===//

#include "Binding.h"
#include "Layout.h"
#include "Module.h"
#include "Text.h"

namespace tilert::detail {
namespace {

/// One call: the parameter, the plain tensor, and its logical extents.
struct PrepackCall {
  const tilert_kernel *kernel = nullptr;
  const Parameter *parameter = nullptr;
  const tilert_tensor *plain = nullptr;
  tilert_bound_tensor bound{};

  const Packing &packing() const { return *parameter->packing; }
};

Status findParameter(const char *name, PrepackCall &call) {
  std::string prepacked;
  for (const Parameter &parameter : call.kernel->info->parameters) {
    if (parameter.packing)
      prepacked += join(prepacked.empty() ? "" : ", ", parameter.name);
    if (parameter.name == name)
      call.parameter = &parameter;
  }
  if (call.parameter && call.parameter->packing)
    return {};
  return {TILERT_NOT_FOUND,
          join(call.parameter ? "parameter " : "there is no parameter ",
               quote(name), call.parameter ? " is not prepacked" : "",
               prepacked.empty() ? ", and none is" : ", only ", prepacked)};
}

/// The extents in elements: of storage that hides whether its last element
/// counts, the even ones.
Status bindPlain(PrepackCall &call) {
  const Parameter &parameter = *call.parameter;
  const tilert_tensor &plain = *call.plain;
  // The memory at `data` is plain, whatever the parameter takes.
  tilert_tensor checked = plain;
  if (checked.order == TILERT_ORDER_PLAIN)
    checked.order = TILERT_ORDER_UNKNOWN;
  else if (checked.order != TILERT_ORDER_UNKNOWN)
    return {TILERT_INVALID_ARGUMENT,
            join("argument ", quote(parameter.name),
                 " is packed already, expected a plain tensor")};
  TILERT_RETURN_IF_ERROR(checkTensor(parameter, checked));
  for (int dim = 0; dim < plain.rank; ++dim) {
    call.bound.sizes[dim] = plain.sizes[dim];
    if (dim == parameter.facts.pack && isStorageForm(parameter, plain) &&
        __builtin_mul_overflow(plain.sizes[dim], int64_t(2),
                               &call.bound.sizes[dim]))
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(parameter.name), " dimension ", dim,
                   " exceeds int64 elements")};
  }
  return bindLayout(parameter, checked, call.bound);
}

/// Finds what a call is about. `plain` may lack memory where only its shape
/// matters.
Status beginCall(const tilert_kernel *kernel, const char *parameter,
                 const tilert_tensor *plain, PrepackCall &call) {
  TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
  TILERT_RETURN_IF_ERROR(requireNonNull(parameter, "parameter"));
  TILERT_RETURN_IF_ERROR(requireNonNull(plain, "plain"));
  call.kernel = kernel;
  call.plain = plain;
  Status status = findParameter(parameter, call);
  if (status.isOk())
    status = bindPlain(call);
  return std::move(status).prefixed(
      join("kernel ", quote(kernel->info->name), ": "));
}

Status measure(const PrepackCall &call, int64_t &bytes) {
  std::optional<int64_t> packed =
      packedBytes(*call.parameter, call.bound.sizes);
  if (!packed)
    return {TILERT_INVALID_ARGUMENT,
            join("packed ", quote(call.parameter->name), " of shape ",
                 showList(call.bound.sizes, call.parameter->facts.rank),
                 " is larger than the address space")};
  bytes = *packed;
  return {};
}

/// Checks that there is memory for what is packed.
Status requireMemory(const PrepackCall &call, const void *packed) {
  int64_t bytes;
  TILERT_RETURN_IF_ERROR(measure(call, bytes));
  return bytes == 0 ? Status() : requireNonNull(packed, "packed");
}

/// The type of helpers' arrays.
tilert_dtype rawType(tilert_dtype dtype) {
  switch (bytesOfScalar(dtype)) {
  case 1:
    return TILERT_UINT8;
  case 2:
    return TILERT_UINT16;
  case 4:
    return TILERT_UINT32;
  default:
    return TILERT_UINT64;
  }
}

/// Launches a helper on memory that is not empty.
Status launchHelper(const PrepackCall &call, bool packs, void *packed,
                    tilert_stream stream) {
  int64_t bytes;
  TILERT_RETURN_IF_ERROR(measure(call, bytes));
  if (bytes == 0)
    return {};
  TILERT_RETURN_IF_ERROR(requireNonNull(packed, "packed"));
  const Packing &packing = call.packing();
  const std::string &name = packs ? packing.packer : packing.unpacker;
  const tilert_kernel *helper = call.kernel->module->find(name);
  if (!helper)
    return {TILERT_NOT_FOUND, join("the module has no helper ", quote(name))};

  const tilert_parameter &facts = call.parameter->facts;
  int rank = facts.rank, leading = rank - int(packing.tile.size());
  int64_t stored[TILERT_MAX_RANK], tiles[TILERT_MAX_RANK + 1];
  std::vector<tilert_argument> arguments;
  for (int dim = 0; dim < rank; ++dim) {
    int64_t size = call.bound.sizes[dim];
    arguments.push_back(tilert_int64_argument(size));
    stored[dim] = storedExtent(*call.parameter, size, dim);
  }
  int64_t *next = tiles;
  for (int dim : packing.memoryOrder(rank)) {
    int64_t size = call.bound.sizes[dim];
    int64_t tile = dim < leading ? 1 : packing.tile[size_t(dim - leading)];
    *next++ = size / tile + (size % tile != 0);
  }
  tiles[rank] = packing.tileElements() * tilert_dtype_bits(facts.dtype) / 8 /
                bytesOfScalar(facts.dtype);
  tilert_dtype raw = rawType(facts.dtype);
  int32_t device = call.plain->device;
  tilert_argument plain = tilert_tensor_argument(
      {call.bound.data, raw, rank, stored, nullptr, device, 0});
  tilert_argument memory = tilert_tensor_argument(
      {packed, raw, rank + 1, tiles, nullptr, device, 0});
  arguments.push_back(packs ? plain : memory);
  arguments.push_back(packs ? memory : plain);

  tilert_status *failure = nullptr;
  tilert_launch(helper, arguments.data(), arguments.size(), stream, &failure);
  if (!failure)
    return {};
  Status status(failure->code, failure->message);
  status = std::move(status).inCall(failure->call, failure->driverError);
  tilert_status_destroy(failure);
  return status;
}

} // namespace
} // namespace tilert::detail

using namespace tilert::detail;

tilert_code tilert_prepack_size(const tilert_kernel *kernel,
                                const char *parameter,
                                const tilert_tensor *plain, size_t *bytes,
                                tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(bytes, "bytes"));
    TILERT_RETURN_IF_ERROR(requireNonNull(plain, "plain"));
    // Only the shape matters, so memory need not be there yet.
    tilert_tensor shape = *plain;
    shape.data = shape.data ? shape.data : reinterpret_cast<void *>(16);
    PrepackCall call;
    TILERT_RETURN_IF_ERROR(beginCall(kernel, parameter, &shape, call));
    int64_t packed;
    TILERT_RETURN_IF_ERROR(measure(call, packed));
    *bytes = size_t(packed);
    return {};
  });
}

tilert_code tilert_prepack(const tilert_kernel *kernel, const char *parameter,
                           const tilert_tensor *plain, void *packed,
                           tilert_stream stream, tilert_status **status) {
  return enter(status, [&]() -> Status {
    PrepackCall call;
    TILERT_RETURN_IF_ERROR(beginCall(kernel, parameter, plain, call));
    return launchHelper(call, /*packs=*/true, packed, stream);
  });
}

tilert_code tilert_unpack(const tilert_kernel *kernel, const char *parameter,
                          const void *packed, const tilert_tensor *plain,
                          tilert_stream stream, tilert_status **status) {
  return enter(status, [&]() -> Status {
    PrepackCall call;
    TILERT_RETURN_IF_ERROR(beginCall(kernel, parameter, plain, call));
    return launchHelper(call, /*packs=*/false, const_cast<void *>(packed),
                        stream);
  });
}

tilert_code tilert_prepack_host(const tilert_kernel *kernel,
                                const char *parameter,
                                const tilert_tensor *plain, void *packed,
                                tilert_status **status) {
  return enter(status, [&]() -> Status {
    PrepackCall call;
    TILERT_RETURN_IF_ERROR(beginCall(kernel, parameter, plain, call));
    TILERT_RETURN_IF_ERROR(requireMemory(call, packed));
    packOnHost(*call.parameter, call.bound.sizes,
               static_cast<const uint8_t *>(call.bound.data),
               static_cast<uint8_t *>(packed));
    return {};
  });
}

tilert_code tilert_unpack_host(const tilert_kernel *kernel,
                               const char *parameter, const void *packed,
                               const tilert_tensor *plain,
                               tilert_status **status) {
  return enter(status, [&]() -> Status {
    PrepackCall call;
    TILERT_RETURN_IF_ERROR(beginCall(kernel, parameter, plain, call));
    TILERT_RETURN_IF_ERROR(requireMemory(call, packed));
    unpackOnHost(*call.parameter, call.bound.sizes,
                 static_cast<const uint8_t *>(packed),
                 static_cast<uint8_t *>(call.bound.data));
    return {};
  });
}
