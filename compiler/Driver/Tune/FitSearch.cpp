//===- FitSearch.cpp - The best ways to compile for one launch ------------===//
#include "compiler/Driver/Tune/FitSearch.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace tilec;
using mlir::tile::KernelOp;

/// Each constant that differs from its default must be worth this part of the
/// time: the model is no better than that, and the default has its reasons.
static constexpr double leastGain = 0.01;

/// Points that the search goes on from.
static constexpr size_t beam = 4;

/// Neighbours of a default that cannot be compiled that are looked at.
static constexpr size_t mostRefused = 64;

//===----------------------------------------------------------------------===//
// The default
//===----------------------------------------------------------------------===//

/// What the launch is given.
static llvm::Expected<std::vector<tune::BundleArgument>>
describeArguments(KernelOp kernel) {
  std::vector<tune::BundleArgument> arguments;
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    tune::BundleArgument argument;
    argument.name = kernel.getArgName(i).str();
    argument.dtype = kernel.getArgDtype(i).str();
    argument.access = "scalar";
    auto type =
        mlir::dyn_cast<mlir::tile::GlobalType>(kernel.getArgumentTypes()[i]);
    if (type) {
      argument.access = kernel.getArgAccess(i).str();
      argument.pack = type.getPackDim();
      for (mlir::Attribute dim : kernel.getArgDims(i)) {
        std::optional<int64_t> extent =
            mlir::tile::evaluateExpression(kernel, dim);
        if (!extent)
          return makeUsageError(
              "'--fit' needs the sizes of the launch, and those of '" +
                  argument.name + "' are not known",
              "give each with --size NAME=NUMBER, or fix it with -D");
        argument.sizes.push_back(*extent);
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

llvm::Error FitSearch::start() {
  Compilation compilation(base);
  compilation.keepSnapshots();
  llvm::Error error = compilation.compileToDecisions();
  if (!compilation.hasTileModule()) {
    obstacle = judgePlan(compilation, std::move(error), bundle).refusal;
    return llvm::Error::success();
  }
  // How many blocks share a loop, where the source says nothing of it.  The
  // default may not fit, and others do.
  if (!error) {
    llvm::SmallVector<KernelOp> variants(
        compilation.getLoweredModule().getOps<KernelOp>());
    space->addDecisions(variants, base.settings, "split");
  }
  if (space->getDimensions().empty()) {
    llvm::consumeError(std::move(error));
    return llvm::Error::success();
  }
  auto arguments = describeArguments(
      *compilation.getTileModule().getOps<KernelOp>().begin());
  if (!arguments) {
    llvm::consumeError(std::move(error));
    return arguments.takeError();
  }
  bundle.arguments = std::move(*arguments);
  byDefault = judgePlan(compilation, std::move(error), bundle);
  hasWorkspace = byDefault.workspace != 0;
  return llvm::Error::success();
}

double FitSearch::getDefaultEstimate() const {
  return byDefault.refusal.empty() ? byDefault.estimate : 0;
}

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

void FitSearch::keep(PlannedPoint planned) {
  if (!hasWorkspace)
    refuseWorkspace(planned);
  TunePoint point = planned.point;
  known[std::move(point)] = std::move(planned);
}

void FitSearch::plan(llvm::ArrayRef<TunePoint> points) {
  std::vector<TunePoint> fresh;
  for (const TunePoint &point : points)
    if (!known.count(point))
      fresh.push_back(point);
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  for (PlannedPoint &planned : planThese(base, *space, bundle, jobs, fresh))
    keep(std::move(planned));
}

PlannedPoint FitSearch::planOthers(const TunedClass &values) const {
  CompileOptions options = base;
  llvm::append_range(options.definitions, values.definitions);
  llvm::append_range(options.settings, values.settings);
  Compilation compilation(std::move(options));
  compilation.keepSnapshots();
  llvm::Error error = compilation.compileToDecisions();
  return judgePlan(compilation, std::move(error), bundle);
}

double FitSearch::getPromise(const PlannedPoint &planned) const {
  return planned.estimate *
         (1 + leastGain * space->countChanged(planned.point));
}

std::vector<const PlannedPoint *>
FitSearch::listBest(size_t most, const std::string *orders) const {
  std::vector<const PlannedPoint *> best;
  for (const auto &[point, planned] : known)
    if (planned.refusal.empty() && (!orders || planned.orders == *orders))
      best.push_back(&planned);
  llvm::sort(best, [&](const PlannedPoint *a, const PlannedPoint *b) {
    return std::pair(getPromise(*a), a->point) <
           std::pair(getPromise(*b), b->point);
  });
  best.resize(std::min(best.size(), most));
  return best;
}

const PlannedPoint *FitSearch::getBest() const {
  std::vector<const PlannedPoint *> best = listBest(1);
  return best.empty() ? nullptr : best.front();
}

const PlannedPoint *FitSearch::find(const TunePoint &point) const {
  auto found = known.find(point);
  return found != known.end() && found->second.refusal.empty() ? &found->second
                                                               : nullptr;
}

void FitSearch::run(llvm::ArrayRef<TunePoint> seeds) {
  // Other launches may have added dimensions to the space.
  byDefault.point = space->getDefault();
  keep(byDefault);
  plan(seeds);
  std::vector<TunePoint> frontier(seeds);
  frontier.push_back(space->getDefault());
  while (!frontier.empty()) {
    std::vector<TunePoint> points;
    for (const TunePoint &point : frontier)
      for (auto [i, dimension] : llvm::enumerate(space->getDimensions()))
        for (unsigned choice = 0; choice < dimension.values.size(); ++choice) {
          TunePoint changed = point;
          changed[i] = choice;
          if (!known.count(changed) && !llvm::is_contained(points, changed))
            points.push_back(changed);
        }
    plan(points);
    frontier.clear();
    std::vector<const PlannedPoint *> best = listBest(beam);
    for (const PlannedPoint *planned : best)
      if (llvm::is_contained(points, planned->point))
        frontier.push_back(planned->point);
    // Of a default that cannot be compiled, the neighbours may be.
    if (best.empty() && points.size() < mostRefused)
      frontier = points;
  }
}
