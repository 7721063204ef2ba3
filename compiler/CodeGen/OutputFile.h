//===- OutputFile.h - Files that are whole or not there -------------------===//
#ifndef TILE_COMPILER_CODEGEN_OUTPUTFILE_H
#define TILE_COMPILER_CODEGEN_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// Writes `bytes` to `path`, or to standard output for "-".  The file appears
/// under its name only when it is complete: it is written beside and renamed.
/// On failure (full disk, no such folder, no permission) the error names the
/// path and the reason, and a file that was there before is unchanged.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes);

/// "sha256:" and 64 hexadecimal digits.
std::string hashSha256(llvm::StringRef bytes);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_OUTPUTFILE_H
