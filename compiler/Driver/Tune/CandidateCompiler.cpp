//===- CandidateCompiler.cpp - Code for each candidate --------------------===//
//
// The child is this program with the ordinary command that compiles one file,
// so that nothing which goes wrong in it reaches the others.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Tune/CandidateCompiler.h"

#include "compiler/CodeGen/ChildProcess.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Tune/Progress.h"
#include "nlohmann/json.hpp"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <mutex>

using namespace tilec;
using llvm::StringRef;
using Json = nlohmann::ordered_json;

/// What a thread may spill before its candidate is refused.
static constexpr int64_t mostSpilledBytes = 64;

static int anchor;

static std::string getOwnPath() {
  return llvm::sys::fs::getMainExecutable(nullptr, &anchor);
}

static std::vector<std::string> makeCommand(const CompileOptions &options,
                                            bool forEmulator,
                                            const std::string &output) {
  std::vector<std::string> words = {"--kernel=" + options.kernel,
                                    "--target=" + options.target, "--no-tune"};
  for (const NamedText &definition : options.definitions)
    llvm::append_values(words, std::string("-D"),
                        definition.name + "=" + definition.text);
  for (const NamedText &setting : options.settings)
    llvm::append_values(words, std::string("--set"),
                        setting.name + "=" + setting.text);
  if (forEmulator)
    llvm::append_values(words, std::string("--emit=llvm"),
                        std::string("--with-manifest"));
  llvm::append_values(words, std::string("-o"), output, std::string("--"),
                      options.inputFile);
  return words;
}

