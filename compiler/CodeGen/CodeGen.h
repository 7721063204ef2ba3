//===- CodeGen.h - From the LLVM dialect to a cubin -----------------------===//
//
// The steps, each from one printable thing to the next:
//
//   translateToLLVM   MLIR module (llvm, nvvm)  ->  llvm::Module
//   optimize          llvm::Module              ->  llvm::Module, what the
//                                                   emulator runs
//   emitPTX           llvm::Module              ->  PTX text
//   lintPtx           PTX text                  ->  hazards of wgmma
//   assemble          PTX text                  ->  cubin bytes and report
//
// and findPtxas, parseTarget, writeFileAtomically and hashSha256 beside them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_CODEGEN_H
#define TILE_COMPILER_CODEGEN_CODEGEN_H

#include "compiler/CodeGen/Assemble.h"
#include "compiler/CodeGen/LLVMTranslation.h"
#include "compiler/CodeGen/Optimize.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/PtxEmission.h"
#include "compiler/CodeGen/PtxLint.h"
#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/Target.h"

#endif // TILE_COMPILER_CODEGEN_CODEGEN_H
