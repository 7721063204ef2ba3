//===- Emulator.cpp - Runs GPU kernels on the CPU -------------------------===//
//
// Checks a launch against its kernel, divides the blocks among host threads,
// and adds up what they counted.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Emulator.h"

#include "compiler/Emulator/Load/LoadedModule.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

#include <atomic>
#include <thread>

using namespace tilec;
using namespace tilec::emulator;

namespace {

/// What one host thread needs; kept between launches.
struct Worker {
  SharedArena arena;
  FiberStacks stacks;
  Tally tally;
  std::optional<EmulationReport> failure;
};

} // namespace

struct Emulator::State {
  std::unique_ptr<LoadedModule> module;
  std::vector<std::unique_ptr<Worker>> workers;
};

Emulator::Emulator(std::unique_ptr<State> state) : state(std::move(state)) {}
Emulator::~Emulator() = default;

llvm::Expected<std::unique_ptr<Emulator>>
Emulator::create(const llvm::Module &module) {
  auto loaded = loadModule(module);
  if (!loaded)
    return loaded.takeError();
  auto state = std::make_unique<State>();
  state->module = std::move(*loaded);
  return std::unique_ptr<Emulator>(new Emulator(std::move(state)));
}

//===----------------------------------------------------------------------===//
// Checking a launch
//===----------------------------------------------------------------------===//

static llvm::Error failLaunch(const llvm::Twine &message) {
  return makeEmulationError(EmulationErrorKind::BadLaunch, message);
}

static llvm::Error checkParameters(const LaunchSpec &spec,
                                   const Kernel &kernel) {
  if (spec.parameters.size() != kernel.parameters.size())
    return failLaunch("kernel '" + spec.symbol + "' has " +
                      llvm::Twine(kernel.parameters.size()) +
                      " parameters, and the launch gives " +
                      llvm::Twine(spec.parameters.size()));
  for (auto [index, given, wanted] :
       llvm::enumerate(spec.parameters, kernel.parameters))
    if (given.size() != wanted.bytes)
      return failLaunch("parameter " + llvm::Twine(index) + " of kernel '" +
                        spec.symbol + "' has " + llvm::Twine(wanted.bytes) +
                        " bytes, and the launch gives " +
                        llvm::Twine(given.size()));
  return llvm::Error::success();
}

static llvm::Error checkShape(const LaunchSpec &spec,
                              const LoadedModule &module) {
  constexpr uint32_t maxThreads = 1024;
  constexpr uint32_t maxClusterThreads = maxWarps * lanesPerWarp;
  if (spec.threads == 0 || spec.threads > maxThreads)
    return failLaunch("a block of kernel '" + spec.symbol + "' would have " +
                      llvm::Twine(spec.threads) + " threads; the limit is " +
                      llvm::Twine(maxThreads));
  if (spec.clusterSize == 0 || spec.gridX % spec.clusterSize)
    return failLaunch("the grid of " + llvm::Twine(spec.gridX) +
                      " blocks does not divide into clusters of " +
                      llvm::Twine(spec.clusterSize));
  if (spec.clusterSize > 1 &&
      (spec.threads % threadsPerWarpgroup ||
       spec.threads * spec.clusterSize > maxClusterThreads))
    return failLaunch("the emulator runs clusters of whole warpgroups and at "
                      "most " +
                      llvm::Twine(maxClusterThreads) + " threads; kernel '" +
                      spec.symbol + "' would have " +
                      llvm::Twine(spec.clusterSize) + " blocks of " +
                      llvm::Twine(spec.threads));
  if (spec.sharedBytes > SharedArena::capacity - module.staticSharedBytes)
    return failLaunch(
        "a block of kernel '" + spec.symbol + "' would have " +
        llvm::Twine(spec.sharedBytes) +
        " bytes of dynamic shared memory; the limit is " +
        llvm::Twine(SharedArena::capacity - module.staticSharedBytes));
  for (uint32_t block : spec.blocks)
    if (block >= spec.gridX)
      return failLaunch("block " + llvm::Twine(block) +
                        " is not in the grid of " + llvm::Twine(spec.gridX));
  return llvm::Error::success();
}

