//===-- Problem.cpp - The data of one product, on the device --------------===//

#include "tools/bench/Problem.h"
#include "runtime/lib/Text.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using tilec::gpu::require;
using tilert::detail::join;

namespace tilebench {
namespace {

constexpr size_t guardBytes = 4096;
constexpr unsigned char guardPattern = 0xa5;
constexpr unsigned char poison = 0xff; // NaN in every float format, -1
constexpr size_t mostSets = 16;

Buffer upload(const Device &device, const HostMatrix &matrix) {
  if (matrix.bytes.empty())
    return {};
  Buffer buffer(device, matrix.bytes.size());
  device.upload(buffer.address(), matrix.bytes.data(), matrix.bytes.size());
  return buffer;
}

/// cuBLASLt takes one scale for 1 x 128 elements with the rows running fastest,
/// and those of 128 x 128 row by row, rows padded to a multiple of four
/// (cuBLAS documentation, "1D and 2D block scaling"; torch does the same).
HostMatrix transpose(const HostMatrix &matrix) {
  HostMatrix result(matrix.format, matrix.columns, matrix.rows);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      std::memcpy(&result.bytes[size_t(j * matrix.rows + i) * 4],
                  &matrix.bytes[size_t(i * matrix.columns + j) * 4], 4);
  return result;
}

HostMatrix padRows(const HostMatrix &matrix) {
  HostMatrix result(matrix.format, matrix.rows, (matrix.columns + 3) / 4 * 4);
  for (int64_t i = 0; i < matrix.rows; ++i)
    std::memcpy(&result.bytes[size_t(i * result.columns) * 4],
                &matrix.bytes[size_t(i * matrix.columns) * 4],
                size_t(matrix.columns) * 4);
  return result;
}

size_t bytesOfC(const Work &work, const Shape &shape) {
  return size_t(shape.m * shape.n) * (tilec::getStorageBits(work.c) / 8);
}

/// As many sets as make twice the cache, where the inputs of one would fit.
size_t countSets(size_t inputBytes, size_t outputBytes, size_t cacheBytes) {
  if (inputBytes >= cacheBytes)
    return 1;
  size_t each = std::max<size_t>(1, inputBytes + outputBytes);
  return std::clamp<size_t>((2 * cacheBytes + each - 1) / each, 1, mostSets);
}

} // namespace

CuPointer Problem::Set::addressOfC() const { return c.address() + guardBytes; }

Problem::Problem(const Device &device, const Work &work, const Shape &shape,
                 uint64_t seed, bool isTimed)
    : target(device), kind(work), extents(shape), host(work, shape, seed) {
  size_t count = isTimed ? countSets(host.a.bytes.size() + host.b.bytes.size(),
                                     bytesOfC(work, shape), device.cacheBytes())
                         : 1;
  for (size_t i = 0; i < count; ++i)
    all.push_back(makeSet());
}

Problem::Set Problem::makeSet() const {
  Set set;
  set.a = upload(target, host.a);
  set.b = upload(target, host.b);
  set.c = Buffer(target, bytesOfC(kind, extents) + 2 * guardBytes);
  if (kind.scales == Scales::Block128) {
    set.scalesOfA = upload(target, host.scalesOfA);
    set.scalesOfB = upload(target, host.scalesOfB);
    set.ltScalesOfA = upload(target, transpose(host.scalesOfA));
    set.ltScalesOfB = upload(target, padRows(host.scalesOfB));
  }
  return set;
}

void Problem::poison(const Set &set) const {
  const auto &driver = target.driver();
  size_t bytes = bytesOfC(kind, extents);
  require(TILERT_CALL(driver, cuMemsetD8Async, set.c.address(), guardPattern,
                      bytes + 2 * guardBytes, target.stream()));
  require(TILERT_CALL(driver, cuMemsetD8Async, set.addressOfC(),
                      tilebench::poison, bytes, target.stream()));
}

HostMatrix Problem::readResult(const Set &set) const {
  target.synchronize();
  HostMatrix result(kind.c, extents.m, extents.n);
  target.download(result.bytes.data(), set.addressOfC(), result.bytes.size());
  std::vector<unsigned char> guard(guardBytes);
  for (bool isAfter : {false, true}) {
    target.download(guard.data(),
                    isAfter ? set.addressOfC() + result.bytes.size()
                            : set.c.address(),
                    guardBytes);
    for (size_t i = 0; i < guardBytes; ++i)
      if (guard[i] != guardPattern)
        throw std::runtime_error(
            join("it wrote outside of C: byte ",
                 isAfter ? int64_t(i) : int64_t(i) - int64_t(guardBytes),
                 isAfter ? " after its end" : " from its begin"));
  }
  return result;
}

} // namespace tilebench
