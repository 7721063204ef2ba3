//===- TunedValues.cpp - What a tune file says about kernels --------------===//
#include "compiler/Driver/Tune/TunedValues.h"

#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/Target.h"
#include "compiler/CodeGen/Version.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/RuntimeObjects.h"
#include "compiler/Frontend/Syntax/ASTPrinter.h"
#include "compiler/Gpu/DeviceName.h"
#include "compiler/Tune/TuneFile.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilec;
using llvm::StringRef;
namespace path = llvm::sys::path;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::vector<TunableKernel>
tilec::listTunableKernels(const llvm::SourceMgr &sources,
                          const ast::File &file) {
  std::vector<TunableKernel> kernels;
  for (const ast::KernelDecl &decl : file.kernels) {
    StringRef name = decl.name.text;
    TunableKernel kernel{
        name.str(), hashSha256(printKernelText(sources, file, name)), {}};
    for (const ast::ConfigConstant &constant : decl.config)
      kernel.config.push_back(constant.name.text.str());
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<TunableKernel> tilec::listTunableKernels(mlir::ModuleOp module) {
  std::vector<TunableKernel> kernels;
  for (auto kernel : module.getOps<mlir::tile::KernelOp>()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    kernel->print(os);
    kernels.push_back({kernel.getSourceName().str(), hashSha256(text), {}});
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

std::string tilec::getTuneFilePath(StringRef sourceFile) {
  llvm::SmallString<128> result(sourceFile);
  path::replace_extension(result, "tune.json");
  return std::string(result);
}

std::string tilec::findGpuForTarget(StringRef target) {
  tilert_device_facts facts = {};
  tilert_status *status = nullptr;
  tilert_device_facts_query(0, &facts, &status);
  bool hasFailed = status != nullptr;
  tilert_status_destroy(status);
  if (hasFailed)
    return "";
  const Target *own = findTargetForDevice(facts.sm_major * 10 + facts.sm_minor);
  return own && own->name == target ? gpu::findDeviceName() : "";
}

llvm::Error tilec::checkLaunchSizes(const CompileOptions &options,
                                    llvm::ArrayRef<ManifestKernel> kernels) {
  llvm::SmallVector<StringRef> names;
  for (const ManifestKernel &kernel : kernels)
    for (const ManifestSymbol &symbol : kernel.symbols)
      if (!llvm::is_contained(names, symbol.name))
        names.push_back(symbol.name);
  // A syntax tree has none.
  if (kernels.empty())
    return llvm::Error::success();
  std::vector<std::string> given;
  for (const NamedSize &size : options.tuneFile.sizes)
    given.push_back(size.name);
  if (options.fitSizes)
    given.push_back(options.fitSizes->name);
  for (StringRef name : given)
    if (!llvm::is_contained(names, name))
      return makeUsageError("'--size " + name + "': no kernel has a size '" +
                                name + "'",
                            suggestFrom(name, names));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

bool tilec::mayHaveTuneFile(const CompileOptions &options) {
  return options.tuneFile.isUsed &&
         (!options.tuneFile.path.empty() ||
          llvm::sys::fs::exists(getTuneFilePath(options.inputFile)));
}

/// What the compilation of one kernel asks the file for.
static tune::Wanted makeWanted(const CompileOptions &options, StringRef target,
                               const TunableKernel &kernel) {
  tune::Wanted wanted;
  wanted.kernel = kernel.name;
  wanted.hash = kernel.hash;
  wanted.target = target.str();
  wanted.compiler = getCompilerName();
  for (const NamedText &definition : options.definitions) {
    int64_t size;
    if (llvm::is_contained(kernel.config, definition.name))
      wanted.definitions[definition.name] = definition.text;
    else if (!StringRef(definition.text).getAsInteger(0, size))
      wanted.fixedSizes[definition.name] = size;
  }
  for (const NamedText &setting : options.settings)
    wanted.settings[setting.name] = setting.text;
  for (const NamedSize &size : options.tuneFile.sizes)
    wanted.launchSizes[size.name] = size.value;
  return wanted;
}

static std::vector<NamedText> toList(const tune::Values &values) {
  std::vector<NamedText> list;
  for (const auto &[name, text] : values)
    list.push_back({name, text});
  return list;
}

static std::string describeEntry(const tune::TuneEntry &entry) {
  std::string text;
  for (const tune::Values *values : {&entry.definitions, &entry.settings})
    for (const auto &[name, value] : *values)
      text += (text.empty() ? "" : ", ") + name + " = " + value;
  return (text.empty() ? "the compiler's own choices" : text) +
         "; measured on " +
         (entry.key.gpu == tune::emulatorName ? "the emulator" : entry.key.gpu);
}

llvm::Expected<std::vector<TunedKernel>>
tilec::findTunedValues(const CompileOptions &options, StringRef target,
                       llvm::ArrayRef<TunableKernel> kernels,
                       DiagnosticEngine &diagnostics) {
  std::vector<TunedKernel> tuned;
  std::string file = options.tuneFile.path.empty()
                         ? getTuneFilePath(options.inputFile)
                         : options.tuneFile.path;
  if (!llvm::sys::fs::exists(file))
    return makeFailure("cannot read '" + file + "': there is no such file");
  std::vector<tune::TuneEntry> entries;
  if (std::string error = tune::readTuneFile(file, entries); !error.empty())
    return makeFailure(error, "'tilec tune' writes such files; --no-tune "
                              "compiles without this one");

  std::string gpuName, assembler;
  gpuName = findGpuForTarget(target);
  if (llvm::Expected<Ptxas> ptxas = findPtxas())
    assembler = ptxas->getVersionText();
  else
    llvm::consumeError(ptxas.takeError());
  StringRef shortName = path::filename(file);
  for (const TunableKernel &kernel : kernels) {
    if (!options.kernel.empty() && options.kernel != kernel.name)
      continue;
    tune::Wanted wanted = makeWanted(options, target, kernel);
    wanted.gpu = gpuName;
    wanted.assembler = assembler;
    tune::Match match = tune::findEntry(entries, wanted);
    // The emulator runs the code that a GPU would get, if that was tuned.
    if (!match.entry && options.tuneFile.isForEmulator) {
      wanted.gpu = tune::emulatorName;
      tune::Match emulated = tune::findEntry(entries, wanted);
      if (emulated.entry || match.reason.empty())
        match = emulated;
    }
    TunedKernel found;
    found.kernel = kernel.name;
    if (match.entry) {
      found.isTaken = true;
      found.classes.push_back({std::nullopt, toList(match.entry->definitions),
                               toList(match.entry->settings)});
      found.summary = (shortName + ": " + describeEntry(*match.entry)).str();
    } else if (!match.reason.empty()) {
      found.summary = (shortName + " is not used: " + match.reason).str();
      if (match.isStale)
        diagnostics
            .warning({}, "'" + file + "' is not used for kernel '" +
                             kernel.name + "': " + match.reason)
            .withHelp("run 'tilec tune' again, or leave the file out with "
                      "--no-tune");
    }
    tuned.push_back(std::move(found));
  }
  return tuned;
}
