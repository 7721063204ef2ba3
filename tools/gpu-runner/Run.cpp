//===-- Run.cpp - Runs one job --------------------------------------------===//

#include "tools/gpu-runner/Run.h"
#include "tools/gpu-runner/Arguments.h"
#include "tools/gpu-runner/Bench.h"
#include "tools/gpu-runner/RepeatCheck.h"

#include "tilert/tilert.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpurunner {

using tilec::gpu::CuGraph;
using tilec::gpu::CuGraphExec;
using tilec::gpu::require;

namespace {

struct DestroyPlan {
  void operator()(tilert_plan *plan) const { tilert_plan_destroy(plan); }
};

class Runner {
public:
  Runner(const Job &job, const Device &device, Outcome &outcome)
      : job(job), device(device), outcome(outcome), module(job.artifact),
        kernel(job.kernel.empty() ? module.kernel().get()
                                  : module.kernel(job.kernel).get()) {}

  void run() {
    operands = makeOperands(job, kernel);
    placeOperands(job, device, operands);
    for (const Operand &operand : operands)
      arguments.push_back(operand.argument(device.number()));
    makePlan();
    if (job.expectedError)
      return fail("the launch was accepted, expected an error with '" +
                  *job.expectedError + "'");
    for (const Operand &operand : operands)
      if (operand.isPrepacked())
        checkPacker(operand);
    runFirst();
    if (job.repeat > 1 && outcome.verdict == Verdict::Passed)
      repeat();
    for (Operand &operand : operands)
      finish(operand);
    if (workspace)
      finishWorkspace();
    if (job.isBench && outcome.verdict == Verdict::Passed)
      note(measure(
               device, [&] { launch(); }, job.flushesCache)
               .describe(job.flushesCache));
  }

private:
  void fail(const std::string &message) {
    outcome.verdict = Verdict::Failed;
    outcome.details += "  " + message + '\n';
  }

  void note(const std::string &text) {
    outcome.summary += (outcome.summary.empty() ? "" : "; ") + text;
  }

  void makePlan() {
    tilert_plan *made = nullptr;
    tilert_device_facts facts = device.facts();
    tilert::check([&](tilert_status **status) {
      return tilert_plan_create(
          kernel, arguments.data(), arguments.size(), &facts,
          job.variant.empty() ? nullptr : job.variant.c_str(), &made, status);
    });
    plan.reset(made);
    size_t variant = tilert_plan_variant(made);
    std::string text =
        std::string("variant ") + tilert_kernel_variant(kernel, variant)->name;
    for (size_t i = 0; i < variant; ++i)
      text += std::string(i ? ", " : " (not ") +
              tilert_kernel_variant(kernel, i)->name + ": " +
              tilert_plan_refusal(made, i) + (i + 1 == variant ? ")" : "");
    note(text);
    makeWorkspace();
  }

  /// Launches use one after another what was zeroed once.
  void makeWorkspace() {
    int64_t bytes = tilert_plan_workspace(plan.get());
    if (bytes == 0)
      return;
    constexpr unsigned char pattern = 0x5A;
    npy::Array zeros{'u', 1, {bytes}, {}};
    zeros.bytes.resize(size_t(bytes));
    workspace = std::make_unique<GuardedBuffer>(
        device, zeros, std::vector<int64_t>{}, 0, pattern);
  }

  /// Its counters are zero again (docs/artifact-format.md).
  void finishWorkspace() {
    constexpr size_t counterBytes = 65536;
    size_t stray = 0;
    int64_t firstStray = 0;
    npy::Array now = workspace->read(stray, firstStray);
    if (stray)
      fail("the workspace: " + std::to_string(stray) +
           " bytes outside of it were written");
    size_t counted = std::min(counterBytes, now.bytes.size());
    if (std::any_of(now.bytes.begin(), now.bytes.begin() + ptrdiff_t(counted),
                    [](unsigned char byte) { return byte != 0; }))
      fail("the workspace: its counters are not zero after the launches");
  }

