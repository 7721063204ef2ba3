//===- KernelParts.cpp - Work on the kernels of a module in threads -------===//
#include "compiler/CodeGen/KernelParts.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <thread>

using namespace tilec;

using Bitcode = llvm::SmallString<0>;

/// The order of uses is kept: what passes make of a kernel must not depend on
/// whether it travelled.
static Bitcode writeBitcode(const llvm::Module &module) {
  Bitcode code;
  llvm::raw_svector_ostream stream(code);
  llvm::WriteBitcodeToFile(module, stream,
                           /*ShouldPreserveUseListOrder=*/true);
  return code;
}

static llvm::SmallVector<const llvm::Function *>
listKernels(const llvm::Module &module) {
  llvm::SmallVector<const llvm::Function *> kernels;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      kernels.push_back(&function);
  return kernels;
}

/// Reads one function of a module; the bodies of the others are skipped.
static llvm::Expected<std::unique_ptr<llvm::Module>>
readKernel(const Bitcode &code, llvm::StringRef kernel,
           llvm::LLVMContext &context) {
  auto part = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(code, "kernels"),
                                         context);
  if (!part)
    return part.takeError();
  for (llvm::Function &function : llvm::make_early_inc_range(**part))
    if (!function.isDeclaration() && function.getName() != kernel)
      function.eraseFromParent();
  if (llvm::Error error = (*part)->materializeAll())
    return error;
  return part;
}

size_t tilec::countKernels(const llvm::Module &module) {
  return listKernels(module).size();
}

bool tilec::canShareKernels(const llvm::Module &module) {
  return countKernels(module) > 1 && std::thread::hardware_concurrency() > 1;
}

KernelParts::KernelParts(const llvm::Module &module)
    : code(writeBitcode(module)) {
  for (const llvm::Function *kernel : listKernels(module)) {
    Part &part = parts.emplace_back();
    part.name = kernel->getName().str();
    part.length = kernel->getInstructionCount();
    part.context = std::make_unique<llvm::LLVMContext>();
  }
}

llvm::Error KernelParts::work(
    size_t index,
    llvm::function_ref<llvm::Error(size_t, llvm::Module &)> work) {
  Part &part = parts[index];
  if (!part.module) {
    auto read = readKernel(code, part.name, *part.context);
    if (!read)
      return read.takeError();
    part.module = std::move(*read);
  }
  llvm::Error error = work(index, *part.module);
  if (error) {
    // A crash may have left the module half rewritten: nobody is to walk it
    // again.
    part.module.release();
    part.context.release();
  }
  return error;
}

llvm::Error KernelParts::forEach(
    llvm::function_ref<llvm::Error(size_t, llvm::Module &)> work) {
  // The longest first, so that the threads end together.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, parts.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return parts[a].length > parts[b].length;
  });
  std::vector<std::string> errors(parts.size());
  std::atomic<size_t> next = 0;
  auto takeKernels = [&] {
    for (size_t turn = next++; turn < order.size(); turn = next++)
      if (llvm::Error error = this->work(order[turn], work))
        errors[order[turn]] = llvm::toString(std::move(error));
  };
  std::vector<std::thread> helpers;
  size_t threads =
      std::min<size_t>(std::thread::hardware_concurrency(), parts.size());
  for (size_t i = 1; i < threads; ++i)
    helpers.emplace_back(takeKernels);
  takeKernels();
  for (std::thread &helper : helpers)
    helper.join();
  for (const std::string &error : errors)
    if (!error.empty())
      return llvm::createStringError(error);
  return llvm::Error::success();
}

llvm::Error KernelParts::join(llvm::Module &module) {
  std::vector<Bitcode> results(parts.size());
  if (llvm::Error error = forEach([&](size_t index, llvm::Module &part) {
        results[index] = writeBitcode(part);
        return llvm::Error::success();
      }))
    return error;

  // The parts bring their bodies, and the units of their debug locations.
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.deleteBody();
  if (llvm::NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu"))
    units->eraseFromParent();
  llvm::Linker linker(module);
  for (const Bitcode &result : results) {
    auto part = llvm::parseBitcodeFile(llvm::MemoryBufferRef(result, "kernel"),
                                       module.getContext());
    if (!part)
      return part.takeError();
    if (linker.linkInModule(std::move(*part)))
      return llvm::createStringError(
          "internal error: optimised kernels do not fit together");
  }
  return llvm::Error::success();
}
