//===- Comparison.cpp - Is a result what it should be? --------------------===//
#include "compiler/Driver/Run/Comparison.h"

#include "compiler/Driver/Run/ElementValue.h"
#include "compiler/Numerics/Closeness.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace tilec;

Tolerance tilec::getDefaultTolerance(NumberFormat format) {
  return {getScaleTolerance(format), 0};
}

namespace {

/// Adds up the errors over all pairs.
class ErrorSums {
public:
  void add(const ElementPair &pair) {
    double difference = pair.got - pair.want;
    bool areSame = pair.got == pair.want ||
                   (std::isnan(pair.got) && std::isnan(pair.want));
    if (areSame)
      difference = 0;
    else if (!std::isfinite(difference))
      difference = HUGE_VAL;
    maximum = std::max(maximum, std::fabs(difference));
    squaredDifferences += difference * difference;
    if (std::isfinite(pair.want))
      squaredWants += pair.want * pair.want;
  }
  void store(ComparisonResult &result) const {
    result.maxAbsoluteError = maximum;
    result.relativeError =
        squaredDifferences == 0
            ? 0
            : std::sqrt(squaredDifferences) / std::sqrt(squaredWants);
  }

private:
  double maximum = 0;
  double squaredDifferences = 0;
  double squaredWants = 0;
};

} // namespace

static constexpr size_t shownMismatches = 5;

/// Calls `visit` for each selected pair.
static void
forEachPair(const HostTensor &got, const HostTensor &want,
            const llvm::BitVector *selection,
            llvm::function_ref<void(int64_t, const ElementPair &)> visit) {
  ElementDecoder decoder(got.getShape().format);
  int64_t count = got.getShape().getElementCount();
  for (int64_t position = 0; position < count; ++position) {
    if (selection && !selection->test(position))
      continue;
    uint64_t gotCode = got.getCode(position);
    uint64_t wantCode = want.getCode(position);
    visit(position, ElementPair{gotCode, wantCode, decoder.decode(gotCode),
                                decoder.decode(wantCode)});
  }
}

static ComparisonResult
compare(const HostTensor &got, const HostTensor &want,
        const llvm::BitVector *selection,
        llvm::function_ref<bool(const ElementPair &)> isGood) {
  ComparisonResult result;
  ErrorSums sums;
  forEachPair(
      got, want, selection, [&](int64_t position, const ElementPair &pair) {
        ++result.comparedCount;
        sums.add(pair);
        if (isGood(pair))
          return;
        ++result.mismatchCount;
        if (result.first.size() < shownMismatches)
          result.first.push_back({position, pair.gotCode, pair.wantCode});
      });
  sums.store(result);
  return result;
}

ComparisonResult tilec::compareByScale(const HostTensor &got,
                                       const HostTensor &want,
                                       const Tolerance &tolerance,
                                       const llvm::BitVector *selection) {
  double squares = 0;
  int64_t count = 0;
  forEachPair(want, want, selection, [&](int64_t, const ElementPair &pair) {
    if (!std::isfinite(pair.want))
      return;
    squares += pair.want * pair.want;
    ++count;
  });
  double rms = count ? std::sqrt(squares / count) : 0;
  bool isFloatElement = isFloat(got.getShape().format);
  return compare(got, want, selection, [&](const ElementPair &pair) {
    return pair.isEqual(isFloatElement) ||
           (tolerance.relative + tolerance.absolute > 0 &&
            pair.isWithin(tolerance.relative * (std::fabs(pair.want) + rms) +
                          tolerance.absolute));
  });
}

ComparisonResult tilec::compareExactly(const HostTensor &got,
                                       const HostTensor &want) {
  bool isFloatElement = isFloat(got.getShape().format);
  return compare(got, want, nullptr, [&](const ElementPair &pair) {
    return pair.isEqual(isFloatElement);
  });
}

ComparisonResult tilec::compareClosely(const HostTensor &got,
                                       const HostTensor &want,
                                       const Tolerance &tolerance) {
  bool isFloatElement = isFloat(got.getShape().format);
  return compare(got, want, nullptr, [&](const ElementPair &pair) {
    return pair.isEqual(isFloatElement) ||
           pair.isWithin(tolerance.absolute +
                         tolerance.relative * std::fabs(pair.want));
  });
}

/// "[3, 17]"
static std::string formatPosition(const TensorShape &shape, int64_t position) {
  llvm::SmallVector<int64_t> indices(shape.sizes.size());
  for (int dim = static_cast<int>(shape.sizes.size()) - 1; dim >= 0; --dim) {
    indices[dim] = position % shape.sizes[dim];
    position /= shape.sizes[dim];
  }
  std::string text = "[";
  for (int64_t index : indices)
    text += (text.size() > 1 ? ", " : "") + std::to_string(index);
  return text + "]";
}

void tilec::printComparison(llvm::raw_ostream &os, llvm::StringRef label,
                            const TensorShape &shape,
                            const ComparisonResult &result) {
  os << label
     << ": max_abs_err = " << llvm::format("%.6g", result.maxAbsoluteError)
     << ", rel_err = " << llvm::format("%.6g", result.relativeError) << ", "
     << (result.passed() ? "PASS" : "FAIL");
  if (result.passed()) {
    os << '\n';
    return;
  }
  os << ": " << result.mismatchCount << " of " << result.comparedCount
     << " elements differ too much\n";
  for (const Mismatch &mismatch : result.first)
    os << "  " << formatPosition(shape, mismatch.position) << ": got "
       << formatElement(shape.format, mismatch.got) << ", want "
       << formatElement(shape.format, mismatch.want) << '\n';
  if (result.mismatchCount > static_cast<int64_t>(result.first.size()))
    os << "  ...\n";
}
