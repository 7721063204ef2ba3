//===-- DeviceName.cpp - The name of a GPU --------------------------------===//

#include "compiler/Gpu/DeviceName.h"
#include "runtime/lib/Driver.h"

using namespace tilert::detail;

namespace tilec::gpu {

std::string findDeviceName() {
  const Driver *driver = nullptr;
  if (!Driver::get(driver).isOk())
    return "";
  CuDevice device = 0;
  char text[256] = {};
  if (!TILERT_CALL(*driver, cuDeviceGet, &device, 0).isOk() ||
      !TILERT_CALL(*driver, cuDeviceGetName, text, int(sizeof text) - 1, device)
           .isOk())
    return "";
  return text;
}

} // namespace tilec::gpu
