//===- Fit.cpp - Config constants by the cost model -----------------------===//
#include "compiler/Driver/Tune/Fit.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Tune/Planner.h"
#include "compiler/Frontend/Frontend.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <thread>

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

/// Each constant that differs from its default must be worth this part of the
/// time: the model is no better than that, and the default has its reasons.
static constexpr double leastGain = 0.01;

/// Points that the search goes on from.
static constexpr size_t beam = 4;

/// Neighbours of a default that cannot be compiled that are looked at.
static constexpr size_t mostRefused = 64;

namespace {
class KernelFit {
public:
  KernelFit(const CompileOptions &options, StringRef target, StringRef kernel);

  llvm::Expected<TunedKernel> run();

private:
  llvm::Error readSource();
  void keepOwnNames(const checked::Kernel &kernel);
  llvm::Error describeArguments(KernelOp kernel);
  void search();
  std::string describe(double before) const;

  CompileOptions base;
  std::vector<NamedSize> sizes;
  tune::Bundle bundle;
  TuneSpace space;
  /// Why the kernel has no meaning with these sizes.
  std::string obstacle;
  /// The default needs a workspace.
  bool hasWorkspace = false;
  /// The most promising first.
  std::vector<PlannedPoint> best;
};
} // namespace

KernelFit::KernelFit(const CompileOptions &options, StringRef target,
                     StringRef kernel)
    : base(options) {
  base.kernel = kernel.str();
  base.target = target.str();
  base.fits = false;
  base.tuneFile.isUsed = false;
  base.time = false;
  base.printIRAfter.clear();
  sizes = options.tuneFile.sizes;
}

/// Leaves of -D and --size what this kernel has: other kernels of the file may
/// have more.  What is fitted is the launch, and the model counts with
/// constants, so that all sizes become such.
void KernelFit::keepOwnNames(const checked::Kernel &kernel) {
  llvm::SmallVector<StringRef> names;
  for (const checked::Symbol &symbol : kernel.symbols)
    names.push_back(symbol.name);
  for (const NamedSize &size : sizes)
    if (llvm::none_of(
            base.definitions,
            [&](const NamedText &one) { return one.name == size.name; }) &&
        llvm::is_contained(names, size.name))
      base.definitions.push_back({size.name, std::to_string(size.value)});
  for (const checked::ConfigValue &constant : kernel.config)
    names.push_back(constant.name);
  llvm::erase_if(base.definitions, [&](const NamedText &one) {
    return !llvm::is_contained(names, one.name);
  });
}

/// The sets of the kernel, and what its launch would be given.
llvm::Error KernelFit::readSource() {
  auto buffer = llvm::MemoryBuffer::getFile(base.inputFile, /*IsText=*/true);
  // What is wrong with the source is said by the compilation itself.
  if (!buffer)
    return llvm::Error::success();
  llvm::SourceMgr sources;
  DiagnosticEngine ignored;
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  ast::File file = parseProgram(sources, ignored);
  FrontendOptions frontend;
  for (const NamedText &definition : base.definitions)
    frontend.defines.push_back({definition.name, definition.text});
  checked::Module module = checkSource(file, frontend, ignored);
  if (ignored.hasErrors())
    return llvm::Error::success();
  for (const checked::Kernel &kernel : module.kernels)
    if (kernel.name == base.kernel) {
      keepOwnNames(kernel);
      space.addConfig(kernel, base.definitions);
    }
  // How many blocks share a loop, where the source says nothing of it.
  Compilation decided(base);
  decided.keepSnapshots();
  if (llvm::Error error = decided.compileToDecisions()) {
    // The default may not fit, and others do.
    llvm::consumeError(std::move(error));
  } else {
    llvm::SmallVector<KernelOp> variants(
        decided.getLoweredModule().getOps<KernelOp>());
    space.addDecisions(variants, base.settings, "split");
  }
  if (space.getDimensions().empty())
    return llvm::Error::success();

  Compilation source(base);
  if (llvm::Error error = source.compileTo(Stage::Tile)) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printDiagnostics(os, source.getSources(), source.getDiagnostics());
    reportError(std::move(error), os);
    obstacle = getFirstError(printed);
    space = TuneSpace();
    return llvm::Error::success();
  }
  return describeArguments(*source.getTileModule().getOps<KernelOp>().begin());
}

