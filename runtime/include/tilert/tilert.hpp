//===-- tilert.hpp - Loads and launches kernels, in C++17 ------*- C++ -*-===//
//
// The C interface of tilert.h (which states the rules of threads, blocking and
// devices) with owners for its objects and exceptions for its statuses:
//
//   tilert::Module module("gemm.json");
//   tilert::Kernel gemm = module.kernel("gemm");
//   tilert::Tensor a(aPointer, TILERT_BF16, {m, k});
//   gemm.launch(stream, a, b, c, 0.5f);
//
// Kernels and plans keep their module alive. Nothing throws from a destructor.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_TILERT_HPP
#define TILERT_TILERT_HPP

#include "tilert/tilert.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tilert {

/// What a failed call says. what() is the message.
class Error : public std::runtime_error {
public:
  Error(tilert_code code, const std::string &message,
        std::string driverError = {}, std::string call = {})
      : std::runtime_error(message), failureCode(code),
        driverName(std::move(driverError)), failedCall(std::move(call)) {}

  tilert_code code() const noexcept { return failureCode; }
  /// As "CUDA_ERROR_INVALID_VALUE", or "" if the driver is not to blame.
  const std::string &driverError() const noexcept { return driverName; }
  /// As "cuLaunchKernel", or "".
  const std::string &call() const noexcept { return failedCall; }

private:
  tilert_code failureCode;
  std::string driverName;
  std::string failedCall;
};

/// Calls a function of the C interface and throws if it failed:
///   check([&](tilert_status **status) { return tilert_...(..., status); });
template <typename Call> void check(Call &&call) {
  tilert_status *status = nullptr;
  tilert_code code = call(&status);
  if (code == TILERT_OK)
    return;
  std::unique_ptr<tilert_status, void (*)(tilert_status *)> owned(
      status, tilert_status_destroy);
  if (!status)
    throw Error(code, tilert_code_name(code));
  throw Error(code, tilert_status_message(status),
              tilert_status_driver_error(status), tilert_status_call(status));
}

/// Throws if the library that was loaded does not serve this header.
inline void checkVersion() {
  int major = tilert_version() / 10000, minor = tilert_version() / 100 % 100;
  if (major != TILERT_VERSION_MAJOR || minor < TILERT_VERSION_MINOR)
    throw Error(TILERT_NOT_FOUND,
                "libtilert has version " + std::to_string(major) + "." +
                    std::to_string(minor) + ", this program needs " +
                    std::to_string(TILERT_VERSION_MAJOR) + "." +
                    std::to_string(TILERT_VERSION_MINOR));
}

/// A tensor argument: memory of the caller, and its shape.
class Tensor {
public:
  /// Dense and row-major; on which device is not known.
  Tensor(const void *data, tilert_dtype dtype,
         const std::vector<int64_t> &sizes)
      : Tensor(data, dtype, sizes, std::vector<int64_t>()) {}

  /// Dense and row-major. `device` is a CUDA device number. It is a template
  /// for the sake of braces: {2} would convert to int32_t better than to the
  /// strides that it is.
  template <typename Number,
            typename = std::enable_if_t<std::is_same_v<Number, int32_t>>>
  Tensor(const void *data, tilert_dtype dtype,
         const std::vector<int64_t> &sizes, Number device)
      : Tensor(data, dtype, sizes, std::vector<int64_t>(), device) {}

  /// With strides, in elements of the array passed.
  Tensor(const void *data, tilert_dtype dtype,
         const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides,
         int32_t device = TILERT_DEVICE_ANY)
      : data(const_cast<void *>(data)), dtype(dtype), device(device),
        rank(static_cast<int32_t>(sizes.size())), hasStrides(!strides.empty()) {
    if (sizes.size() > TILERT_MAX_RANK)
      throw Error(TILERT_INVALID_ARGUMENT,
                  "a tensor of rank " + std::to_string(sizes.size()) +
                      ", the limit is " + std::to_string(TILERT_MAX_RANK));
    if (hasStrides && strides.size() != sizes.size())
      throw Error(TILERT_INVALID_ARGUMENT, std::to_string(sizes.size()) +
                                               " sizes and " +
                                               std::to_string(strides.size()) +
                                               " strides of one tensor");
    for (size_t i = 0; i < sizes.size(); ++i) {
      extents[i] = sizes[i];
      steps[i] = hasStrides ? strides[i] : 0;
    }
  }

  /// Points into this tensor.
  tilert_argument argument() const {
    return tilert_tensor_argument({data, dtype, rank, extents.data(),
                                   hasStrides ? steps.data() : nullptr, device,
                                   order});
  }

