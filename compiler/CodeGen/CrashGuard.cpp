//===- CrashGuard.cpp - Turns an abort of LLVM into an error --------------===//
//
// llvm::CrashRecoveryContext jumps back out of the guarded work.  A fatal
// error would print and abort first; the handler installed here keeps its
// message and jumps at once.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/CrashGuard.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace tilec;

/// The reason of the fatal error that ended the guarded work of this thread.
static thread_local std::string fatalReason;

static void leaveGuardedWork(void *, const char *reason, bool) {
  if (llvm::CrashRecoveryContext *guard =
          llvm::CrashRecoveryContext::GetCurrent()) {
    fatalReason = reason;
    guard->HandleExit(/*RetCode=*/1);
  }
  // Outside of guarded work the behaviour is LLVM's own.
  llvm::errs() << "LLVM ERROR: " << reason << "\n";
}

static void installHandlersOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(leaveGuardedWork);
  });
}

llvm::Error tilec::runGuarded(const std::string &step,
                              llvm::function_ref<void()> work) {
  installHandlersOnce();
  fatalReason.clear();
  llvm::CrashRecoveryContext guard;
  if (guard.RunSafely(work))
    return llvm::Error::success();
  std::string reason = fatalReason.empty()
                           ? "signal " + std::to_string(guard.RetCode - 128)
                           : fatalReason;
  return llvm::createStringError("internal error in " + step + ": " + reason +
                                 "; please report it with the kernel's source");
}
