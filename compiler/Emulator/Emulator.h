//===- Emulator.h - Runs GPU kernels on the CPU -----------------*- C++ -*-===//
//
// Executes on the CPU the very LLVM IR (NVPTX triple, after optimisation) from
// which the PTX of a kernel is made, and checks what a GPU does not: bounds
// and alignment of every access, races on shared memory, reads of bytes that
// were never written or whose asynchronous copy nobody waited for, writes that
// asynchronous units may not see, misuse of barriers, deadlocks.
//
//   auto emulator = Emulator::create(module);          // rewrite and JIT, once
//   LaunchSpec launch;
//   launch.symbol = "matmul__aligned";
//   launch.gridX = 16; launch.threads = 128; launch.sharedBytes = 32768;
//   launch.parameters = {bytesOf(pointerToA), bytesOf(pointerToC), bytesOf(k)};
//   launch.buffers = {{"A", a, aBytes, /*writable=*/false},
//                     {"C", c, cBytes, /*writable=*/true}};
//   auto counters = (*emulator)->launch(launch);
//
// Pointers in the parameters are host addresses inside of the buffers; tensor
// maps are what TensorMap.h says.  Blocks run one after another on each host
// thread, those of a cluster together; a block that waits for a later one is
// reported as a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_EMULATOR_H
#define TILE_COMPILER_EMULATOR_EMULATOR_H

#include "compiler/Emulator/EmulationError.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace tilec {

/// Memory that a kernel may use.  Every global access must lie in one buffer.
struct EmulatedBuffer {
  std::string name;
  void *base = nullptr;
  uint64_t bytes = 0;
  bool writable = true;
  /// Index of the kernel parameter that carries the buffer's address, -1 to
  /// find it by address.  Accesses derived from that parameter are then held
  /// to this buffer, even where another one lies next to it.
  int parameter = -1;
  /// Blocks hand each other data through it: they may read only what was
  /// written, in an order that atomic operations make.
  bool isCommon = false;
  /// What of it holds something before the launch, from its start.
  uint64_t writtenBytes = 0;
  /// No launch before may still write it, even where the kernel starts before
  /// those have ended.
  bool isSettled = false;
};

struct EmulatorOptions {
  /// What is asynchronous takes effect when somebody waits for it: copies into
  /// shared memory, which must not be touched until then; stores of boxes,
  /// whose source must stay until then; the registers that wgmma writes, which
  /// are NaN until then.  Otherwise all of it is done at once.
  bool strictAsyncCopies = true;
  /// Report conflicting accesses to shared memory with no barrier in between.
  bool checkRaces = true;
  /// Report reads of shared bytes that the block has not written.
  bool checkUninitialised = true;
  /// Count the extra wavefronts of shared accesses.
  bool countBankConflicts = true;
  /// Host threads among which the blocks are divided.
  unsigned hostThreads = 1;
  /// Most instructions with an effect and loop iterations that one block may
  /// execute, over all its threads; 0 for no limit.
  uint64_t stepBudget = 0;
  /// Takes what the kernel prints; standard output when empty.  Called by one
  /// host thread at a time.
  std::function<void(llvm::StringRef)> print;
};

struct LaunchSpec {
  /// Name of the kernel function in the module.
  std::string symbol;
  uint32_t gridX = 1;
  uint32_t threads = 1;
  /// Blocks of a cluster, which run together.  In clusters of several, blocks
  /// must have whole warpgroups, and all together at most 3072 threads.
  uint32_t clusterSize = 1;
  /// Dynamic shared memory of a block.
  uint64_t sharedBytes = 0;
  /// The raw bytes of each kernel parameter.
  std::vector<std::vector<uint8_t>> parameters;
  std::vector<EmulatedBuffer> buffers;
  /// The blocks to run, all of the grid when empty; with them run the others of
  /// their clusters.
  std::vector<uint32_t> blocks;
  EmulatorOptions options;
};

/// What a launch did, summed over its blocks.
struct EmulatorCounters {
  uint64_t globalBytesRead = 0;
  uint64_t globalBytesWritten = 0;
  uint64_t sharedBytesRead = 0;
  uint64_t sharedBytesWritten = 0;
  /// Wavefronts of warp-wide shared accesses, and those of them beyond the
  /// fewest that an access of its width needs.
  uint64_t sharedWavefronts = 0;
  uint64_t bankConflicts = 0;
  /// Warp-wide matrix instructions.
  uint64_t matrixInstructions = 0;
  /// Asynchronous copies of one thread, by size.
  uint64_t asyncCopies4 = 0;
  uint64_t asyncCopies8 = 0;
  uint64_t asyncCopies16 = 0;
  /// Block barriers passed (each completion counts once).
  uint64_t barriers = 0;
  /// Executions of each instruction that the emulator implements, by name; a
  /// warp-wide instruction counts once per warp.
  std::map<std::string, uint64_t> instructions;

  /// A place in the source with bank conflicts.
  struct ConflictSite {
    EmulationLocation location;
    std::string instruction;
    uint64_t conflicts = 0;
    uint64_t wavefronts = 0;
  };
  /// Worst first.
  std::vector<ConflictSite> conflictSites;
};

class Emulator {
public:
  /// Copies the module, rewrites the copy and compiles it for this machine.
  /// Fails with an EmulationError that names the instruction and its source
  /// line when the module uses something the emulator lacks.
  static llvm::Expected<std::unique_ptr<Emulator>>
  create(const llvm::Module &module);

  ~Emulator();

  /// Runs a kernel.  An EmulationError tells the first thing found wrong; the
  /// buffers are then in an unspecified state.  One launch at a time.
  llvm::Expected<EmulatorCounters> launch(const LaunchSpec &spec);

private:
  struct State;
  explicit Emulator(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace tilec

#endif // TILE_COMPILER_EMULATOR_EMULATOR_H