  /// Packs on the device too, which gives the bytes that the host's packer
  /// gave, and unpacks them again.
  void checkPacker(const Operand &operand) {
    const char *name = operand.parameter->name;
    npy::Array blank = operand.initial, lost = operand.plain;
    constexpr unsigned char pattern = 0xA5;
    std::fill(blank.bytes.begin(), blank.bytes.end(), pattern);
    std::fill(lost.bytes.begin(), lost.bytes.end(), pattern);
    GuardedBuffer from(device, operand.plain, {}, 0, pattern),
        packed(device, blank, {}, 0, pattern),
        back(device, lost, {}, 0, pattern);
    tilert_tensor plain = operand.argument(device.number()).value.tensor;
    plain.order = TILERT_ORDER_PLAIN;
    plain.data = reinterpret_cast<void *>(from.address());
    auto *memory = reinterpret_cast<void *>(packed.address());
    tilert::check([&](tilert_status **status) {
      return tilert_prepack(kernel, name, &plain, memory, device.stream(),
                            status);
    });
    plain.data = reinterpret_cast<void *>(back.address());
    tilert::check([&](tilert_status **status) {
      return tilert_unpack(kernel, name, memory, &plain, device.stream(),
                           status);
    });
    device.synchronize();
    size_t stray = 0, strayBack = 0;
    int64_t first = 0;
    std::string subject = std::string("'") + name + "'";
    if (packed.read(stray, first).bytes != operand.initial.bytes)
      fail(subject + " is packed otherwise on the device than on the host");
    // Packed again, since what is spare in odd rows does not come back.
    npy::Array unpacked = back.read(strayBack, first);
    plain.data = unpacked.bytes.data();
    plain.device = TILERT_DEVICE_HOST;
    npy::Array repacked = blank;
    tilert::check([&](tilert_status **status) {
      return tilert_prepack_host(kernel, name, &plain, repacked.bytes.data(),
                                 status);
    });
    if (repacked.bytes != operand.initial.bytes)
      fail(subject + " is unpacked otherwise than it was packed");
    if (stray || strayBack)
      fail(subject + ": its packers wrote outside of it");
  }

  void launch() {
    tilert_workspace lent{};
    if (workspace)
      lent = {reinterpret_cast<void *>(workspace->address()),
              size_t(tilert_plan_workspace(plan.get()))};
    tilert::check([&](tilert_status **status) {
      // A variant that was asked for is known to the plan only.
      return job.variant.empty()
                 ? tilert_launch_with(kernel, arguments.data(),
                                      arguments.size(), &lent, device.stream(),
                                      status)
                 : tilert_plan_launch_with(plan.get(), &lent, device.stream(),
                                           status);
    });
  }

  void reset() {
    for (const Operand &operand : operands)
      if (operand.buffer)
        operand.buffer->reset();
  }

  void launchAsAsked() {
    if (job.usesGraph)
      launchInGraph();
    else
      launch();
  }

