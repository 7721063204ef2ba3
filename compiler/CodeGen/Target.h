//===- Target.h - The GPU architectures that tilec compiles for -----------===//
//
// Facts of each architecture, as plain data: what fits, what instructions
// exist, and the lowest PTX version that names it.
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
  /// Shared memory of one multiprocessor; each resident block costs
  /// `reservedSharedBytes` of it on top of what it asks for.
  unsigned sharedBytesPerMultiprocessor;
  unsigned threadsPerMultiprocessor;

  /// mma.sync on e4m3 and e5m2 operands.
  bool hasFp8Mma;
  /// cvt between f16 or f32 pairs and e4m3/e5m2 pairs.
  bool hasFp8Convert;
  bool hasStmatrix;
  /// cp.async.bulk.tensor, its mbarrier transaction counts, and clusters.
  bool hasTma;
  /// wgmma and its register-A form.
  bool hasWgmma;
  bool hasSetMaxRegisters;

  /// Every supported target has ldmatrix, cp.async and mma.sync on f16, bf16,
  /// tf32, s8 and s4; there is no flag for what is always true.

  static constexpr unsigned registersPerBlock = 65536;
  static constexpr unsigned registersPerThread = 255;
  static constexpr unsigned threadsPerBlock = 1024;
  static constexpr unsigned threadsPerWarp = 32;
  static constexpr unsigned reservedSharedBytes = 1024;
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
