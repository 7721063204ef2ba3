//===-- WholeFile.h - Files that are whole or not there --------*- C++ -*-===//
//
// What compiler/CodeGen/OutputFile does for programs with LLVM.  Errors are
// texts, empty for success.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_TUNE_WHOLEFILE_H
#define TILE_COMPILER_TUNE_WHOLEFILE_H

#include <string>

namespace tilec::tune {

/// Reads a file.  That it does not exist is no error, but `isThere` is false.
std::string readWholeFile(const std::string &path, std::string &text,
                          bool &isThere);

/// Writes beside the file and renames.
std::string writeWholeFile(const std::string &path, const std::string &text);

/// Holds the lock of the folder of a file: one owner at a time, among all
/// processes.  It goes away with the process.  Where the file system has no
/// locks there is none.
class FolderLock {
public:
  explicit FolderLock(const std::string &path);
  FolderLock(const FolderLock &) = delete;
  ~FolderLock();

private:
  int descriptor;
};

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_WHOLEFILE_H
