//===-- CudaTrials.cpp - Candidates on a GPU ------------------------------===//
//
// Each tensor lies between guard bytes of 0xFF: what a kernel reads there shows
// in its results, and what it writes there is found.
//
//===----------------------------------------------------------------------===//

#include "compiler/Gpu/DeviceName.h"
#include "compiler/Gpu/Stopwatch.h"
#include "compiler/Tune/ResultCheck.h"
#include "compiler/Tune/Trials.h"
#include "runtime/lib/Text.h"
#include "tilert/tilert.hpp"

#include <algorithm>
#include <cstring>

using tilert::detail::join;

namespace tilec::tune {
namespace {

/// A multiple of the alignment of device memory, and wide enough for a stray
/// vector access of a whole warp.
constexpr size_t guardBytes = 4096;

class DeviceArray {
public:
  DeviceArray(const gpu::Device &device, const BundleArgument &argument,
              uint64_t seed)
      : device(device), argument(argument), array(describeArray(argument)),
        host(array.byteCount + 2 * guardBytes, 0xFF),
        memory(device.allocate(host.size())) {
    array.bytes = host.data() + guardBytes;
    if (argument.access != "out")
      fillRandomElements(array, seed, argument.stream);
    device.upload(memory, host.data(), host.size());
  }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { device.release(memory); }

  tilert_argument getArgument() const {
    tilert_tensor tensor = {};
    tensor.data = reinterpret_cast<void *>(memory + guardBytes);
    tilert_dtype_from_name(argument.dtype.c_str(), &tensor.dtype);
    tensor.rank = int32_t(argument.sizes.size());
    tensor.sizes = argument.sizes.data();
    tensor.device = device.number();
    tensor.order = TILERT_ORDER_PLAIN;
    return tilert_tensor_argument(tensor);
  }

  /// Fetches the array after a launch; says what was written around it.
  std::string fetch() {
    device.download(host.data(), memory, host.size());
    auto isDamaged = [](uint8_t byte) { return byte != 0xFF; };
    auto begin = host.begin(), end = host.end();
    if (std::none_of(begin, begin + guardBytes, isDamaged) &&
        std::none_of(end - guardBytes, end, isDamaged))
      return "";
    return join("it wrote outside of '", argument.name, "'");
  }

  const BundleArgument &getDeclaration() const { return argument; }
  const StoredArray &getArray() const { return array; }

private:
  const gpu::Device &device;
  const BundleArgument &argument;
  StoredArray array;
  std::vector<uint8_t> host;
  gpu::CuPointer memory;
};

/// The arguments of a bundle, on the device.
class Operands {
public:
  Operands(const gpu::Device &device, const Bundle &bundle) {
    for (const BundleArgument &argument : bundle.arguments) {
      if (argument.isTensor()) {
        arrays.push_back(
            std::make_unique<DeviceArray>(device, argument, bundle.seed));
        arguments.push_back(arrays.back()->getArgument());
        continue;
      }
      tilert_argument scalar = {};
      scalar.kind = TILERT_SCALAR;
      tilert_dtype_from_name(argument.dtype.c_str(),
                             &scalar.value.scalar.dtype);
      scalar.value.scalar.bits = argument.scalar;
      arguments.push_back(scalar);
    }
  }

  const std::vector<tilert_argument> &get() const { return arguments; }

  /// What is wrong after a launch; empty if nothing is.
  std::string check(const std::string &folder, const Bundle &bundle) {
    for (auto &array : arrays)
      if (std::string damage = array->fetch(); !damage.empty())
        return damage;
    for (const Reference &reference : bundle.references)
      for (auto &array : arrays)
        if (array->getDeclaration().name == reference.argument)
          if (std::string wrong =
                  compareWithReference(folder, reference, array->getArray());
              !wrong.empty())
            return wrong;
    return "";
  }

private:
  std::vector<std::unique_ptr<DeviceArray>> arrays;
  std::vector<tilert_argument> arguments;
};

/// A candidate with its launch.
class LoadedCandidate {
public:
  LoadedCandidate(const gpu::Device &device, const std::string &folder,
                  const Candidate &candidate, const Operands &operands)
      : device(device), module((folder + "/" + candidate.manifest).c_str()),
        kernel(module.kernel()), arguments(operands.get()) {
    packArguments();
    tilert_plan *made = nullptr;
    tilert::check([&](tilert_status **status) {
      return tilert_plan_create(kernel.get(), arguments.data(),
                                arguments.size(), &device.facts(),
                                /*variant=*/nullptr, &made, status);
    });
    plan.reset(made);
    kernel.prepare(device.number());
    tilert::check([&](tilert_status **status) {
      return tilert_plan_reserve(plan.get(), device.stream(), status);
    });
  }

  LoadedCandidate(const LoadedCandidate &) = delete;
  ~LoadedCandidate() {
    for (gpu::CuPointer memory : packed)
      device.release(memory);
  }

