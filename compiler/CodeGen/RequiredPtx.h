//===- RequiredPtx.h - The PTX version that instructions need -------------===//
//
// The `.version` line of a shipped kernel is the lowest that its instructions
// need, so that old assemblers and drivers take it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_REQUIREDPTX_H
#define TILE_COMPILER_CODEGEN_REQUIREDPTX_H

#include "compiler/CodeGen/Target.h"
#include "llvm/IR/Module.h"

namespace tilec {

struct RequiredPtx {
  PtxVersion version;
  /// What needs it: an instruction such as "wgmma.mma_async.u8.s8", or the
  /// target's name when no instruction needs more than the target itself.
  std::string reason;
};

/// From the intrinsics and the inline PTX of `module`, before code generation.
RequiredPtx findRequiredPtx(const llvm::Module &module, const Target &target);

/// From PTX text, an emitted file or one inline asm string.
RequiredPtx findRequiredPtx(llvm::StringRef ptx, const Target &target);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_REQUIREDPTX_H
