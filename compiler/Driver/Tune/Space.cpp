//===- Space.cpp - What tuning may change about a kernel ------------------===//
#include "compiler/Driver/Tune/Space.h"

#include "dialects/Tile/Transforms/Decisions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static bool isGiven(llvm::ArrayRef<NamedText> given, StringRef name) {
  return llvm::any_of(given,
                      [&](const NamedText &one) { return one.name == name; });
}

/// Adds a value that is not there yet.
static void addValue(TuneDimension &dimension, std::string value) {
  if (!llvm::is_contained(dimension.values, value))
    dimension.values.push_back(std::move(value));
}

void TuneSpace::addConfig(const checked::Kernel &kernel,
                          llvm::ArrayRef<NamedText> given) {
  for (const checked::ConfigValue &config : kernel.config) {
    hasConfig |= !config.choices.empty() || isGiven(given, config.name);
    if (config.choices.empty() || isGiven(given, config.name))
      continue;
    TuneDimension dimension{config.name, false, {formatConstant(config.value)}};
    for (const Constant &choice : config.choices)
      addValue(dimension, formatConstant(choice));
    if (dimension.values.size() > 1)
      dimensions.push_back(std::move(dimension));
  }
}

/// Values to try of a decision that takes numbers; others are noted with the
/// words or grids that they may be.
static StringRef getNumbersToTry(StringRef decision) {
  return llvm::StringSwitch<StringRef>(decision)
      .Case("raster", "8, 4, 16, 0")
      .Case("min_blocks", "1, 2")
      .Case("stages", "2, 3, 4, 5, 6")
      .Case("split", "1, 2, 4")
      .Default("");
}

void TuneSpace::addDecisions(llvm::ArrayRef<KernelOp> variants,
                             llvm::ArrayRef<NamedText> given, StringRef only) {
  for (KernelOp kernel : variants) {
    auto noted =
        kernel->getAttrOfType<mlir::ArrayAttr>(mlir::tile::choicesAttrName);
    if (!noted)
      continue;
    for (auto choice : noted.getAsRange<mlir::DictionaryAttr>()) {
      auto get = [&](StringRef key) {
        return choice.getAs<mlir::StringAttr>(key).getValue();
      };
      StringRef name = get("name");
      const auto *spec = mlir::tile::findDecisionSpec(name);
      bool isKnown = llvm::any_of(dimensions, [&](const TuneDimension &one) {
        return one.isDecision && one.name == name;
      });
      // With a workspace a launch would need what it did not before.
      if (!spec || isKnown || name == "sums" || isGiven(given, name) ||
          (!only.empty() && name != only) ||
          (name == "split" && get("value") != "1") ||
          (name == "stages" && (hasConfig || get("value") == "1")) ||
          (kernel.getDecisions() && kernel.getDecisions()->contains(name)))
        continue;
      bool isNumber = spec->kind == mlir::tile::DecisionSpec::Kind::Integer;
      StringRef candidates =
          isNumber ? getNumbersToTry(name) : get("candidates");
      TuneDimension dimension{name.str(), true, {get("value").str()}};
      llvm::SmallVector<StringRef> words;
      candidates.split(words, ", ", -1, /*KeepEmpty=*/false);
      for (StringRef word : words)
        addValue(dimension, word.str());
      if (dimension.values.size() > 1)
        dimensions.push_back(std::move(dimension));
    }
  }
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

int64_t TuneSpace::count() const {
  int64_t points = 1;
  for (const TuneDimension &dimension : dimensions)
    if (llvm::MulOverflow(points, int64_t(dimension.values.size()), points))
      return INT64_MAX;
  return points;
}

unsigned TuneSpace::countDecided(const TunePoint &point) const {
  return getSettings(point).size();
}

unsigned TuneSpace::countChanged(const TunePoint &point) const {
  return llvm::count_if(point, [](unsigned choice) { return choice != 0; });
}

/// Calls `visit` for each way to change `left` of the dimensions from `from`
/// on; false ends it.
static bool forEachChange(llvm::ArrayRef<TuneDimension> dimensions,
                          bool ofDecisions, size_t from, unsigned left,
                          TunePoint &point,
                          llvm::function_ref<bool(const TunePoint &)> visit) {
  if (left == 0)
    return visit(point);
  for (size_t i = from; i < dimensions.size(); ++i) {
    if (dimensions[i].isDecision != ofDecisions)
      continue;
    for (unsigned value = 1; value < dimensions[i].values.size(); ++value) {
      point[i] = value;
      bool goesOn =
          forEachChange(dimensions, ofDecisions, i + 1, left - 1, point, visit);
      point[i] = 0;
      if (!goesOn)
        return false;
    }
  }
  return true;
}

std::vector<TunePoint> TuneSpace::listConfigs(size_t most) const {
  std::vector<TunePoint> points;
  for (unsigned changes = 0; changes <= dimensions.size(); ++changes) {
    TunePoint point = getDefault();
    forEachChange(dimensions, /*ofDecisions=*/false, 0, changes, point,
                  [&](const TunePoint &one) {
                    points.push_back(one);
                    return points.size() < most;
                  });
    if (points.size() >= most)
      break;
  }
  return points;
}

std::vector<TunePoint> TuneSpace::listDecided(const TunePoint &point) const {
  std::vector<TunePoint> points;
  for (unsigned changes = 1; changes <= 2; ++changes) {
    TunePoint changed = point;
    forEachChange(dimensions, /*ofDecisions=*/true, 0, changes, changed,
                  [&](const TunePoint &one) {
                    points.push_back(one);
                    return true;
                  });
  }
  return points;
}

std::vector<NamedText> TuneSpace::getChanges(const TunePoint &point,
                                             bool ofDecisions) const {
  std::vector<NamedText> changes;
  for (auto [dimension, choice] : llvm::zip_equal(dimensions, point))
    if (choice != 0 && dimension.isDecision == ofDecisions)
      changes.push_back({dimension.name, dimension.values[choice]});
  return changes;
}

std::vector<NamedText> TuneSpace::getDefinitions(const TunePoint &point) const {
  return getChanges(point, /*ofDecisions=*/false);
}

std::vector<NamedText> TuneSpace::getSettings(const TunePoint &point) const {
  return getChanges(point, /*ofDecisions=*/true);
}
