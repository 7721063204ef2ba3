//===- Fit.cpp - Config constants by the cost model -----------------------===//
#include "compiler/Driver/Tune/Fit.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Tune/FitSearch.h"
#include "compiler/Driver/Tune/SizeClasses.h"
#include "compiler/Frontend/Frontend.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>
#include <set>

using namespace tilec;
using llvm::StringRef;

/// Of each value of a size, so many of the best ways in each order of prepacked
/// tensors are looked at for the others, too.
static constexpr size_t mostShared = 2;

namespace {
class KernelFit {
public:
  KernelFit(const CompileOptions &options, StringRef target, StringRef kernel);

  llvm::Expected<TunedKernel> run(llvm::ArrayRef<MeasuredSize> measured);

private:
  void readSource();
  void keepOwnNames(const checked::Kernel &kernel);
  CompileOptions fixSizes(std::optional<int64_t> value) const;
  llvm::Error startSearches();
  std::set<TunePoint> findCandidates() const;
  std::string describeParameters(llvm::ArrayRef<NamedText> definitions) const;
  std::vector<SizeClass> chooseClasses(llvm::ArrayRef<TunePoint> candidates);
  void chooseForSizes(llvm::ArrayRef<MeasuredSize> measured);
  void preferMeasured(size_t number, const MeasuredSize &measured);
  void describe(TunedKernel &fitted) const;
  void joinSizes(TunedKernel &fitted) const;

  CompileOptions base;
  std::vector<NamedSize> sizes;
  /// The size that has several values, if one has.
  std::optional<NamedSizes> varied;
  TuneSpace space;
  /// For each value that the kernel can be launched with; why it cannot be with
  /// the others.
  std::vector<FitSearch> searches;
  std::string obstacle;
  /// What each of these is compiled with, and what the model says of that.
  std::vector<TunedClass> chosen;
  std::vector<PlannedPoint> planned;
  /// Of values whose measured ways are not taken.
  std::string remarks;
};
} // namespace

KernelFit::KernelFit(const CompileOptions &options, StringRef target,
                     StringRef kernel)
    : base(options), sizes(options.tuneFile.sizes), varied(options.fitSizes) {
  base.kernel = kernel.str();
  base.target = target.str();
  base.fits = false;
  base.fitSizes.reset();
  base.tuneFile.isUsed = false;
  base.time = false;
  base.printIRAfter.clear();
}

static bool hasName(llvm::ArrayRef<NamedText> list, StringRef name) {
  return llvm::any_of(list,
                      [&](const NamedText &one) { return one.name == name; });
}

/// Leaves of -D and --size what this kernel has: other kernels of the file may
/// have more.
void KernelFit::keepOwnNames(const checked::Kernel &kernel) {
  llvm::SmallVector<StringRef> names;
  for (const checked::Symbol &symbol : kernel.symbols)
    names.push_back(symbol.name);
  llvm::erase_if(sizes, [&](const NamedSize &size) {
    return !llvm::is_contained(names, size.name) ||
           hasName(base.definitions, size.name) ||
           (varied && varied->name == size.name);
  });
  if (varied && !llvm::is_contained(names, varied->name))
    varied.reset();
  for (const checked::ConfigValue &constant : kernel.config)
    names.push_back(constant.name);
  llvm::erase_if(base.definitions, [&](const NamedText &one) {
    return !llvm::is_contained(names, one.name);
  });
}

/// The sets of the kernel.
void KernelFit::readSource() {
  auto buffer = llvm::MemoryBuffer::getFile(base.inputFile, /*IsText=*/true);
  // What is wrong with the source is said by the compilation itself.
  if (!buffer)
    return;
  llvm::SourceMgr sources;
  DiagnosticEngine ignored;
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  ast::File file = parseProgram(sources, ignored);
  FrontendOptions frontend;
  for (const NamedText &definition : base.definitions)
    frontend.defines.push_back({definition.name, definition.text});
  checked::Module module = checkSource(file, frontend, ignored);
  if (ignored.hasErrors())
    return;
  for (const checked::Kernel &kernel : module.kernels)
    if (kernel.name == base.kernel) {
      keepOwnNames(kernel);
      space.addConfig(kernel, base.definitions);
    }
}

