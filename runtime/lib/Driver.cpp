//===-- Driver.cpp - The CUDA driver, loaded at run time ------------------===//

#include "Driver.h"
#include "Text.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tilert::detail {
namespace {

// CUresult values that say that there is nothing to run on.
constexpr int cudaErrorNoDevice = 100;
constexpr int cudaErrorInsufficientDriver = 35;

// CUdevice_attribute values.
constexpr int attributeMaxThreadsPerBlock = 1;
constexpr int attributeMaxRegistersPerBlock = 12;
constexpr int attributeMultiprocessorCount = 16;
constexpr int attributeMajor = 75;
constexpr int attributeMinor = 76;
constexpr int attributeMaxSharedOptin = 97;

Status unavailable(std::string message, const char *call) {
  return Status(TILERT_DRIVER_UNAVAILABLE, std::move(message)).inCall(call);
}

} // namespace

Status missingEntryPoint(const char *name) {
  return unavailable(join("the CUDA driver is too old: it has no ", name),
                     "dlsym");
}

Status Driver::load() {
  const char *chosen = std::getenv("TILE_LIBCUDA");
  std::string name = chosen && *chosen ? chosen : "libcuda.so.1";
  // Never closed: the driver keeps threads and exit handlers of its own.
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return unavailable(join("no CUDA driver: ", reason ? reason : name.c_str()),
                       "dlopen");
  }
#define X(entry, ...)                                                          \
  entry = reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(library, #entry));
  TILERT_DRIVER_REQUIRED(X)
  TILERT_DRIVER_OPTIONAL(X)
#undef X
#define X(entry, ...)                                                          \
  if (!entry)                                                                  \
    return missingEntryPoint(#entry);
  TILERT_DRIVER_REQUIRED(X)
#undef X
  return check(cuInit(0), "cuInit");
}

Status Driver::get(const Driver *&result) {
  struct Loaded {
    Driver driver;
    Status status;
    Loaded() : status(driver.load()) {}
  };
  // Leaked: launches may come from destructors that run at exit.
  static const Loaded &loaded = *new Loaded;
  result = &loaded.driver;
  return loaded.status.isOk() ? Status() : loaded.status.copy();
}

Status Driver::fail(int result, const char *call) const {
  const char *name = nullptr, *words = nullptr;
  if (cuGetErrorName(result, &name) != 0 || !name)
    name = "an error without a name";
  if (cuGetErrorString(result, &words) != 0)
    words = nullptr;
  bool isAbsent =
      result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver;
  std::string message = join(call, " failed: ", name, " (", result, ')');
  if (words)
    message += join(", ", words);
  return Status(isAbsent ? TILERT_DRIVER_UNAVAILABLE : TILERT_DRIVER_ERROR,
                std::move(message))
      .inCall(call, name);
}

Status queryDeviceFacts(const Driver &driver, CuDevice device,
                        tilert_device_facts &facts) {
  auto query = [&](int attribute, auto &value) {
    int number = 0;
    Status status =
        TILERT_CALL(driver, cuDeviceGetAttribute, &number, attribute, device);
    value = number;
    return status;
  };
  TILERT_RETURN_IF_ERROR(query(attributeMajor, facts.sm_major));
  TILERT_RETURN_IF_ERROR(query(attributeMinor, facts.sm_minor));
  TILERT_RETURN_IF_ERROR(query(attributeMultiprocessorCount, facts.sm_count));
  TILERT_RETURN_IF_ERROR(query(attributeMaxThreadsPerBlock, facts.max_threads));
  TILERT_RETURN_IF_ERROR(query(attributeMaxRegistersPerBlock, facts.registers));
  return query(attributeMaxSharedOptin, facts.max_shared_bytes);
}

Status ContextScope::enter(CuContext context, CuContext current) {
  if (context == current)
    return {};
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuCtxPushCurrent_v2, context));
  isPushed = true;
  return {};
}

ContextScope::~ContextScope() {
  CuContext popped;
  if (isPushed)
    (void)driver.cuCtxPopCurrent_v2(&popped);
}

} // namespace tilert::detail

using namespace tilert::detail;

tilert_code tilert_device_count(int32_t *count, tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(count, "count"));
    const Driver *driver;
    TILERT_RETURN_IF_ERROR(Driver::get(driver));
    int found = 0;
    TILERT_RETURN_IF_ERROR(TILERT_CALL(*driver, cuDeviceGetCount, &found));
    *count = found;
    return {};
  });
}

tilert_code tilert_device_facts_query(int32_t number,
                                      tilert_device_facts *facts,
                                      tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(facts, "facts"));
    const Driver *driver;
    TILERT_RETURN_IF_ERROR(Driver::get(driver));
    CuDevice device;
    TILERT_RETURN_IF_ERROR(TILERT_CALL(*driver, cuDeviceGet, &device, number));
    return queryDeviceFacts(*driver, device, *facts);
  });
}
