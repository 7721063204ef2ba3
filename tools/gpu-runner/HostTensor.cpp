//===-- HostTensor.cpp - Tensors of the language as NumPy arrays ----------===//

#include "tools/gpu-runner/HostTensor.h"
#include "compiler/Numerics/NumberCast.h"
#include "compiler/Numerics/PackedStorage.h"

#include <cmath>

using tilec::NumberFormat;

namespace gpurunner {
namespace {

int storedBytes(NumberFormat format) {
  return int(tilec::getStorageBits(format) + 7) / 8;
}

char kindOf(NumberFormat format) {
  if (format == NumberFormat::Bool)
    return 'b';
  if (tilec::isSignedInteger(format) && !tilec::isPacked(format))
    return 'i';
  switch (format) {
  case NumberFormat::F16:
  case NumberFormat::TF32:
  case NumberFormat::F32:
  case NumberFormat::F64:
    return 'f';
  default:
    return 'u';
  }
}

/// splitmix64: short, and the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }

  /// From 0 to 1, both excluded.
  double uniform() { return (double(next() >> 11) + 0.5) * 0x1p-53; }

  /// N(0, 1), by Box and Muller.
  double normal() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

private:
  uint64_t state;
};

uint64_t randomCode(NumberFormat format, Random &random) {
  if (format == NumberFormat::E8M0)
    return 125 + random.next() % 5;
  if (tilec::isFloat(format))
    return tilec::encodeFloat(format,
                              tilec::castToFloat(random.normal(), format));
  bool isSigned = tilec::isSignedInteger(format);
  auto value = int64_t(random.next() & 255) - (isSigned ? 128 : 0);
  // Keeps the low bits, which are as random.
  return format == NumberFormat::Bool ? uint64_t(value & 1)
                                      : tilec::encodeInteger(format, value);
}

} // namespace

NumberFormat formatOf(tilert_dtype dtype) {
  // Both sides spell every type as the language does.
  return *tilec::findNumberFormat(tilert_dtype_name(dtype));
}

npy::Array makeArray(const TensorType &type) {
  npy::Array array;
  array.kind = kindOf(type.format);
  array.itemBytes = storedBytes(type.format);
  array.shape =
      type.pack < 0 ? type.sizes : tilec::getPackedShape(type.sizes, type.pack);
  array.bytes.resize(size_t(array.count()) * size_t(array.itemBytes));
  return array;
}

bool holds(const npy::Array &array, NumberFormat format) {
  // A bool may come as a byte.
  bool isByte = format == NumberFormat::Bool && array.kind == 'u';
  return array.itemBytes == storedBytes(format) &&
         (array.kind == kindOf(format) || isByte);
}

std::string describeStorage(NumberFormat format) {
  npy::Array array;
  array.kind = kindOf(format);
  array.itemBytes = storedBytes(format);
  std::string name(tilec::getSpelling(format));
  if (tilec::isPacked(format))
    return array.typeName() + ", two " + name + " a byte";
  bool isBits = array.kind == 'u' && tilec::isFloat(format);
  return isBits ? array.typeName() + ", the bits of " + name : array.typeName();
}

std::vector<uint64_t> readCodes(const TensorType &type,
                                const unsigned char *bytes) {
  if (type.pack >= 0) {
    std::vector<uint8_t> codes =
        tilec::unpackNibbles(bytes, type.sizes, type.pack);
    return {codes.begin(), codes.end()};
  }
  std::vector<uint64_t> codes(size_t(tilec::countElements(type.sizes)));
  auto step = size_t(storedBytes(type.format));
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = tilec::readCode(type.format, bytes + i * step);
  return codes;
}

npy::Array makeRandom(const TensorType &type, uint64_t seed) {
  npy::Array array = makeArray(type);
  Random random(seed);
  // Elements are drawn from a table of random ones: large tensors take seconds
  // otherwise, and 65,536 values are as good.
  std::vector<uint64_t> table(1 << 16);
  for (uint64_t &code : table)
    code = randomCode(type.format, random);
  auto draw = [&] { return table[random.next() >> 48]; };
  if (type.pack >= 0) {
    std::vector<uint8_t> codes(size_t(tilec::countElements(type.sizes)));
    for (uint8_t &code : codes)
      code = uint8_t(draw());
    array.bytes = tilec::packNibbles(codes, type.sizes, type.pack);
    return array;
  }
  auto step = size_t(array.itemBytes);
  for (size_t at = 0; at < array.bytes.size(); at += step)
    tilec::writeCode(type.format, &array.bytes[at], draw());
  return array;
}

} // namespace gpurunner
