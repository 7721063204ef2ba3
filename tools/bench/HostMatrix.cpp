//===-- HostMatrix.cpp - Random matrices of the host ----------------------===//
//
// Large matrices are filled in all threads, from a table of the 2^16 quantiles
// of the distribution, already in the format, that 16 random bits choose from.
//
//===----------------------------------------------------------------------===//

#include "tools/bench/HostMatrix.h"
#include "compiler/Numerics/NumberCast.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>

using tilec::NumberFormat;

namespace tilebench {
namespace {

constexpr int quantileBits = 16;
constexpr size_t quantileCount = size_t(1) << quantileBits;

/// SplitMix64: its n-th number needs none of those before it.
uint64_t hash(uint64_t seed, uint64_t index) {
  uint64_t x = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The x below which N(0, 1) lies with this probability, by bisection.
double findNormalQuantile(double probability) {
  double low = -9, high = 9;
  for (int i = 0; i < 40; ++i) {
    double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle * M_SQRT1_2) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

const std::vector<double> &normalQuantiles() {
  static const std::vector<double> quantiles = [] {
    std::vector<double> values(quantileCount);
    for (size_t i = 0; i < quantileCount / 2; ++i) {
      double value = findNormalQuantile((double(i) + 0.5) / quantileCount);
      values[i] = value;
      values[quantileCount - 1 - i] = -value;
    }
    return values;
  }();
  return quantiles;
}

void fillFrom(HostMatrix &matrix, const std::vector<uint64_t> &codes,
              uint64_t seed) {
  const auto elementBytes = size_t(matrix.elementBytes());
  runInParallel(matrix.rows * matrix.columns, [&](int64_t begin, int64_t end) {
    uint64_t bits = 0;
    for (int64_t i = begin; i < end; ++i) {
      // Four elements share the 64 bits of one hash.
      if (i == begin || i % 4 == 0)
        bits = hash(seed, uint64_t(i / 4));
      uint64_t code = codes[(bits >> (quantileBits * (i % 4))) % quantileCount];
      std::memcpy(&matrix.bytes[size_t(i) * elementBytes], &code, elementBytes);
    }
  });
}

template <typename Number> double load(const uint8_t *address) {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return double(number);
}

/// The values of all codes of a format of up to 16 bits.
std::vector<double> makeValueTable(NumberFormat format) {
  std::vector<double> values(size_t(1) << tilec::getStorageBits(format));
  for (size_t code = 0; code < values.size(); ++code)
    values[code] = tilec::isFloat(format)
                       ? tilec::decodeFloat(format, code)
                       : double(tilec::decodeInteger(format, code));
  return values;
}

const std::vector<double> &valueTable(NumberFormat format) {
  static std::vector<double> tables[32];
  static std::once_flag flags[32];
  auto index = size_t(format);
  std::call_once(flags[index], [&] { tables[index] = makeValueTable(format); });
  return tables[index];
}

} // namespace

void runInParallel(int64_t count,
                   const std::function<void(int64_t, int64_t)> &body) {
  int64_t wanted = std::max(1u, std::thread::hardware_concurrency());
  int64_t parts = std::clamp<int64_t>(count, 1, wanted);
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < parts; ++i)
    threads.emplace_back(body, count * i / parts, count * (i + 1) / parts);
  body(0, count / parts);
  for (std::thread &thread : threads)
    thread.join();
}

HostMatrix::HostMatrix(NumberFormat format, int64_t rows, int64_t columns)
    : format(format), rows(rows), columns(columns),
      bytes(size_t(rows * columns * elementBytes())) {}

int64_t HostMatrix::elementBytes() const {
  return tilec::getStorageBits(format) / 8;
}

double HostMatrix::at(int64_t row, int64_t column) const {
  const uint8_t *address =
      &bytes[size_t((row * columns + column) * elementBytes())];
  switch (elementBytes()) {
  case 1:
    return valueTable(format)[*address];
  case 2: {
    uint16_t code;
    std::memcpy(&code, address, sizeof code);
    return valueTable(format)[code];
  }
  default:
    if (format == NumberFormat::F32)
      return load<float>(address);
    if (format == NumberFormat::Int32)
      return load<int32_t>(address);
    uint64_t code = tilec::readCode(format, address);
    return tilec::isFloat(format) ? tilec::decodeFloat(format, code)
                                  : double(tilec::decodeInteger(format, code));
  }
}

void fillNormal(HostMatrix &matrix, uint64_t seed) {
  std::vector<uint64_t> codes(quantileCount);
  for (size_t i = 0; i < quantileCount; ++i)
    codes[i] = tilec::isFloat(matrix.format)
                   ? tilec::encodeFloat(matrix.format,
                                        tilec::castToFloat(normalQuantiles()[i],
                                                           matrix.format))
                   : tilec::encodeInteger(
                         matrix.format, tilec::isUnsignedInteger(matrix.format)
                                            ? int64_t(i % 256)
                                            : int8_t(i % 256));
  fillFrom(matrix, codes, seed);
}

void fillScales(HostMatrix &matrix, uint64_t seed) {
  std::vector<uint64_t> codes(quantileCount);
  for (size_t i = 0; i < quantileCount; ++i)
    codes[i] = tilec::encodeFloat(
        matrix.format,
        tilec::castToFloat(0.5 + (double(i) + 0.5) / quantileCount,
                           matrix.format));
  fillFrom(matrix, codes, seed);
}

} // namespace tilebench
