//===-- PlanApi.cpp - Plans in the C interface ----------------------------===//

#include "Module.h"
#include "Text.h"

using namespace tilert::detail;

tilert_code tilert_plan_create(const tilert_kernel *kernel,
                               const tilert_argument *arguments, size_t count,
                               const tilert_device_facts *facts,
                               const char *variant, tilert_plan **result,
                               tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    TILERT_RETURN_IF_ERROR(requireNonNull(result, "plan"));
    if (count)
      TILERT_RETURN_IF_ERROR(requireNonNull(arguments, "arguments"));
    *result = nullptr;
    std::string title = join("kernel ", quote(kernel->info->name), ": ");
    const Manifest &manifest = kernel->module->manifest;
    if (facts && facts->sm_major > 0)
      TILERT_RETURN_IF_ERROR(checkTarget(manifest.target, manifest.targetName,
                                         facts->sm_major, facts->sm_minor)
                                 .prefixed(title));
    auto plan = std::make_unique<tilert_plan>();
    TILERT_RETURN_IF_ERROR(
        bindPlan(*kernel, arguments, count, *plan).prefixed(title));
    PlanOptions options{facts, variant, /*explains=*/true};
    TILERT_RETURN_IF_ERROR(decidePlan(options, *plan).prefixed(title));
    *result = plan.release();
    return {};
  });
}

void tilert_plan_destroy(tilert_plan *plan) { delete plan; }

size_t tilert_plan_variant(const tilert_plan *plan) {
  return plan ? plan->variant : 0;
}

const char *tilert_plan_refusal(const tilert_plan *plan, size_t variant) {
  return plan && variant < plan->refusals.size()
             ? plan->refusals[variant].c_str()
             : nullptr;
}

int64_t tilert_plan_grid(const tilert_plan *plan) {
  return plan ? plan->grid : 0;
}

/// The block axes of the chosen variant.
static const std::vector<Axis> &axesOf(const tilert_plan &plan) {
  const KernelInfo &kernel = *plan.kernel->info;
  return kernel.axesOf(kernel.variants[plan.variant]);
}

size_t tilert_plan_axis_count(const tilert_plan *plan) {
  return plan ? axesOf(*plan).size() : 0;
}

const char *tilert_plan_axis_name(const tilert_plan *plan, size_t axis) {
  return axis < tilert_plan_axis_count(plan) ? axesOf(*plan)[axis].name.c_str()
                                             : nullptr;
}

int64_t tilert_plan_axis_extent(const tilert_plan *plan, size_t axis) {
  return axis < tilert_plan_axis_count(plan) ? plan->axes[axis] : 0;
}

int32_t tilert_plan_threads(const tilert_plan *plan) {
  return plan ? plan->kernel->info->variants[plan->variant].facts.threads : 0;
}

int32_t tilert_plan_cluster(const tilert_plan *plan) {
  return plan ? plan->kernel->info->variants[plan->variant].cluster : 0;
}

int64_t tilert_plan_shared_bytes(const tilert_plan *plan) {
  return plan ? plan->kernel->info->variants[plan->variant].facts.shared_bytes
              : 0;
}

int64_t tilert_plan_workspace(const tilert_plan *plan) {
  return plan ? plan->workspace : 0;
}

const int64_t *tilert_plan_symbols(const tilert_plan *plan) {
  return plan ? plan->binding.slots.data() : nullptr;
}

const tilert_bound_tensor *tilert_plan_tensor(const tilert_plan *plan,
                                              size_t parameter) {
  if (!plan || parameter >= plan->kernel->info->parameters.size() ||
      !plan->kernel->info->parameters[parameter].isTensor())
    return nullptr;
  return &plan->binding.tensors[parameter];
}

size_t tilert_plan_value_count(const tilert_plan *plan) {
  return plan ? plan->values.size() : 0;
}

const tilert_value *tilert_plan_values(const tilert_plan *plan) {
  return plan ? plan->values.data() : nullptr;
}

const char *tilert_plan_text(const tilert_plan *plan) {
  return plan ? plan->text.c_str() : "";
}