/// What is fitted is the launch, and the model counts with constants, so that
/// all sizes become such.
CompileOptions KernelFit::fixSizes(std::optional<int64_t> value) const {
  CompileOptions options = base;
  for (const NamedSize &size : sizes)
    options.definitions.push_back({size.name, std::to_string(size.value)});
  if (value)
    options.definitions.push_back({varied->name, std::to_string(*value)});
  return options;
}

/// Begins with the default for each value.
llvm::Error KernelFit::startSearches() {
  std::vector<std::optional<int64_t>> values = {std::nullopt};
  if (varied)
    values.assign(varied->values.begin(), varied->values.end());
  for (std::optional<int64_t> value : values) {
    FitSearch search(fixSizes(value), space, value);
    if (llvm::Error error = search.start())
      return error;
    if (search.getObstacle().empty())
      searches.push_back(std::move(search));
    else if (obstacle.empty())
      obstacle = search.getObstacle();
  }
  return llvm::Error::success();
}

/// Ways that are worth a look for every value: the best of each.
std::set<TunePoint> KernelFit::findCandidates() const {
  std::set<std::string> orders;
  for (const FitSearch &search : searches)
    orders.insert(search.getBest()->orders);
  std::set<TunePoint> candidates;
  for (const FitSearch &search : searches)
    for (const std::string &one : orders)
      for (const PlannedPoint *planned : search.listBest(mostShared, &one))
        candidates.insert(planned->point);
  return candidates;
}

/// The types and extents of the parameters where sizes are free, as the
/// manifest has them: config constants may be part of them.
std::string
KernelFit::describeParameters(llvm::ArrayRef<NamedText> definitions) const {
  CompileOptions options = base;
  llvm::append_range(options.definitions, definitions);
  Compilation compilation(std::move(options));
  std::string text;
  if (llvm::Error error = compilation.compileTo(Stage::Tile)) {
    // Planning has said so.
    llvm::consumeError(std::move(error));
    return text;
  }
  for (const ManifestParameter &parameter :
       compilation.getManifest().kernels.front().parameters) {
    text += parameter.dtype;
    for (const ManifestExpr &dim : parameter.dims)
      text += " " + dim.dump();
    text += "; ";
  }
  return text;
}

std::vector<SizeClass>
KernelFit::chooseClasses(llvm::ArrayRef<TunePoint> candidates) {
  std::vector<SizedWay> ways(candidates.size());
  for (FitSearch &search : searches) {
    search.plan(candidates);
    for (auto [way, point] : llvm::zip_equal(ways, candidates)) {
      const PlannedPoint *planned = search.find(point);
      way.times.push_back(planned ? search.getPromise(*planned)
                                  : std::numeric_limits<double>::infinity());
      if (planned)
        way.parameters = planned->orders;
    }
  }
  for (auto [way, point] : llvm::zip_equal(ways, candidates))
    way.parameters += describeParameters(space.getDefinitions(point));
  return chooseSizeClasses(ways);
}

/// What was measured for a value wins, if it can share an artifact.
void KernelFit::preferMeasured(size_t number, const MeasuredSize &measured) {
  PlannedPoint found = searches[number].planOthers(measured.found);
  if (found.refusal.empty() && found.orders == planned[number].orders &&
      describeParameters(measured.found.definitions) ==
          describeParameters(chosen[number].definitions)) {
    chosen[number] = measured.found;
    planned[number] = std::move(found);
    return;
  }
  remarks +=
      "; what was measured for " + varied->name + " = " +
      std::to_string(measured.value) + " is not taken: " +
      (found.refusal.empty()
           ? "it takes other parameters, or prepacked tensors in another order"
           : found.refusal);
}

/// Leaves `chosen` empty if nothing suits all.
void KernelFit::chooseForSizes(llvm::ArrayRef<MeasuredSize> measured) {
  std::set<TunePoint> points = findCandidates();
  std::vector<TunePoint> candidates(points.begin(), points.end());
  for (const SizeClass &one : chooseClasses(candidates)) {
    const TunePoint &way = candidates[one.way];
    while (chosen.size() <= one.last) {
      planned.push_back(*searches[chosen.size()].find(way));
      chosen.push_back(
          {std::nullopt, space.getDefinitions(way), space.getSettings(way)});
    }
  }
  if (chosen.empty())
    return;
  for (const MeasuredSize &one : measured)
    for (size_t i = 0; i < searches.size(); ++i)
      if (one.kernel == base.kernel && searches[i].getValue() == one.value)
        preferMeasured(i, one);
}

