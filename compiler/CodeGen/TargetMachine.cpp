//===- TargetMachine.cpp - LLVM's view of a target ------------------------===//
//
// Pointers to shared memory are 32 bits wide (`p3:32:32`).  A descriptor, an
// inline asm operand and an address sum then need no 64-bit arithmetic: a
// kernel on mma.sync lost 9% of its PTX lines.  The IR after optimisation still
// means the same under a host layout with 64-bit pointers everywhere, provided
// that shared addresses fit 32 bits, which is how the emulator runs it.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/TargetMachine.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace tilec;

/// LLVM 22 has the pointer width as a command line option only, which the
/// TargetMachine reads when it is made.
static void useShortSharedPointers() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("nvptx-short-ptr");
  if (option != options.end())
    option->second->addOccurrence(/*pos=*/0, "nvptx-short-ptr", "true");
}

static void initializeNVPTXOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    useShortSharedPointers();
  });
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
tilec::createTargetMachine(const Target &target, PtxVersion ptx) {
  initializeNVPTXOnce();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return llvm::createStringError("this LLVM was built without NVPTX: " +
                                   error);

  std::string features = "+ptx" + std::to_string(ptx.major * 10 + ptx.minor);
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.name, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " +
                                   target.name);
  return machine;
}
