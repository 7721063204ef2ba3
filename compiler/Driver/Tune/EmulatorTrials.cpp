//===- EmulatorTrials.cpp - Candidates on the emulator --------------------===//
#include "compiler/Driver/Tune/EmulatorTrials.h"

#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Run/Devices.h"
#include "compiler/Driver/Run/ElementValue.h"
#include "compiler/Tune/ResultCheck.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

namespace {

class EmulatorTrials : public tune::Trials {
public:
  EmulatorTrials(const std::string &folder, const tune::Bundle &bundle)
      : folder(folder), bundle(bundle) {}

  const char *getUnit() const override { return "instructions"; }
  bool isTimed() const override { return false; }
  void time(const std::vector<const tune::Candidate *> &, int,
            const std::function<void(size_t)> &,
            const std::function<void(const tune::TimedSample &)> &) override {}

  tune::Outcome check(const tune::Candidate &candidate) override {
    tune::Outcome outcome;
    if (llvm::Error error = run(candidate, outcome)) {
      llvm::raw_string_ostream os(outcome.failure);
      os << llvm::toString(std::move(error));
    }
    return outcome;
  }

private:
  llvm::Error run(const tune::Candidate &candidate, tune::Outcome &outcome);
  llvm::Expected<RunArguments> makeArguments(const tilert_kernel &kernel);
  std::string compare(const RunArguments &arguments) const;

  std::string folder;
  const tune::Bundle &bundle;
};

} // namespace

/// The arguments as `tilec run` makes them, which must be those of the bundle.
llvm::Expected<RunArguments>
EmulatorTrials::makeArguments(const tilert_kernel &kernel) {
  RunOptions options;
  options.seed = bundle.seed;
  for (const auto &[name, size] : bundle.sizes)
    options.sizes.push_back({name, size});
  for (const tune::BundleArgument &argument : bundle.arguments)
    if (!argument.isTensor())
      options.inputs.push_back(
          {argument.name,
           formatElement(*findNumberFormat(argument.dtype), argument.scalar)});
  llvm::Expected<RunArguments> arguments =
      RunArguments::create(kernel, options);
  if (!arguments)
    return arguments.takeError();
  for (const tune::BundleArgument &argument : bundle.arguments) {
    const RunArgument *own = arguments->find(argument.name);
    if (!own || own->isTensor() != argument.isTensor() ||
        (own->isTensor() && own->tensor->getShape().sizes != argument.sizes))
      return makeFailure("its '" + argument.name +
                         "' differs from that of the kernel without tuning");
  }
  return arguments;
}

/// What is wrong with the results; empty if nothing is.
std::string EmulatorTrials::compare(const RunArguments &arguments) const {
  for (const RunArgument &argument : arguments.get())
    if (argument.isTensor())
      if (std::string damage = argument.getMemory().describeGuardDamage();
          !damage.empty())
        return "it wrote outside of '" + argument.name + "': " + damage;
  for (const tune::Reference &reference : bundle.references) {
    const HostTensor &tensor = *arguments.find(reference.argument)->tensor;
    const TensorShape &shape = tensor.getShape();
    llvm::ArrayRef<uint8_t> bytes = tensor.getBytes();
    StoredArray array{shape.format, shape.sizes, shape.packDim,
                      const_cast<uint8_t *>(bytes.data()), bytes.size()};
    if (std::string wrong =
            tune::compareWithReference(folder, reference, array);
        !wrong.empty())
      return wrong;
  }
  return "";
}

llvm::Error EmulatorTrials::run(const tune::Candidate &candidate,
                                tune::Outcome &outcome) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> code =
      llvm::parseIRFile(folder + "/" + candidate.code, diagnostic, context);
  if (!code)
    return makeFailure("cannot read '" + candidate.code +
                       "': " + diagnostic.getMessage());
  auto manifest =
      llvm::MemoryBuffer::getFile(folder + "/" + candidate.manifest);
  if (!manifest)
    return makeFailure("cannot read '" + candidate.manifest +
                       "': " + manifest.getError().message());
  llvm::Expected<RuntimeModule> module =
      loadRuntimeModule((*manifest)->getBuffer());
  if (!module)
    return module.takeError();
  const tilert_kernel *kernel = tilert_module_kernel(module->get(), 0);
  llvm::Expected<RunArguments> arguments = makeArguments(*kernel);
  if (!arguments)
    return arguments.takeError();

  llvm::Expected<tilert_device_facts> facts = getTargetFacts(bundle.key.target);
  if (!facts)
    return facts.takeError();
  llvm::Expected<RuntimePlan> plan =
      planLaunch(kernel, arguments->getRuntimeArguments(), *facts);
  if (!plan)
    return plan.takeError();

  llvm::Expected<EmulatorCounters> counters =
      runOnEmulator(*code, {*kernel, **plan, *arguments, facts->sm_count});
  if (!counters)
    return counters.takeError();
  outcome.figure = double(counters->sharedWavefronts);
  for (const auto &[name, count] : counters->instructions)
    outcome.figure += double(count);
  outcome.failure = compare(*arguments);
  return llvm::Error::success();
}

std::unique_ptr<tune::Trials>
tilec::makeEmulatorTrials(const std::string &folder,
                          const tune::Bundle &bundle) {
  return std::make_unique<EmulatorTrials>(folder, bundle);
}
