//===- RunCommand.cpp - tilec run -----------------------------------------===//
//
// Binding, checks, variant and grid come from the runtime's plan, whatever the
// device, so that a run without a GPU decides as a launch on one would.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/KernelManifest.h"
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/OutputPath.h"
#include "compiler/Driver/Run/Comparison.h"
#include "compiler/Driver/Run/CudaRun.h"
#include "compiler/Driver/Run/Faults.h"
#include "compiler/Driver/Run/NpyFile.h"
#include "compiler/Driver/Run/ReferenceCheck.h"
#include "compiler/Driver/Run/Throughput.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

namespace {

class RunSession {
public:
  explicit RunSession(const Invocation &invocation)
      : options(invocation.run), compilation(invocation.compile) {}

  llvm::Error run();

private:
  llvm::Error checkOutputPaths() const;
  llvm::Error chooseDevice();
  llvm::Error compile();
  llvm::Error prepareLaunch();
  llvm::Error loadModule();
  llvm::Error makePlan();
  void printPlan() const;
  llvm::Error makeReference();
  llvm::Error execute();
  llvm::Error executeOnEmulator(const PlannedRun &planned);
  llvm::Error checkGuards() const;
  llvm::Error writeOutputs() const;
  llvm::Error judge();
  llvm::Expected<bool> compareWithFiles() const;
  llvm::Error bench();

  mlir::tile::KernelOp getKernelOp();
  PlannedRun getPlannedRun() {
    return {*kernel, *plan, *arguments, facts.sm_count};
  }

  const RunOptions &options;
  Compilation compilation;
  Device device = Device::Auto;
  tilert_device_facts facts = {};
  std::string whyNoGpu;

  RuntimeModule module;
  const tilert_kernel *kernel = nullptr;
  std::optional<RunArguments> arguments;
  std::optional<CudaRun> cuda;
  RuntimePlan plan;
  std::optional<ReferenceCheck> reference;
};

} // namespace

//===----------------------------------------------------------------------===//
// Device and code
//===----------------------------------------------------------------------===//

llvm::Error RunSession::checkOutputPaths() const {
  for (const NamedText &output : options.outputs)
    if (llvm::Error error = checkOutputPath(output.text))
      return error;
  return llvm::Error::success();
}

llvm::Error RunSession::chooseDevice() {
  device = options.device;
  if (device != Device::Auto && device != Device::Cuda)
    return llvm::Error::success();
  int32_t count = 0;
  tilert_status *status = nullptr;
  tilert_device_count(&count, &status);
  if (status)
    whyNoGpu = llvm::toString(takeStatus(status));
  else if (count == 0)
    whyNoGpu = "there is no CUDA device";
  bool needsGpu = device == Device::Cuda || options.bench;
  if (!whyNoGpu.empty() && needsGpu)
    return makeFailure("there is no GPU to run on: " + whyNoGpu,
                       options.bench
                           ? "--bench measures a GPU; leave it out to run on "
                             "the CPU"
                           : "--device=emulator runs the same code on the CPU");
  bool usesGpu = whyNoGpu.empty() && !options.counters;
  device = usesGpu ? Device::Cuda : Device::Emulator;
  return llvm::Error::success();
}

llvm::Error RunSession::compile() {
  if (device == Device::Emulator)
    compilation.makeForEmulator();
  if (device == Device::Interpreter)
    compilation.ignoreTuneFile();
  // Each device needs its own last stage; the interpreter runs the source's
  // meaning and needs no passes.
  Stage stage = device == Device::Cuda       ? Stage::Cubin
                : device == Device::Emulator ? Stage::LLVM
                                             : Stage::Tile;
  // The emulator runs one variant, which the launch decides on.
  if (device == Device::Emulator)
    compilation.keepOneFunction([this]() -> llvm::Expected<StringRef> {
      if (llvm::Error error = prepareLaunch())
        return error;
      return StringRef(getPlannedRun().getVariant().symbol);
    });
  if (llvm::Error error = compileAndReport(compilation, stage))
    return error;
  if (llvm::Error error = checkLaunchSizes(compilation.getOptions(),
                                           compilation.getManifest().kernels))
    return error;
  return plan ? llvm::Error::success() : prepareLaunch();
}

/// Arguments, and the launch that the runtime makes of them.
llvm::Error RunSession::prepareLaunch() {
  if (llvm::Error error = loadModule())
    return error;
  llvm::Expected<RunArguments> made = RunArguments::create(*kernel, options);
  if (!made)
    return made.takeError();
  arguments.emplace(std::move(*made));
  return makePlan();
}

