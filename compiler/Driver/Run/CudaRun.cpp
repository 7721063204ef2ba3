//===- CudaRun.cpp - The arguments of a run on a GPU ----------------------===//
#include "compiler/Driver/Run/CudaRun.h"

#include "compiler/Driver/Run/CudaDevice.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace tilec;

CudaRun::CudaRun(RunArguments &arguments)
    : arguments(&arguments), device(std::make_unique<CudaDevice>()),
      addresses(arguments.get().size()) {}
CudaRun::CudaRun(CudaRun &&) = default;
CudaRun::~CudaRun() = default;

llvm::StringRef CudaRun::getDeviceName() const { return device->getName(); }

llvm::Expected<CudaRun> CudaRun::create(RunArguments &arguments) {
  CudaRun run(arguments);
  if (llvm::Error error = takeStatus(run.device->open()))
    return error;
  for (auto [argument, address] : llvm::zip(arguments.get(), run.addresses)) {
    if (!argument.isTensor())
      continue;
    llvm::MutableArrayRef<uint8_t> bytes =
        argument.getMemory().getGuardedBytes();
    void *memory;
    if (llvm::Error error =
            takeStatus(run.device->allocate(bytes.size(), &memory)))
      return error;
    if (llvm::Error error = takeStatus(
            run.device->copyToDevice(memory, bytes.data(), bytes.size())))
      return error;
    address = static_cast<uint8_t *>(memory);
  }
  return run;
}

std::vector<tilert_argument> CudaRun::getRuntimeArguments() const {
  std::vector<tilert_argument> result = arguments->getRuntimeArguments();
  for (auto [argument, host, address] :
       llvm::zip(result, arguments->get(), addresses))
    if (address) {
      argument.value.tensor.data = address + host.tensor->getGuardBefore();
      argument.value.tensor.device = 0;
    }
  return result;
}

llvm::Error CudaRun::launch(const tilert_plan &plan) {
  tilert_status *status = nullptr;
  tilert_plan_reserve(&plan, nullptr, &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  status = nullptr;
  tilert_plan_launch(&plan, nullptr, &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  if (llvm::Error error = takeStatus(device->synchronize()))
    return error;
  // Inputs come back too: their guards tell of writes past them.
  for (auto [argument, address] : llvm::zip(arguments->get(), addresses)) {
    if (!address)
      continue;
    llvm::MutableArrayRef<uint8_t> bytes =
        argument.getMemory().getGuardedBytes();
    if (llvm::Error error =
            takeStatus(device->copyToHost(bytes.data(), address, bytes.size())))
      return error;
  }
  return llvm::Error::success();
}

/// Long enough for the clock of the events, short enough for a user who waits.
static constexpr float batchMilliseconds = 20;
static constexpr int batchCount = 15;
static constexpr int coldLaunchCount = 31;

llvm::Expected<BenchResult> CudaRun::bench(const tilert_plan &plan) {
  BenchResult result;
  float milliseconds = 0;
  // The first launches load the code and raise the clocks.
  if (llvm::Error error =
          takeStatus(device->timeLaunches(&plan, 3, &milliseconds)))
    return error;
  if (llvm::Error error =
          takeStatus(device->timeLaunches(&plan, 10, &milliseconds)))
    return error;
  float estimate = std::max(milliseconds / 10, 1e-3f);
  result.batches = batchCount;
  result.launchesPerBatch =
      std::max(1, static_cast<int>(std::ceil(batchMilliseconds / estimate)));

  std::vector<double> times;
  for (int batch = 0; batch < batchCount; ++batch) {
    if (llvm::Error error = takeStatus(device->timeLaunches(
            &plan, result.launchesPerBatch, &milliseconds)))
      return error;
    times.push_back(milliseconds * 1e3 / result.launchesPerBatch);
  }
  llvm::sort(times);
  result.median = times[times.size() / 2];
  result.best = times.front();

  times.clear();
  result.coldLaunches = coldLaunchCount;
  for (int i = 0; i < coldLaunchCount; ++i) {
    if (llvm::Error error =
            takeStatus(device->timeColdLaunch(&plan, &milliseconds)))
      return error;
    times.push_back(milliseconds * 1e3);
  }
  llvm::sort(times);
  result.coldMedian = times[times.size() / 2];
  return result;
}
