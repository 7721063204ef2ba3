//===- RandomElements.cpp - Random data, the same everywhere --------------===//
//
// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014) gives the bits.  Types of up to 16 bits take their elements
// from a table of codes, so that rounding costs nothing per element.
//
//===----------------------------------------------------------------------===//
#include "compiler/Numerics/RandomElements.h"

#include "compiler/Numerics/NumberCast.h"
#include <bit>

using namespace tilec;

namespace {
class RandomBits {
public:
  explicit RandomBits(uint64_t seed) : state(seed) {}
  uint64_t next() {
    state += 0x9E3779B97F4A7C15u;
    return mix(state);
  }
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};
} // namespace

/// 2^16 equally likely codes of a type of 8 or 16 bits.
template <typename Code>
static std::vector<Code> makeCodeTable(NumberFormat format) {
  constexpr int half = 1 << 15;
  std::vector<Code> table(2 * half);
  for (int i = 0; i < 2 * half; ++i) {
    int value = i - half;
    if (format == NumberFormat::E8M0)
      table[i] = 125 + i % 5; // 2^-2 .. 2^2
    else if (isFloat(format))
      table[i] = encodeFloat(format, castToFloat(double(value) / half, format));
    else if (format == NumberFormat::Bool)
      table[i] = i % 2;
    else
      table[i] = isSignedInteger(format) ? value >> 8 : i >> 8;
  }
  return table;
}

template <typename Code>
static void fillFromTable(const StoredArray &array, RandomBits bits) {
  std::vector<Code> table = makeCodeTable<Code>(array.format);
  auto *elements = reinterpret_cast<Code *>(array.bytes);
  size_t count = array.byteCount / sizeof(Code);
  for (size_t i = 0; i < count; ++i)
    elements[i] = table[bits.next() >> 48];
}

/// One element of a type of 32 or 64 bits.
static uint64_t makeWideCode(NumberFormat format, uint64_t bits) {
  switch (format) {
  case NumberFormat::F32:
  case NumberFormat::TF32: {
    auto value = static_cast<int32_t>(bits >> 40) - (1 << 23);
    return std::bit_cast<uint32_t>(static_cast<float>(value) * 0x1p-23f);
  }
  case NumberFormat::F64: {
    auto value = static_cast<int64_t>(bits >> 11) - (int64_t(1) << 52);
    return std::bit_cast<uint64_t>(static_cast<double>(value) * 0x1p-52);
  }
  default: {
    int64_t value = bits >> 56;
    return isSignedInteger(format) ? value - 128 : value;
  }
  }
}

template <typename Code>
static void fillWide(const StoredArray &array, RandomBits bits) {
  auto *elements = reinterpret_cast<Code *>(array.bytes);
  size_t count = array.byteCount / sizeof(Code);
  for (size_t i = 0; i < count; ++i)
    elements[i] = static_cast<Code>(makeWideCode(array.format, bits.next()));
}

/// Sets the nibble behind the last element of each odd line.
static void fillPadding(const StoredArray &array) {
  if (array.sizes[array.packDim] % 2 == 0)
    return;
  Extents stored = getPackedShape(array.sizes, array.packDim);
  int64_t inner = 1;
  for (size_t dim = array.packDim + 1; dim < stored.size(); ++dim)
    inner *= stored[dim];
  int64_t line = stored[array.packDim] * inner;
  for (size_t begin = 0; begin < array.byteCount; begin += line)
    for (int64_t i = line - inner; i < line; ++i)
      array.bytes[begin + i] = (array.bytes[begin + i] & 0x0F) | 0xB0;
}

static void fillNibbles(const StoredArray &array, RandomBits bits) {
  for (size_t i = 0; i < array.byteCount; ++i)
    array.bytes[i] = bits.next() >> 56;
  fillPadding(array);
}

void tilec::fillRandomElements(const StoredArray &array, uint64_t seed,
                               uint64_t stream) {
  RandomBits bits(RandomBits::mix(seed) ^ stream);
  switch (getStorageBits(array.format)) {
  case 4:
    return fillNibbles(array, bits);
  case 8:
    return fillFromTable<uint8_t>(array, bits);
  case 16:
    return fillFromTable<uint16_t>(array, bits);
  case 32:
    return fillWide<uint32_t>(array, bits);
  case 64:
    return fillWide<uint64_t>(array, bits);
  }
}
