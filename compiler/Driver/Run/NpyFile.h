//===- NpyFile.h - NumPy files --------------------------------------------===//
//
// Reads and writes .npy files in the storage that docs/testing.md fixes: a type
// that NumPy lacks is stored as unsigned integers of its bits, 4-bit types two
// to a uint8 along the packed dimension.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_NPYFILE_H
#define TILE_COMPILER_DRIVER_RUN_NPYFILE_H

#include "compiler/Driver/Run/HostTensor.h"

namespace tilec {

/// An array as it is in a file.
struct NpyArray {
  /// The stored extents: of a 4-bit type, the packed one is halved.
  Extents sizes;
  std::vector<uint8_t> bytes;
};

/// Reads the array for a parameter of this format.  Fails if the file cannot be
/// read, is damaged, or holds another type; the message names `parameter`.
llvm::Expected<NpyArray> readNpyFile(llvm::StringRef path, NumberFormat format,
                                     llvm::StringRef parameter);

/// Writes a tensor.
llvm::Error writeNpyFile(llvm::StringRef path, const HostTensor &tensor);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_NPYFILE_H
