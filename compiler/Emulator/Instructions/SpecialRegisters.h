//===- SpecialRegisters.h - %tid, %laneid and the like ----------*- C++ -*-===//
//
// Registers that tell a thread where it stands, read by intrinsics and by name
// in inline PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_SPECIALREGISTERS_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_SPECIALREGISTERS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tilec::emulator {

struct Thread;

enum class SpecialRegister : uint32_t {
  Zero,
  One,
  ThreadX,
  BlockX,
  ThreadsX,
  BlocksX,
  ClusterX,
  ClustersX,
  ClusterRank,
  ClusterBlocks,
  Lane,
  Warp,
  Warps,
  WarpSize,
  LaneMaskEqual,
  LaneMaskLess,
  LaneMaskLessEqual,
  LaneMaskGreater,
  LaneMaskGreaterEqual,
  DynamicSharedBytes,
  TotalSharedBytes,
  Clock,
};

/// Finds a register by its PTX name without '%': "tid.x", "laneid".
std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name);

uint64_t readSpecialRegister(const Thread &thread, SpecialRegister which);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_SPECIALREGISTERS_H
