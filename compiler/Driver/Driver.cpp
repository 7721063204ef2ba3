//===- Driver.cpp - The tilec program -------------------------------------===//
#include "compiler/Driver/Driver.h"

#include "compiler/CodeGen/Version.h"
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Help.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

static llvm::Error runHelpCommand(const Invocation &invocation) {
  if (invocation.isGeneralHelp)
    printGeneralHelp(llvm::outs());
  else
    printCommandHelp(llvm::outs(), invocation.helpTopic);
  return llvm::Error::success();
}

static llvm::Error runVersionCommand() {
  llvm::outs() << getCompilerName() << " (LLVM " << LLVM_VERSION_STRING
               << ")\n";
  return llvm::Error::success();
}

static llvm::Error runCommand(const Invocation &invocation) {
  switch (invocation.command) {
  case Command::Compile:
    return runCompileCommand(invocation);
  case Command::Check:
    return runCheckCommand(invocation);
  case Command::Run:
    return runRunCommand(invocation);
  case Command::Report:
    return runReportCommand(invocation);
  case Command::Tune:
    return runTuneCommand(invocation);
  case Command::Help:
    return runHelpCommand(invocation);
  case Command::Version:
    return runVersionCommand();
  }
  llvm_unreachable("every command is handled");
}

/// A full disk or a closed pipe shows at the latest when the stream is flushed.
static llvm::Error flushOutput() {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  if (!os.has_error())
    return llvm::Error::success();
  std::string reason = os.error().message();
  os.clear_error();
  return makeFailure("cannot write the standard output: " + reason);
}

int tilec::runDriver(llvm::ArrayRef<const char *> arguments) {
  llvm::SmallVector<llvm::StringRef> words(arguments.drop_front());
  llvm::Expected<Invocation> invocation = parseCommandLine(words);
  if (!invocation)
    return reportError(invocation.takeError(), llvm::errs());
  llvm::Error error = runCommand(*invocation);
  return reportError(llvm::joinErrors(std::move(error), flushOutput()),
                     llvm::errs());
}
