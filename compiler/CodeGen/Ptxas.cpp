//===- Ptxas.cpp - The assembler of the CUDA toolkit ----------------------===//
#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/ChildProcess.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <cerrno>

using namespace tilec;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string Ptxas::getVersionText() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

llvm::StringRef Ptxas::howToGet() {
  return "install the CUDA toolkit 12.8 or later, or run tools/quickstart, "
         "which fetches ptxas 13.0, or name one in TILE_PTXAS";
}

PtxVersion tilec::getPtxOfToolkit(unsigned major, unsigned minor) {
  struct Row {
    unsigned major, minor;
    PtxVersion ptx;
  };
  // "PTX release history" in the PTX manual.
  static constexpr Row rows[] = {
      {11, 0, {7, 0}}, {11, 1, {7, 1}}, {11, 2, {7, 2}}, {11, 3, {7, 3}},
      {11, 4, {7, 4}}, {11, 5, {7, 5}}, {11, 6, {7, 6}}, {11, 7, {7, 7}},
      {11, 8, {7, 8}}, {12, 0, {8, 0}}, {12, 1, {8, 1}}, {12, 2, {8, 2}},
      {12, 3, {8, 3}}, {12, 4, {8, 4}}, {12, 5, {8, 5}}, {12, 6, {8, 5}},
      {12, 7, {8, 6}}, {12, 8, {8, 7}}, {12, 9, {8, 8}}, {13, 0, {9, 0}},
  };
  PtxVersion newest;
  for (const Row &row : rows)
    if (std::pair(row.major, row.minor) <= std::pair(major, minor))
      newest = row.ptx;
  return newest;
}

static bool isExecutableFile(llvm::StringRef file) {
  return fs::can_execute(file) && !fs::is_directory(file);
}

/// Where the running program lies, for the copy that tools/quickstart fetches.
/// The name it was called by is the way where /proc is missing.
static std::string getFolderOfProgram() {
  static int anchor;
  return path::parent_path(
             fs::getMainExecutable(program_invocation_name, &anchor))
      .str();
}

static std::string join(llvm::StringRef folder, llvm::StringRef rest) {
  llvm::SmallString<128> result(folder);
  path::append(result, rest);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  return std::string(result);
}

/// The first ptxas in the usual places.
static llvm::Expected<std::string> searchUsualPlaces() {
  llvm::SmallVector<std::string> candidates;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    candidates.push_back(join(*home, "bin/ptxas"));
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    candidates.push_back(*found);
  candidates.push_back("/usr/local/cuda/bin/ptxas");
  candidates.push_back(join(getFolderOfProgram(), "../ptxas/bin/ptxas"));
  for (const std::string &candidate : candidates)
    if (isExecutableFile(candidate))
      return candidate;
  return llvm::createStringError(
      "ptxas was not found in $CUDA_HOME/bin, on the PATH, or at '" +
      candidates[candidates.size() - 2] + "' or '" + candidates.back() +
      "'; without it everything up to '--emit=ptx' works; " +
      Ptxas::howToGet());
}

static llvm::Expected<std::string> locate(llvm::StringRef explicitPath) {
  std::string named = explicitPath.str();
  llvm::StringRef origin = "the ptxas given";
  if (named.empty()) {
    named = llvm::sys::Process::GetEnv("TILE_PTXAS").value_or("");
    origin = "TILE_PTXAS";
  }
  if (named.empty())
    return searchUsualPlaces();
  if (isExecutableFile(named))
    return named;
  return llvm::createStringError(origin + " names '" + named +
                                 "', which is not an executable file; " +
                                 Ptxas::howToGet());
}

/// Parses "..., release 13.0, V13.0.88".
static bool parseVersion(llvm::StringRef text, Ptxas &ptxas) {
  llvm::StringRef number = text.split(", V").second;
  return !number.consumeInteger(10, ptxas.major) && number.consume_front(".") &&
         !number.consumeInteger(10, ptxas.minor) && number.consume_front(".") &&
         !number.consumeInteger(10, ptxas.patch);
}

static llvm::Error askVersion(Ptxas &ptxas) {
  llvm::Expected<ChildResult> result =
      runChild(ptxas.path, {"--version"}, std::min(ptxas.secondsToWait, 10u));
  if (!result)
    return result.takeError();
  if (result->exitCode == 0 && parseVersion(result->standardOutput, ptxas))
    return llvm::Error::success();
  std::string command = formatCommand(ptxas.path, {"--version"});
  if (result->timedOut)
    return llvm::createStringError("'" + command + "' did not answer in time");
  return llvm::createStringError(
      "'" + command + "' did not tell its version; exit code " +
      std::to_string(result->exitCode) + "; it printed:\n" +
      result->standardOutput + result->standardError);
}

static llvm::Error readTimeLimit(Ptxas &ptxas) {
  auto text = llvm::sys::Process::GetEnv("TILE_PTXAS_TIMEOUT");
  if (!text || text->empty())
    return llvm::Error::success();
  llvm::StringRef number = *text;
  if (number.getAsInteger(10, ptxas.secondsToWait) || ptxas.secondsToWait == 0)
    return llvm::createStringError(
        "TILE_PTXAS_TIMEOUT is '" + *text +
        "'; it takes a number of seconds, 1 or more");
  return llvm::Error::success();
}

llvm::Expected<Ptxas> tilec::findPtxas(llvm::StringRef explicitPath) {
  Ptxas ptxas;
  if (llvm::Error error = readTimeLimit(ptxas))
    return error;
  llvm::Expected<std::string> found = locate(explicitPath);
  if (!found)
    return found.takeError();
  ptxas.path = *found;
  if (llvm::Error error = askVersion(ptxas))
    return error;
  ptxas.ptx = std::min(getPtxOfToolkit(ptxas.major, ptxas.minor), newestPtx);
  return ptxas;
}
