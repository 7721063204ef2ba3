//===-- Device.cpp - A CUDA device, through the driver --------------------===//

#include "compiler/Gpu/Device.h"
#include "tilert/tilert.hpp"

namespace tilec::gpu {
namespace {

constexpr int attributeL2Bytes = 38;      // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
constexpr unsigned nonBlockingStream = 1; // CU_STREAM_NON_BLOCKING

} // namespace

void require(tilert::detail::Status status) {
  tilert::check([&](tilert_status **result) { return status.release(result); });
}

Device::Device(int number) : ordinal(number) {
  require(tilert::detail::Driver::get(loaded));
  require(TILERT_CALL(*loaded, cuDeviceGet, &device, number));
  char text[256] = {};
  require(
      TILERT_CALL(*loaded, cuDeviceGetName, text, int(sizeof text), device));
  deviceName = text;
  require(tilert::detail::queryDeviceFacts(*loaded, device, deviceFacts));
  int bytes = 0;
  require(TILERT_CALL(*loaded, cuDeviceGetAttribute, &bytes, attributeL2Bytes,
                      device));
  l2Bytes = size_t(bytes);
  require(TILERT_CALL(*loaded, cuDevicePrimaryCtxRetain, &context, device));
  require(TILERT_CALL(*loaded, cuCtxPushCurrent_v2, context));
  require(TILERT_CALL(*loaded, cuStreamCreate, &mainStream, nonBlockingStream));
}

Device::~Device() {
  tilert::detail::CuContext popped;
  (void)TILERT_CALL(*loaded, cuStreamDestroy_v2, mainStream);
  (void)TILERT_CALL(*loaded, cuCtxPopCurrent_v2, &popped);
  (void)TILERT_CALL(*loaded, cuDevicePrimaryCtxRelease_v2, device);
}

CuPointer Device::allocate(size_t bytes) const {
  CuPointer pointer = 0;
  require(TILERT_CALL(*loaded, cuMemAlloc_v2, &pointer, bytes));
  return pointer;
}

void Device::release(CuPointer pointer) const {
  (void)TILERT_CALL(*loaded, cuMemFree_v2, pointer);
}

void Device::upload(CuPointer to, const void *from, size_t bytes) const {
  require(TILERT_CALL(*loaded, cuMemcpyHtoD_v2, to, from, bytes));
  // The copy may still read a staging buffer when it returns, and the stream of
  // the runs does not wait for it by itself.
  require(TILERT_CALL(*loaded, cuCtxSynchronize));
}

void Device::download(void *to, CuPointer from, size_t bytes) const {
  require(TILERT_CALL(*loaded, cuMemcpyDtoH_v2, to, from, bytes));
}

void Device::synchronize() const {
  require(TILERT_CALL(*loaded, cuStreamSynchronize, mainStream));
}

} // namespace tilec::gpu
