//===- Closeness.cpp - Is an element what it should be? -------------------===//
#include "compiler/Numerics/Closeness.h"

#include <cmath>

using namespace tilec;

bool ElementPair::isEqual(bool isFloat) const {
  if (gotCode == wantCode)
    return true;
  return isFloat && (got == want || (std::isnan(got) && std::isnan(want)));
}

bool ElementPair::isWithin(double bound) const {
  return std::isfinite(want) && std::fabs(got - want) <= bound;
}

double tilec::getScaleTolerance(NumberFormat format) {
  if (!isFloat(format))
    return 0;
  switch (getStorageBits(format)) {
  case 64:
    return 1e-6;
  case 32:
    return 1e-3;
  default:
    return 1e-2;
  }
}
