//===- BundleMaker.cpp - The compiling half of tuning ---------------------===//
#include "compiler/Driver/Tune/BundleMaker.h"

#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/Version.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Tune/CandidateCompiler.h"
#include "compiler/Driver/Tune/LaunchData.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Tune/Progress.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

namespace {

class BundleMaker {
public:
  BundleMaker(const Invocation &invocation, const std::string &folder)
      : invocation(invocation), base(invocation.compile), folder(folder),
        jobs(invocation.tune.jobs
                 ? invocation.tune.jobs
                 : std::max(1u, std::thread::hardware_concurrency())) {
    bundle.isForEmulator = invocation.run.device == Device::Emulator;
    bundle.seed = invocation.run.seed;
  }

  llvm::Error make();

private:
  bool isMlir() const { return StringRef(base.inputFile).ends_with(".mlir"); }
  llvm::Error findAssembler();
  llvm::Error makeSource();
  llvm::Error chooseKernel(mlir::ModuleOp module);
  llvm::Error makeKey();
  void describeRefusals(llvm::ArrayRef<PlannedPoint> refused);
  llvm::Error describeFailure(llvm::ArrayRef<PlannedPoint> refused);
  tune::Candidate describePoint(const TunePoint &point) const;

  const Invocation &invocation;
  CompileOptions base;
  std::string folder;
  unsigned jobs;
  tune::Bundle bundle;
  TuneSpace space;
  tune::Progress progress;
};

} // namespace

/// Candidates without code are worth nothing: that ptxas is missing is said
/// before the work.
llvm::Error BundleMaker::findAssembler() {
  if (bundle.isForEmulator)
    return llvm::Error::success();
  llvm::Expected<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    return ptxas.takeError();
  bundle.key.assembler = ptxas->getVersionText();
  return llvm::Error::success();
}

llvm::Error BundleMaker::chooseKernel(mlir::ModuleOp module) {
  llvm::SmallVector<StringRef> names;
  for (KernelOp kernel : module.getOps<KernelOp>())
    names.push_back(kernel.getSourceName());
  if (names.size() > 1)
    return makeUsageError("'" + base.inputFile + "' has " +
                              llvm::Twine(names.size()) + " kernels",
                          "choose one with --kernel=NAME: " +
                              llvm::join(names, ", "));
  base.kernel = names.front().str();
  return llvm::Error::success();
}

/// What the kernel means, and what that makes of random data.
llvm::Error BundleMaker::makeSource() {
  Compilation source(base);
  if (llvm::Error error = compileAndReport(source, Stage::Tile))
    return error;
  if (llvm::Error error = chooseKernel(source.getTileModule()))
    return error;
  progress.show("interpreting " + base.kernel);
  return describeLaunch(invocation.run, source, folder, bundle);
}

/// The text of the kernel, and which of -D are its config constants; with them
/// goes the space of the others.
llvm::Error BundleMaker::makeKey() {
  Compilation decided(base);
  decided.keepSnapshots();
  // A default that cannot be compiled is one refused point among others.
  bool isDecided = true;
  if (llvm::Error error = decided.compileToDecisions()) {
    llvm::consumeError(std::move(error));
    isDecided = false;
  }
  std::vector<TunableKernel> kernels;
  if (isMlir()) {
    Compilation source(base);
    if (llvm::Error error = source.compileTo(Stage::Tile))
      return error;
    kernels = listTunableKernels(source.getTileModule());
  } else {
    llvm::SourceMgr sources;
    DiagnosticEngine diagnostics;
    auto buffer = llvm::MemoryBuffer::getFile(base.inputFile, /*IsText=*/true);
    if (!buffer)
      return makeFailure("cannot read '" + base.inputFile +
                         "': " + buffer.getError().message());
    sources.AddNewSourceBuffer(std::move(*buffer), {});
    ast::File file = parseProgram(sources, diagnostics);
    kernels = listTunableKernels(sources, file);
    FrontendOptions options;
    for (const NamedText &definition : base.definitions)
      options.defines.push_back({definition.name, definition.text});
    options.kernel = base.kernel;
    checked::Module module = checkSource(file, options, diagnostics);
    for (const checked::Kernel &kernel : module.kernels)
      space.addConfig(kernel, base.definitions);
  }
  if (isDecided) {
    llvm::SmallVector<KernelOp> variants(
        decided.getLoweredModule().getOps<KernelOp>());
    space.addDecisions(variants, base.settings);
  }

  tune::TuneKey &key = bundle.key;
  key.kernel = base.kernel;
  key.target = base.target;
  key.compiler = getCompilerName();
  for (const TunableKernel &kernel : kernels) {
    if (kernel.name != base.kernel)
      continue;
    key.hash = kernel.hash;
    for (const NamedText &definition : base.definitions)
      if (llvm::is_contained(kernel.config, definition.name))
        key.givenDefinitions[definition.name] = definition.text;
      else if (auto size = bundle.sizes.find(definition.name);
               size != bundle.sizes.end())
        key.fixedSizes[definition.name] = size->second;
  }
  for (const NamedText &setting : base.settings)
    key.givenSettings[setting.name] = setting.text;
  for (const auto &[name, size] : bundle.sizes)
    if (!key.fixedSizes.count(name))
      key.sizeClasses[name] = tune::classOf(size);
  return llvm::Error::success();
}

