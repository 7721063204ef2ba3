//===- EmulatorDevice.cpp - Running compiled code on the CPU --------------===//
//
// The arrays are what the emulated kernel may touch; the guard bytes around
// them (HostTensor) catch what the emulator itself might miss.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Run/Devices.h"

#include "compiler/Emulator/TensorMap.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace tilec;

namespace {
/// What a launch lends its kernel (docs/artifact-format.md): counters that are
/// zero, and behind them memory that holds anything, NaN here.
class Workspace {
public:
  static constexpr size_t counterBytes = 65536;

  explicit Workspace(size_t bytes)
      : memory(bytes + alignment, 0xFF), bytes(bytes) {
    std::fill_n(data(), std::min(counterBytes, bytes), 0);
  }

  size_t size() const { return bytes; }
  uint8_t *data() {
    return reinterpret_cast<uint8_t *>(
        llvm::alignTo(reinterpret_cast<uintptr_t>(memory.data()), alignment));
  }
  /// Whether the next launch may have it.
  bool isClean() {
    return std::all_of(data(), data() + std::min(counterBytes, bytes),
                       [](uint8_t byte) { return byte == 0; });
  }

private:
  static constexpr size_t alignment = 256;
  std::vector<uint8_t> memory;
  size_t bytes;
};
} // namespace

/// Position of the pointer to each tensor among the function's parameters.
static int findPointer(const PlannedRun &run, llvm::StringRef tensor) {
  const tilert_value *values = tilert_plan_values(&run.plan);
  for (size_t i = 0; i < tilert_plan_value_count(&run.plan); ++i)
    if (values[i].kind == TILERT_VALUE_TENSOR && tensor == values[i].name)
      return static_cast<int>(i);
  return -1;
}

/// What the emulator takes for the map that a driver would encode.
static std::vector<uint8_t> encode(const tilert_tensor_map &map) {
  EmulatedTensorMap emulated = {};
  emulated.signature = EmulatedTensorMap::validSignature;
  emulated.address = reinterpret_cast<uintptr_t>(map.data);
  emulated.rank = static_cast<uint8_t>(map.rank);
  emulated.elementBytes = static_cast<uint8_t>(map.element_bytes);
  emulated.swizzle = static_cast<uint8_t>(map.swizzle);
  for (int dim = 0; dim < map.rank; ++dim) {
    emulated.extents[dim] = map.extents[dim];
    emulated.box[dim] = static_cast<uint16_t>(map.box[dim]);
    if (dim > 0)
      emulated.strides[dim - 1] = map.byte_strides[dim - 1];
  }
  std::vector<uint8_t> bytes(EmulatedTensorMap::parameterBytes);
  std::memcpy(bytes.data(), &emulated, sizeof emulated);
  return bytes;
}

static std::vector<uint8_t> getBytes(const tilert_value &value,
                                     const uint8_t *workspace) {
  if (value.kind == TILERT_VALUE_WORKSPACE) {
    std::vector<uint8_t> address(sizeof workspace);
    std::memcpy(address.data(), &workspace, sizeof workspace);
    return address;
  }
  if (value.kind == TILERT_VALUE_TENSOR_MAP)
    return encode(*static_cast<const tilert_tensor_map *>(value.value));
  const auto *bytes = static_cast<const uint8_t *>(value.value);
  return {bytes, bytes + value.bytes};
}

static LaunchSpec makeLaunch(const PlannedRun &run, Workspace &workspace) {
  LaunchSpec launch;
  launch.symbol = run.getVariant().symbol;
  launch.gridX = static_cast<uint32_t>(tilert_plan_grid(&run.plan));
  launch.threads = tilert_plan_threads(&run.plan);
  launch.clusterSize = tilert_plan_cluster(&run.plan);
  launch.sharedBytes = tilert_plan_shared_bytes(&run.plan);
  const tilert_value *values = tilert_plan_values(&run.plan);
  for (size_t i = 0; i < tilert_plan_value_count(&run.plan); ++i)
    launch.parameters.push_back(getBytes(values[i], workspace.data()));
  for (size_t i = 0; i < tilert_plan_value_count(&run.plan); ++i)
    if (values[i].kind == TILERT_VALUE_WORKSPACE)
      launch.buffers.push_back({"the workspace", workspace.data(),
                                workspace.size(), /*writable=*/true,
                                static_cast<int>(i), /*isCommon=*/true,
                                Workspace::counterBytes});
  for (RunArgument &argument : run.arguments.get()) {
    if (!argument.isTensor())
      continue;
    llvm::MutableArrayRef<uint8_t> bytes = argument.getMemory().getBytes();
    EmulatedBuffer buffer{argument.name, bytes.data(), bytes.size(),
                          argument.isWritten(),
                          findPointer(run, argument.name)};
    // With `overlap = weights` these are read early, as the caller promises
    // that they may be.
    buffer.isSettled = argument.packed.has_value();
    launch.buffers.push_back(std::move(buffer));
  }
  launch.options.hostThreads =
      std::max(1u, std::thread::hardware_concurrency());
  return launch;
}

llvm::Expected<EmulatorCounters>
tilec::runOnEmulator(const llvm::Module &module, const PlannedRun &run) {
  llvm::Expected<std::unique_ptr<Emulator>> emulator = Emulator::create(module);
  if (!emulator)
    return emulator.takeError();
  Workspace workspace(static_cast<size_t>(tilert_plan_workspace(&run.plan)));
  llvm::Expected<EmulatorCounters> counters =
      (*emulator)->launch(makeLaunch(run, workspace));
  if (counters && !workspace.isClean())
    return llvm::createStringError(
        "the kernel left counters of its workspace that are not zero");
  return counters;
}

void tilec::printCounters(llvm::raw_ostream &os,
                          const EmulatorCounters &counters) {
  size_t width = 28;
  for (const auto &[name, count] : counters.instructions)
    width = std::max(width, name.size() + 2);
  auto print = [&](llvm::StringRef name, uint64_t count) {
    os << "  " << llvm::left_justify(name, width) << count << '\n';
  };
  os << "counters:\n";
  print("global bytes read", counters.globalBytesRead);
  print("global bytes written", counters.globalBytesWritten);
  print("shared bytes read", counters.sharedBytesRead);
  print("shared bytes written", counters.sharedBytesWritten);
  print("shared wavefronts", counters.sharedWavefronts);
  print("bank conflicts", counters.bankConflicts);
  print("matrix instructions", counters.matrixInstructions);
  print("async copies of 16 bytes", counters.asyncCopies16);
  print("async copies of 8 bytes", counters.asyncCopies8);
  print("async copies of 4 bytes", counters.asyncCopies4);
  print("barriers", counters.barriers);
  os << "instructions:\n";
  for (const auto &[name, count] : counters.instructions)
    print(name, count);
  if (counters.conflictSites.empty())
    return;
  os << "bank conflicts by source line:\n";
  for (const EmulatorCounters::ConflictSite &site : counters.conflictSites)
    os << "  " << site.location.str() << ": " << site.instruction << ": "
       << site.conflicts << " extra of " << site.wavefronts << " wavefronts\n";
}
