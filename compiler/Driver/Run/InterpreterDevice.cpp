//===- InterpreterDevice.cpp - Running the meaning of a kernel ------------===//
#include "compiler/Driver/Run/Devices.h"

using namespace tilec;

InterpreterArguments tilec::makeInterpreterArguments(const PlannedRun &run) {
  InterpreterArguments result;
  for (RunArgument &argument : run.arguments.get()) {
    NumberFormat format = getFormat(argument.declaration.dtype);
    if (!argument.isTensor()) {
      result.scalars.push_back({argument.name, format, argument.scalarCode});
      continue;
    }
    HostTensor &tensor = *argument.tensor;
    TensorArgument bound;
    bound.name = argument.name;
    bound.format = format;
    bound.shape = tensor.getShape().sizes;
    bound.storage = tensor.getBytes().data();
    bound.storageBytes = tensor.getBytes().size();
    result.tensors.push_back(std::move(bound));
  }
  // A kernel whose `persistent` has no grid asks for it.
  result.symbols["sm_count"] = run.smCount;
  const int64_t *symbols = tilert_plan_symbols(&run.plan);
  for (size_t i = 0; i < tilert_kernel_symbol_count(&run.kernel); ++i)
    result.symbols[tilert_kernel_symbol_name(&run.kernel, i)] = symbols[i];
  return result;
}

llvm::Error tilec::runOnInterpreter(mlir::tile::KernelOp kernel,
                                    const PlannedRun &run) {
  return interpretKernel(kernel, makeInterpreterArguments(run)).takeError();
}
