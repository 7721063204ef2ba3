//===-- TensorMapCache.h - Encodes tensor maps, and keeps them -*- C++ -*-===//
//
// To encode a map takes about a microsecond, as long as a launch, and programs
// launch the same tensors again and again. Each thread has a cache of its own,
// so that nothing is locked and no other thread replaces a map in use.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_TENSORMAPCACHE_H
#define TILERT_LIB_TENSORMAPCACHE_H

#include "Driver.h"

#include <memory>

namespace tilert::detail {

/// A CUtensorMap: bytes that only the driver and the device read.
struct alignas(64) EncodedTensorMap {
  unsigned char bytes[128];
};

/// Everything that goes into an encoded map, in the form in which the driver
/// takes it. There is no padding: keys are compared as bytes.
struct TensorMapKey {
  uint64_t address;
  uint64_t extents[TILERT_MAX_RANK];
  uint64_t byteStrides[TILERT_MAX_RANK - 1];
  uint32_t box[TILERT_MAX_RANK];
  int32_t device;
  int32_t dataType; // CUtensorMapDataType
  uint32_t rank;
  int32_t swizzle;     // CUtensorMapSwizzle
  int32_t l2Promotion; // CUtensorMapL2promotion

  TensorMapKey(const tilert_tensor_map &map, CuDevice device);
  bool operator==(const TensorMapKey &other) const;
};

class TensorMapCache {
public:
  /// The cache of this thread.
  static TensorMapCache &get();

  /// Encodes a map for a device, whose context is current, or copies what was
  /// encoded before.
  Status encode(const Driver &driver, CuDevice device,
                const tilert_tensor_map &map, EncodedTensorMap &encoded);

private:
  struct Entry;
  struct Set;

  std::unique_ptr<Set[]> sets; // made when the first map is encoded
};

} // namespace tilert::detail

#endif // TILERT_LIB_TENSORMAPCACHE_H
