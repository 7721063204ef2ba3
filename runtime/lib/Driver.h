//===-- Driver.h - The CUDA driver, loaded at run time ---------*- C++ -*-===//
//
// The only place that names entry points of libcuda. No CUDA header is needed
// to build, and no driver to run what does not launch.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_DRIVER_H
#define TILERT_LIB_DRIVER_H

#include "Status.h"

#include <cstdint>

namespace tilert::detail {

// The driver's types: CUresult, CUdevice and enums are ints, objects are
// opaque.
using CuDevice = int;
using CuContext = struct CuContextObject *;
using CuModule = struct CuModuleObject *;
using CuFunction = struct CuFunctionObject *;
using CuStream = struct CuStreamObject *;
using CuEvent = struct CuEventObject *;
using CuGraph = struct CuGraphObject *;
using CuGraphExec = struct CuGraphExecObject *;
using CuPointer = unsigned long long;

/// CUlaunchAttribute: the id of what it says, and that.
struct CuLaunchAttribute {
  int id;
  int padding;
  union {
    int flag;
    char bytes[64];
  };
};
static_assert(sizeof(CuLaunchAttribute) == 72, "as in cuda.h");
/// CUlaunchConfig.
struct CuLaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  CuStream stream;
  CuLaunchAttribute *attributes;
  unsigned attributeCount;
};

// Name, as exported by the driver, and parameter types; each returns a
// CUresult.
#define TILERT_DRIVER_REQUIRED(X)                                              \
  X(cuInit, unsigned)                                                          \
  X(cuGetErrorName, int, const char **)                                        \
  X(cuGetErrorString, int, const char **)                                      \
  X(cuDeviceGetCount, int *)                                                   \
  X(cuDeviceGet, CuDevice *, int)                                              \
  X(cuDeviceGetName, char *, int, CuDevice)                                    \
  X(cuDeviceGetAttribute, int *, int, CuDevice)                                \
  X(cuDevicePrimaryCtxRetain, CuContext *, CuDevice)                           \
  X(cuDevicePrimaryCtxRelease_v2, CuDevice)                                    \
  X(cuCtxGetCurrent, CuContext *)                                              \
  X(cuCtxPushCurrent_v2, CuContext)                                            \
  X(cuCtxPopCurrent_v2, CuContext *)                                           \
  X(cuCtxGetDevice, CuDevice *)                                                \
  X(cuStreamGetCtx, CuStream, CuContext *)                                     \
  X(cuModuleLoadData, CuModule *, const void *)                                \
  X(cuModuleUnload, CuModule)                                                  \
  X(cuModuleGetFunction, CuFunction *, CuModule, const char *)                 \
  X(cuFuncGetAttribute, int *, int, CuFunction)                                \
  X(cuFuncSetAttribute, CuFunction, int, int)                                  \
  X(cuLaunchKernel, CuFunction, unsigned, unsigned, unsigned, unsigned,        \
    unsigned, unsigned, unsigned, CuStream, void **, void **)

// For tools: memory, streams, events, graphs. A missing one fails when called.
// cuCtxGetId, cuThreadExchangeStreamCaptureMode and cuLaunchKernelEx help
// launches where they are. Drivers of CUDA 12 have cuStreamGetId, which
// workspaces made ahead need, and cuTensorMapEncodeTiled, which kernels with
// TMA need: the map; its type, rank, address; extents, strides, box, steps;
// interleaving, swizzle, L2 promotion, fill.
#define TILERT_DRIVER_OPTIONAL(X)                                              \
  X(cuCtxGetId, CuContext, unsigned long long *)                               \
  X(cuThreadExchangeStreamCaptureMode, int *)                                  \
  X(cuLaunchKernelEx, const CuLaunchConfig *, CuFunction, void **, void **)    \
  X(cuTensorMapEncodeTiled, void *, int, unsigned, void *, const uint64_t *,   \
    const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int)  \
  X(cuMemAlloc_v2, CuPointer *, size_t)                                        \
  X(cuMemFree_v2, CuPointer)                                                   \
  X(cuMemcpyHtoD_v2, CuPointer, const void *, size_t)                          \
  X(cuMemcpyDtoH_v2, void *, CuPointer, size_t)                                \
  X(cuMemsetD8Async, CuPointer, unsigned char, size_t, CuStream)               \
  X(cuMemcpyDtoDAsync_v2, CuPointer, CuPointer, size_t, CuStream)              \
  X(cuCtxSynchronize)                                                          \
  X(cuStreamCreate, CuStream *, unsigned)                                      \
  X(cuStreamDestroy_v2, CuStream)                                              \
  X(cuStreamSynchronize, CuStream)                                             \
  X(cuStreamGetId, CuStream, unsigned long long *)                             \
  X(cuStreamIsCapturing, CuStream, int *)                                      \
  X(cuEventCreate, CuEvent *, unsigned)                                        \
  X(cuEventDestroy_v2, CuEvent)                                                \
  X(cuEventRecord, CuEvent, CuStream)                                          \
  X(cuEventSynchronize, CuEvent)                                               \
  X(cuEventElapsedTime, float *, CuEvent, CuEvent)                             \
  X(cuStreamBeginCapture_v2, CuStream, int)                                    \
  X(cuStreamEndCapture, CuStream, CuGraph *)                                   \
  X(cuGraphInstantiateWithFlags, CuGraphExec *, CuGraph, unsigned long long)   \
  X(cuGraphLaunch, CuGraphExec, CuStream)                                      \
  X(cuGraphExecDestroy, CuGraphExec)                                           \
  X(cuGraphDestroy, CuGraph)

class Driver {
public:
  /// Finds the driver, once a process: libcuda.so.1, or the library that the
  /// environment variable TILE_LIBCUDA names.
  static Status get(const Driver *&driver);

#define X(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  TILERT_DRIVER_REQUIRED(X)
  TILERT_DRIVER_OPTIONAL(X)
#undef X

  /// Turns the result of the entry point `call` into a status.
  Status check(int result, const char *call) const {
    return result == 0 ? Status() : fail(result, call);
  }
  Status fail(int result, const char *call) const;

private:
  Status load();
};

/// Calls an entry point of `driver`: TILERT_CALL(driver, cuMemFree_v2,
/// pointer).
#define TILERT_CALL(driver, name, ...)                                         \
  ((driver).name ? (driver).check((driver).name(__VA_ARGS__), #name)           \
                 : ::tilert::detail::missingEntryPoint(#name))

Status missingEntryPoint(const char *name);

/// Facts of a device, asked of the driver.
Status queryDeviceFacts(const Driver &driver, CuDevice device,
                        tilert_device_facts &facts);

/// Makes a context current for a scope, if it is not.
class ContextScope {
public:
  explicit ContextScope(const Driver &driver) : driver(driver) {}
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  ~ContextScope();

  /// `current` is the context that is current now.
  Status enter(CuContext context, CuContext current);

private:
  const Driver &driver;
  bool isPushed = false;
};

} // namespace tilert::detail

#endif // TILERT_LIB_DRIVER_H
