//===-- Reference.cpp - Products on the host, in double -------------------===//
//
// Large products are compared in full with what cuBLAS has, and cuBLAS and all
// others with this at some rows and columns: a kernel and cuBLAS are not wrong
// in the same way, and no element is left out.
//
//===----------------------------------------------------------------------===//

#include "tools/bench/Reference.h"
#include "runtime/lib/Text.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

using tilec::NumberFormat;
using tilert::detail::join;

namespace tilebench {
namespace {

constexpr int64_t blockSize = 128;

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

std::vector<int64_t> chooseIndices(int64_t extent, int64_t count,
                                   uint64_t seed) {
  std::vector<int64_t> chosen;
  if (extent <= count)
    count = extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = extent * i / count, end = extent * (i + 1) / count;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int64_t inside = int64_t(seed >> 33) % (end - begin);
    chosen.push_back(i == 0 ? 0 : i == count - 1 ? extent - 1 : begin + inside);
  }
  return chosen;
}

std::string number(double value) {
  if (std::isnan(value))
    return "nan"; // whatever its sign
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

} // namespace

HostInputs::HostInputs(const Work &work, const Shape &shape, uint64_t seed)
    : a(work.a, work.isATransposed ? shape.k : shape.m,
        work.isATransposed ? shape.m : shape.k),
      b(work.b, work.isBTransposed ? shape.n : shape.k,
        work.isBTransposed ? shape.k : shape.n) {
  fillNormal(a, seed);
  fillNormal(b, seed ^ 0x5bd1e995);
  if (work.scales == Scales::Tensor)
    scale = 0.375f;
  if (work.scales != Scales::Block128)
    return;
  int64_t groups = divideUp(shape.k, blockSize);
  scalesOfA = HostMatrix(NumberFormat::F32, shape.m, groups);
  scalesOfB =
      HostMatrix(NumberFormat::F32, divideUp(shape.n, blockSize), groups);
  fillScales(scalesOfA, seed + 1);
  fillScales(scalesOfB, seed + 2);
}

Tolerance toleranceOf(const Work &work) {
  if (!tilec::isFloat(work.a))
    return {/*isExact=*/true, 0, 0, 0};
  // Half a unit in the last place of the result.
  double ofResult =
      std::ldexp(1., -1 - tilec::getFloatShape(work.c).fractionBits);
  // Tensor cores keep f32 sums, which they truncate: less than 2^-23 of a
  // partial sum for each of K / 16 steps. Sums of 8-bit floats have 13 bits of
  // fraction, and truncate 4 times before they are added up in f32 every 128 of
  // K.
  bool isFp8 = tilec::getStorageBits(work.a) == 8;
  double ofSums = std::ldexp(1., !isFp8                    ? -16
                                 : work.isFastAccumulation ? -11
                                                           : -13);
  double ofNorm = ofResult + (!isFp8                    ? 1e-4
                              : work.isFastAccumulation ? 1e-2
                                                        : 1e-3);
  return {/*isExact=*/false, ofResult, ofSums, ofNorm};
}

Reference::Reference(const Work &work, const Shape &shape,
                     const HostInputs &inputs, int64_t count, uint64_t seed)
    : work(work), shape(shape), inputs(inputs), tolerance(toleranceOf(work)),
      rows(chooseIndices(shape.m, count, seed)),
      columns(chooseIndices(shape.n, count, seed + 1)),
      exact(rows.size() * columns.size()) {
  std::vector<std::vector<double>> columnsOfB(columns.size());
  runInParallel(int64_t(columns.size()), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j)
      columnsOfB[size_t(j)] = readColumnOfB(columns[size_t(j)]);
  });
  runInParallel(int64_t(rows.size()), [&](int64_t begin, int64_t end) {
    for (auto i = size_t(begin); i < size_t(end); ++i) {
      std::vector<double> rowOfA = readRowOfA(rows[i]);
      for (size_t j = 0; j < columns.size(); ++j)
        exact[i * columns.size() + j] =
            multiply(rows[i], rowOfA.data(), columns[j], columnsOfB[j].data());
    }
  });
  for (const Exact &one : exact)
    largestMagnitude = std::max(largestMagnitude, one.magnitude);
}

std::vector<double> Reference::readRowOfA(int64_t row) const {
  std::vector<double> values(static_cast<size_t>(shape.k));
  for (int64_t k = 0; k < shape.k; ++k)
    values[size_t(k)] =
        work.isATransposed ? inputs.a.at(k, row) : inputs.a.at(row, k);
  return values;
}

