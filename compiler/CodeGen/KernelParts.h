//===- KernelParts.h - Work on the kernels of a module in threads ---------===//
//
// A context of LLVM belongs to one thread at a time.  So each kernel travels,
// as bitcode, to a context of its own, where it is optimised and becomes PTX.
// It comes back only where somebody wants all of them in one module.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CODEGEN_KERNELPARTS_H
#define TILE_COMPILER_CODEGEN_KERNELPARTS_H

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace tilec {

/// The number of functions with a body.
size_t countKernels(const llvm::Module &module);

/// Whether threads would gain anything: there are several kernels, and several
/// processors.
bool canShareKernels(const llvm::Module &module);

/// The kernels of a module, each in a module that holds no other body.
class KernelParts {
public:
  explicit KernelParts(const llvm::Module &module);

  size_t size() const { return parts.size(); }

  /// Calls `work`, from several threads, for each kernel, with its number and
  /// its module.  After an error the parts are good for nothing.
  llvm::Error
  forEach(llvm::function_ref<llvm::Error(size_t, llvm::Module &)> work);

  /// Replaces the bodies of the kernels in `module`, which they came from, by
  /// what they have become.
  llvm::Error join(llvm::Module &module);

private:
  struct Part {
    std::string name;
    size_t length = 0;
    std::unique_ptr<llvm::LLVMContext> context;
    /// Null until the first work on it.
    std::unique_ptr<llvm::Module> module;
  };

  llvm::Error
  work(size_t index,
       llvm::function_ref<llvm::Error(size_t, llvm::Module &)> work);

  /// All of them, until they are read.
  llvm::SmallString<0> code;
  std::vector<Part> parts;
};

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_KERNELPARTS_H
