//===- Assemble.cpp - From PTX to a cubin ---------------------------------===//
#include "compiler/CodeGen/Assemble.h"
#include "compiler/CodeGen/ChildProcess.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilec;

/// An error of the assembly step: what happened, the command, what it printed.
static llvm::Error makeError(llvm::Twine what, llvm::StringRef command,
                             llvm::StringRef printed) {
  std::string message =
      ("the assembly of the PTX " + what + "\n  command: " + command).str();
  printed = printed.trim();
  if (!printed.empty())
    message += "\n  it printed:\n" + printed.str();
  return llvm::createStringError(message);
}

/// Our PTX goes through any ptxas that knows its version and target, so a
/// refusal is either a fault of ours or a broken tool.
static llvm::Error checkExit(const ChildResult &result, const Ptxas &ptxas,
                             llvm::StringRef command) {
  if (result.timedOut)
    return makeError("did not end within " + llvm::Twine(ptxas.secondsToWait) +
                         " seconds and was stopped; TILE_PTXAS_TIMEOUT sets "
                         "the limit, and smaller tiles assemble faster",
                     command, result.standardError);
  if (result.exitCode < 0)
    return makeError("was ended by a signal", command, result.standardError);
  if (result.exitCode != 0)
    return makeError("failed with exit code " + llvm::Twine(result.exitCode),
                     command, result.standardOutput + result.standardError);
  return llvm::Error::success();
}

static llvm::Expected<std::string> readCubin(llvm::StringRef path,
                                             llvm::StringRef command,
                                             llvm::StringRef printed) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer || !(*buffer)->getBuffer().starts_with("\x7f"
                                                     "ELF"))
    return makeError("left no cubin, although it reported success", command,
                     printed);
  return (*buffer)->getBuffer().str();
}

llvm::Expected<Cubin> tilec::assemble(llvm::StringRef ptx, const Target &target,
                                      const Ptxas &ptxas,
                                      const AssembleOptions &options) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string input = folder->getPath("kernel.ptx");
  std::string output = folder->getPath("kernel.cubin");
  if (llvm::Error error = writeFileAtomically(input, ptx))
    return error;

  std::vector<std::string> arguments = {"-v", "-O3",
                                        "-arch=" + target.name.str()};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.insert(arguments.end(), {input, "-o", output});
  std::string command = formatCommand(ptxas.path, arguments);

  llvm::Expected<ChildResult> result =
      runChild(ptxas.path, arguments, ptxas.secondsToWait);
  if (!result)
    return result.takeError();
  if (llvm::Error error = checkExit(*result, ptxas, command))
    return error;

  std::string printed = result->standardOutput + result->standardError;
  llvm::Expected<std::string> bytes = readCubin(output, command, printed);
  if (!bytes)
    return bytes.takeError();
  return Cubin{std::move(*bytes), parsePtxasReport(printed)};
}
