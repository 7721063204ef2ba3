//===- SizeClasses.cpp - One kernel for several sizes ---------------------===//
#include "compiler/Driver/Tune/SizeClasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace tilec;

/// What a value may lose to the best way for it, where that saves a class: less
/// than the model can tell apart.
static constexpr double mostLoss = 1.03;

static constexpr double never = std::numeric_limits<double>::infinity();

/// The least time of each value in some of the ways.
static std::vector<double> findBest(llvm::ArrayRef<SizedWay> ways,
                                    llvm::ArrayRef<size_t> some) {
  std::vector<double> best(ways.front().times.size(), never);
  for (size_t way : some)
    for (size_t i = 0; i < best.size(); ++i)
      best[i] = std::min(best[i], ways[way].times[i]);
  return best;
}

/// The ways with the parameters that lose the least.
static std::vector<size_t> chooseParameters(llvm::ArrayRef<SizedWay> ways) {
  llvm::MapVector<llvm::StringRef, std::vector<size_t>> byParameters;
  std::vector<size_t> all;
  for (size_t i = 0; i < ways.size(); ++i) {
    byParameters[ways[i].parameters].push_back(i);
    all.push_back(i);
  }
  std::vector<double> best = findBest(ways, all);
  std::vector<size_t> chosen;
  double least = never;
  for (auto &[parameters, some] : byParameters) {
    double loss = 0;
    for (auto [time, alone] : llvm::zip_equal(findBest(ways, some), best))
      loss += time / alone;
    if (loss < least) {
      least = loss;
      chosen = some;
    }
  }
  return chosen;
}

namespace {
/// The best classes for the first so many values.
struct Cover {
  size_t classes = 0;
  double loss = never;
  /// The last of them, and its first value.
  SizeClass last;
  size_t begin = 0;
};
} // namespace

std::vector<SizeClass> tilec::chooseSizeClasses(llvm::ArrayRef<SizedWay> ways) {
  if (ways.empty())
    return {};
  std::vector<size_t> some = chooseParameters(ways);
  if (some.empty())
    return {};
  std::vector<double> best = findBest(ways, some);
  std::vector<Cover> covers(best.size() + 1);
  covers[0].loss = 0;
  for (size_t end = 1; end <= best.size(); ++end)
    for (size_t way : some) {
      double loss = 0;
      for (size_t begin = end; begin-- > 0;) {
        double part = ways[way].times[begin] / best[begin];
        if (part > mostLoss)
          break;
        loss += part;
        Cover next{covers[begin].classes + 1,
                   covers[begin].loss + loss,
                   {end - 1, way},
                   begin};
        if (std::isinf(covers[end].loss) ||
            std::tie(next.classes, next.loss) <
                std::tie(covers[end].classes, covers[end].loss))
          covers[end] = next;
      }
    }
  std::vector<SizeClass> classes;
  for (size_t end = best.size(); end > 0; end = covers[end].begin)
    classes.push_back(covers[end].last);
  std::reverse(classes.begin(), classes.end());
  return classes;
}
