//===-- Launch.cpp - Launches kernels on a stream -------------------------===//
//
// A launch plans (Plan.cpp), finds the context of its stream, finds its code
// there (DeviceCode.cpp), encodes its tensor maps (TensorMapCache.cpp), and
// calls the driver once.
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "TensorMap.h"
#include "TensorMapCache.h"
#include "Text.h"

namespace tilert::detail {
namespace {

/// NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD belong to whatever context
/// is current.
bool isDefaultStream(tilert_stream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2;
}

/// The parameters of one launch, where its plan does not hold them all. Keeps
/// its memory from launch to launch.
struct MappedParameters {
  std::vector<void *> pointers;
  std::vector<EncodedTensorMap> maps;
  uint64_t workspace = 0;
};

/// Whether a workspace of the caller's is one for this launch.
Status checkWorkspace(const tilert_plan &plan,
                      const tilert_workspace &workspace) {
  constexpr uintptr_t alignment = 256;
  auto fail = [](std::string text) {
    return Status(TILERT_INVALID_ARGUMENT, std::move(text));
  };
  auto begin = reinterpret_cast<uintptr_t>(workspace.data);
  if (!begin)
    return fail(join("the workspace is NULL, and the launch needs ",
                     plan.workspace, " bytes"));
  if (begin % alignment != 0)
    return fail(join("the workspace is at ", toHex(begin),
                     ", which is no multiple of ", alignment, " bytes"));
  if (workspace.bytes < size_t(plan.workspace))
    return fail(join("the workspace has ", workspace.bytes,
                     " bytes, and the launch needs ", plan.workspace));
  const KernelInfo &kernel = *plan.kernel->info;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const tilert_bound_tensor &tensor = plan.binding.tensors[i];
    auto first = reinterpret_cast<uintptr_t>(tensor.first);
    if (kernel.parameters[i].isTensor() && tensor.bytes > 0 &&
        first < begin + uintptr_t(plan.workspace) &&
        begin < first + uintptr_t(tensor.bytes))
      return fail(join("the workspace overlaps argument ",
                       quote(kernel.parameters[i].name)));
  }
  return {};
}

/// Where one launch happens.
class LaunchSite {
public:
  LaunchSite(const Driver &driver, const tilert_kernel &kernel)
      : driver(driver), kernel(kernel), cache(kernel.module->code),
        scope(driver) {}

  /// Makes the context of `stream` current and finds the code in it. `device`
  /// is that of the argument called `argument`, or TILERT_DEVICE_ANY.
  Status enter(tilert_stream stream, int32_t device, const char *argument) {
    if (device == TILERT_DEVICE_HOST)
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(argument), " is in host memory")};
    CuContext current = nullptr, context = nullptr;
    TILERT_RETURN_IF_ERROR(TILERT_CALL(driver, cuCtxGetCurrent, &current));
    if (isDefaultStream(stream))
      TILERT_RETURN_IF_ERROR(chooseContext(current, device, context));
    else
      TILERT_RETURN_IF_ERROR(TILERT_CALL(
          driver, cuStreamGetCtx, static_cast<CuStream>(stream), &context));
    TILERT_RETURN_IF_ERROR(scope.enter(context, current));
    TILERT_RETURN_IF_ERROR(cache.find(driver, *kernel.module, context, code));
    if (device >= 0 && code->device != device)
      return {TILERT_INVALID_ARGUMENT,
              join("argument ", quote(argument), " is on device ", device,
                   ", the stream on device ", code->device)};
    return {};
  }

  const tilert_device_facts &facts() const { return code->facts; }

  Status prepare(size_t variant) {
    return cache.findFunction(driver, kernel, variant, *code, function);
  }

  Status reserve(int64_t bytes, tilert_stream stream) {
    return kernel.module->workspaces.reserve(driver, *code, stream, bytes);
  }

  /// `workspace` may be NULL: then it is what was reserved for the stream.
  Status launch(const tilert_plan &plan, const tilert_workspace *workspace,
                tilert_stream stream) {
    TILERT_RETURN_IF_ERROR(prepare(plan.variant));
    const tilert_variant &variant = kernel.info->variants[plan.variant].facts;
    void **parameters = const_cast<void **>(plan.pointers.data());
    if (!plan.tensorMaps.empty() || plan.workspace)
      TILERT_RETURN_IF_ERROR(
          completeParameters(plan, workspace, stream, parameters));
    if (kernel.info->variants[plan.variant].overlaps && driver.cuLaunchKernelEx)
      return launchOverlapping(plan, variant, stream, parameters);
    return TILERT_CALL(driver, cuLaunchKernel, function, unsigned(plan.grid), 1,
                       1, unsigned(variant.threads), 1, 1,
                       unsigned(variant.shared_bytes),
                       static_cast<CuStream>(stream), parameters, nullptr);
  }

