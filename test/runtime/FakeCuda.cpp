//===-- FakeCuda.cpp - A CUDA driver that only keeps books ----------------===//

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace fakecuda;

namespace {

constexpr int invalidValue = 1;
constexpr int notFound = 500;

State &state() {
  static State &instance = *new State;
  return instance;
}

thread_local std::vector<Context *> contextStack;

/// Notes a call; the result that it was told to give, or 0.
int note(const char *name) {
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.calls.push_back(name);
  if (s.stickyError)
    return s.stickyError;
  auto found = s.failures.find(name);
  return found == s.failures.end() ? 0 : found->second;
}

#define NOTE()                                                                 \
  do {                                                                         \
    if (int result = note(__func__))                                           \
      return result;                                                           \
  } while (false)

Context *current() {
  return contextStack.empty() ? nullptr : contextStack.back();
}

/// y[i] = x[i] * n, for parameters x, y, N, n, and the misdeeds: that of n, or
/// of the function's name, scale__101 and so on.
void runScale(const Launch &launch) {
  State &s = state();
  auto *x = reinterpret_cast<float *>(launch.parameters[0]);
  auto *y = reinterpret_cast<float *>(launch.parameters[1]);
  auto n = static_cast<int32_t>(launch.parameters[3]);
  uint64_t count = launch.parameters[2];
  for (uint64_t i = 0; i < count; ++i)
    y[i] = x[i] * float(n);
  int named = std::atoi(launch.function.c_str() + std::strlen("scale__"));
  switch (named ? named : n) {
  case faults:
    s.stickyError = 700;
    break;
  case neverEnds:
    s.hangs = true;
    break;
  case endsTheProcess:
    std::abort();
  case writesPastTheEnd:
    y[count] = 7;
    break;
  case changesItsInput:
    x[0] += 1;
    break;
  case givesOtherBitsEachTime:
    y[0] += float(s.launches.size());
    break;
  case givesWrongResults:
    y[count / 2] += 1;
    break;
  }
}

/// What tile-gpu-runner compares memory with: parameters now, first, count of
/// 16 bytes, record, launch.
void comparePieces(const Launch &launch) {
  auto *now = reinterpret_cast<const void *>(launch.parameters[0]);
  auto *first = reinterpret_cast<const void *>(launch.parameters[1]);
  auto *record = reinterpret_cast<uint32_t *>(launch.parameters[3]);
  auto number = uint32_t(launch.parameters[4]);
  if (std::memcmp(now, first, launch.parameters[2] * 16) != 0 &&
      number < *record)
    *record = number;
}

} // namespace

