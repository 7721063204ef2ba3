//===-- Nvml.cpp - Clock and power of the device --------------------------===//

#include "compiler/Gpu/Nvml.h"

#include <dlfcn.h>

namespace tilec::gpu {
namespace {

constexpr int clockOfSms = 1; // NVML_CLOCK_SM

} // namespace

Nvml::Nvml(const std::string &bus) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
  };
  int (*init)() = nullptr;
  int (*getDevice)(const char *, void **) = nullptr;
  find(init, "nvmlInit_v2");
  find(getDevice, "nvmlDeviceGetHandleByPciBusId_v2");
  if (!init || init() != 0)
    return;
  find(getDriverVersion, "nvmlSystemGetDriverVersion");
  if (!getDevice || getDevice(bus.c_str(), &device) != 0)
    return;
  find(getClock, "nvmlDeviceGetClockInfo");
  find(getPower, "nvmlDeviceGetPowerUsage");
}

std::string Nvml::driverVersion() const {
  char text[96] = {};
  if (!getDriverVersion || getDriverVersion(text, sizeof text) != 0)
    return "unknown";
  return text;
}

unsigned Nvml::clockMhz() const {
  unsigned value = 0;
  return getClock && getClock(device, clockOfSms, &value) == 0 ? value : 0;
}

double Nvml::watts() const {
  unsigned milliwatts = 0;
  return getPower && getPower(device, &milliwatts) == 0 ? milliwatts / 1e3 : 0;
}

} // namespace tilec::gpu
