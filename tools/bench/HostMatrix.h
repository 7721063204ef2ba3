//===-- HostMatrix.h - Random matrices of the host -------------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_HOSTMATRIX_H
#define TILE_TOOLS_BENCH_HOSTMATRIX_H

#include "compiler/Numerics/NumberFormat.h"

#include <functional>
#include <vector>

namespace tilebench {

/// Calls body(begin, end) for parts of 0..count in all threads of the machine.
void runInParallel(int64_t count,
                   const std::function<void(int64_t, int64_t)> &body);

/// A dense row-major matrix, as it lies in memory. Not for 4-bit formats.
struct HostMatrix {
  tilec::NumberFormat format = tilec::NumberFormat::F32;
  int64_t rows = 0, columns = 0;
  std::vector<uint8_t> bytes;

  HostMatrix() = default;
  HostMatrix(tilec::NumberFormat format, int64_t rows, int64_t columns);

  int64_t elementBytes() const;
  /// The value of an element; integers of up to 32 bits are exact.
  double at(int64_t row, int64_t column) const;
};

/// Floats N(0, 1), rounded to the format; integers of 8 bits over their whole
/// range, wider ones over that of 8 bits. Zeros or repeated values would not
/// do: with them the chip draws less power and runs faster.
void fillNormal(HostMatrix &matrix, uint64_t seed);

/// Uniform from 0.5 to 1.5: scales of blocks.
void fillScales(HostMatrix &matrix, uint64_t seed);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_HOSTMATRIX_H
