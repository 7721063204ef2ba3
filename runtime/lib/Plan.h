//===-- Plan.h - A launch, decided -----------------------------*- C++ -*-===//

#ifndef TILERT_LIB_PLAN_H
#define TILERT_LIB_PLAN_H

#include "Binding.h"

struct tilert_kernel {
  std::unique_ptr<tilert::detail::KernelInfo> info;
  const tilert_module *module = nullptr;
  size_t firstFunction = 0; // of its variants, among those of the module
};

struct tilert_plan {
  const tilert_kernel *kernel = nullptr;
  tilert::detail::Binding binding;
  size_t variant = 0;
  std::vector<std::string> refusals; // of the variants before `variant`
  int64_t axes[5] = {};
  int64_t grid = 0;                          // blocks to launch
  int64_t workspace = 0;                     // bytes
  std::vector<tilert_tensor_map> tensorMaps; // those of the variant
  std::vector<tilert_value> values;
  std::vector<uint64_t> valueBits;
  // To the values, as the driver takes them; NULL for tensor maps, which each
  // launch encodes.
  std::vector<void *> pointers;
  std::string text;
};

namespace tilert::detail {

struct PlanOptions {
  const tilert_device_facts *device = nullptr;
  const char *variant = nullptr;
  /// Collect refusals, values and text for people: what a launch does not need.
  bool explains = false;
};

/// Starts a plan with the arguments. A plan may be reused for another launch,
/// which keeps its memory.
Status bindPlan(const tilert_kernel &kernel, const tilert_argument *arguments,
                size_t count, tilert_plan &plan);

/// Makes the checks of a plan whose arguments are bound and chooses the
/// variant. Stops after an empty grid unless the plan is to be explained.
Status decidePlan(const PlanOptions &options, tilert_plan &plan);

/// Whether the variant's block fits the device.
Status checkBlock(const Variant &variant, const tilert_device_facts &device);

} // namespace tilert::detail

#endif // TILERT_LIB_PLAN_H