//===----------------------------------------------------------------------===//
// What came of it
//===----------------------------------------------------------------------===//

/// "BM = 64, split = 2"
static std::string describeValues(const TunedClass &one) {
  std::string text;
  for (const auto *values : {&one.definitions, &one.settings})
    for (const NamedText &value : *values)
      text += (text.empty() ? "" : ", ") + value.name + " = " + value.text;
  return text.empty() ? "the default" : text;
}

void KernelFit::describe(TunedKernel &fitted) const {
  llvm::raw_string_ostream os(fitted.summary);
  if (!varied) {
    double estimate = planned.front().estimate;
    double before = searches.front().getDefaultEstimate();
    os << describeValues(fitted.classes.front())
       << ", fitted by the model: " << llvm::format("%.1f us", estimate);
    if (before != 0 && before != estimate)
      os << ", the default " << llvm::format("%.1f us", before);
    return;
  }
  for (const TunedClass &one : fitted.classes) {
    if (one.most)
      os << one.most->name << " <= " << one.most->value << ": ";
    else if (fitted.classes.size() > 1)
      os << "else: ";
    os << describeValues(one) << (one.most ? "; " : "");
  }
  os << ", fitted by the model for " << varied->name << " = ";
  llvm::interleaveComma(varied->values, os);
  os << remarks;
  if (!obstacle.empty())
    os << "; not for all: " << obstacle;
}

/// Makes classes of neighbouring values that are compiled in the same way.
void KernelFit::joinSizes(TunedKernel &fitted) const {
  for (auto [search, own, way] : llvm::zip_equal(searches, chosen, planned)) {
    if (fitted.classes.empty() ||
        describeValues(fitted.classes.back()) != describeValues(own))
      fitted.classes.push_back(own);
    if (!varied)
      continue;
    fitted.classes.back().most = {varied->name, *search.getValue()};
    fitted.sizeName = varied->name;
    fitted.sizes.push_back({*search.getValue(), fitted.classes.size() - 1,
                            way.estimate, search.getBest()->estimate,
                            search.getDefaultEstimate()});
  }
  fitted.classes.back().most.reset();
}

llvm::Expected<TunedKernel>
KernelFit::run(llvm::ArrayRef<MeasuredSize> measured) {
  TunedKernel fitted;
  fitted.kernel = base.kernel;
  readSource();
  if (llvm::Error error = startSearches())
    return error;
  if (searches.empty() || space.getDimensions().empty()) {
    fitted.summary = !obstacle.empty()
                         ? "not fitted: " + obstacle
                         : "nothing to fit: no config constant has a set and "
                           "is not given with -D";
    return fitted;
  }
  // What suits a value may suit the next.
  std::vector<TunePoint> seeds;
  for (FitSearch &search : searches) {
    search.run(seeds);
    if (!search.getBest()) {
      fitted.summary = "not fitted: " + search.getRefusal();
      return fitted;
    }
    seeds = {search.getBest()->point};
  }
  chooseForSizes(measured);
  if (chosen.empty()) {
    fitted.summary = "not fitted: with no parameters, and orders of prepacked "
                     "tensors, can the kernel be compiled for all sizes";
    return fitted;
  }
  fitted.isTaken = true;
  fitted.isFitted = true;
  joinSizes(fitted);
  describe(fitted);
  return fitted;
}

llvm::Expected<std::vector<TunedKernel>>
tilec::fitKernels(const CompileOptions &options, StringRef target,
                  llvm::ArrayRef<TunableKernel> kernels,
                  llvm::ArrayRef<MeasuredSize> measured) {
  std::vector<TunedKernel> fitted;
  for (const TunableKernel &kernel : kernels) {
    if (!options.kernel.empty() && options.kernel != kernel.name)
      continue;
    llvm::Expected<TunedKernel> one =
        KernelFit(options, target, kernel.name).run(measured);
    if (!one)
      return one.takeError();
    fitted.push_back(std::move(*one));
  }
  return fitted;
}
