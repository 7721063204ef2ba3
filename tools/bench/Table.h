//===-- Table.h - What tile-bench is to measure ----------------*- C++ -*-===//
//
// A table is a JSON file (docs/benchmarks.md, "The table"): compiled kernels
// with the settings that tools/bench/compile makes them with, and products with
// the kernels that may compute them and the ratio that is required.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_BENCH_TABLE_H
#define TILE_TOOLS_BENCH_TABLE_H

#include "compiler/Numerics/NumberFormat.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilebench {

struct Shape {
  int64_t m = 0, n = 0, k = 0;

  /// As "4000x4104x4096".
  std::string text() const;
  double operations() const { return 2. * double(m) * double(n) * double(k); }
};

enum class Scales {
  None,
  Tensor,   // one number for the whole result
  Block128, // f32: A has one for 1 x 128, B for 128 x 128 elements
};

/// C[M, N] = A[M, K] B[K, N], all row-major. A transposed operand is stored
/// [K, M] or [N, K]: the layout "NT" has A [M, K] and B [N, K].
struct Work {
  tilec::NumberFormat a = tilec::NumberFormat::BF16;
  tilec::NumberFormat b = tilec::NumberFormat::BF16;
  tilec::NumberFormat c = tilec::NumberFormat::BF16;
  bool isATransposed = false;
  bool isBTransposed = false;
  Scales scales = Scales::None;
  bool isFastAccumulation = false; // of 8-bit floats
};

/// What the ratio to the fastest peer must be; 0 asks for nothing.
struct Requirement {
  double both = 0; // in both power states
  double best = 0; // in one of them
};

struct Row {
  std::string name; // with the shape
  Work work;
  Shape shape;
  /// Products to be right at before anything is timed.
  std::vector<Shape> checks;
  std::vector<std::string> kernels; // artifacts
  Requirement required;
  bool flushesCache = false;
};

struct Table {
  std::vector<std::string> artifacts;
  std::vector<Row> rows;
};

/// Throws std::runtime_error with the place of what is wrong; `title` names the
/// file.
Table parseTable(const std::string &title, std::string_view text);

/// The whole text of a file. Throws std::runtime_error.
std::string readFile(const std::string &path);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_TABLE_H
