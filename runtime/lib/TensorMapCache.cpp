//===-- TensorMapCache.cpp - Encodes tensor maps, and keeps them ----------===//
//
// The cache is set-associative: a map's key gives the set, and within the set
// the maps are replaced in turn. A thread that launches the layers of a large
// model uses about a thousand maps.
//
//===----------------------------------------------------------------------===//

#include "TensorMapCache.h"

#include <cstring>
#include <type_traits>

namespace tilert::detail {
namespace {

constexpr size_t setCount = 128; // a power of two
constexpr size_t ways = 8;

static_assert(std::has_unique_object_representations_v<TensorMapKey>);
static_assert(sizeof(TensorMapKey) % sizeof(uint64_t) == 0);

/// The CUtensorMapDataType of what is stored.
int32_t dataTypeOf(tilert_dtype dtype) {
  switch (dtype) {
  case TILERT_INT16:
  case TILERT_UINT16:
    return 1; // UINT16: there is no signed one
  case TILERT_UINT32:
    return 2;
  case TILERT_INT32:
    return 3;
  case TILERT_UINT64:
    return 4;
  case TILERT_INT64:
    return 5;
  case TILERT_F16:
    return 6;
  case TILERT_F32:
  case TILERT_TF32: // f32 in memory, rounded by whoever reads it
    return 7;
  case TILERT_F64:
    return 8;
  case TILERT_BF16:
    return 9;
  default:
    return 0; // UINT8: every type of a byte, and two 4-bit elements
  }
}

/// Enums of 0, `least` bytes, twice that, ...
int32_t rankOfSize(int32_t bytes, int32_t least) {
  int32_t rank = 0;
  for (; bytes >= least; bytes /= 2)
    ++rank;
  return rank;
}

uint64_t hash(const TensorMapKey &key) {
  uint64_t words[sizeof key / sizeof(uint64_t)];
  std::memcpy(words, &key, sizeof key);
  uint64_t value = 0;
  for (uint64_t word : words)
    value = ((value ^ word) * 0x9e3779b97f4a7c15) ^ (value >> 29);
  return value ^ (value >> 32);
}

Status encodeByDriver(const Driver &driver, const TensorMapKey &key,
                      EncodedTensorMap &encoded) {
  // Steps between the elements that are read, along each dimension.
  constexpr uint32_t steps[TILERT_MAX_RANK] = {1, 1, 1, 1, 1};
  return TILERT_CALL(driver, cuTensorMapEncodeTiled, &encoded, key.dataType,
                     key.rank, reinterpret_cast<void *>(key.address),
                     key.extents, key.byteStrides, key.box, steps,
                     /*interleave=*/0, key.swizzle, key.l2Promotion,
                     /*oobFill=*/0);
}

} // namespace

TensorMapKey::TensorMapKey(const tilert_tensor_map &map, CuDevice device)
    : address(reinterpret_cast<uintptr_t>(map.data)), extents{}, byteStrides{},
      box{}, device(device), dataType(dataTypeOf(map.dtype)),
      rank(static_cast<uint32_t>(map.rank)),
      swizzle(rankOfSize(map.swizzle, 32)),
      l2Promotion(rankOfSize(map.l2_promotion, 64)) {
  for (size_t i = 0; i < rank; ++i) {
    extents[i] = static_cast<uint64_t>(map.extents[i]);
    box[i] = static_cast<uint32_t>(map.box[i]);
    if (i + 1 < rank)
      byteStrides[i] = static_cast<uint64_t>(map.byte_strides[i]);
  }
}

bool TensorMapKey::operator==(const TensorMapKey &other) const {
  return std::memcmp(this, &other, sizeof other) == 0;
}

struct TensorMapCache::Entry {
  // Of rank 0, which no key has.
  TensorMapKey key{tilert_tensor_map(), 0};
  EncodedTensorMap map;
};

struct TensorMapCache::Set {
  Entry entries[ways];
  size_t next = 0; // to be replaced
};

TensorMapCache &TensorMapCache::get() {
  static thread_local TensorMapCache cache;
  return cache;
}

Status TensorMapCache::encode(const Driver &driver, CuDevice device,
                              const tilert_tensor_map &map,
                              EncodedTensorMap &encoded) {
  if (!sets)
    sets = std::make_unique<Set[]>(setCount);
  TensorMapKey key(map, device);
  Set &set = sets[hash(key) % setCount];
  for (const Entry &entry : set.entries)
    if (entry.key == key) {
      encoded = entry.map;
      return {};
    }
  TILERT_RETURN_IF_ERROR(encodeByDriver(driver, key, encoded));
  Entry &replaced = set.entries[set.next];
  set.next = (set.next + 1) % ways;
  replaced.key = key;
  replaced.map = encoded;
  return {};
}

} // namespace tilert::detail
