//===-- Samples.cpp - Measured times and what they say --------------------===//

#include "compiler/Gpu/Samples.h"

#include <algorithm>

namespace tilec::gpu {

double median(std::vector<double> samples) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  size_t middle = samples.size() / 2;
  return samples.size() % 2 ? samples[middle]
                            : (samples[middle - 1] + samples[middle]) / 2;
}

double spread(const std::vector<double> &samples) {
  if (samples.empty())
    return 0;
  auto [least, greatest] = std::minmax_element(samples.begin(), samples.end());
  return (*greatest - *least) / median(samples);
}

} // namespace tilec::gpu