llvm::Error KernelFit::describeArguments(KernelOp kernel) {
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
    bundle.arguments.push_back(std::move(argument));
  }
  return llvm::Error::success();
}

/// Changes one constant after the other of the best points so far, from the
/// default on, until that brings nothing.
void KernelFit::search() {
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  auto promise = [&](const PlannedPoint &planned) {
    return planned.estimate *
           (1 + leastGain * space.countChanged(planned.point));
  };
  std::set<TunePoint> seen = {space.getDefault()};
  std::vector<TunePoint> frontier = {space.getDefault()};
  while (!frontier.empty()) {
    std::vector<TunePoint> points;
    for (const TunePoint &point : frontier)
      for (auto [i, dimension] : llvm::enumerate(space.getDimensions()))
        for (unsigned value = 0; value < dimension.values.size(); ++value) {
          TunePoint changed = point;
          changed[i] = value;
          if (seen.insert(changed).second)
            points.push_back(changed);
        }
    frontier.clear();
    Plan plan = planThese(base, space, bundle, jobs, points);
    if (!hasWorkspace)
      refuseWorkspaces(plan);
    for (PlannedPoint &planned : plan.points)
      best.push_back(std::move(planned));
    llvm::sort(best, [&](const PlannedPoint &a, const PlannedPoint &b) {
      return std::pair(promise(a), a.point) < std::pair(promise(b), b.point);
    });
    best.resize(std::min(best.size(), beam));
    for (const PlannedPoint &planned : best)
      if (llvm::is_contained(points, planned.point))
        frontier.push_back(planned.point);
    // Of a default that cannot be compiled, the neighbours may be.
    if (best.empty() && points.size() < mostRefused)
      frontier = points;
  }
}

std::string KernelFit::describe(double before) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const NamedText &definition : space.getDefinitions(best.front().point))
    os << (text.empty() ? "" : ", ") << definition.name << " = "
       << definition.text;
  for (const NamedText &setting : space.getSettings(best.front().point))
    os << (text.empty() ? "" : ", ") << setting.name << " = " << setting.text;
  if (text.empty())
    os << "the default";
  os << ", fitted by the model: "
     << llvm::format("%.1f us", best.front().estimate);
  if (before != 0 && before != best.front().estimate)
    os << ", the default " << llvm::format("%.1f us", before);
  return text;
}

llvm::Expected<TunedKernel> KernelFit::run() {
  TunedKernel fitted;
  fitted.kernel = base.kernel;
  if (llvm::Error error = readSource())
    return error;
  if (space.getDimensions().empty()) {
    fitted.summary = obstacle.empty()
                         ? "nothing to fit: no config constant has a set and "
                           "is not given with -D"
                         : "not fitted: " + obstacle;
    return fitted;
  }
  Plan start = planThese(base, space, bundle, 1, {space.getDefault()});
  best = std::move(start.points);
  hasWorkspace = !best.empty() && best.front().workspace != 0;
  double before = best.empty() ? 0 : best.front().estimate;
  search();
  if (best.empty()) {
    fitted.summary = "not fitted: " + start.refused.front().refusal;
    return fitted;
  }
  fitted.isTaken = true;
  fitted.isFitted = true;
  fitted.definitions = space.getDefinitions(best.front().point);
  fitted.settings = space.getSettings(best.front().point);
  fitted.summary = describe(before);
  return fitted;
}

llvm::Expected<std::vector<TunedKernel>>
tilec::fitKernels(const CompileOptions &options, StringRef target,
                  llvm::ArrayRef<TunableKernel> kernels) {
  std::vector<TunedKernel> fitted;
  for (const TunableKernel &kernel : kernels) {
    if (!options.kernel.empty() && options.kernel != kernel.name)
      continue;
    llvm::Expected<TunedKernel> one =
        KernelFit(options, target, kernel.name).run();
    if (!one)
      return one.takeError();
    fitted.push_back(std::move(*one));
  }
  return fitted;
}
