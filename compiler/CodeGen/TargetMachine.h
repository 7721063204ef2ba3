//===- TargetMachine.h - LLVM's view of a target --------------------------===//
//
// Creates the NVPTX TargetMachine that optimisation and emission share.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_TARGETMACHINE_H
#define TILE_COMPILER_CODEGEN_TARGETMACHINE_H

#include "compiler/CodeGen/Target.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tilec {

/// The TargetMachine for `target` that writes PTX of version `ptx`.  Shared
/// memory pointers have 32 bits in its data layout.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Target &target, PtxVersion ptx);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_TARGETMACHINE_H