private:
  /// Launches a kernel that may start before the one before is done.
  Status launchOverlapping(const tilert_plan &plan,
                           const tilert_variant &variant, tilert_stream stream,
                           void **parameters) {
    constexpr int programmaticStreamSerialization = 6;
    CuLaunchAttribute attribute{};
    attribute.id = programmaticStreamSerialization;
    attribute.flag = 1;
    CuLaunchConfig config{{unsigned(plan.grid), 1, 1},
                          {unsigned(variant.threads), 1, 1},
                          unsigned(variant.shared_bytes),
                          static_cast<CuStream>(stream),
                          &attribute,
                          1};
    return TILERT_CALL(driver, cuLaunchKernelEx, &config, function, parameters,
                       nullptr);
  }

  /// Plans are launched by many threads at once, so that what belongs to the
  /// launch is put beside the plan.
  Status completeParameters(const tilert_plan &plan,
                            const tilert_workspace *workspace,
                            tilert_stream stream, void **&parameters) {
    static thread_local MappedParameters mapped;
    const Variant &variant = kernel.info->variants[plan.variant];
    TILERT_RETURN_IF_ERROR(encodeTensorMaps(plan, mapped));
    if (plan.workspace)
      TILERT_RETURN_IF_ERROR(
          findWorkspace(plan, workspace, stream, mapped.workspace));
    mapped.pointers = plan.pointers;
    for (size_t i = 0; i < variant.arguments.size(); ++i) {
      if (variant.arguments[i].kind == TILERT_VALUE_TENSOR_MAP)
        mapped.pointers[i] = &mapped.maps[size_t(variant.arguments[i].index)];
      if (variant.arguments[i].kind == TILERT_VALUE_WORKSPACE)
        mapped.pointers[i] = &mapped.workspace;
    }
    parameters = mapped.pointers.data();
    return {};
  }

  Status encodeTensorMaps(const tilert_plan &plan, MappedParameters &mapped) {
    const Variant &variant = kernel.info->variants[plan.variant];
    mapped.maps.resize(plan.tensorMaps.size());
    for (size_t i = 0; i < plan.tensorMaps.size(); ++i) {
      Status status = TensorMapCache::get().encode(
          driver, code->device, plan.tensorMaps[i], mapped.maps[i]);
      auto tensor = size_t(variant.tensorMaps[i].parameter);
      if (!status.isOk())
        return std::move(status).prefixed(
            join("variant ", quote(variant.name), ", tensor map of ",
                 quote(kernel.info->parameters[tensor].name), " (",
                 showTensorMap(plan.tensorMaps[i]), "): "));
    }
    return {};
  }

  Status findWorkspace(const tilert_plan &plan, const tilert_workspace *given,
                       tilert_stream stream, uint64_t &address) {
    tilert_workspace found{};
    if (given)
      TILERT_RETURN_IF_ERROR(checkWorkspace(plan, *given));
    else
      TILERT_RETURN_IF_ERROR(kernel.module->workspaces.find(
          driver, *code, stream, plan.workspace, found));
    address = reinterpret_cast<uintptr_t>(given ? given->data : found.data);
    return {};
  }

  Status chooseContext(CuContext current, int32_t device, CuContext &context) {
    context = current;
    if (!current && device < 0)
      return {TILERT_INVALID_ARGUMENT,
              "no CUDA context is current, and no argument tells its device"};
    if (device < 0)
      return {};
    CuDevice currentDevice = -1;
    if (current) {
      if (LoadedCode *loaded = cache.findLoaded(driver, current))
        currentDevice = loaded->device;
      else
        TILERT_RETURN_IF_ERROR(
            TILERT_CALL(driver, cuCtxGetDevice, &currentDevice));
    }
    if (currentDevice == device)
      return {};
    return cache.retainPrimary(driver, device, context);
  }

  const Driver &driver;
  const tilert_kernel &kernel;
  CodeCache &cache;
  ContextScope scope;
  LoadedCode *code = nullptr;
  CuFunction function = nullptr;
};

Status requireCode(const tilert_kernel &kernel) {
  if (!kernel.module->cubin.empty())
    return {};
  return {TILERT_INVALID_ARGUMENT,
          "the module was made from a manifest without its cubin"};
}

const char *nameOfHome(const tilert_plan &plan) {
  int argument = plan.binding.deviceArgument;
  return argument < 0
             ? ""
             : plan.kernel->info->parameters[size_t(argument)].name.c_str();
}

enum class Work { Launch, Reserve };

Status doAtSite(LaunchSite &site, Work work, const tilert_plan &plan,
                const tilert_workspace *workspace, tilert_stream stream) {
  if (work == Work::Launch)
    return site.launch(plan, workspace, stream);
  return plan.workspace ? site.reserve(plan.workspace, stream) : Status();
}

Status doPlan(Work work, const tilert_plan &plan,
              const tilert_workspace *workspace, tilert_stream stream) {
  if (plan.grid == 0)
    return {};
  TILERT_RETURN_IF_ERROR(requireCode(*plan.kernel));
  const Driver *driver;
  TILERT_RETURN_IF_ERROR(Driver::get(driver));
  LaunchSite site(*driver, *plan.kernel);
  TILERT_RETURN_IF_ERROR(
      site.enter(stream, plan.binding.device, nameOfHome(plan)));
  return doAtSite(site, work, plan, workspace, stream);
}

