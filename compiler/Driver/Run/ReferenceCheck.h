//===- ReferenceCheck.h - Comparing a run with the interpreter ------------===//
//
// `tilec run --check`.  The interpreter computes its own outputs from the same
// inputs; if all blocks would take too long it runs a sample of them, and only
// the elements that those write are compared.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_REFERENCECHECK_H
#define TILE_COMPILER_DRIVER_RUN_REFERENCECHECK_H

#include "compiler/Driver/Run/Devices.h"

namespace tilec {

class ReferenceCheck {
public:
  /// Runs the interpreter; the run's arrays are as they are before the launch
  /// and stay so.
  static llvm::Expected<ReferenceCheck> create(mlir::tile::KernelOp kernel,
                                               const PlannedRun &run,
                                               CheckExtent extent,
                                               uint64_t seed);

  /// Compares the outputs after the launch, prints a verdict for each, and
  /// tells whether all passed.
  bool compare(llvm::raw_ostream &os,
               const std::optional<Tolerance> &tolerance) const;

  /// What the interpreter makes of one output.
  struct Output {
    const RunArgument *argument;
    HostTensor want;
    /// One byte an element: whether a block that ran has written it.
    std::vector<uint8_t> written;
  };
  llvm::ArrayRef<Output> getOutputs() const { return outputs; }
  /// Whether only some blocks ran.
  bool isSample() const { return !sample.empty(); }

private:
  ReferenceCheck(const PlannedRun &run) : run(run) {}

  llvm::Error copyOutputs();
  llvm::Error interpret(mlir::tile::KernelOp kernel, CheckExtent extent,
                        uint64_t seed);
  llvm::Error interpretBlocks(mlir::tile::KernelOp kernel,
                              std::vector<int64_t> blocks);

  PlannedRun run;
  std::vector<Output> outputs;
  /// The blocks that were interpreted, in ascending order; none means all.
  std::vector<int64_t> sample;
  int64_t blockCount = 0;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_REFERENCECHECK_H
