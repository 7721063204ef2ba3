//===- CudaDevice.cpp - Memory and clocks of a GPU ------------------------===//
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
  /// Memory of twice the L2 cache, made when first needed.
  CuPointer flush = 0;
  size_t flushBytes = 0;
};

constexpr int attributeL2Bytes = 38; // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE

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

static Status launch(const tilert_plan *plan) {
  tilert_status *failure = nullptr;
  tilert_plan_launch(plan, nullptr, &failure);
  if (!failure)
    return {};
  Status status(failure->code, failure->message);
  tilert_status_destroy(failure);
  return status;
}

/// The device's time for what `work` queues on the default stream.
template <typename Function>
static Status measure(const Driver &driver, float *milliseconds,
                      Function work) {
  CuEvent begin = nullptr, end = nullptr;
  auto record = [&]() -> Status {
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventCreate, &begin, 0));
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventCreate, &end, 0));
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventRecord, begin, nullptr));
    TILERT_RETURN_IF_ERROR(work());
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventRecord, end, nullptr));
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuEventSynchronize, end));
    return TILERT_CALL(driver, cuEventElapsedTime, milliseconds, begin, end);
  };
  Status result = record();
  for (CuEvent event : {begin, end})
    if (event)
      (void)TILERT_CALL(driver, cuEventDestroy_v2, event);
  return result;
}

tilert_status *CudaDevice::timeLaunches(const tilert_plan *plan, int count,
                                        float *milliseconds) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    return measure(*state->driver, milliseconds, [&]() -> Status {
      for (int i = 0; i < count; ++i)
        TILERT_RETURN_IF_ERROR(launch(plan));
      return {};
    });
  });
  return status;
}

tilert_status *CudaDevice::timeColdLaunch(const tilert_plan *plan,
                                          float *milliseconds) {
  tilert_status *status = nullptr;
  enter(&status, [&]() -> Status {
    const Driver &driver = *state->driver;
    if (!state->flush) {
      int bytes = 0;
      TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuDeviceGetAttribute, &bytes,
                                         attributeL2Bytes, state->device));
      state->flushBytes = 2 * size_t(bytes);
      TILERT_RETURN_IF_ERROR(
          TILERT_CALL(driver, cuMemAlloc_v2, &state->flush, state->flushBytes));
      state->allocations.push_back(state->flush);
    }
    // The device is busy with it while the launch is queued, so that the time
    // is that of the kernel and not of the host.
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuMemsetD8Async, state->flush, 0,
                                       state->flushBytes, nullptr));
    return measure(driver, milliseconds, [&] { return launch(plan); });
  });
  return status;
}
