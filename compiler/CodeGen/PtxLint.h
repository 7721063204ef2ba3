//===- PtxLint.h - Whether registers of wgmma are used in their order -----===//
//
// `wgmma.mma_async` reads its register fragments and writes its accumulators
// after the instruction was passed, until a `wait_group` retires its group.
// Neither LLVM nor, where control branches, ptxas notices a program that
// touches them before: the numbers are then wrong now and then.  So the
// compiler checks what it has made.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXLINT_H
#define TILE_COMPILER_CODEGEN_PTXLINT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilec {

struct PtxFinding {
  /// Symbol of the kernel.
  std::string kernel;
  /// Of the PTX text, from 1.
  unsigned line = 0;
  /// "k.tile:12", or empty where the text has no `.loc`.
  std::string source;
  /// "'add.f32 ...' reads %r3, which ..."
  std::string message;

  /// "line 80 of kernel 'k' (k.tile:12): ..."
  std::string str() const;
};

struct PtxLintReport {
  /// Symbols of the kernels that hold wgmma.
  std::vector<std::string> kernels;
  /// Registers touched while a wgmma owns them: wrong results.
  std::vector<PtxFinding> hazards;
  /// Arithmetic that keeps the wgmmas of a group apart: a slow kernel.
  std::vector<PtxFinding> drift;

  bool holdsWgmma(llvm::StringRef symbol) const;
};

/// Checks the kernels of `ptx` that hold wgmma, along all ways through them.
PtxLintReport lintPtx(llvm::StringRef ptx);

/// The error of a compiler that has made these hazards.
llvm::Error makeHazardError(llvm::ArrayRef<PtxFinding> hazards);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXLINT_H