/// Registers the buffers and finds that of each pointer parameter.
static void registerBuffers(const Kernel &kernel, const LoadedModule &module,
                            Launch &launch) {
  const LaunchSpec &spec = launch.spec;
  launch.buffers = module.globalBuffers;
  launch.parameterBuffers.assign(kernel.parameters.size(), -1);
  for (const EmulatedBuffer &buffer : spec.buffers) {
    int index = launch.buffers.add(
        {buffer.name, reinterpret_cast<uint64_t>(buffer.base), buffer.bytes,
         buffer.writable,
         buffer.isCommon ? &launch.commonMemory.emplace_back(
                               buffer.bytes, buffer.writtenBytes)
                         : nullptr,
         kernel.overlaps && !buffer.isSettled});
    if (buffer.parameter >= 0 &&
        buffer.parameter < static_cast<int>(kernel.parameters.size()))
      launch.parameterBuffers[buffer.parameter] = index;
  }
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
    const std::vector<uint8_t> &bytes = spec.parameters[index];
    launch.parameters.push_back(bytes.data());
    if (parameter.isByValue)
      launch.parameterBuffers[index] = launch.buffers.add(
          {"parameter " + std::to_string(index),
           reinterpret_cast<uint64_t>(bytes.data()), bytes.size(),
           /*writable=*/false});
    if (parameter.isPointer && launch.parameterBuffers[index] < 0) {
      uint64_t address = 0;
      std::memcpy(&address, bytes.data(), sizeof address);
      launch.parameterBuffers[index] = launch.buffers.find(address, 1);
      // The end of one buffer may be the start of the next, so that a buffer
      // without bytes is found last.
      if (launch.parameterBuffers[index] < 0)
        launch.parameterBuffers[index] = launch.buffers.find(address, 0);
    }
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The first blocks of the clusters to run.
static std::vector<uint32_t> listClusters(const LaunchSpec &spec) {
  std::vector<uint32_t> firsts;
  llvm::DenseSet<uint32_t> known;
  for (uint32_t block : spec.blocks) {
    uint32_t first = block - block % spec.clusterSize;
    if (known.insert(first).second || spec.clusterSize == 1)
      firsts.push_back(first);
  }
  if (spec.blocks.empty())
    for (uint32_t first = 0; first < spec.gridX; first += spec.clusterSize)
      firsts.push_back(first);
  return firsts;
}

/// Runs the clusters that `next` hands out until all are done or one fails.
static void runBlocks(Worker &worker, const Launch &launch,
                      const std::vector<uint32_t> &firsts,
                      std::atomic<uint64_t> &next, std::atomic<bool> &stops) {
  Block block(launch, worker.arena, worker.stacks, worker.tally);
  while (!stops) {
    uint64_t number = next++;
    if (number >= firsts.size())
      return;
    worker.failure = block.run(firsts[number]);
    if (worker.failure)
      stops = true;
  }
}

static void addTally(Tally &into, const Tally &from) {
  EmulatorCounters &sum = into.counters;
  const EmulatorCounters &more = from.counters;
  sum.globalBytesRead += more.globalBytesRead;
  sum.globalBytesWritten += more.globalBytesWritten;
  sum.sharedBytesRead += more.sharedBytesRead;
  sum.sharedBytesWritten += more.sharedBytesWritten;
  sum.matrixInstructions += more.matrixInstructions;
  sum.asyncCopies4 += more.asyncCopies4;
  sum.asyncCopies8 += more.asyncCopies8;
  sum.asyncCopies16 += more.asyncCopies16;
  sum.barriers += more.barriers;
  for (size_t i = 0; i < into.executions.size(); ++i) {
    into.executions[i] += from.executions[i];
    into.wavefronts[i] += from.wavefronts[i];
  }
}

/// Turns the counts per site into those that users see.
static EmulatorCounters summarize(const Tally &tally, const SiteTable &sites) {
  EmulatorCounters counters = tally.counters;
  std::vector<uint32_t> conflicting;
  for (uint32_t i = 0; i < sites.size(); ++i) {
    if (tally.executions[i])
      counters.instructions[sites[i].text] += tally.executions[i];
    counters.sharedWavefronts += tally.wavefronts[i].total;
    counters.bankConflicts += tally.wavefronts[i].conflicts;
    if (tally.wavefronts[i].conflicts)
      conflicting.push_back(i);
  }
  llvm::sort(conflicting, [&](uint32_t a, uint32_t b) {
    return std::pair(tally.wavefronts[b].conflicts, a) <
           std::pair(tally.wavefronts[a].conflicts, b);
  });
  for (uint32_t i : conflicting)
    counters.conflictSites.push_back({sites[i].location, sites[i].text,
                                      tally.wavefronts[i].conflicts,
                                      tally.wavefronts[i].total});
  return counters;
}

static void clearTally(Tally &tally, size_t sites) {
  tally.counters = EmulatorCounters();
  tally.executions.assign(sites, 0);
  tally.wavefronts.assign(sites, Wavefronts());
}

llvm::Expected<EmulatorCounters> Emulator::launch(const LaunchSpec &given) {
  LoadedModule &module = *state->module;
  auto found = module.kernels.find(given.symbol);
  if (found == module.kernels.end())
    return failLaunch("the module has no kernel '" + given.symbol + "'");
  Kernel &kernel = found->second;
  LaunchSpec spec = given;
  spec.clusterSize = std::max(spec.clusterSize, kernel.clusterSize);
  if (llvm::Error error = checkParameters(spec, kernel))
    return std::move(error);
  if (llvm::Error error = checkShape(spec, module))
    return std::move(error);

  Launch launch{
      spec,
      module.sites,
      kernel.entry,
      module.staticSharedBytes,
      static_cast<uint32_t>(module.staticSharedBytes + spec.sharedBytes),
      {},
      {},
      {},
      {},
      kernel.overlaps};
  registerBuffers(kernel, module, launch);

  unsigned threads = std::max(1u, spec.options.hostThreads);
  while (state->workers.size() < threads)
    state->workers.push_back(std::make_unique<Worker>());
  for (unsigned i = 0; i < threads; ++i) {
    Worker &worker = *state->workers[i];
    if (llvm::Error error = worker.arena.map(spec.clusterSize))
      return std::move(error);
    if (llvm::Error error =
            worker.stacks.reserve(spec.threads * spec.clusterSize))
      return std::move(error);
    clearTally(worker.tally, module.sites.size());
    worker.failure.reset();
  }

  std::vector<uint32_t> firsts = listClusters(spec);
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> stops = false;
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads; ++i)
    helpers.emplace_back(
        [&, i] { runBlocks(*state->workers[i], launch, firsts, next, stops); });
  runBlocks(*state->workers[0], launch, firsts, next, stops);
  for (std::thread &helper : helpers)
    helper.join();

  Tally total;
  clearTally(total, module.sites.size());
  std::optional<EmulationReport> failure;
  for (unsigned i = 0; i < threads; ++i) {
    Worker &worker = *state->workers[i];
    if (worker.failure && (!failure || worker.failure->block < failure->block))
      failure = worker.failure;
    addTally(total, worker.tally);
  }
  if (failure)
    return llvm::make_error<EmulationError>(std::move(*failure));
  return summarize(total, module.sites);
}