  /// The same tensor in memory that a kernel packed (Kernel::prepack).
  Tensor packedAt(const void *packed, uint64_t packedOrder) const {
    Tensor result = *this;
    result.data = const_cast<void *>(packed);
    result.hasStrides = false;
    result.order = packedOrder;
    return result;
  }

private:
  void *data;
  tilert_dtype dtype;
  int32_t device;
  uint64_t order = TILERT_ORDER_UNKNOWN;
  int32_t rank;
  bool hasStrides;
  std::array<int64_t, TILERT_MAX_RANK> extents{};
  std::array<int64_t, TILERT_MAX_RANK> steps{};
};

/// A scalar argument of a type that C++ has not: Scalar(TILERT_BF16, 0x3f80).
class Scalar {
public:
  Scalar(tilert_dtype dtype, uint64_t bits) : value{dtype, bits} {}

  tilert_argument argument() const {
    return tilert_scalar_argument(value.dtype, &value.bits);
  }

private:
  tilert_scalar value;
};

inline tilert_argument toArgument(const Tensor &tensor) {
  return tensor.argument();
}
inline tilert_argument toArgument(const Scalar &scalar) {
  return scalar.argument();
}
inline tilert_argument toArgument(const tilert_argument &argument) {
  return argument;
}

/// C++ numbers are passed as what they are: float as f32, int as int32. A
/// kernel with a scalar of another type refuses them, so write int64_t(n),
/// float(x).
template <typename Number,
          typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
tilert_argument toArgument(Number number) {
  constexpr bool isSigned = std::is_signed_v<Number>;
  constexpr size_t bytes = sizeof(Number);
  static_assert(bytes <= 8, "no such type in the language");
  tilert_dtype dtype;
  if constexpr (std::is_same_v<Number, bool>)
    dtype = TILERT_BOOL;
  else if constexpr (std::is_floating_point_v<Number>)
    dtype = bytes == 4 ? TILERT_F32 : TILERT_F64;
  else if constexpr (bytes == 1)
    dtype = isSigned ? TILERT_INT8 : TILERT_UINT8;
  else if constexpr (bytes == 2)
    dtype = isSigned ? TILERT_INT16 : TILERT_UINT16;
  else if constexpr (bytes == 4)
    dtype = isSigned ? TILERT_INT32 : TILERT_UINT32;
  else
    dtype = isSigned ? TILERT_INT64 : TILERT_UINT64;
  return tilert_scalar_argument(dtype, &number);
}

/// Facts of a CUDA device, for plans.
inline tilert_device_facts deviceFacts(int32_t device) {
  tilert_device_facts facts = {};
  check([&](tilert_status **status) {
    return tilert_device_facts_query(device, &facts, status);
  });
  return facts;
}

/// A launch, checked and decided.
class Plan {
public:
  /// The name of the chosen variant.
  const char *variant() const {
    return tilert_kernel_variant(kernel, tilert_plan_variant(plan.get()))->name;
  }
  int64_t grid() const { return tilert_plan_grid(plan.get()); }
  /// A few lines for people: variant and why, grid, block, symbols.
  const char *text() const { return tilert_plan_text(plan.get()); }
  const tilert_plan *get() const { return plan.get(); }

  void launch(tilert_stream stream) const {
    check([&](tilert_status **status) {
      return tilert_plan_launch(plan.get(), stream, status);
    });
  }
  /// The same with a workspace of the caller's.
  void launch(tilert_stream stream, const tilert_workspace &workspace) const {
    check([&](tilert_status **status) {
      return tilert_plan_launch_with(plan.get(), &workspace, stream, status);
    });
  }

  /// Bytes of workspace that a launch needs.
  int64_t workspaceBytes() const { return tilert_plan_workspace(plan.get()); }
  /// Makes a workspace for launches on `stream` ahead.
  void reserve(tilert_stream stream) const {
    check([&](tilert_status **status) {
      return tilert_plan_reserve(plan.get(), stream, status);
    });
  }

private:
  friend class Kernel;
  struct Destroy {
    void operator()(tilert_plan *plan) const { tilert_plan_destroy(plan); }
  };

  std::shared_ptr<tilert_module> module;
  const tilert_kernel *kernel = nullptr;
  std::unique_ptr<tilert_plan, Destroy> plan;
};

class Kernel {
public:
  const char *name() const { return tilert_kernel_name(kernel); }
  const tilert_kernel *get() const { return kernel; }

  /// Checks the arguments (Tensor, Scalar or numbers) and launches on a
  /// CUstream or cudaStream_t.
  template <typename... Arguments>
  void launch(tilert_stream stream, const Arguments &...arguments) const {
    const std::array<tilert_argument, sizeof...(Arguments)> list{
        toArgument(arguments)...};
    check([&](tilert_status **status) {
      return tilert_launch(kernel, list.data(), list.size(), stream, status);
    });
  }