extern "C" {

State *fakeCudaState() { return &state(); }

Context *fakeCudaCreateContext(int device) {
  State &s = state();
  return new Context{device, s.nextContextId++};
}

int cuInit(unsigned) {
  NOTE();
  for (int i = 0; i < 2; ++i)
    state().devices[i].primary = {i, static_cast<unsigned long long>(i + 1)};
  state().parameterBytes["scale__run"] = {8, 8, 8, 4};
  for (int misdeed = faults; misdeed <= givesWrongResults; ++misdeed)
    state().parameterBytes["scale__" + std::to_string(misdeed)] = {8, 8, 8, 4};
  for (const char *name : {"scale__lent", "scale__counts"})
    state().parameterBytes[name] = {8, 8, 8, 4, 8};
  state().parameterBytes["compare_pieces"] = {8, 8, 8, 8, 4};
  return 0;
}

int cuGetErrorName(int result, const char **name) {
  switch (result) {
  case 1:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return 0;
  case 100:
    *name = "CUDA_ERROR_NO_DEVICE";
    return 0;
  case 209:
    *name = "CUDA_ERROR_NO_BINARY_FOR_GPU";
    return 0;
  case 500:
    *name = "CUDA_ERROR_NOT_FOUND";
    return 0;
  case 700:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return 0;
  }
  return invalidValue;
}

int cuGetErrorString(int result, const char **text) {
  *text = "what happened";
  return result == 700 ? 0 : invalidValue;
}

int cuDeviceGetCount(int *count) {
  NOTE();
  *count = 2;
  return 0;
}

int cuDeviceGet(int *device, int number) {
  NOTE();
  if (number < 0 || number > 1)
    return 101;
  *device = number;
  return 0;
}

int cuDeviceGetName(char *name, int size, int) {
  NOTE();
  std::strncpy(name, "Fake GPU", size_t(size));
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  NOTE();
  const Device &d = state().devices[device];
  switch (attribute) {
  case 1:
    *value = 1024;
    return 0;
  case 12:
    *value = 65536;
    return 0;
  case 16:
    *value = d.smCount;
    return 0;
  case 38: // L2 cache size
    *value = 1 << 20;
    return 0;
  case 75:
    *value = d.major;
    return 0;
  case 76:
    *value = d.minor;
    return 0;
  case 97:
    *value = 232448;
    return 0;
  }
  return invalidValue;
}

int cuDevicePrimaryCtxRetain(Context **context, int device) {
  NOTE();
  ++state().devices[device].retained;
  *context = &state().devices[device].primary;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  NOTE();
  --state().devices[device].retained;
  return 0;
}

int cuCtxGetCurrent(Context **context) {
  NOTE();
  *context = current();
  return 0;
}

int cuCtxPushCurrent_v2(Context *context) {
  NOTE();
  contextStack.push_back(context);
  return 0;
}

int cuCtxPopCurrent_v2(Context **context) {
  NOTE();
  *context = current();
  contextStack.pop_back();
  return 0;
}

int cuCtxGetDevice(int *device) {
  NOTE();
  if (!current())
    return 201;
  *device = current()->device;
  return 0;
}

int cuCtxGetId(Context *context, unsigned long long *id) {
  NOTE();
  *id = context->id;
  return 0;
}

int cuCtxSynchronize() {
  NOTE();
  return 0;
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  NOTE();
  std::swap(*mode, state().captureMode);
  return 0;
}

int cuStreamGetCtx(Stream *stream, Context **context) {
  NOTE();
  *context = stream->context;
  return 0;
}

int cuModuleLoadData(Module **module, const void *image) {
  NOTE();
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.captureModeWhileLoading = s.captureMode;
  *module = new Module{current(), image};
  s.modules.push_back(*module);
  return 0;
}

int cuModuleUnload(Module *module) {
  NOTE();
  if (current() != module->context)
    return 201;
  module->isLoaded = false;
  return 0;
}

int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  NOTE();
  if (!state().parameterBytes.count(name))
    return notFound;
  *function = new Function{module, name};
  return 0;
}

int cuFuncGetAttribute(int *value, int attribute, Function *) {
  NOTE();
  *value = attribute == 0 ? state().maxThreads : state().staticShared;
  return 0;
}

int cuFuncSetAttribute(Function *function, int attribute, int value) {
  NOTE();
  if (attribute != 8)
    return invalidValue;
  function->dynamicShared = value;
  return 0;
}

int cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned sharedBytes,
                   void *stream, void **parameters, void **extra) {
  NOTE();
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  // What the real driver refuses, too.
  bool isRight = gx && gy && gz && !extra && function->module->isLoaded &&
                 function->module->context == current() &&
                 int(sharedBytes) + s.staticShared <= function->dynamicShared;
  if (!isRight)
    return invalidValue;
  Launch launch{function->name, current(),   stream, {gx, gy, gz},
                {bx, by, bz},   sharedBytes, false,  {}};
  for (int bytes : s.parameterBytes[function->name]) {
    uint64_t bits = 0;
    std::memcpy(&bits, *parameters++, size_t(bytes < 8 ? bytes : 8));
    launch.parameters.push_back(bits);
  }
  s.launches.push_back(launch);
  if (function->name == "scale__run" || function->name == "scale__lent" ||
      function->name == "scale__counts" ||
      (function->name.starts_with("scale__") &&
       std::atoi(function->name.c_str() + std::strlen("scale__"))))
    runScale(launch);
  // Leaves a counter of its workspace as it is.
  if (function->name == "scale__counts")
    ++*reinterpret_cast<uint32_t *>(launch.parameters[4]);
  if (function->name == "compare_pieces")
    comparePieces(launch);
  if (auto kernel = s.kernels.find(function->name); kernel != s.kernels.end())
    kernel->second(launch);
  return 0;
}

