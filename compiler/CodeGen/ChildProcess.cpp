//===- ChildProcess.cpp - Runs an outside program with a time limit -------===//
//
// llvm::sys::ExecuteAndWait measures its time limit with alarm(), of which a
// process has only one.  Here the child is polled, so that a tuner may compile
// in several threads.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/ChildProcess.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <thread>

using namespace tilec;
using Clock = std::chrono::steady_clock;

/// Waits until the child ends or `deadline` passes; then kills it.
static void waitForChild(const llvm::sys::ProcessInfo &child,
                         Clock::time_point deadline, ChildResult &result) {
  // The first waits are short because an assembler needs tens of milliseconds.
  auto pause = std::chrono::microseconds(200);
  while (true) {
    llvm::sys::ProcessInfo state = llvm::sys::Wait(child, /*SecondsToWait=*/0);
    if (state.Pid != 0) {
      result.exitCode = state.ReturnCode;
      return;
    }
    if (Clock::now() >= deadline) {
      ::kill(child.Pid, SIGKILL);
      llvm::sys::Wait(child, std::nullopt);
      result.exitCode = -2;
      result.timedOut = true;
      return;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
}

static std::string readAll(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

llvm::Expected<ChildResult>
tilec::runChild(llvm::StringRef program, llvm::ArrayRef<std::string> arguments,
                unsigned secondsToWait) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string output = folder->getPath("stdout");
  std::string error = folder->getPath("stderr");
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(output), llvm::StringRef(error)};
  llvm::SmallVector<llvm::StringRef> words = {program};
  words.append(arguments.begin(), arguments.end());

  std::string message;
  bool failed = false;
  llvm::sys::ProcessInfo child =
      llvm::sys::ExecuteNoWait(program, words, /*Env=*/std::nullopt, redirects,
                               /*MemoryLimit=*/0, &message, &failed);
  if (failed || child.Pid == 0)
    return llvm::createStringError("cannot start '" + program +
                                   "': " + message);

  ChildResult result;
  waitForChild(child, Clock::now() + std::chrono::seconds(secondsToWait),
               result);
  result.standardOutput = readAll(output);
  result.standardError = readAll(error);
  return result;
}

std::string tilec::formatCommand(llvm::StringRef program,
                                 llvm::ArrayRef<std::string> arguments) {
  std::string command = program.str();
  for (const std::string &argument : arguments)
    command += " " + argument;
  return command;
}
