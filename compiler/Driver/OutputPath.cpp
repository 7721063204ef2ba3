//===- OutputPath.cpp - Can a file be written there? ----------------------===//
#include "compiler/Driver/OutputPath.h"

#include "compiler/Driver/Failure.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilec;
namespace fs = llvm::sys::fs;

llvm::Error tilec::checkOutputPath(llvm::StringRef path) {
  if (fs::is_directory(path))
    return makeFailure("cannot write '" + path + "': it is a folder",
                       "name a file in it");
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty() || fs::is_directory(folder))
    return llvm::Error::success();
  if (fs::exists(folder))
    return makeFailure("cannot write '" + path + "': '" + folder +
                       "' is not a folder");
  return makeFailure("cannot write '" + path + "': there is no folder '" +
                         folder + "'",
                     "make it with: mkdir -p " + folder);
}
