//===- TemporaryFolder.cpp - A folder that goes away with its owner -------===//
#include "compiler/CodeGen/TemporaryFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilec;

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tilec", path)) {
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
    return llvm::createStringError("cannot create a temporary folder in '" +
                                   parent.str() + "': " + error.message() +
                                   "; TMPDIR may name another place");
  }
  return TemporaryFolder(std::string(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other)
    : path(std::move(other.path)) {
  other.path.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

std::string TemporaryFolder::getPath(llvm::StringRef name) const {
  llvm::SmallString<128> result(path);
  llvm::sys::path::append(result, name);
  return std::string(result);
}