static std::string readText(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

namespace {

class CandidateCompiler {
public:
  CandidateCompiler(const CompileOptions &base, const TuneSpace &space,
                    Plan &plan, const CandidateCompilerOptions &options)
      : base(base), space(space), plan(plan), options(options),
        program(getOwnPath()), results(plan.points.size()) {}

  void run(tune::Bundle &bundle);

private:
  struct Result {
    bool isTried = false;
    tune::Candidate candidate;
    std::string refusal, diagnostics;
    /// The variant that the launch takes.
    std::string variant;
    /// A hash of code and launch.
    std::string identity;
  };

  /// The next point to try; none if there are enough candidates or no points.
  std::optional<size_t> takeNext();
  void compile(size_t index);
  /// Reads what was made, and refuses it if it is no good.
  void examine(Result &result);
  void finish(Result result, size_t index);
  void dropRepetitions();
  void removeFiles(const Result &result);

  const CompileOptions &base;
  const TuneSpace &space;
  Plan &plan;
  const CandidateCompilerOptions &options;
  std::string program;

  std::mutex mutex;
  size_t next = 0, atWork = 0, made = 0;
  std::vector<Result> results;
  tune::Progress progress;
};

} // namespace

std::optional<size_t> CandidateCompiler::takeNext() {
  std::lock_guard<std::mutex> lock(mutex);
  // One that is being compiled may yet be refused; then the last worker goes
  // on.
  if (next == plan.points.size() || made + atWork >= options.limit)
    return std::nullopt;
  ++atWork;
  return next++;
}

/// A number of an object, 0 if it is not known.
static int64_t getInteger(const Json &object, StringRef name) {
  auto member = object.find(name.str());
  return member != object.end() && member->is_number_integer()
             ? member->get<int64_t>()
             : 0;
}

void CandidateCompiler::examine(Result &result) {
  tune::Candidate &candidate = result.candidate;
  std::string manifest = readText(options.folder + "/" + candidate.manifest);
  Json json = Json::parse(manifest, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json["kernels"].is_array() ||
      json["kernels"].empty()) {
    result.refusal = "the compiler wrote no manifest";
    return;
  }
  Json &kernel = json["kernels"][0];
  int64_t spilled = 0;
  for (const Json &variant : kernel["variants"])
    if (variant["name"] == result.variant)
      spilled = std::max(spilled, getInteger(variant, "spill_bytes"));
  if (spilled > mostSpilledBytes && !candidate.isDefault())
    result.refusal = "it spills " + std::to_string(spilled) + " bytes a thread";
  for (const auto &[name, value] : kernel["config"].items())
    candidate.config[name] =
        value.is_string() ? value.get<std::string>() : value.dump();

  std::string code = readText(
      options.folder + "/" +
      (candidate.code.empty() ? candidate.name + ".cubin" : candidate.code));
  kernel.erase("config");
  result.identity = hashSha256(code + kernel.dump());
}

void CandidateCompiler::compile(size_t index) {
  const PlannedPoint &planned = plan.points[index];
  Result result;
  result.isTried = true;
  result.variant = planned.variant;
  tune::Candidate &candidate = result.candidate;
  candidate.name = "c" + std::to_string(index);
  candidate.manifest = candidate.name + ".json";
  candidate.estimate = planned.estimate;
  for (const NamedText &definition : space.getDefinitions(planned.point))
    candidate.definitions[definition.name] = definition.text;
  for (const NamedText &setting : space.getSettings(planned.point))
    candidate.settings[setting.name] = setting.text;
  if (options.forEmulator)
    candidate.code = candidate.name + ".ll";
  std::string output = options.folder + "/" + candidate.name +
                       (options.forEmulator ? ".ll" : ".cubin");

  llvm::Expected<ChildResult> child =
      runChild(program,
               makeCommand(makeCandidateOptions(base, space, planned.point),
                           options.forEmulator, output),
               options.secondsToWait);
  if (!child) {
    result.refusal = llvm::toString(child.takeError());
  } else if (child->timedOut) {
    result.refusal = "it did not compile within " +
                     std::to_string(options.secondsToWait) + " s";
  } else if (child->exitCode != 0) {
    result.diagnostics = child->standardError;
    result.refusal = getFirstError(child->standardError);
    if (result.refusal.empty())
      result.refusal =
          "the compiler ended with status " + std::to_string(child->exitCode);
  } else {
    examine(result);
  }
  finish(std::move(result), index);
}

void CandidateCompiler::removeFiles(const Result &result) {
  for (StringRef ending : {".json", ".ll", ".cubin"})
    llvm::sys::fs::remove(options.folder + "/" + result.candidate.name +
                          ending);
}

void CandidateCompiler::finish(Result result, size_t index) {
  bool isRefused = !result.refusal.empty();
  if (isRefused)
    removeFiles(result);
  std::lock_guard<std::mutex> lock(mutex);
  --atWork;
  made += !isRefused;
  results[index] = std::move(result);
  progress.show("compiled " + std::to_string(made) + " of " +
                std::to_string(std::min(options.limit, plan.points.size())) +
                " candidates");
}

/// Two ways may lead to the same code and launch: the first one stays.
void CandidateCompiler::dropRepetitions() {
  llvm::StringSet<> identities;
  for (Result &result : results) {
    if (!result.isTried || !result.refusal.empty() ||
        identities.insert(result.identity).second)
      continue;
    result.refusal = "it gives the same code as another candidate";
    removeFiles(result);
    --made;
  }
}

void CandidateCompiler::run(tune::Bundle &bundle) {
  // A round ends with fewer than wanted if some are refused at its end.
  while (next < plan.points.size() && made < options.limit) {
    runInParallel(options.jobs, options.jobs, [&](size_t) {
      while (std::optional<size_t> index = takeNext())
        compile(*index);
    });
    dropRepetitions();
  }
  progress.clear();
  for (size_t i = 0; i < results.size(); ++i) {
    Result &result = results[i];
    if (!result.isTried)
      continue;
    if (result.refusal.empty()) {
      bundle.candidates.push_back(std::move(result.candidate));
      continue;
    }
    PlannedPoint &refused = plan.points[i];
    refused.refusal = result.refusal;
    refused.diagnostics = result.diagnostics;
    plan.refused.push_back(refused);
  }
}

void tilec::compileCandidates(const CompileOptions &base,
                              const TuneSpace &space, Plan &plan,
                              const CandidateCompilerOptions &options,
                              tune::Bundle &bundle) {
  return CandidateCompiler(base, space, plan, options).run(bundle);
}