  void launch() const {
    tilert::check([&](tilert_status **status) {
      return tilert_plan_launch(plan.get(), device.stream(), status);
    });
  }

private:
  /// Each candidate has orders of its own for what it takes prepacked.
  void packArguments() {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const tilert_parameter *parameter =
          tilert_kernel_parameter(kernel.get(), i);
      if (!parameter || parameter->kind != TILERT_TENSOR ||
          parameter->order == TILERT_ORDER_PLAIN)
        continue;
      tilert_tensor &tensor = arguments[i].value.tensor;
      size_t bytes = 0;
      tilert::check([&](tilert_status **status) {
        return tilert_prepack_size(kernel.get(), parameter->name, &tensor,
                                   &bytes, status);
      });
      packed.push_back(device.allocate(std::max<size_t>(bytes, 1)));
      auto *memory = reinterpret_cast<void *>(packed.back());
      tilert::check([&](tilert_status **status) {
        return tilert_prepack(kernel.get(), parameter->name, &tensor, memory,
                              device.stream(), status);
      });
      tensor = tilert_packed_tensor(tensor, parameter, memory);
    }
  }

  struct DestroyPlan {
    void operator()(tilert_plan *plan) const { tilert_plan_destroy(plan); }
  };
  const gpu::Device &device;
  tilert::Module module;
  tilert::Kernel kernel;
  std::vector<tilert_argument> arguments;
  std::vector<gpu::CuPointer> packed;
  std::unique_ptr<tilert_plan, DestroyPlan> plan;
};

class CudaTrials : public Trials {
public:
  CudaTrials(const std::string &folder, const Bundle &bundle)
      : folder(folder), bundle(bundle) {}

  const char *getUnit() const override { return "us"; }
  bool isTimed() const override { return true; }

  Outcome check(const Candidate &candidate) override {
    gpu::Device device(0);
    Operands operands(device, bundle);
    LoadedCandidate loaded(device, folder, candidate, operands);
    loaded.launch();
    device.synchronize();
    Outcome outcome;
    outcome.failure = operands.check(folder, bundle);
    if (outcome.failure.empty()) {
      gpu::Nvml nvml("");
      gpu::Stopwatch stopwatch(device, nvml, 1, bundle.flushesCache);
      outcome.figure = stopwatch.estimate([&](size_t) { loaded.launch(); });
    }
    return outcome;
  }

  void time(const std::vector<const Candidate *> &candidates, int rounds,
            const std::function<void(size_t)> &begin,
            const std::function<void(const TimedSample &)> &tell) override {
    gpu::Device device(0);
    Operands operands(device, bundle);
    gpu::Nvml nvml("");
    gpu::Stopwatch stopwatch(device, nvml, 1, bundle.flushesCache);
    std::vector<std::unique_ptr<LoadedCandidate>> loaded;
    std::vector<double> estimates;
    for (size_t i = 0; i < candidates.size(); ++i) {
      begin(i);
      loaded.push_back(std::make_unique<LoadedCandidate>(
          device, folder, *candidates[i], operands));
      auto launch = [&](size_t) { loaded.back()->launch(); };
      launch(0);
      device.synchronize();
      estimates.push_back(stopwatch.estimate(launch));
    }
    std::mt19937_64 random(bundle.seed);
    for (int i = 0; i < gpu::stateCount; ++i)
      gpu::visitInRandomOrder(candidates.size(), rounds, random, [&](size_t j) {
        begin(j);
        gpu::Samples samples;
        stopwatch.measure(
            gpu::State(i), [&](size_t) { loaded[j]->launch(); }, estimates[j],
            samples);
        tell({j, gpu::State(i), samples.us.back()});
      });
  }

private:
  const std::string &folder;
  const Bundle &bundle;
};

} // namespace

std::unique_ptr<Trials> makeCudaTrials(const std::string &folder,
                                       const Bundle &bundle) {
  return std::make_unique<CudaTrials>(folder, bundle);
}

DeviceAnswer askForDevice() {
  DeviceAnswer answer;
  Child child([](const Tell &tell) {
    tilert_device_facts facts = {};
    tilert_status *status = nullptr;
    int32_t count = 0;
    if (tilert_device_count(&count, &status) == TILERT_OK && count > 0)
      tilert_device_facts_query(0, &facts, &status);
    if (status || count == 0) {
      tell("error");
      tell(status ? tilert_status_message(status) : "there is no CUDA device");
      return;
    }
    tell(gpu::findDeviceName());
    tell(std::to_string(facts.sm_major * 10 + facts.sm_minor));
  });
  constexpr double seconds = 60; // the driver of a large machine starts slowly
  std::string second;
  if (child.read(answer.name, seconds) != Child::Event::Line ||
      child.read(second, seconds) != Child::Event::Line)
    answer = {"", 0, "the CUDA driver does not answer"};
  else if (answer.name == "error")
    answer = {"", 0, second};
  else
    answer.capability = std::atoi(second.c_str());
  return answer;
}

} // namespace tilec::tune