tune::Candidate BundleMaker::describePoint(const TunePoint &point) const {
  tune::Candidate candidate;
  for (const NamedText &definition : space.getDefinitions(point))
    candidate.definitions[definition.name] = definition.text;
  for (const NamedText &setting : space.getSettings(point))
    candidate.settings[setting.name] = setting.text;
  return candidate;
}

/// Counts what was refused by its reason, numbers aside.
void BundleMaker::describeRefusals(llvm::ArrayRef<PlannedPoint> refused) {
  llvm::MapVector<StringRef, tune::Refusal> byReason;
  llvm::SmallVector<std::string> kinds;
  kinds.reserve(refused.size());
  for (const PlannedPoint &point : refused) {
    std::string kind = point.refusal;
    llvm::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    kinds.push_back(std::move(kind));
    tune::Refusal &refusal = byReason[kinds.back()];
    if (refusal.count++ == 0) {
      refusal.reason = point.refusal;
      refusal.example = describePoint(point.point).describe();
    }
  }
  for (auto &[kind, refusal] : byReason)
    bundle.refusals.push_back(std::move(refusal));
}

/// Shows why the point nearest to the default was refused.
llvm::Error BundleMaker::describeFailure(llvm::ArrayRef<PlannedPoint> refused) {
  if (refused.empty())
    return makeFailure("there is nothing to compile");
  const PlannedPoint *nearest = &*llvm::min_element(
      refused, [&](const PlannedPoint &a, const PlannedPoint &b) {
        return space.countChanged(a.point) < space.countChanged(b.point);
      });
  progress.clear();
  llvm::errs() << nearest->diagnostics;
  std::string reason = nearest->diagnostics.empty()
                           ? ": " + nearest->refusal
                           : "; above is why " +
                                 describePoint(nearest->point).describe() +
                                 " was";
  return makeFailure("all " + llvm::Twine(refused.size()) +
                         " candidates were refused" + reason,
                     "give other values with -D and --set, or other sets");
}

llvm::Error BundleMaker::make() {
  // Where the code goes, and what comes of the launch.
  if (llvm::Error error = findAssembler())
    return error;
  if (llvm::Error error = makeSource())
    return error;
  if (llvm::Error error = makeKey())
    return error;

  // What there is to try.
  progress.show("planning " + std::to_string(space.count()) + " ways");
  Plan plan = planPoints(base, space, bundle, jobs);
  compileCandidates(base, space, plan,
                    {folder, bundle.isForEmulator, jobs,
                     invocation.tune.timeout, invocation.tune.limit},
                    bundle);
  if (bundle.candidates.empty())
    return describeFailure(plan.refused);
  describeRefusals(plan.refused);

  // The index comes last: where it is, all is.
  bundle.tuneFile =
      llvm::sys::path::filename(getTuneFilePath(base.inputFile)).str();
  std::string error = tune::writeBundleIndex(folder, bundle);
  return error.empty() ? llvm::Error::success() : makeFailure(error);
}

llvm::Error tilec::makeBundle(const Invocation &invocation,
                              const std::string &folder) {
  return BundleMaker(invocation, folder).make();
}
