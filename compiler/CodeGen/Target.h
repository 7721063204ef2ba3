//===- Target.h - The GPU architectures that tilec compiles for -----------===//
//
// Facts of each architecture, as plain data: what fits, and the lowest PTX
// version that names it.  Every one has ldmatrix, cp.async and mma.sync on f16,
// bf16, tf32, s8 and s4.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_TARGET_H
#define TILE_COMPILER_CODEGEN_TARGET_H

#include "compiler/CodeGen/PtxVersion.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// One supported architecture.  Instances live in a static table and are
/// compared and passed by address or copied freely.
struct Target {
  /// As `--target` and ptxas spell it, "sm_90a".
  llvm::StringLiteral name;
  /// Major * 10 + minor: 90 for sm_90a.
  unsigned computeCapability;
  /// The first PTX version that has this architecture.
  PtxVersion lowestPtx;

  /// Shared memory that one block may use, static and dynamic together, after
  /// the opt-in above 48 KiB.
  unsigned sharedBytesPerBlock;
};

/// All targets, oldest first.
llvm::ArrayRef<Target> getTargets();

/// Looks up a target by its name.  The error lists the choices, and for a name
/// that lacks its suffix ("sm_90") it names the one meant.
llvm::Expected<const Target *> parseTarget(llvm::StringRef name);

/// The target to compile for when a device of this compute capability is to
/// run the code, or null when none is supported.  Cubins of an "a" target run
/// on exactly their capability; the others run on later minor versions too.
const Target *findTargetForDevice(unsigned computeCapability);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_TARGET_H
