//===- PtxText.h - The instructions of PTX text ---------------------------===//
//
// Just enough of the PTX that LLVM writes, with its inline assembly, to follow
// registers through a kernel: which instructions define and use them, and where
// control goes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_PTXTEXT_H
#define TILE_COMPILER_CODEGEN_PTXTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace tilec {

struct PtxInstruction {
  /// Without its guard and semicolon.
  llvm::StringRef text;
  /// "wgmma.wait_group.sync.aligned"
  llvm::StringRef mnemonic;
  /// The operands between commas; one in braces or brackets counts as one.
  llvm::SmallVector<llvm::StringRef, 4> operands;
  /// Numbers of registers, whose names begin with '%'.
  llvm::SmallVector<unsigned, 4> defined;
  llvm::SmallVector<unsigned, 4> used;
  /// Of the text, from 1.
  unsigned line = 0;
  /// Of the last `.loc`; a file of 0 is none.
  unsigned sourceFile = 0;
  unsigned sourceLine = 0;

  bool isGuarded = false;

  bool is(llvm::StringRef start) const { return mnemonic.starts_with(start); }
};

/// Instructions that run one after another.
struct PtxBlock {
  unsigned begin = 0;
  unsigned end = 0;
  llvm::SmallVector<unsigned, 2> successors;
};

struct PtxFunction {
  llvm::StringRef name;
  std::vector<PtxInstruction> instructions;
  /// In the order of the text; the first is where the function begins.
  std::vector<PtxBlock> blocks;
  /// The names of the registers by their numbers.
  std::vector<llvm::StringRef> registers;
};

struct PtxText {
  std::vector<PtxFunction> functions;
  /// The names in `.file` lines by their numbers.
  std::vector<llvm::StringRef> files;
};

/// Parses `text`, which must outlive the result.  What it does not know it
/// skips up to the next semicolon.
PtxText parsePtx(llvm::StringRef text);

/// The registers named in one operand, in order.
llvm::SmallVector<llvm::StringRef> getPtxRegisters(llvm::StringRef operand);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_PTXTEXT_H
