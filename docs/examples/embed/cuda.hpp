//===-- cuda.hpp - What the example needs of the CUDA driver ---*- C++ -*-===//
//
// A device, a stream and arrays, through the driver library that is found at
// run time, so that the example builds without the CUDA toolkit. A program that
// has the toolkit includes <cuda.h> or <cuda_runtime.h> instead and passes its
// own pointers and streams to tilert.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_EXAMPLES_EMBED_CUDA_HPP
#define TILE_EXAMPLES_EMBED_CUDA_HPP

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace cuda {

inline void *findFunction(const char *name) {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    throw std::runtime_error("no CUDA driver is installed: libcuda.so.1 "
                             "cannot be loaded");
  if (void *function = dlsym(library, name))
    return function;
  throw std::runtime_error(std::string("the CUDA driver lacks ") + name);
}

/// Calls the driver's function of that name. The types of the arguments must
/// be those of its declaration in cuda.h.
template <typename... Arguments>
void call(const char *name, Arguments... arguments) {
  using Function = int (*)(Arguments...);
  int result = reinterpret_cast<Function>(findFunction(name))(arguments...);
  if (result == 0)
    return;
  const char *error = nullptr;
  using GetName = int (*)(int, const char **);
  reinterpret_cast<GetName>(findFunction("cuGetErrorName"))(result, &error);
  throw std::runtime_error(std::string(name) + " failed: " +
                           (error ? error : std::to_string(result)));
}

/// A device, whose primary context is current in the thread that made this. The
/// context is kept until the process ends.
class Device {
public:
  explicit Device(int number) {
    int device = 0;
    void *context = nullptr;
    call("cuInit", 0u);
    call("cuDeviceGet", &device, number);
    call("cuDevicePrimaryCtxRetain", &context, device);
    call("cuCtxPushCurrent_v2", context);
  }
};

class Stream {
public:
  Stream() { call("cuStreamCreate", &handle, /*CU_STREAM_NON_BLOCKING*/ 1u); }
  Stream(const Stream &) = delete;
  ~Stream() {
    reinterpret_cast<int (*)(void *)>(findFunction("cuStreamDestroy_v2"))(
        handle);
  }
  void *get() const { return handle; }
  void synchronize() const { call("cuStreamSynchronize", handle); }

private:
  void *handle = nullptr;
};

/// Elements on the device.
template <typename Element> class Array {
public:
  explicit Array(size_t count) : count(count) {
    call("cuMemAlloc_v2", &address, count * sizeof(Element));
  }
  explicit Array(const std::vector<Element> &elements)
      : Array(elements.size()) {
    call("cuMemcpyHtoD_v2", address, static_cast<const void *>(elements.data()),
         count * sizeof(Element));
    // The copy may still be on its way, and the stream does not wait for it.
    call("cuCtxSynchronize");
  }
  Array(const Array &) = delete;
  ~Array() {
    reinterpret_cast<int (*)(unsigned long long)>(findFunction("cuMemFree_v2"))(
        address);
  }
  void *get() const { return reinterpret_cast<void *>(address); }
  std::vector<Element> download() const {
    std::vector<Element> elements(count);
    call("cuMemcpyDtoH_v2", static_cast<void *>(elements.data()), address,
         count * sizeof(Element));
    return elements;
  }

private:
  size_t count;
  unsigned long long address = 0;
};

} // namespace cuda

#endif // TILE_EXAMPLES_EMBED_CUDA_HPP
