//===-- Compare.cpp - Compares tensors, exactly or closely ----------------===//

#include "tools/gpu-runner/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using tilec::NumberFormat;

namespace gpurunner {
namespace {

constexpr int shownElements = 5;

double decode(NumberFormat format, uint64_t code) {
  if (tilec::isFloat(format))
    return tilec::decodeFloat(format, code);
  int64_t value = tilec::decodeInteger(format, code);
  return tilec::isUnsignedInteger(format) ? double(uint64_t(value))
                                          : double(value);
}

bool isSame(NumberFormat format, uint64_t gotCode, uint64_t wantCode,
            double got, double want) {
  if (gotCode == wantCode)
    return true;
  return tilec::isFloat(format) &&
         ((got == 0 && want == 0) || (std::isnan(got) && std::isnan(want)));
}

bool isClose(double got, double want, const Tolerance &tolerance) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got);
  if (got == want) // also infinities
    return true;
  return std::isfinite(want) &&
         std::fabs(got - want) <=
             tolerance.absolute + tolerance.relative * std::fabs(want);
}

std::string showNumber(NumberFormat format, uint64_t code) {
  char text[64];
  if (tilec::isFloat(format))
    std::snprintf(text, sizeof text, "%.9g (0x%0*llx)", decode(format, code),
                  int(tilec::getStorageBits(format) / 4),
                  static_cast<unsigned long long>(code));
  else
    std::snprintf(text, sizeof text, "%.17g", decode(format, code));
  return text;
}

/// "[3, 5]" of the element with this number in row-major order.
std::string showIndex(const std::vector<int64_t> &sizes, size_t element) {
  std::vector<int64_t> index(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    index[dim] = int64_t(element % size_t(sizes[dim]));
    element /= size_t(sizes[dim]);
  }
  return npy::showShape(index);
}

bool parseNumber(const std::string &text, double &number) {
  char *end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && number >= 0;
}

} // namespace

bool parseTolerance(const std::string &text, Tolerance &tolerance) {
  tolerance = {/*isExact=*/false, 0, 0};
  size_t comma = text.find(',');
  if (!parseNumber(text.substr(0, comma), tolerance.relative))
    return false;
  return comma == text.npos ||
         parseNumber(text.substr(comma + 1), tolerance.absolute);
}

Comparison compare(const TensorType &type, const unsigned char *got,
                   const unsigned char *want, const Tolerance &tolerance) {
  std::vector<uint64_t> gotCodes = readCodes(type, got);
  std::vector<uint64_t> wantCodes = readCodes(type, want);
  Comparison result;
  result.count = int64_t(gotCodes.size());
  double errorSquares = 0, wantSquares = 0;
  for (size_t i = 0; i < gotCodes.size(); ++i) {
    double x = decode(type.format, gotCodes[i]);
    double y = decode(type.format, wantCodes[i]);
    if (std::isfinite(x) && std::isfinite(y)) {
      result.maxAbsError = std::max(result.maxAbsError, std::fabs(x - y));
      errorSquares += (x - y) * (x - y);
      wantSquares += y * y;
    }
    bool isRight = tolerance.isExact
                       ? isSame(type.format, gotCodes[i], wantCodes[i], x, y)
                       : isClose(x, y, tolerance);
    if (isRight)
      continue;
    if (result.wrong++ < shownElements)
      result.firstWrong += "    " + showIndex(type.sizes, i) + ": got " +
                           showNumber(type.format, gotCodes[i]) + ", want " +
                           showNumber(type.format, wantCodes[i]) + '\n';
  }
  if (errorSquares > 0)
    result.relativeError =
        wantSquares > 0 ? std::sqrt(errorSquares / wantSquares) : HUGE_VAL;
  return result;
}

} // namespace gpurunner