  /// Launches and keeps the results.
  void runFirst() {
    reset();
    launchAsAsked();
    device.synchronize();
    results.resize(operands.size());
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].buffer)
        results[i] = collect(operands[i]);
  }

  /// Launches again from the same data, and compares with the first launch.
  void repeat() {
    std::vector<const Operand *> watched;
    std::vector<const GuardedBuffer *> buffers;
    for (const Operand &operand : operands)
      if (operand.buffer) {
        watched.push_back(&operand);
        buffers.push_back(operand.buffer.get());
      }
    RepeatCheck check(device, std::move(buffers));
    for (int number = 2; number <= job.repeat; ++number) {
      check.reset();
      launchAsAsked();
      check.compare(unsigned(number));
    }
    auto differences = check.findDifferences();
    for (size_t i = 0; i < watched.size(); ++i)
      if (differences[i])
        fail(std::string("'") + watched[i]->parameter->name + "': launch " +
             std::to_string(*differences[i]) +
             " gave other bits than the first");
    note(std::to_string(job.repeat) + " launches");
  }

  void launchInGraph() {
    const tilert::detail::Driver &driver = device.driver();
    CuGraph graph = nullptr;
    CuGraphExec executable = nullptr;
    constexpr int globalMode = 0; // CU_STREAM_CAPTURE_MODE_GLOBAL
    require(TILERT_CALL(driver, cuStreamBeginCapture_v2, device.stream(),
                        globalMode));
    launch();
    require(TILERT_CALL(driver, cuStreamEndCapture, device.stream(), &graph));
    require(TILERT_CALL(driver, cuGraphInstantiateWithFlags, &executable, graph,
                        0));
    // The first replay's results must not matter to the second.
    require(TILERT_CALL(driver, cuGraphLaunch, executable, device.stream()));
    device.synchronize();
    reset();
    require(TILERT_CALL(driver, cuGraphLaunch, executable, device.stream()));
    device.synchronize();
    require(TILERT_CALL(driver, cuGraphExecDestroy, executable));
    require(TILERT_CALL(driver, cuGraphDestroy, graph));
  }

  npy::Array collect(const Operand &operand) {
    std::string name = std::string("'") + operand.parameter->name + "'";
    size_t stray = 0;
    int64_t firstStray = 0;
    npy::Array now = operand.buffer->read(stray, firstStray);
    if (stray)
      fail(name + ": " + std::to_string(stray) +
           " bytes outside of it were written, the first at byte " +
           std::to_string(firstStray) + " from its start");
    if (!operand.isWritten && now.bytes != operand.initial.bytes)
      fail(name + " is an input and was changed");
    return now;
  }

  /// The result in a tensor that shares the memory of another.
  npy::Array readAlias(const Operand &operand) {
    npy::Array array = operand.initial;
    device.download(array.bytes.data(), operand.address, array.bytes.size());
    return array;
  }

  void finish(Operand &operand) {
    if (!operand.isTensor())
      return;
    const char *name = operand.parameter->name;
    size_t index = size_t(&operand - operands.data());
    npy::Array result =
        operand.buffer ? std::move(results[index]) : readAlias(operand);
    if (operand.parameter->access == TILERT_OUT &&
        tilert_plan_grid(plan.get()) > 0)
      checkSpareNibbles(operand, result);
    std::string error;
    if (auto output = job.outputs.find(name); output != job.outputs.end())
      if (!npy::writeFile(output->second, result, error))
        fail(error);
    if (auto expected = job.expected.find(name); expected != job.expected.end())
      compareWith(operand, result, expected->second);
  }

  /// The second half of the last byte of an odd row is written as 0.
  void checkSpareNibbles(const Operand &operand, const npy::Array &result) {
    int pack = operand.type.pack;
    if (pack < 0 || operand.type.sizes[size_t(pack)] % 2 == 0)
      return;
    size_t inner = 1;
    for (size_t dim = size_t(pack) + 1; dim < result.shape.size(); ++dim)
      inner *= size_t(result.shape[dim]);
    auto rows = size_t(result.shape[size_t(pack)]);
    size_t wrong = 0;
    for (size_t i = 0; i < result.bytes.size(); ++i)
      wrong += i / inner % rows == rows - 1 && result.bytes[i] >> 4 != 0;
    if (wrong)
      fail(std::string("'") + operand.parameter->name +
           "': " + std::to_string(wrong) + " spare nibbles are not 0");
  }

  void compareWith(const Operand &operand, const npy::Array &result,
                   const std::string &path) {
    npy::Array want;
    std::string error;
    std::string name = std::string("'") + operand.parameter->name + "'";
    if (!npy::readFile(path, want, error))
      return fail(error);
    if (!holds(want, operand.type.format) || want.shape != result.shape)
      return fail(path + ": it holds " + want.typeName() + " " +
                  npy::showShape(want.shape) + ", and " + name + " is " +
                  describeStorage(operand.type.format) + " " +
                  npy::showShape(result.shape));
    Comparison found = compare(operand.type, result.bytes.data(),
                               want.bytes.data(), job.tolerance);
    char text[160];
    std::snprintf(text, sizeof text, "max_abs_err=%.3g rel_err=%.3g",
                  found.maxAbsError, found.relativeError);
    if (found.wrong == 0)
      return note(name + " " + text);
    fail(name + ": " + std::to_string(found.wrong) + " of " +
         std::to_string(found.count) + " elements are wrong, " + text);
    outcome.details += found.firstWrong;
  }

  const Job &job;
  const Device &device;
  Outcome &outcome;
  tilert::Module module;
  const tilert_kernel *kernel;
  std::vector<Operand> operands;
  std::vector<tilert_argument> arguments;
  std::unique_ptr<tilert_plan, DestroyPlan> plan;
  std::unique_ptr<GuardedBuffer> workspace; // if the plan needs one
  std::vector<npy::Array> results; // of the operands with memory of their own
};

void recordError(const Job &job, const tilert::Error &error, Outcome &outcome) {
  std::string message = error.what();
  bool isExpected =
      job.expectedError && message.find(*job.expectedError) != message.npos;
  if (isExpected) {
    outcome.summary = "refused as expected: " + message;
  } else if (error.code() == TILERT_WRONG_TARGET && !job.expectedError) {
    outcome.verdict = Verdict::Skipped;
    outcome.summary = message;
  } else {
    outcome.verdict = Verdict::Failed;
    outcome.details += "  " + message + '\n';
    if (job.expectedError)
      outcome.details +=
          "  expected an error with '" + *job.expectedError + "'\n";
  }
}

} // namespace

Outcome runJob(const Job &job, const Device &device) {
  Outcome outcome;
  try {
    Runner(job, device, outcome).run();
  } catch (const tilert::Error &error) {
    recordError(job, error, outcome);
  } catch (const std::exception &error) {
    outcome.verdict = Verdict::Failed;
    outcome.details += std::string("  ") + error.what() + '\n';
  }
  return outcome;
}

} // namespace gpurunner
