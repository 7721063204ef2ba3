//===-- Arguments.h - Data for the parameters of a kernel ------*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_ARGUMENTS_H
#define TILE_TOOLS_GPURUNNER_ARGUMENTS_H

#include "tools/gpu-runner/GuardedBuffer.h"
#include "tools/gpu-runner/HostTensor.h"
#include "tools/gpu-runner/Job.h"

#include <memory>

namespace gpurunner {

/// What a parameter is given.
struct Operand {
  const tilert_parameter *parameter = nullptr;
  // Of a tensor:
  TensorType type;
  npy::Array initial; // what the device gets: of a prepacked one, its bytes
  npy::Array plain;   // of a prepacked one
  std::unique_ptr<GuardedBuffer> buffer; // none if it shares another's
  CuPointer address = 0;
  bool isWritten = false; // or shares memory with one that is
  /// What the launch is told: sizes and strides as passed.
  tilert_dtype passedDtype = TILERT_F32;
  std::vector<int64_t> passedSizes;
  const std::vector<int64_t> *strides = nullptr;
  // Of a scalar:
  uint64_t bits = 0;

  bool isTensor() const { return parameter->kind == TILERT_TENSOR; }
  bool isPrepacked() const {
    return isTensor() && parameter->order != TILERT_ORDER_PLAIN;
  }
  tilert_argument argument(int device) const;
};

/// The data of a job: files, numbers and random data, with the symbols that
/// those bind. Throws std::runtime_error.
std::vector<Operand> makeOperands(const Job &job, const tilert_kernel *kernel);

/// Puts the tensors in device memory.
void placeOperands(const Job &job, const Device &device,
                   std::vector<Operand> &operands);

/// Finds an operand by name.
Operand &findOperand(std::vector<Operand> &operands, const std::string &name);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_ARGUMENTS_H
