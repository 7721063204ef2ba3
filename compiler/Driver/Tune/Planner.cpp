//===- Planner.cpp - Which candidates to try first ------------------------===//
#include "compiler/Driver/Tune/Planner.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Tune/CostModel.h"
#include "compiler/Driver/Tune/LaunchData.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <map>
#include <thread>

using namespace tilec;
using llvm::StringRef;

/// Spaces beyond these are looked at in part: configs near the default, and the
/// decisions of the most promising of them.
static constexpr size_t mostConfigs = 256;
static constexpr size_t mostDecidedConfigs = 8;

/// The model is a first guess.  Of ways that it takes for equal, the one nearer
/// to what the compiler chose is the more promising; and each further way with
/// the same config constants is less so, that others get their turn.
static constexpr double distrustOfDecisions = 0.02;
static constexpr double distrustOfConfig = 0.1;

void tilec::runInParallel(size_t count, unsigned jobs,
                          llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  for (size_t i = 0; i < std::min<size_t>(jobs, count); ++i)
    workers.emplace_back([&] {
      for (size_t mine; (mine = next++) < count;)
        work(mine);
    });
  for (std::thread &worker : workers)
    worker.join();
}

CompileOptions tilec::makeCandidateOptions(const CompileOptions &base,
                                           const TuneSpace &space,
                                           const TunePoint &point) {
  CompileOptions options = base;
  llvm::append_range(options.definitions, space.getDefinitions(point));
  llvm::append_range(options.settings, space.getSettings(point));
  return options;
}

std::string tilec::getFirstError(StringRef diagnostics) {
  std::string first;
  llvm::SmallVector<StringRef> lines;
  diagnostics.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (auto [i, line] : llvm::enumerate(lines)) {
    size_t start = line.find("error: ");
    if (start != StringRef::npos && first.empty())
      first = line.drop_front(start + 7).str();
    // Of ptxas it says more what it printed.
    if (line == "  it printed:" && i + 1 < lines.size())
      return first + ": " + lines[i + 1].str();
  }
  return first;
}

/// What kernels that take the same packed tensors have in common.
static std::string listOrders(const ManifestKernel &kernel) {
  std::string orders;
  for (const ManifestParameter &parameter : kernel.parameters)
    if (parameter.packing)
      orders += parameter.packing->tag + "/" +
                std::to_string(parameter.packing->row) + " ";
  return orders;
}

PlannedPoint tilec::judgePlan(Compilation &compilation, llvm::Error error,
                              const tune::Bundle &bundle) {
  PlannedPoint planned;
  if (!error) {
    llvm::Expected<LaunchEstimate> estimate =
        estimateLaunch(compilation, makePlanArguments(bundle));
    if (estimate) {
      planned.workspace = estimate->workspace;
      planned.estimate = estimate->microseconds;
      planned.variant = estimate->variant;
      planned.orders = listOrders(compilation.getManifest().kernels.front());
      return planned;
    }
    error = estimate.takeError();
  }
  llvm::raw_string_ostream os(planned.diagnostics);
  printDiagnostics(os, compilation.getSources(), compilation.getDiagnostics());
  reportError(std::move(error), os);
  planned.refusal = getFirstError(planned.diagnostics);
  if (planned.refusal.empty())
    planned.refusal = "it was refused without a reason";
  return planned;
}

/// Decides about one point.
static PlannedPoint planPoint(const CompileOptions &base,
                              const TuneSpace &space, const TunePoint &point,
                              const tune::Bundle &bundle) {
  CompileOptions options = makeCandidateOptions(base, space, point);
  // The model counts iterations: sizes should be constants, which a .mlir file
  // decides itself.
  bool takesSizes = !StringRef(base.inputFile).ends_with(".mlir");
  for (const auto &[name, size] : bundle.sizes)
    if (takesSizes && llvm::none_of(options.definitions, [&](const auto &one) {
          return one.name == name;
        }))
      options.definitions.push_back({name, std::to_string(size)});
  Compilation compilation(std::move(options));
  compilation.keepSnapshots();
  llvm::Error error = compilation.compileToDecisions();
  PlannedPoint planned = judgePlan(compilation, std::move(error), bundle);
  planned.point = point;
  return planned;
}

