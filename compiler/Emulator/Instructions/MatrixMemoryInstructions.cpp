//===- MatrixMemoryInstructions.cpp - ldmatrix and stmatrix ---------------===//
//
// Matrix i of eight rows of 16 bytes is addressed by lanes 8i..8i+7, one row
// each.  Lane l holds of each matrix the two 16-bit elements (l / 4, 2 (l % 4))
// and (l / 4, 2 (l % 4) + 1), or with .trans those of the transposed matrix.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

static constexpr uint32_t rowsPerMatrix = 8;
static constexpr uint32_t rowBytes = 16;

/// A matrix of 16-bit elements.
using Matrix = std::array<std::array<uint16_t, 8>, rowsPerMatrix>;

static uint32_t packPair(uint16_t low, uint16_t high) {
  return low | static_cast<uint32_t>(high) << 16;
}

/// Parameters: number of matrices, whether transposed.
static void runLoadMatrix(const WarpCall &call) {
  const Operation &operation = call.operation;
  Block &block = *call.warp.block;
  uint32_t count = operation.parameters[0];
  bool isTransposed = operation.parameters[1];
  for (uint32_t m = 0; m < count; ++m) {
    Matrix matrix;
    for (uint32_t row = 0; row < rowsPerMatrix; ++row) {
      uint32_t lane = m * rowsPerMatrix + row;
      Thread &thread = call.warp.thread(lane);
      uint32_t offset = block.checkSharedRange(
          thread, *operation.site, call.argument(lane, 0), rowBytes,
          /*alignment=*/rowBytes, AccessKind::Load);
      block.readShared(thread, *operation.site, offset, rowBytes);
      std::memcpy(matrix[row].data(), block.sharedAt(offset), rowBytes);
    }
    for (uint32_t lane = 0; lane < lanesPerWarp; ++lane) {
      uint32_t major = lane / 4, minor = 2 * (lane % 4);
      call.result(lane, m) =
          isTransposed
              ? packPair(matrix[minor][major], matrix[minor + 1][major])
              : packPair(matrix[major][minor], matrix[major][minor + 1]);
    }
  }
}

/// Parameters as above; the address is the first argument.
static void runStoreMatrix(const WarpCall &call) {
  const Operation &operation = call.operation;
  Block &block = *call.warp.block;
  uint32_t count = operation.parameters[0];
  bool isTransposed = operation.parameters[1];
  for (uint32_t m = 0; m < count; ++m) {
    Matrix matrix;
    for (uint32_t lane = 0; lane < lanesPerWarp; ++lane) {
      uint32_t major = lane / 4, minor = 2 * (lane % 4);
      auto pair = static_cast<uint32_t>(call.argument(lane, 1 + m));
      for (uint32_t i = 0; i < 2; ++i) {
        auto element = static_cast<uint16_t>(pair >> 16 * i);
        if (isTransposed)
          matrix[minor + i][major] = element;
        else
          matrix[major][minor + i] = element;
      }
    }
    for (uint32_t row = 0; row < rowsPerMatrix; ++row) {
      uint32_t lane = m * rowsPerMatrix + row;
      Thread &thread = call.warp.thread(lane);
      uint32_t offset = block.checkSharedRange(
          thread, *operation.site, call.argument(lane, 0), rowBytes,
          /*alignment=*/rowBytes, AccessKind::Store);
      block.writeShared(thread, *operation.site, offset, rowBytes);
      std::memcpy(block.sharedAt(offset), matrix[row].data(), rowBytes);
    }
  }
}

static std::optional<Operation> bindMatrix(const InstructionForm &form,
                                           WarpHandler handler,
                                           unsigned registers) {
  // The 8-bit and sub-byte shapes exist from sm_100 on.
  if (!form.has("m8n8") || !form.has("b16"))
    return std::nullopt;
  unsigned count = form.has("x1")   ? 1
                   : form.has("x2") ? 2
                   : form.has("x4") ? 4
                                    : 0;
  if (count == 0 || registers != count)
    return std::nullopt;
  Operation operation = makeWarpOperation(handler);
  operation.parameters[0] = count;
  operation.parameters[1] = form.has("trans");
  return operation;
}

static std::optional<Operation> bindLoadMatrix(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return bindMatrix(form, runLoadMatrix, form.results);
}

static std::optional<Operation> bindStoreMatrix(const InstructionForm &form) {
  if (form.arguments < 2)
    return std::nullopt;
  return bindMatrix(form, runStoreMatrix, form.arguments - 1);
}

void tilec::emulator::registerMatrixMemoryInstructions(
    InstructionTable &table) {
  table.add("ldmatrix", bindLoadMatrix);
  table.add("stmatrix", bindStoreMatrix, /*hasPtxResult=*/false);
}
