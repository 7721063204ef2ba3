//===- TuneCommand.cpp - tilec tune ---------------------------------------===//
//
// One half compiles candidates into a folder, the other measures what is in
// one; without --compile-only and --from both happen here, and the folder is a
// temporary one.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/Target.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/OutputPath.h"
#include "compiler/Driver/Tune/BundleMaker.h"
#include "compiler/Driver/Tune/EmulatorTrials.h"
#include "compiler/Driver/Tune/TunedValues.h"
#include "compiler/Tune/Session.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The error of a machine that has no GPU to measure on.
static llvm::Error makeNoGpuError(StringRef reason) {
  return makeFailure("there is no GPU to measure on: " + reason,
                     "compile the candidates here with --compile-only=DIR and "
                     "measure them with --from=DIR where a GPU is; "
                     "--device=emulator counts instructions instead");
}

/// Completes the target: that of the GPU to measure on, which must be one for
/// what was asked for.
static llvm::Error chooseTarget(Invocation &invocation, bool needsGpu) {
  std::string &target = invocation.compile.target;
  if (!target.empty()) {
    llvm::Expected<const Target *> parsed = parseTarget(target);
    if (!parsed)
      return makeUsageError("'--target': " +
                            llvm::toString(parsed.takeError()));
  }
  if (!needsGpu && !target.empty())
    return llvm::Error::success();
  tune::DeviceAnswer device = tune::askForDevice();
  const Target *own = findTargetForDevice(device.capability);
  if (!needsGpu) {
    target = own ? own->name.str() : "sm_90a";
    return llvm::Error::success();
  }
  if (!device.error.empty())
    return makeNoGpuError(device.error);
  if (target.empty() && own)
    target = own->name.str();
  if (!own || target != own->name)
    return makeFailure("the GPU of this machine, " + device.name +
                           ", does not run code for " +
                           (target.empty() ? "any known target" : target),
                       "compile the candidates with --compile-only=DIR and "
                       "measure them on another machine");
  return llvm::Error::success();
}

/// Scalars may be given; files would have to go into the bundle.
static llvm::Error checkInputs(const RunOptions &options) {
  for (const NamedText &input : options.inputs)
    if (StringRef(input.text).ends_with(".npy"))
      return makeUsageError("'--in " + input.name +
                                "': tuning takes numbers only, tensors are "
                                "random",
                            "leave it out");
  return llvm::Error::success();
}

/// Refuses before the work a tune file that could not be written after it.
static llvm::Error checkTuneFile(const std::string &path) {
  if (llvm::Error error = checkOutputPath(path))
    return error;
  std::vector<tune::TuneEntry> entries;
  std::string error = tune::readTuneFile(path, entries);
  return error.empty() ? llvm::Error::success()
                       : makeFailure(error, "remove it, or name another with "
                                            "-o");
}

/// Whether a file is one of those that make a bundle, whole or not.
static bool isOfBundle(StringRef name) {
  StringRef rest = name;
  bool isCode = name.ends_with(".json") || name.ends_with(".cubin") ||
                name.ends_with(".ll");
  return name == "index.json" ||
         (name.starts_with("want-") && name.ends_with(".bin")) ||
         (isCode && rest.consume_front("c") && !rest.empty() &&
          llvm::isDigit(rest.front()));
}

/// Prepares a folder that is to hold candidates only; what is left there of
/// others goes.
static llvm::Error createFolder(const std::string &folder) {
  std::error_code error = fs::create_directories(folder);
  if (error)
    return makeFailure("cannot make the folder '" + folder +
                       "': " + error.message());
  std::vector<std::string> old;
  for (fs::directory_iterator file(folder, error), end; file != end && !error;
       file.increment(error)) {
    old.push_back(file->path());
    if (!isOfBundle(llvm::sys::path::filename(old.back())))
      return makeFailure("the folder '" + folder +
                             "' holds something else than candidates",
                         "name a new one");
  }
  for (const std::string &path : old)
    error = fs::remove(path);
  return error ? makeFailure("cannot empty the folder '" + folder +
                             "': " + error.message())
               : llvm::Error::success();
}

static llvm::Error measure(const Invocation &invocation,
                           const std::string &folder) {
  tune::Bundle bundle;
  if (std::string error = tune::readBundleIndex(folder, bundle); !error.empty())
    return makeFailure(error, "'tilec tune --compile-only=DIR' makes one");
  tune::SessionOptions options;
  options.trialSeconds = invocation.tune.timeout;
  options.path = bundle.tuneFile;
  if (!invocation.compile.inputFile.empty())
    options.path = getTuneFilePath(invocation.compile.inputFile);
  if (invocation.outputFile)
    options.path = *invocation.outputFile;
  if (llvm::Error error = checkTuneFile(options.path))
    return error;

  llvm::outs().flush();
  llvm::errs().flush();
  std::string error;
  if (bundle.isForEmulator) {
    error = tune::runSession(bundle, tune::emulatorName,
                             *makeEmulatorTrials(folder, bundle), options);
  } else {
    tune::DeviceAnswer device = tune::askForDevice();
    if (!device.error.empty())
      return makeNoGpuError(device.error);
    error = tune::runCudaSession(folder, bundle, device, options);
  }
  return error.empty() ? llvm::Error::success() : makeFailure(error);
}

/// Both halves.
static llvm::Error compileAndMeasure(const Invocation &invocation) {
  llvm::Expected<TemporaryFolder> temporary = TemporaryFolder::create();
  if (!temporary)
    return temporary.takeError();
  std::string folder = temporary->getPath("candidates");
  if (llvm::Error error = createFolder(folder))
    return error;
  if (llvm::Error error = makeBundle(invocation, folder))
    return error;
  return measure(invocation, folder);
}

/// Tunes for one value after the other of the size that has several.
static llvm::Error tuneEach(const Invocation &asked, const NamedSizes &sizes) {
  for (int64_t value : sizes.values) {
    Invocation one = asked;
    one.run.sizeLists.clear();
    one.run.sizes.push_back({sizes.name, value});
    // Each has candidates, and results, of its own.
    if (!asked.tune.compileOnly.empty())
      one.tune.compileOnly += "/" + sizes.name + std::to_string(value);
    if (llvm::Error error = tilec::runTuneCommand(one))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error tilec::runTuneCommand(const Invocation &asked) {
  if (!asked.tune.from.empty())
    return measure(asked, asked.tune.from);
  if (!asked.run.sizeLists.empty())
    return tuneEach(asked, asked.run.sizeLists.front());
  Invocation invocation = asked;
  if (llvm::Error error = checkInputs(invocation.run))
    return error;
  std::string output = invocation.outputFile.value_or(
      getTuneFilePath(invocation.compile.inputFile));
  bool compilesOnly = !invocation.tune.compileOnly.empty();
  bool needsGpu = !compilesOnly && invocation.run.device != Device::Emulator;
  if (!compilesOnly)
    if (llvm::Error error = checkTuneFile(output))
      return error;
  if (llvm::Error error = chooseTarget(invocation, needsGpu))
    return error;
  if (!compilesOnly)
    return compileAndMeasure(invocation);
  if (llvm::Error error = createFolder(invocation.tune.compileOnly))
    return error;
  if (llvm::Error error = makeBundle(invocation, invocation.tune.compileOnly))
    return error;
  llvm::outs() << "candidates are in '" << invocation.tune.compileOnly
               << "'; measure them with: tilec tune --from="
               << invocation.tune.compileOnly << '\n';
  return llvm::Error::success();
}
