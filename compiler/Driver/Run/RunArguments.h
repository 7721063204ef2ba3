//===- RunArguments.h - The arguments of a run ----------------------------===//
//
// Makes the arguments of a kernel from --in, --size and random data.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_RUNARGUMENTS_H
#define TILE_COMPILER_DRIVER_RUN_RUNARGUMENTS_H

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/Run/HostTensor.h"
#include "compiler/Driver/RuntimeObjects.h"

namespace tilec {

/// One parameter with its argument.
struct RunArgument {
  std::string name;
  tilert_parameter declaration;
  /// Of a tensor parameter.
  std::optional<HostTensor> tensor;
  /// The bytes of a prepacked tensor as a compiled kernel takes them.
  std::optional<HostTensor> packed;
  /// Of a scalar parameter.
  uint64_t scalarCode = 0;

  bool isTensor() const { return declaration.kind == TILERT_TENSOR; }
  /// What a device gets of a tensor.
  HostTensor &getMemory() { return packed ? *packed : *tensor; }
  const HostTensor &getMemory() const { return packed ? *packed : *tensor; }
  bool isWritten() const {
    return isTensor() && declaration.access != TILERT_IN;
  }
};

class RunArguments {
public:
  /// Reads the files, finds the sizes and fills what was not given: inputs with
  /// random data, outputs with 0xFF bytes; what the kernel takes prepacked is
  /// packed.  A name that the kernel lacks, an
  /// array that does not fit and a size that nothing gives are errors.
  static llvm::Expected<RunArguments> create(const tilert_kernel &kernel,
                                             const RunOptions &options);

  llvm::MutableArrayRef<RunArgument> get() { return arguments; }
  llvm::ArrayRef<RunArgument> get() const { return arguments; }

  /// The argument of that name, or null.
  const RunArgument *find(llvm::StringRef name) const;

  /// The arguments as the runtime takes them, tensors in host memory.  They
  /// refer to this object.
  std::vector<tilert_argument> getRuntimeArguments() const;

private:
  std::vector<RunArgument> arguments;
};

/// The runtime's view of a tensor whose memory is at `data`.
tilert_argument makeTensorArgument(const TensorShape &shape, void *data,
                                   int32_t device);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_RUNARGUMENTS_H