  /// Makes a workspace for such launches on `stream` ahead, if they need one.
  template <typename... Arguments>
  void reserve(tilert_stream stream, const Arguments &...arguments) const {
    const std::array<tilert_argument, sizeof...(Arguments)> list{
        toArgument(arguments)...};
    check([&](tilert_status **status) {
      return tilert_reserve(kernel, list.data(), list.size(), stream, status);
    });
  }

  /// Plans for a device, or without one for facts that need none.
  template <typename... Arguments>
  Plan plan(const tilert_device_facts *facts,
            const Arguments &...arguments) const {
    const std::array<tilert_argument, sizeof...(Arguments)> list{
        toArgument(arguments)...};
    tilert_plan *made = nullptr;
    check([&](tilert_status **status) {
      return tilert_plan_create(kernel, list.data(), list.size(), facts,
                                /*variant=*/nullptr, &made, status);
    });
    Plan plan;
    plan.plan.reset(made);
    plan.module = module;
    plan.kernel = kernel;
    return plan;
  }

  /// The bytes of packed memory for a prepacked parameter.
  size_t prepackSize(const std::string &parameter, const Tensor &plain) const {
    size_t bytes = 0;
    const tilert_argument argument = plain.argument();
    check([&](tilert_status **status) {
      return tilert_prepack_size(kernel, parameter.c_str(),
                                 &argument.value.tensor, &bytes, status);
    });
    return bytes;
  }

  /// Packs a tensor on the device of the stream, and gives the argument for the
  /// parameter.
  Tensor prepack(const std::string &parameter, const Tensor &plain,
                 void *packed, tilert_stream stream) const {
    const tilert_argument argument = plain.argument();
    check([&](tilert_status **status) {
      return tilert_prepack(kernel, parameter.c_str(), &argument.value.tensor,
                            packed, stream, status);
    });
    return packedTensor(parameter, plain, packed);
  }

  /// The same in host memory; the result may be copied to a device.
  Tensor prepackOnHost(const std::string &parameter, const Tensor &plain,
                       void *packed) const {
    const tilert_argument argument = plain.argument();
    check([&](tilert_status **status) {
      return tilert_prepack_host(kernel, parameter.c_str(),
                                 &argument.value.tensor, packed, status);
    });
    return packedTensor(parameter, plain, packed);
  }

  /// The argument for a prepacked parameter whose memory was packed before.
  Tensor packedTensor(const std::string &parameter, const Tensor &plain,
                      const void *packed) const {
    for (size_t i = 0; i < tilert_kernel_parameter_count(kernel); ++i)
      if (tilert_kernel_parameter(kernel, i)->name == parameter)
        return plain.packedAt(packed,
                              tilert_kernel_parameter(kernel, i)->order);
    throw Error(TILERT_NOT_FOUND, "kernel '" + std::string(name()) +
                                      "' has no parameter '" + parameter + "'");
  }

  /// Loads the code on a device ahead of the first launch there.
  void prepare(int32_t device) const {
    check([&](tilert_status **status) {
      return tilert_kernel_prepare(kernel, device, status);
    });
  }

private:
  friend class Module;
  Kernel(std::shared_ptr<tilert_module> module, const tilert_kernel *kernel)
      : module(std::move(module)), kernel(kernel) {}

  std::shared_ptr<tilert_module> module;
  const tilert_kernel *kernel;
};

class Module {
public:
  /// Loads NAME.json or NAME.cubin, and the other beside it.
  explicit Module(const std::string &path) {
    make([&](tilert_module **made, tilert_status **status) {
      return tilert_module_load(path.c_str(), made, status);
    });
  }

  /// Loads from memory, which is copied.
  Module(const std::string &manifest, const void *cubin, size_t cubinBytes) {
    make([&](tilert_module **made, tilert_status **status) {
      return tilert_module_load_memory(manifest.data(), manifest.size(), cubin,
                                       cubinBytes, made, status);
    });
  }

  /// The kernel of that name.
  Kernel kernel(const std::string &name) const { return find(name.c_str()); }
  /// The only kernel.
  Kernel kernel() const { return find(nullptr); }

  const char *target() const { return tilert_module_target(module.get()); }
  const tilert_module *get() const { return module.get(); }

private:
  template <typename Make> void make(Make &&call) {
    checkVersion();
    tilert_module *made = nullptr;
    check([&](tilert_status **status) { return call(&made, status); });
    module.reset(made, tilert_module_destroy);
  }

  Kernel find(const char *name) const {
    const tilert_kernel *found = nullptr;
    check([&](tilert_status **status) {
      return tilert_kernel_get(module.get(), name, &found, status);
    });
    return Kernel(module, found);
  }

  std::shared_ptr<tilert_module> module;
};

} // namespace tilert

#endif // TILERT_TILERT_HPP
