//===- CppHeader.h - Kernels as one C++ header ----------------------------===//
//
// `--emit=cpp-header`: the cubin and its manifest as data in a header, and a
// typed function for each kernel over the runtime's tilert.hpp.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_CPPHEADER_H
#define TILE_COMPILER_CODEGEN_CPPHEADER_H

#include "compiler/CodeGen/Manifest.h"

namespace tilec {

/// The text of the header.  Everything in it is in the namespace `name`, an
/// identifier made of the text given (a file's stem); letters that C++ does not
/// take become '_'.
std::string writeCppHeader(const ManifestModel &model, llvm::StringRef cubin,
                           llvm::StringRef name);

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_CPPHEADER_H
