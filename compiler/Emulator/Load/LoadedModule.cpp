//===- LoadedModule.cpp - A module ready to run ---------------------------===//
//
// Copying, compiling and looking up.  The copy is made by way of bitcode,
// which brings the module into a context of its own.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/LoadedModule.h"

#include "compiler/Emulator/Load/RewriteModule.h"
#include "compiler/Emulator/Load/RuntimeSymbols.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace tilec;
using namespace tilec::emulator;

LoadedModule::LoadedModule() = default;
LoadedModule::~LoadedModule() = default;

static void initializeHostTarget() {
  static const bool isDone = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isDone;
}

/// The processor to compile for: new enough for fused multiply-add and f16
/// conversion where the host has them, but none of the extensions that compute
/// in bf16 or f16 themselves, since those flush subnormals.
static llvm::orc::JITTargetMachineBuilder describeHost() {
  llvm::orc::JITTargetMachineBuilder builder{
      llvm::Triple(llvm::sys::getProcessTriple())};
#if defined(__x86_64__)
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  bool isModern = features.lookup("avx2") && features.lookup("fma") &&
                  features.lookup("f16c") && features.lookup("bmi2");
  builder.setCPU(isModern ? "x86-64-v3" : "x86-64");
#endif
  // Kernels are optimised already; more than this makes loading slow.
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  return builder;
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
copyModule(const llvm::Module &module, llvm::LLVMContext &context) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()),
                            module.getModuleIdentifier()),
      context);
}

static llvm::Error defineRuntimeSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : getRuntimeSymbols())
    symbols[jit.mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

/// Looks up a symbol, which compiles the module the first time.
static llvm::Expected<llvm::orc::ExecutorAddr> lookUp(llvm::orc::LLJIT &jit,
                                                      llvm::StringRef name) {
  std::string reasons;
  jit.getExecutionSession().setErrorReporter([&](llvm::Error error) {
    reasons += llvm::toString(std::move(error)) + "; ";
  });
  auto address = jit.lookup(name);
  if (address)
    return address;
  return makeEmulationError(EmulationErrorKind::Unsupported,
                            "the kernel does not compile for the host: " +
                                reasons + llvm::toString(address.takeError()));
}

static llvm::Error lookUpEntries(LoadedModule &loaded) {
  for (auto &[name, kernel] : loaded.kernels) {
    auto address = lookUp(*loaded.jit, kernel.wrapper);
    if (!address)
      return address.takeError();
    kernel.entry = address->toPtr<KernelEntry>();
  }
  for (const ModuleGlobal &global : loaded.globals) {
    auto address = lookUp(*loaded.jit, global.name);
    if (!address)
      return address.takeError();
    loaded.globalBuffers.add(
        {global.name, address->getValue(), global.bytes, !global.isConstant});
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<LoadedModule>>
tilec::emulator::loadModule(const llvm::Module &module) {
  initializeHostTarget();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto copy = copyModule(module, *context);
  if (!copy)
    return copy.takeError();

  auto loaded = std::make_unique<LoadedModule>();
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(describeHost())
                 // No initialisers to run, and no symbols but those below.
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .setLinkProcessSymbolsByDefault(false)
                 .create();
  if (!jit)
    return jit.takeError();
  loaded->jit = std::move(*jit);
  (*copy)->setTargetTriple(loaded->jit->getTargetTriple());
  (*copy)->setDataLayout(loaded->jit->getDataLayout());

  if (llvm::Error error = rewriteModule(**copy, *loaded))
    return std::move(error);
  if (llvm::Error error = defineRuntimeSymbols(*loaded->jit))
    return std::move(error);
  if (llvm::Error error = loaded->jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(*copy), std::move(context))))
    return std::move(error);
  if (llvm::Error error = lookUpEntries(*loaded))
    return std::move(error);
  return std::move(loaded);
}
