//===- CudaDevice.cpp - Memory and clocks of a GPU
//-------------------------===//
#include "compiler/Driver/Run/CudaDevice.h"

#include "runtime/lib/Driver.h"
#include <vector>

using namespace tilec;
using namespace tilert::detail;

struct CudaDevice::State {
  const Driver *driver = nullptr;
  CuDevice device = 0;
  CuContext context = nullptr;
  std::vector<CuPointer> allocations;
};

CudaDevice::CudaDevice() : state(std::make_unique<State>()) {}

CudaDevice::~CudaDevice() {
  // A device that failed refuses these too, and that was reported.
  const Driver *driver = state->driver;
  if (!state->context)
    return;
  for (CuPointer pointer : state->allocations)
    (void)TILERT_CALL(*driver, cuMemFree_v2, pointer);
  CuContext popped;
  (void)TILERT_CALL(*driver, cuCtxPopCurrent_v2, &popped);
  (void)TILERT_CALL(*driver, cuDevicePrimaryCtxRelease_v2, state->device);
}

static CuPointer toPointer(const void *address) {
  return reinterpret_cast<CuPointer>(address);
}

tilert_status *CudaDevice::open() {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(Driver::get(state->driver));
    const Driver &driver = *state->driver;
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuDeviceGet, &state->device, 0));
    char text[256] = {};
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuDeviceGetName, text,
                                       int(sizeof text) - 1, state->device));
    name = text;
    CuContext context;
    TILERT_RETURN_IF_ERROR(
        TILERT_CALL(driver, cuDevicePrimaryCtxRetain, &context, state->device));
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuCtxPushCurrent_v2, context));
    state->context = context;
    return {};
  });
  return status;
}

tilert_status *CudaDevice::allocate(size_t bytes, void **address) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    CuPointer pointer = 0;
    TILERT_RETURN_IF_ERROR(
        TILERT_CALL(*state->driver, cuMemAlloc_v2, &pointer, bytes)
            .prefixed("cannot allocate " + std::to_string(bytes) +
                      " bytes on the device: "));
    state->allocations.push_back(pointer);
    *address = reinterpret_cast<void *>(pointer);
    return {};
  });
  return status;
}

tilert_status *CudaDevice::copyToDevice(void *address, const void *host,
                                        size_t bytes) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    return TILERT_CALL(*state->driver, cuMemcpyHtoD_v2, toPointer(address),
                       host, bytes);
  });
  return status;
}

tilert_status *CudaDevice::copyToHost(void *host, const void *address,
                                      size_t bytes) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    return TILERT_CALL(*state->driver, cuMemcpyDtoH_v2, host,
                       toPointer(address), bytes);
  });
  return status;
}

tilert_status *CudaDevice::synchronize() {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    return TILERT_CALL(*state->driver, cuCtxSynchronize);
  });
  return status;
}

tilert_status *CudaDevice::timeLaunches(const tilert_plan *plan, int count,
                                        float *milliseconds) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    const Driver &driver = *state->driver;
    CuEvent begin = nullptr, end = nullptr;
    auto measure = [&]() -> Status {
      TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventCreate, &begin, 0));
      TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventCreate, &end, 0));
      TILERT_RETURN_IF_ERROR(
          TILERT_CALL(driver, cuEventRecord, begin, nullptr));
      for (int i = 0; i < count; ++i) {
        tilert_status *failure = nullptr;
        tilert_plan_launch(plan, nullptr, &failure);
        if (failure) {
          Status launch(failure->code, failure->message);
          tilert_status_destroy(failure);
          return launch;
        }
      }
      TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventRecord, end, nullptr));
      TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventSynchronize, end));
      return TILERT_CALL(driver, cuEventElapsedTime, milliseconds, begin, end);
    };
    Status result = measure();
    for (CuEvent event : {begin, end})
      if (event)
        (void)TILERT_CALL(driver, cuEventDestroy_v2, event);
    return result;
  });
  return status;
}
