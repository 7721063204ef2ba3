//===- PtxVersion.h - A version of the PTX language -----------------------===//
//
// A value type for the number in the `.version` line, "8.0".
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXVERSION_H
#define TILE_COMPILER_CODEGEN_PTXVERSION_H

#include <compare>
#include <string>

namespace tilec {

struct PtxVersion {
  unsigned major = 0;
  unsigned minor = 0;

  friend constexpr auto operator<=>(const PtxVersion &,
                                    const PtxVersion &) = default;
  /// "8.0"
  std::string str() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

/// The newest version that the linked LLVM can write.
inline constexpr PtxVersion newestPtx{9, 0};

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXVERSION_H
