//===- HostTensor.h - An array of a run, in host memory -------------------===//
//
// Row-major and dense, stored as a kernel takes it: two 4-bit elements a byte
// along the packed dimension, the lower index in the low nibble.  The memory
// lies between guard bytes that nobody should change.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUN_HOSTTENSOR_H
#define TILE_COMPILER_DRIVER_RUN_HOSTTENSOR_H

#include "compiler/Numerics/NumberFormat.h"
#include "compiler/Numerics/PackedStorage.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tilec {

/// Type and extents of an array.
struct TensorShape {
  NumberFormat format = NumberFormat::F32;
  /// The dimension along which two elements share a byte; -1 if none do.
  int64_t packDim = -1;
  /// Counted in elements.
  Extents sizes;

  int64_t getElementCount() const { return countElements(sizes); }
  /// The extents of the stored array: the packed one halved, rounded up.
  Extents getStoredSizes() const;
  /// "37x53"
  std::string getSizeText() const;
};

/// The number of bytes of an array, or none if the bits do not fit an int64.
std::optional<int64_t> computeByteCount(const TensorShape &shape);

class HostTensor {
public:
  /// The elements begin `offset` bytes behind an address of the alignment of
  /// device memory.  Fails if there is not enough memory.
  static llvm::Expected<HostTensor> create(TensorShape shape,
                                           size_t offset = 0);

  const TensorShape &getShape() const { return shape; }
  llvm::MutableArrayRef<uint8_t> getBytes() { return {getData(), byteCount}; }
  llvm::ArrayRef<uint8_t> getBytes() const { return {getData(), byteCount}; }

  /// The array between its guards, for a copy of all three elsewhere.  The
  /// first guard begins at an address of the alignment of device memory.
  llvm::MutableArrayRef<uint8_t> getGuardedBytes() {
    return {storage.get(), getGuardBefore() + byteCount + guardBytes};
  }
  /// Bytes of the guard that lies before the array.
  size_t getGuardBefore() const { return guardBytes + offset; }
  /// Wide enough for a stray vector access of a whole warp, and a multiple of
  /// the alignment of device memory.
  static constexpr size_t guardBytes = 4096;
  /// Of device memory: what a kernel may assume there holds here too.
  static constexpr int64_t alignment = 256;

  /// An array with the same elements.
  llvm::Expected<HostTensor> clone() const;

  /// The bits of the element at a row-major position.
  uint64_t getCode(int64_t position) const;

  /// Says which guard bytes were changed: "4 bytes before it, the nearest at
  /// offset -2"; empty if none was.
  std::string describeGuardDamage() const;

private:
  HostTensor() = default;

  uint8_t *getData() const { return storage.get() + getGuardBefore(); }

  struct Free {
    void operator()(uint8_t *memory) const;
  };
  TensorShape shape;
  size_t offset = 0;
  size_t byteCount = 0;
  std::unique_ptr<uint8_t[], Free> storage;
};

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUN_HOSTTENSOR_H