std::vector<double> Reference::readColumnOfB(int64_t column) const {
  std::vector<double> values(static_cast<size_t>(shape.k));
  for (int64_t k = 0; k < shape.k; ++k)
    values[size_t(k)] =
        work.isBTransposed ? inputs.b.at(column, k) : inputs.b.at(k, column);
  return values;
}

Reference::Exact Reference::multiply(int64_t row, const double *a,
                                     int64_t column, const double *b) const {
  bool hasBlocks = work.scales == Scales::Block128;
  Exact result;
  for (int64_t begin = 0; begin < shape.k; begin += blockSize) {
    int64_t end = std::min(shape.k, begin + blockSize);
    // Four chains, so that the additions do not wait for each other.
    double sums[4] = {}, magnitudes[4] = {};
    for (int64_t k = begin; k < end; ++k) {
      double term = a[k] * b[k];
      sums[k % 4] += term;
      magnitudes[k % 4] += std::fabs(term);
    }
    int64_t group = begin / blockSize;
    double scale = !hasBlocks
                       ? inputs.scale
                       : inputs.scalesOfA.at(row, group) *
                             inputs.scalesOfB.at(column / blockSize, group);
    result.value += scale * (sums[0] + sums[1] + sums[2] + sums[3]);
    result.magnitude += std::fabs(scale) * (magnitudes[0] + magnitudes[1] +
                                            magnitudes[2] + magnitudes[3]);
  }
  return result;
}

bool Reference::isRight(double got, const Exact &want) const {
  if (tolerance.isExact)
    return got == want.value;
  // Not "> ... is wrong": a NaN must be.
  return std::fabs(got - want.value) <=
         tolerance.ofResult * std::fabs(want.value) +
             tolerance.ofSums * want.magnitude;
}

std::string Reference::explain(int64_t row, int64_t column, double got,
                               const Exact &want) const {
  std::string text = join("C[", row, ", ", column, "] is ", number(got),
                          ", not ", number(want.value));
  if (!tolerance.isExact)
    text += join(" (+- ",
                 number(tolerance.ofResult * std::fabs(want.value) +
                        tolerance.ofSums * want.magnitude),
                 ")");
  return text;
}

Reference::Outcome Reference::check(const HostMatrix &result) const {
  Outcome outcome;
  double difference = 0, norm = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < columns.size(); ++j) {
      const Exact &want = exact[i * columns.size() + j];
      double got = result.at(rows[i], columns[j]);
      difference += (got - want.value) * (got - want.value);
      norm += want.value * want.value;
      if (!isRight(got, want) && ++wrong == 1)
        outcome.failure = explain(rows[i], columns[j], got, want);
    }
  outcome.error =
      norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  if (wrong > 1)
    outcome.failure += join(", and ", wrong - 1, " more of ", count(),
                            " elements looked at are wrong");
  else if (!wrong && !tolerance.isExact && !(outcome.error <= tolerance.ofNorm))
    outcome.failure = join("the relative error is ", number(outcome.error),
                           ", more than ", number(tolerance.ofNorm));
  return outcome;
}

Reference::Outcome Reference::checkAgainst(const HostMatrix &result,
                                           const HostMatrix &other) const {
  Outcome outcome;
  if (result.bytes == other.bytes)
    return outcome;
  // The sum of the magnitudes is known for some elements only; data is random,
  // and twice the largest is more than any.
  double slack =
      tolerance.isExact ? 0 : 2 * tolerance.ofSums * 2 * largestMagnitude;
  std::vector<int64_t> suspects(size_t(shape.m), -1); // a column of each row
  std::atomic<int64_t> wrong = 0;
  runInParallel(shape.m, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        double x = result.at(i, j), y = other.at(i, j);
        if (x == y ||
            std::fabs(x - y) <=
                tolerance.ofResult * (std::fabs(x) + std::fabs(y)) + slack)
          continue;
        if (++wrong && suspects[size_t(i)] < 0)
          suspects[size_t(i)] = j;
      }
  });
  for (int64_t i = 0; i < shape.m; ++i) {
    int64_t j = suspects[size_t(i)];
    if (j < 0)
      continue;
    Exact want = multiply(i, readRowOfA(i).data(), j, readColumnOfB(j).data());
    double got = result.at(i, j);
    if (isRight(got, want))
      continue; // it is the other that is wrong
    outcome.failure = explain(i, j, got, want);
    if (wrong > 1)
      outcome.failure +=
          join(", and ", wrong - 1, " more of ", shape.m * shape.n,
               " elements differ from cuBLASLt");
    break;
  }
  return outcome;
}

} // namespace tilebench
