//===-- DeviceCode.h - A module's code on each device ----------*- C++ -*-===//
//
// Code is loaded once for each CUDA context, when it is first launched there.
// Launches find it without a lock: entries are only added, at the front of a
// list, and live as long as the module.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_DEVICECODE_H
#define TILERT_LIB_DEVICECODE_H

#include "Driver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

struct tilert_kernel;

namespace tilert::detail {

/// The code of a module in one context.
struct LoadedCode {
  unsigned long long contextId = 0;
  CuContext context = nullptr;
  CuDevice device = 0;
  tilert_device_facts facts{};
  CuModule module = nullptr;
  /// One for each variant of each kernel; NULL until it is first launched.
  std::unique_ptr<std::atomic<CuFunction>[]> functions;
  LoadedCode *next = nullptr;
};

class CodeCache {
public:
  CodeCache() = default;
  CodeCache(const CodeCache &) = delete;
  CodeCache &operator=(const CodeCache &) = delete;
  /// Unloads the code from every context.
  ~CodeCache();

  /// The code in `context`, loaded if need be. The context is current.
  Status find(const Driver &driver, const tilert_module &module,
              CuContext context, LoadedCode *&code);

  /// The code in `context` if it is there already, else NULL.
  LoadedCode *findLoaded(const Driver &driver, CuContext context) const;

  /// A variant's function, ready for launches. The context of `code` is
  /// current.
  Status findFunction(const Driver &driver, const tilert_kernel &kernel,
                      size_t variant, LoadedCode &code, CuFunction &function);

  /// The primary context of a device, kept until the module is destroyed.
  Status retainPrimary(const Driver &driver, int32_t number,
                       CuContext &context);

private:
  struct PrimaryContext {
    int32_t number;
    CuDevice device;
    CuContext context;
  };

  std::atomic<LoadedCode *> head{nullptr};
  std::mutex mutex; // held while adding
  std::mutex primaryMutex;
  std::vector<PrimaryContext> primaries;
};

} // namespace tilert::detail

#endif // TILERT_LIB_DEVICECODE_H
