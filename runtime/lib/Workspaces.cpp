//===-- Workspaces.cpp - Memory made ahead for launches -------------------===//

#include "Workspaces.h"
#include "RelaxedCapture.h"
#include "Text.h"

#include <algorithm>

namespace tilert::detail {
namespace {

/// The id of a stream, which is not being captured.
Status identify(const Driver &driver, tilert_stream stream,
                unsigned long long &id) {
  auto *handle = static_cast<CuStream>(stream);
  int captures = 0;
  // Drivers without it capture nothing.
  if (driver.cuStreamIsCapturing)
    TILERT_RETURN_IF_ERROR(
        TILERT_CALL(driver, cuStreamIsCapturing, handle, &captures));
  if (captures)
    return {TILERT_INVALID_ARGUMENT,
            "the stream is being captured, and a graph may run beside other "
            "launches: give it a workspace of its own by tilert_launch_with"};
  return TILERT_CALL(driver, cuStreamGetId, handle, &id);
}

} // namespace

Workspaces::~Workspaces() {
  const Driver *driver;
  if (list.empty() || !Driver::get(driver).isOk() || !driver->cuMemFree_v2)
    return;
  // A process that ends or has reset its device has freed them already.
  for (const Reserved &reserved : list) {
    CuContext popped;
    if (driver->cuCtxPushCurrent_v2(reserved.code->context) != 0)
      continue;
    (void)driver->cuMemFree_v2(reserved.pointer);
    (void)driver->cuCtxPopCurrent_v2(&popped);
  }
}

const Workspaces::Reserved *Workspaces::get(const LoadedCode &code,
                                            unsigned long long stream) const {
  auto found = std::find_if(list.rbegin(), list.rend(), [&](const auto &one) {
    return one.code == &code && one.stream == stream;
  });
  return found == list.rend() ? nullptr : &*found;
}

Status Workspaces::reserve(const Driver &driver, const LoadedCode &code,
                           tilert_stream stream, int64_t bytes) {
  unsigned long long id = 0;
  TILERT_RETURN_IF_ERROR(identify(driver, stream, id));
  std::lock_guard<std::mutex> lock(mutex);
  const Reserved *known = get(code, id);
  if (known && known->bytes >= size_t(bytes))
    return {};
  RelaxedCapture relaxed(driver);
  CuPointer pointer;
  TILERT_RETURN_IF_ERROR(
      TILERT_CALL(driver, cuMemAlloc_v2, &pointer, size_t(bytes)));
  Status zeroed = TILERT_CALL(driver, cuMemsetD8Async, pointer, 0,
                              size_t(bytes), static_cast<CuStream>(stream));
  if (zeroed.isOk())
    list.push_back({&code, id, pointer, size_t(bytes)});
  else
    (void)driver.cuMemFree_v2(pointer);
  return zeroed;
}

Status Workspaces::find(const Driver &driver, const LoadedCode &code,
                        tilert_stream stream, int64_t bytes,
                        tilert_workspace &found) {
  unsigned long long id = 0;
  TILERT_RETURN_IF_ERROR(identify(driver, stream, id));
  std::lock_guard<std::mutex> lock(mutex);
  const Reserved *known = get(code, id);
  size_t reserved = known ? known->bytes : 0;
  if (reserved < size_t(bytes))
    return {TILERT_INVALID_ARGUMENT,
            join("the launch needs a workspace of ", bytes,
                 " bytes: give it to tilert_launch_with, or call "
                 "tilert_reserve ahead (the stream has ",
                 reserved, ')')};
  found = {reinterpret_cast<void *>(known->pointer), reserved};
  return {};
}

} // namespace tilert::detail