std::vector<PlannedPoint> tilec::planThese(const CompileOptions &base,
                                           const TuneSpace &space,
                                           const tune::Bundle &bundle,
                                           unsigned jobs,
                                           llvm::ArrayRef<TunePoint> points) {
  std::vector<PlannedPoint> planned(points.size());
  runInParallel(points.size(), jobs, [&](size_t i) {
    planned[i] = planPoint(base, space, points[i], bundle);
  });
  return planned;
}

static void planAll(const CompileOptions &base, const TuneSpace &space,
                    const tune::Bundle &bundle, unsigned jobs,
                    llvm::ArrayRef<TunePoint> points, Plan &plan) {
  for (PlannedPoint &point : planThese(base, space, bundle, jobs, points))
    (point.refusal.empty() ? plan.points : plan.refused)
        .push_back(std::move(point));
}

void tilec::refuseWorkspace(PlannedPoint &planned) {
  if (planned.workspace != 0)
    planned.refusal = planned.diagnostics =
        "blocks that share a loop would need a workspace, which a launch of "
        "the kernel as it is does not";
}

static void refuseWorkspaces(Plan &plan) {
  std::vector<PlannedPoint> kept;
  for (PlannedPoint &planned : plan.points) {
    refuseWorkspace(planned);
    (planned.refusal.empty() ? kept : plan.refused)
        .push_back(std::move(planned));
  }
  plan.points = std::move(kept);
}

static void sortByPromise(const TuneSpace &space,
                          std::vector<PlannedPoint> &points) {
  struct Promise {
    bool isNoDefault;
    double estimate;
    unsigned changed;
    size_t index;
    auto operator<=>(const Promise &) const = default;
  };
  std::vector<Promise> order;
  for (const PlannedPoint &planned : points) {
    double distrust = distrustOfDecisions * space.countDecided(planned.point);
    unsigned changed = space.countChanged(planned.point);
    order.push_back({changed != 0, planned.estimate * (1 + distrust), changed,
                     order.size()});
  }
  llvm::sort(order);
  // The second of a config waits a bit, the third longer.
  std::map<std::vector<std::pair<std::string, std::string>>, unsigned> seen;
  for (Promise &promise : order) {
    std::vector<std::pair<std::string, std::string>> config;
    for (const NamedText &value :
         space.getDefinitions(points[promise.index].point))
      config.emplace_back(value.name, value.text);
    promise.estimate *= 1 + distrustOfConfig * seen[config]++;
  }
  llvm::sort(order);
  std::vector<PlannedPoint> sorted;
  for (const Promise &promise : order)
    sorted.push_back(std::move(points[promise.index]));
  points = std::move(sorted);
}

Plan tilec::planPoints(const CompileOptions &base, const TuneSpace &space,
                       const tune::Bundle &bundle, unsigned jobs) {
  Plan plan;
  planAll(base, space, bundle, jobs, space.listConfigs(mostConfigs), plan);
  bool hasOne = llvm::any_of(plan.points, [&](const PlannedPoint &planned) {
    return planned.point == space.getDefault() && planned.workspace != 0;
  });
  if (!hasOne)
    refuseWorkspaces(plan);
  sortByPromise(space, plan.points);
  std::vector<TunePoint> decided;
  for (const PlannedPoint &config : plan.points) {
    if (&config - plan.points.data() >= ptrdiff_t(mostDecidedConfigs))
      break;
    llvm::append_range(decided, space.listDecided(config.point));
  }
  planAll(base, space, bundle, jobs, decided, plan);
  if (!hasOne)
    refuseWorkspaces(plan);
  sortByPromise(space, plan.points);
  return plan;
}
