//===- TemporaryFolder.h - A folder that goes away with its owner ---------===//
#ifndef TILE_COMPILER_CODEGEN_TEMPORARYFOLDER_H
#define TILE_COMPILER_CODEGEN_TEMPORARYFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilec {

/// A new folder under the system's temporary folder (TMPDIR), removed with all
/// that is in it by the destructor.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();

  TemporaryFolder(TemporaryFolder &&other);
  TemporaryFolder &operator=(TemporaryFolder &&other) = delete;
  ~TemporaryFolder();

  /// The path of `name` inside the folder.
  std::string getPath(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  /// Empty when moved from.
  std::string path;
};

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_TEMPORARYFOLDER_H
