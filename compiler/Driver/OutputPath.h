//===- OutputPath.h - Can a file be written there? ------------------------===//
#ifndef TILE_COMPILER_DRIVER_OUTPUTPATH_H
#define TILE_COMPILER_DRIVER_OUTPUTPATH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// Fails if `path` is a folder or its folder does not exist: what can be told
/// before the work that makes the file.
llvm::Error checkOutputPath(llvm::StringRef path);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_OUTPUTPATH_H
