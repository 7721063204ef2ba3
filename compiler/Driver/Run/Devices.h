//===- Devices.h - A planned launch on the CPU ----------------------------===//
//
// The two devices of `tilec run` that need no GPU (CudaRun.h is the third).
// Both take the arguments and the plan that the runtime made for them, and
// leave the results in the arguments' arrays.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_DEVICES_H
#define TILE_COMPILER_DRIVER_RUN_DEVICES_H

#include "compiler/Driver/Run/RunArguments.h"
#include "compiler/Emulator/Emulator.h"
#include "compiler/Interpreter/Interpreter.h"

namespace tilec {

/// A launch that the runtime has accepted.
struct PlannedRun {
  const tilert_kernel &kernel;
  const tilert_plan &plan;
  RunArguments &arguments;
  /// Multiprocessors of the device, or of a typical one of the target.
  int32_t smCount;

  const tilert_variant &getVariant() const {
    return *tilert_kernel_variant(&kernel, tilert_plan_variant(&plan));
  }
};

/// The run's arguments for the interpreter.
InterpreterArguments makeInterpreterArguments(const PlannedRun &run);

/// Runs the meaning of the kernel.
llvm::Error runOnInterpreter(mlir::tile::KernelOp kernel,
                             const PlannedRun &run);

/// Runs the optimised code of `module`: all blocks, since in which order the
/// compiler numbers them is not known here.
llvm::Expected<EmulatorCounters> runOnEmulator(const llvm::Module &module,
                                               const PlannedRun &run);

/// Prints what the emulator counted.
void printCounters(llvm::raw_ostream &os, const EmulatorCounters &counters);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_DEVICES_H
