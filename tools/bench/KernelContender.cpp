//===-- KernelContender.cpp - Compiled kernels as contenders --------------===//

#include "runtime/lib/Text.h"
#include "tilert/tilert.hpp"
#include "tools/bench/Contender.h"

#include <cstring>
#include <stdexcept>

using tilert::detail::join;

namespace tilebench {
namespace {

tilert_dtype dtypeOf(tilec::NumberFormat format) {
  tilert_dtype dtype = TILERT_F32;
  tilert_dtype_from_name(std::string(tilec::getSpelling(format)).c_str(),
                         &dtype);
  return dtype;
}

struct Operand {
  CuPointer address = 0;
  tilec::NumberFormat format = tilec::NumberFormat::F32;
  std::vector<int64_t> sizes;
};

class KernelBinder {
public:
  KernelBinder(const tilert::Kernel &kernel, const Problem &problem)
      : kernel(kernel), problem(problem) {}

  /// Whether sizes that the kernel was compiled for are those of the product.
  bool fits() const {
    const Shape &shape = problem.shape();
    const std::pair<const char *, int64_t> sizes[] = {
        {"M", shape.m}, {"N", shape.n}, {"K", shape.k}};
    for (size_t i = 0; i < tilert_kernel_symbol_count(kernel.get()); ++i) {
      int64_t value = 0;
      if (!tilert_kernel_symbol_fixed(kernel.get(), i, &value))
        continue;
      for (auto [name, size] : sizes)
        if (!std::strcmp(tilert_kernel_symbol_name(kernel.get(), i), name) &&
            value != size)
          return false;
    }
    return true;
  }

  /// Puts what the kernel takes prepacked in memory of its own.
  std::shared_ptr<tilert_plan> plan(const Problem::Set &set,
                                    std::vector<Buffer> &packed) const {
    std::vector<tilert::Tensor> tensors;
    std::vector<tilert_argument> arguments;
    size_t count = tilert_kernel_parameter_count(kernel.get());
    tensors.reserve(count); // arguments point into it
    for (size_t i = 0; i < count; ++i) {
      const tilert_parameter &parameter =
          *tilert_kernel_parameter(kernel.get(), i);
      if (parameter.kind == TILERT_SCALAR) {
        arguments.push_back(bindScalar(parameter));
        continue;
      }
      Operand operand = findOperand(parameter.name, i, set);
      // The runtime compares types and sizes with what the kernel declares.
      tensors.emplace_back(reinterpret_cast<void *>(operand.address),
                           dtypeOf(operand.format), operand.sizes,
                           int32_t(problem.device().number()));
      if (parameter.order != TILERT_ORDER_PLAIN)
        tensors.back() = pack(parameter.name, tensors.back(), packed);
      arguments.push_back(tensors.back().argument());
    }
    tilert_plan *made = nullptr;
    tilert::check([&](tilert_status **status) {
      return tilert_plan_create(kernel.get(), arguments.data(), count,
                                &problem.device().facts(), /*variant=*/nullptr,
                                &made, status);
    });
    return {made, tilert_plan_destroy};
  }

private:
  tilert::Tensor pack(const char *name, const tilert::Tensor &plain,
                      std::vector<Buffer> &packed) const {
    const Device &device = problem.device();
    packed.emplace_back(device, kernel.prepackSize(name, plain));
    auto *memory = reinterpret_cast<void *>(packed.back().address());
    tilert::Tensor result =
        kernel.prepack(name, plain, memory, device.stream());
    device.synchronize();
    return result;
  }

  tilert_argument bindScalar(const tilert_parameter &parameter) const {
    if (parameter.name != std::string("scale") || parameter.dtype != TILERT_F32)
      throw std::runtime_error(join("there is no value for its parameter '",
                                    parameter.name,
                                    "'; 'scale: f32' is known"));
    return tilert_f32_argument(problem.inputs().scale);
  }

  Operand findOperand(const std::string &name, size_t parameter,
                      const Problem::Set &set) const {
    const HostInputs &inputs = problem.inputs();
    auto of = [](const Buffer &buffer, const HostMatrix &matrix) {
      return Operand{
          buffer.address(), matrix.format, {matrix.rows, matrix.columns}};
    };
    bool hasBlocks = problem.work().scales == Scales::Block128;
    if (name == "A")
      return of(set.a, inputs.a);
    if (name == "B")
      return of(set.b, inputs.b);
    if (name == "C")
      return {set.addressOfC(),
              problem.work().c,
              {problem.shape().m, problem.shape().n}};
    if (name == "SFA" && hasBlocks) {
      Operand scales = of(set.scalesOfA, inputs.scalesOfA);
      // A kernel may take them as cuBLASLt does, the rows running fastest.
      if (std::strcmp(tilert_kernel_dim_text(kernel.get(), parameter, 1),
                      "M") == 0) {
        scales.address = set.ltScalesOfA.address();
        std::swap(scales.sizes[0], scales.sizes[1]);
      }
      return scales;
    }
    if (name == "SFB" && hasBlocks)
      return of(set.scalesOfB, inputs.scalesOfB);
    throw std::runtime_error(join("there is no data for its parameter '", name,
                                  "'; A, B and C are known",
                                  hasBlocks ? ", and SFA and SFB" : ""));
  }

  const tilert::Kernel &kernel;
  const Problem &problem;
};

Json describePlan(const tilert_kernel *kernel, const tilert_plan *plan) {
  size_t chosen = tilert_plan_variant(plan);
  const tilert_variant &variant = *tilert_kernel_variant(kernel, chosen);
  Json facts = {{"variant", variant.name},
                {"grid", tilert_plan_grid(plan)},
                {"threads", tilert_plan_threads(plan)},
                {"registers", variant.registers},
                {"shared_bytes", tilert_plan_shared_bytes(plan)},
                {"spill_bytes", variant.spill_bytes}};
  for (size_t i = 0; i < chosen; ++i)
    if (const char *refusal = tilert_plan_refusal(plan, i))
      facts["refused"][tilert_kernel_variant(kernel, i)->name] = refusal;
  return facts;
}

} // namespace

std::optional<Contender> bindKernel(const std::string &name,
                                    const std::string &folder,
                                    const Problem &problem) {
  tilert::Kernel kernel =
      tilert::Module(folder + "/" + name + ".json").kernel();
  KernelBinder binder(kernel, problem);
  if (!binder.fits())
    return std::nullopt;
  std::vector<std::shared_ptr<tilert_plan>> plans;
  auto packed = std::make_shared<std::vector<Buffer>>();
  for (const Problem::Set &set : problem.sets())
    plans.push_back(binder.plan(set, *packed));
  kernel.prepare(problem.device().number());
  for (const auto &plan : plans)
    tilert::check([&](tilert_status **status) {
      return tilert_plan_reserve(plan.get(), problem.device().stream(), status);
    });

  Contender contender;
  contender.name = name;
  contender.facts = describePlan(kernel.get(), plans[0].get());
  contender.note = join(contender.facts["variant"].get<std::string>(), ", ",
                        contender.facts["registers"].get<int>(), " registers");
  if (auto bytes = contender.facts["spill_bytes"].get<int64_t>())
    contender.note += join(", ", bytes, " B spilled");
  tilert_stream stream = problem.device().stream();
  // The kernel keeps its module alive.
  contender.launch = [kernel, plans, packed, stream](size_t set) {
    tilert::check([&](tilert_status **status) {
      return tilert_plan_launch(plans[set].get(), stream, status);
    });
  };
  return contender;
}

} // namespace tilebench