int cuLaunchKernelEx(const LaunchConfig *config, Function *function,
                     void **parameters, void **extra) {
  const LaunchConfig &c = *config;
  int result = cuLaunchKernel(function, c.grid[0], c.grid[1], c.grid[2],
                              c.block[0], c.block[1], c.block[2], c.sharedBytes,
                              c.stream, parameters, extra);
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.calls.back() = __func__;
  constexpr int programmaticStreamSerialization = 6;
  for (unsigned i = 0; i < c.attributeCount && !result; ++i)
    if (c.attributes[i].id == programmaticStreamSerialization)
      s.launches.back().overlaps = c.attributes[i].value.flag;
  return result;
}

int cuTensorMapEncodeTiled(void *map, int dataType, unsigned rank,
                           void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle,
                           int l2Promotion, int fill) {
  NOTE();
  State &s = state();
  std::lock_guard<std::mutex> lock(s.mutex);
  Encoding encoding;
  encoding.dataType = dataType;
  encoding.address = reinterpret_cast<uintptr_t>(address);
  encoding.extents.assign(extents, extents + rank);
  encoding.strides.assign(strides, strides + rank - 1);
  encoding.box.assign(box, box + rank);
  encoding.steps.assign(steps, steps + rank);
  encoding.interleave = interleave;
  encoding.swizzle = swizzle;
  encoding.l2Promotion = l2Promotion;
  encoding.fill = fill;
  // What the real driver refuses, too.
  bool isRight = current() && reinterpret_cast<uintptr_t>(map) % 64 == 0 &&
                 encoding.address % 16 == 0;
  for (uint64_t extent : encoding.extents)
    isRight &= extent >= 1 && extent <= uint64_t(1) << 32;
  for (uint64_t stride : encoding.strides)
    isRight &= stride % 16 == 0 && stride < uint64_t(1) << 40;
  for (uint32_t extent : encoding.box)
    isRight &= extent >= 1 && extent <= 256;
  if (!isRight)
    return invalidValue;
  std::memset(map, 0xab, 128);
  uint64_t index = s.encodings.size();
  std::memcpy(map, &index, sizeof index);
  s.encodings.push_back(encoding);
  return 0;
}

int cuMemAlloc_v2(unsigned long long *pointer, size_t bytes) {
  NOTE();
  state().captureModeWhileAllocating = state().captureMode;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *pointer = reinterpret_cast<uintptr_t>(memory);
  return memory ? 0 : 2;
}

int cuMemFree_v2(unsigned long long pointer) {
  NOTE();
  std::free(reinterpret_cast<void *>(pointer));
  return 0;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  NOTE();
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  NOTE();
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return 0;
}

int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                         size_t bytes, Stream *) {
  NOTE();
  std::memcpy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes);
  return 0;
}

int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes,
                    Stream *) {
  NOTE();
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return 0;
}

int cuStreamCreate(Stream **stream, unsigned) {
  NOTE();
  *stream = new Stream{current()};
  return 0;
}

int cuStreamDestroy_v2(Stream *stream) {
  NOTE();
  delete stream;
  return 0;
}

int cuStreamGetId(Stream *stream, unsigned long long *id) {
  NOTE();
  *id = stream && stream->id ? stream->id : reinterpret_cast<uintptr_t>(stream);
  return 0;
}

int cuStreamIsCapturing(Stream *stream, int *captures) {
  NOTE();
  *captures = stream && stream->captures;
  return 0;
}

int cuStreamSynchronize(Stream *) {
  NOTE();
  while (state().hangs)
    pause();
  return 0;
}

int cuEventCreate(double **event, unsigned) {
  NOTE();
  *event = new double(0);
  return 0;
}

int cuEventDestroy_v2(double *event) {
  NOTE();
  delete event;
  return 0;
}

int cuEventRecord(double *event, Stream *) {
  NOTE();
  *event = state().clock;
  return 0;
}

int cuEventSynchronize(double *) {
  NOTE();
  return 0;
}

int cuEventElapsedTime(float *milliseconds, double *begin, double *end) {
  NOTE();
  *milliseconds = *end > *begin ? float(*end - *begin) : 0.25f;
  return 0;
}

} // extern "C"