/// A plan that needs facts of the device is made where it will run.
Status planAndDoOnSite(Work work, const tilert_kernel &kernel,
                       const tilert_workspace *workspace, tilert_stream stream,
                       tilert_plan &plan) {
  TILERT_RETURN_IF_ERROR(requireCode(kernel));
  const Driver *driver;
  TILERT_RETURN_IF_ERROR(Driver::get(driver));
  LaunchSite site(*driver, kernel);
  TILERT_RETURN_IF_ERROR(
      site.enter(stream, plan.binding.device, nameOfHome(plan)));
  PlanOptions options;
  options.device = &site.facts();
  TILERT_RETURN_IF_ERROR(decidePlan(options, plan));
  return plan.grid == 0 ? Status()
                        : doAtSite(site, work, plan, workspace, stream);
}

Status launch(Work work, const tilert_kernel &kernel,
              const tilert_argument *arguments, size_t count,
              const tilert_workspace *workspace, tilert_stream stream) {
  // Keeps its memory from launch to launch.
  static thread_local tilert_plan plan;
  TILERT_RETURN_IF_ERROR(bindPlan(kernel, arguments, count, plan));
  if (kernel.info->usesSmCount)
    return planAndDoOnSite(work, kernel, workspace, stream, plan);
  TILERT_RETURN_IF_ERROR(decidePlan({}, plan));
  return doPlan(work, plan, workspace, stream);
}

Status prepareKernel(const tilert_kernel &kernel, int32_t device) {
  TILERT_RETURN_IF_ERROR(requireCode(kernel));
  if (device < 0)
    return {TILERT_INVALID_ARGUMENT, join("there is no device ", device)};
  const Driver *driver;
  TILERT_RETURN_IF_ERROR(Driver::get(driver));
  LaunchSite site(*driver, kernel);
  TILERT_RETURN_IF_ERROR(site.enter(nullptr, device, ""));
  for (size_t i = 0; i < kernel.info->variants.size(); ++i)
    TILERT_RETURN_IF_ERROR(site.prepare(i));
  return {};
}

/// Names the kernel in failures of `status`.
Status inKernel(const tilert_kernel &kernel, Status status) {
  if (status.isOk())
    return status;
  return std::move(status).prefixed(
      join("kernel ", quote(kernel.info->name), ": "));
}

} // namespace
} // namespace tilert::detail

using namespace tilert::detail;

/// What the calls with arguments do.
static tilert_code launchOrReserve(Work work, const tilert_kernel *kernel,
                                   const tilert_argument *arguments,
                                   size_t count,
                                   const tilert_workspace *workspace,
                                   tilert_stream stream,
                                   tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    if (count)
      TILERT_RETURN_IF_ERROR(requireNonNull(arguments, "arguments"));
    return inKernel(*kernel,
                    launch(work, *kernel, arguments, count, workspace, stream));
  });
}

/// What the calls with a plan do.
static tilert_code launchOrReserve(Work work, const tilert_plan *plan,
                                   const tilert_workspace *workspace,
                                   tilert_stream stream,
                                   tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(plan, "plan"));
    return inKernel(*plan->kernel, doPlan(work, *plan, workspace, stream));
  });
}

tilert_code tilert_launch(const tilert_kernel *kernel,
                          const tilert_argument *arguments, size_t count,
                          tilert_stream stream, tilert_status **status) {
  return launchOrReserve(Work::Launch, kernel, arguments, count, nullptr,
                         stream, status);
}

tilert_code tilert_launch_with(const tilert_kernel *kernel,
                               const tilert_argument *arguments, size_t count,
                               const tilert_workspace *workspace,
                               tilert_stream stream, tilert_status **status) {
  return launchOrReserve(Work::Launch, kernel, arguments, count, workspace,
                         stream, status);
}

tilert_code tilert_reserve(const tilert_kernel *kernel,
                           const tilert_argument *arguments, size_t count,
                           tilert_stream stream, tilert_status **status) {
  return launchOrReserve(Work::Reserve, kernel, arguments, count, nullptr,
                         stream, status);
}

tilert_code tilert_plan_launch(const tilert_plan *plan, tilert_stream stream,
                               tilert_status **status) {
  return launchOrReserve(Work::Launch, plan, nullptr, stream, status);
}

tilert_code tilert_plan_launch_with(const tilert_plan *plan,
                                    const tilert_workspace *workspace,
                                    tilert_stream stream,
                                    tilert_status **status) {
  return launchOrReserve(Work::Launch, plan, workspace, stream, status);
}

tilert_code tilert_plan_reserve(const tilert_plan *plan, tilert_stream stream,
                                tilert_status **status) {
  return launchOrReserve(Work::Reserve, plan, nullptr, stream, status);
}

tilert_code tilert_kernel_prepare(const tilert_kernel *kernel, int32_t device,
                                  tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    return inKernel(*kernel, prepareKernel(*kernel, device));
  });
}
