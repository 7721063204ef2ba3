//===-- Statistics.cpp - Ratios and verdicts ------------------------------===//

#include "tools/bench/Statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilebench {
namespace {

double roundToThousandth(double ratio) { return std::round(ratio * 1000); }

bool reaches(double ratio, double required) {
  return roundToThousandth(ratio) >= roundToThousandth(required);
}

std::string format(const char *pattern, double a, double b) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

} // namespace

double Ratios::least() const { return std::min(of[0], of[1]); }
double Ratios::greatest() const { return std::max(of[0], of[1]); }

bool meets(const Ratios &ratios, const Requirement &required) {
  return reaches(ratios.least(), required.both) &&
         reaches(ratios.greatest(), required.best);
}

std::string describe(const Requirement &required) {
  if (required.best > required.both)
    return format(required.both > 0 ? "%.2f in one, %.2f in both"
                                    : "%.2f in one",
                  required.best, required.both);
  return required.both > 0 ? format("%.2f", required.both, 0) : "-";
}

} // namespace tilebench