llvm::Error RunSession::loadModule() {
  std::string manifest = writeManifest(compilation.getManifest());
  StringRef cubin = compilation.getCubin().bytes;
  llvm::Expected<RuntimeModule> loaded =
      loadRuntimeModule(manifest, device == Device::Cuda ? cubin : "");
  if (!loaded)
    return loaded.takeError();
  module = std::move(*loaded);
  if (tilert_module_kernel_count(module.get()) == 1) {
    kernel = tilert_module_kernel(module.get(), 0);
    return llvm::Error::success();
  }
  llvm::SmallVector<StringRef> names;
  for (size_t i = 0; i < tilert_module_kernel_count(module.get()); ++i)
    names.push_back(tilert_kernel_name(tilert_module_kernel(module.get(), i)));
  return makeUsageError("'" + compilation.getOptions().inputFile + "' has " +
                            llvm::Twine(names.size()) + " kernels",
                        "choose one with --kernel=NAME: " +
                            llvm::join(names, ", "));
}

/// What the chosen variant was made of in the module that the frontend made: of
/// classes of sizes, the one that the launch takes.
mlir::tile::KernelOp RunSession::getKernelOp() {
  std::optional<ManifestSizeClass> taken;
  for (const ManifestKernel &described : compilation.getManifest().kernels)
    for (const ManifestVariant &variant : described.variants)
      if (variant.symbol == getPlannedRun().getVariant().symbol)
        taken = variant.sizeClass;
  for (auto op : compilation.getTileModule().getOps<mlir::tile::KernelOp>())
    if (op.getSourceName() == tilert_kernel_name(kernel) &&
        describeSizeClass(op) == taken)
      return op;
  llvm_unreachable("the manifest describes this module");
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static StringRef getDeviceWord(Device device) {
  return device == Device::Interpreter ? "interpreter" : "emulator";
}

llvm::Error RunSession::makePlan() {
  if (device == Device::Cuda) {
    llvm::Expected<CudaRun> created = CudaRun::create(*arguments);
    if (!created)
      return created.takeError();
    cuda.emplace(std::move(*created));
  }
  llvm::Expected<tilert_device_facts> found =
      cuda ? queryDeviceFacts() : getTargetFacts(compilation.getTarget().name);
  if (!found)
    return found.takeError();
  facts = *found;

  llvm::Expected<RuntimePlan> made = planLaunch(
      kernel,
      cuda ? cuda->getRuntimeArguments() : arguments->getRuntimeArguments(),
      facts);
  if (!made)
    return made.takeError();
  plan = std::move(*made);
  return llvm::Error::success();
}

void RunSession::printPlan() const {
  llvm::raw_ostream &os = llvm::outs();
  os << "device: " << (cuda ? cuda->getDeviceName() : getDeviceWord(device));
  if (options.device == Device::Auto && !whyNoGpu.empty())
    os << " (no GPU: " << whyNoGpu << ")";
  os << ", target " << compilation.getTarget().name << '\n';
  for (const TunedKernel &tuned : compilation.getTunedKernels())
    if (tuned.kernel == tilert_kernel_name(kernel) && !tuned.summary.empty())
      os << "tuned: " << tuned.summary << '\n';
  os << tilert_plan_text(plan.get());
  os.flush();
}

llvm::Error RunSession::makeReference() {
  llvm::Expected<ReferenceCheck> made = ReferenceCheck::create(
      getKernelOp(), getPlannedRun(), options.check, options.seed);
  if (!made)
    return reportFaults(compilation.getSources(), made.takeError());
  reference.emplace(std::move(*made));
  return llvm::Error::success();
}

llvm::Error RunSession::executeOnEmulator(const PlannedRun &planned) {
  llvm::Expected<EmulatorCounters> counters =
      runOnEmulator(compilation.getLLVMModule(), planned);
  if (!counters)
    return reportFaults(compilation.getSources(), counters.takeError());
  if (options.counters)
    printCounters(llvm::outs(), *counters);
  return llvm::Error::success();
}

llvm::Error RunSession::execute() {
  if (tilert_plan_grid(plan.get()) == 0)
    return llvm::Error::success();
  switch (device) {
  case Device::Cuda:
    return cuda->launch(*plan);
  case Device::Emulator:
    return executeOnEmulator(getPlannedRun());
  case Device::Interpreter:
    return reportFaults(compilation.getSources(),
                        runOnInterpreter(getKernelOp(), getPlannedRun()));
  case Device::Auto:
    break;
  }
  llvm_unreachable("a device was chosen");
}

llvm::Error RunSession::checkGuards() const {
  for (const RunArgument &argument : arguments->get()) {
    if (!argument.isTensor())
      continue;
    std::string damage = argument.getMemory().describeGuardDamage();
    if (!damage.empty())
      return makeFailure("the kernel wrote outside of '" + argument.name +
                         "': " + damage);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

llvm::Error RunSession::writeOutputs() const {
  for (const NamedText &output : options.outputs)
    if (llvm::Error error =
            writeNpyFile(output.text, *arguments->find(output.name)->tensor))
      return error;
  return llvm::Error::success();
}

llvm::Expected<bool> RunSession::compareWithFiles() const {
  bool passed = true;
  for (const NamedText &expected : options.expected) {
    const HostTensor &got = *arguments->find(expected.name)->tensor;
    const TensorShape &shape = got.getShape();
    llvm::Expected<NpyArray> file =
        readNpyFile(expected.text, shape.format, expected.name);
    if (!file)
      return file.takeError();
    if (file->sizes != shape.getStoredSizes())
      return makeFailure(
          "'" + expected.text + "' is " +
          TensorShape{shape.format, -1, file->sizes}.getSizeText() + ", but '" +
          expected.name + "' is stored as " +
          TensorShape{shape.format, -1, shape.getStoredSizes()}.getSizeText());
    llvm::Expected<HostTensor> want = HostTensor::create(shape);
    if (!want)
      return want.takeError();
    llvm::copy(file->bytes, want->getBytes().begin());
    ComparisonResult result =
        options.tolerance ? compareClosely(got, *want, *options.tolerance)
                          : compareExactly(got, *want);
    printComparison(llvm::outs(), "expect " + expected.name, shape, result);
    passed &= result.passed();
  }
  return passed;
}

llvm::Error RunSession::judge() {
  llvm::Expected<bool> passed = compareWithFiles();
  if (!passed)
    return passed.takeError();
  if (reference)
    *passed &= reference->compare(llvm::outs(), options.tolerance);
  return *passed ? llvm::Error::success() : makeReportedFailure();
}

llvm::Error RunSession::bench() {
  if (tilert_plan_grid(plan.get()) == 0)
    return makeFailure("there is nothing to measure: the grid is empty");
  llvm::Expected<BenchResult> result = cuda->bench(*plan);
  if (!result)
    return result.takeError();
  std::vector<llvm::SmallVector<int64_t>> sizes;
  for (unsigned i = 0; i < tilert_kernel_parameter_count(kernel); ++i) {
    const tilert_bound_tensor *tensor = tilert_plan_tensor(plan.get(), i);
    sizes.emplace_back();
    if (tensor)
      sizes.back().assign(tensor->sizes,
                          tensor->sizes +
                              tilert_kernel_parameter(kernel, i)->rank);
  }
  Work work = countWork(getKernelOp(), sizes);
  llvm::outs()
      << llvm::format("bench: median %.2f us, best %.2f us, ", result->median,
                      result->best)
      << describeRates(work, result->median)
      << llvm::format(" (L2 warm: %d batches of %d launches back to back)\n",
                      result->batches, result->launchesPerBatch)
      << llvm::format("bench: median %.2f us, ", result->coldMedian)
      << describeRates(work, result->coldMedian)
      << llvm::format(" (L2 cold: %d launches, the cache written over before "
                      "each)\n",
                      result->coldLaunches);
  return llvm::Error::success();
}

llvm::Error RunSession::run() {
  // What can be refused at once.
  if (llvm::Error error = checkOutputPaths())
    return error;
  // Which device, and the code and the launch for it.
  if (llvm::Error error = chooseDevice())
    return error;
  if (llvm::Error error = compile())
    return error;
  printPlan();
  // What should come out, and what does.
  if (options.check != CheckExtent::None)
    if (llvm::Error error = makeReference())
      return error;
  if (llvm::Error error = execute())
    return error;
  if (llvm::Error error = checkGuards())
    return error;
  if (llvm::Error error = writeOutputs())
    return error;
  if (llvm::Error error = judge())
    return error;
  return options.bench ? bench() : llvm::Error::success();
}

llvm::Error tilec::runRunCommand(const Invocation &invocation) {
  return RunSession(invocation).run();
}
