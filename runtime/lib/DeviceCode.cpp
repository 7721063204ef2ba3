//===-- DeviceCode.cpp - A module's code on each device -------------------===//

#include "DeviceCode.h"
#include "Module.h"
#include "RelaxedCapture.h"
#include "Text.h"

namespace tilert::detail {
namespace {

// CUfunction_attribute values.
constexpr int attributeMaxThreads = 0;
constexpr int attributeStaticShared = 1;
constexpr int attributeMaxDynamicShared = 8;

/// What a block may use of shared memory without asking.
constexpr int64_t sharedWithoutOptin = 48 * 1024;

/// Distinguishes contexts, also one that has the address of an earlier one.
unsigned long long identify(const Driver &driver, CuContext context) {
  unsigned long long id = 0;
  if (driver.cuCtxGetId && driver.cuCtxGetId(context, &id) == 0)
    return id;
  return reinterpret_cast<uintptr_t>(context);
}

Status loadCode(const Driver &driver, const tilert_module &module,
                LoadedCode &code) {
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuCtxGetDevice, &code.device));
  TILERT_RETURN_IF_ERROR(queryDeviceFacts(driver, code.device, code.facts));
  TILERT_RETURN_IF_ERROR(checkTarget(module.manifest.target,
                                     module.manifest.targetName,
                                     code.facts.sm_major, code.facts.sm_minor));
  RelaxedCapture relaxed(driver);
  TILERT_RETURN_IF_ERROR(
      TILERT_CALL(driver, cuModuleLoadData, &code.module, module.cubin.data()));
  code.functions =
      std::make_unique<std::atomic<CuFunction>[]>(module.functionCount);
  return {};
}

Status prepareFunction(const Driver &driver, const Variant &variant,
                       const LoadedCode &code, CuFunction &function) {
  TILERT_RETURN_IF_ERROR(checkBlock(variant, code.facts));
  RelaxedCapture relaxed(driver);
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuModuleGetFunction, &function,
                                     code.module, variant.symbol.c_str()));
  int maxThreads = 0, staticShared = 0;
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuFuncGetAttribute, &maxThreads,
                                     attributeMaxThreads, function));
  if (variant.facts.threads > maxThreads)
    return {TILERT_LIMIT_EXCEEDED,
            join("variant ", quote(variant.name), " is launched with ",
                 variant.facts.threads, " threads, its code runs with up to ",
                 maxThreads, " (registers)")};
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuFuncGetAttribute, &staticShared,
                                     attributeStaticShared, function));
  if (variant.facts.shared_bytes + staticShared > sharedWithoutOptin)
    TILERT_RETURN_IF_ERROR(TILERT_CALL(
        driver, cuFuncSetAttribute, function, attributeMaxDynamicShared,
        static_cast<int>(variant.facts.shared_bytes)));
  return {};
}

} // namespace

CodeCache::~CodeCache() {
  const Driver *driver;
  LoadedCode *code = head.load();
  if (!code && primaries.empty())
    return;
  // Whatever fails here, a process that ends or has reset its device has freed
  // the code already.
  if (!Driver::get(driver).isOk())
    return;
  while (code) {
    std::unique_ptr<LoadedCode> owned(code);
    code = owned->next;
    CuContext popped;
    if (driver->cuCtxPushCurrent_v2(owned->context) != 0)
      continue;
    (void)driver->cuModuleUnload(owned->module);
    (void)driver->cuCtxPopCurrent_v2(&popped);
  }
  for (const PrimaryContext &primary : primaries)
    (void)driver->cuDevicePrimaryCtxRelease_v2(primary.device);
}

LoadedCode *CodeCache::findLoaded(const Driver &driver,
                                  CuContext context) const {
  unsigned long long id = identify(driver, context);
  for (LoadedCode *code = head.load(std::memory_order_acquire); code;
       code = code->next)
    if (code->contextId == id && code->context == context)
      return code;
  return nullptr;
}

Status CodeCache::find(const Driver &driver, const tilert_module &module,
                       CuContext context, LoadedCode *&code) {
  code = findLoaded(driver, context);
  if (code)
    return {};
  std::lock_guard<std::mutex> lock(mutex);
  code = findLoaded(driver, context);
  if (code)
    return {};
  auto added = std::make_unique<LoadedCode>();
  added->context = context;
  added->contextId = identify(driver, context);
  TILERT_RETURN_IF_ERROR(loadCode(driver, module, *added));
  added->next = head.load(std::memory_order_relaxed);
  code = added.release();
  head.store(code, std::memory_order_release);
  return {};
}

Status CodeCache::findFunction(const Driver &driver,
                               const tilert_kernel &kernel, size_t variant,
                               LoadedCode &code, CuFunction &function) {
  std::atomic<CuFunction> &entry =
      code.functions[kernel.firstFunction + variant];
  function = entry.load(std::memory_order_acquire);
  if (function)
    return {};
  std::lock_guard<std::mutex> lock(mutex);
  TILERT_RETURN_IF_ERROR(
      prepareFunction(driver, kernel.info->variants[variant], code, function));
  entry.store(function, std::memory_order_release);
  return {};
}

Status CodeCache::retainPrimary(const Driver &driver, int32_t number,
                                CuContext &context) {
  std::lock_guard<std::mutex> lock(primaryMutex);
  for (const PrimaryContext &primary : primaries)
    if (primary.number == number) {
      context = primary.context;
      return {};
    }
  PrimaryContext primary{number, 0, nullptr};
  TILERT_RETURN_IF_ERROR(
      TILERT_CALL(driver, cuDeviceGet, &primary.device, number));
  primaries.reserve(primaries.size() + 1);
  TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuDevicePrimaryCtxRetain,
                                     &primary.context, primary.device));
  primaries.push_back(primary);
  context = primary.context;
  return {};
}

} // namespace tilert::detail
