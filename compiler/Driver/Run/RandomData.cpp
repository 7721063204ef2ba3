//===- RandomData.cpp - Data for arrays that the user did not give --------===//
//
// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, 2014) gives the bits.  Types of up to 16 bits take their elements
// from a table of codes, so that rounding costs nothing per element.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Run/RandomData.h"

#include "compiler/Numerics/NumberCast.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

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
static void fillFromTable(HostTensor &tensor, RandomBits bits) {
  std::vector<Code> table = makeCodeTable<Code>(tensor.getShape().format);
  auto *elements = reinterpret_cast<Code *>(tensor.getBytes().data());
  size_t count = tensor.getBytes().size() / sizeof(Code);
  for (size_t i = 0; i < count; ++i)
    elements[i] = table[bits.next() >> 48];
}

/// One element of a type of 32 or 64 bits.
static uint64_t makeWideCode(NumberFormat format, uint64_t bits) {
  switch (format) {
  case NumberFormat::F32:
  case NumberFormat::TF32: {
    auto value = static_cast<int32_t>(bits >> 40) - (1 << 23);
    return llvm::bit_cast<uint32_t>(static_cast<float>(value) * 0x1p-23f);
  }
  case NumberFormat::F64: {
    auto value = static_cast<int64_t>(bits >> 11) - (int64_t(1) << 52);
    return llvm::bit_cast<uint64_t>(static_cast<double>(value) * 0x1p-52);
  }
  default: {
    int64_t value = bits >> 56;
    return isSignedInteger(format) ? value - 128 : value;
  }
  }
}

template <typename Code>
static void fillWide(HostTensor &tensor, RandomBits bits) {
  auto *elements = reinterpret_cast<Code *>(tensor.getBytes().data());
  size_t count = tensor.getBytes().size() / sizeof(Code);
  for (size_t i = 0; i < count; ++i)
    elements[i] =
        static_cast<Code>(makeWideCode(tensor.getShape().format, bits.next()));
}

/// Sets the nibble behind the last element of each odd line.
static void fillPadding(HostTensor &tensor) {
  const TensorShape &shape = tensor.getShape();
  if (shape.sizes[shape.packDim] % 2 == 0)
    return;
  Extents stored = shape.getStoredSizes();
  int64_t inner = 1;
  for (size_t dim = shape.packDim + 1; dim < stored.size(); ++dim)
    inner *= stored[dim];
  int64_t line = stored[shape.packDim] * inner;
  llvm::MutableArrayRef<uint8_t> bytes = tensor.getBytes();
  for (size_t begin = 0; begin < bytes.size(); begin += line)
    for (int64_t i = line - inner; i < line; ++i)
      bytes[begin + i] = (bytes[begin + i] & 0x0F) | 0xB0;
}

static void fillNibbles(HostTensor &tensor, RandomBits bits) {
  for (uint8_t &byte : tensor.getBytes())
    byte = bits.next() >> 56;
  fillPadding(tensor);
}

void tilec::fillRandom(HostTensor &tensor, uint64_t seed,
                       llvm::StringRef name) {
  RandomBits bits(RandomBits::mix(seed) ^ llvm::xxh3_64bits(name));
  switch (getStorageBits(tensor.getShape().format)) {
  case 4:
    return fillNibbles(tensor, bits);
  case 8:
    return fillFromTable<uint8_t>(tensor, bits);
  case 16:
    return fillFromTable<uint16_t>(tensor, bits);
  case 32:
    return fillWide<uint32_t>(tensor, bits);
  case 64:
    return fillWide<uint64_t>(tensor, bits);
  }
}

void tilec::fillUnwritten(HostTensor &tensor) {
  llvm::fill(tensor.getBytes(), uint8_t(0xFF));
}
