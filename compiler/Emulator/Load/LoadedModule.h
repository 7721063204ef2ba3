//===- LoadedModule.h - A module ready to run -------------------*- C++ -*-===//
//
// What is left of an LLVM module once it is rewritten and compiled: the entry
// points of its kernels, and the objects that the compiled code refers to by
// address.  Those must not move, and live as long as the code.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_LOAD_LOADEDMODULE_H
#define TILE_COMPILER_EMULATOR_LOAD_LOADEDMODULE_H

#include "compiler/Emulator/Instructions/Instruction.h"
#include "compiler/Emulator/Ptx/PtxProgram.h"

#include <deque>

namespace llvm {
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace tilec::emulator {

struct KernelParameter {
  uint64_t bytes = 0;
  bool isPointer = false;
  /// Passed by address, as tensor maps are.
  bool isByValue = false;
};

struct Kernel {
  std::string wrapper;
  std::vector<KernelParameter> parameters;
  /// The line of the kernel, when known.
  EmulationLocation location;
  /// Blocks of a cluster, which the kernel itself asks for.
  uint32_t clusterSize = 1;
  /// It may start before the launches before it have ended.
  bool overlaps = false;
  KernelEntry entry = nullptr;
};

/// A global variable of the module outside of shared memory.
struct ModuleGlobal {
  std::string name;
  uint64_t bytes = 0;
  bool isConstant = false;
};

struct LoadedModule {
  SiteTable sites;
  std::deque<Operation> operations;
  std::vector<std::unique_ptr<PtxProgram>> programs;
  std::map<std::string, Kernel> kernels;
  /// Shared variables of fixed size; the dynamic part follows them.
  uint32_t staticSharedBytes = 0;
  std::vector<ModuleGlobal> globals;
  BufferTable globalBuffers;
  std::unique_ptr<llvm::orc::LLJIT> jit;

  LoadedModule();
  ~LoadedModule();
};

/// Copies a module, rewrites the copy (RewriteModule.h) and compiles it.
llvm::Expected<std::unique_ptr<LoadedModule>>
loadModule(const llvm::Module &module);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_LOAD_LOADEDMODULE_H
