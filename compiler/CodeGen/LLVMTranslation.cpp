//===- LLVMTranslation.cpp - From the LLVM dialect to LLVM IR -------------===//
#include "compiler/CodeGen/LLVMTranslation.h"
#include "compiler/CodeGen/TargetMachine.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

llvm::Error tilec::setTargetLayout(llvm::Module &module, const Target &target) {
  auto machine = createTargetMachine(target, target.lowestPtx);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  return llvm::Error::success();
}

/// Gives each function the scope that makes the locations of its ops debug
/// locations; without one the translation drops them.
static mlir::LogicalResult addDebugScopes(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext(),
                           mlir::ModuleOp::getOperationName());
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
  return passes.run(module);
}

/// Whether all threads of a warp, or more, must reach inline PTX together.
static bool isCollective(llvm::StringRef text) {
  return text.contains(".sync.aligned") || text.contains("setmaxnreg") ||
         text.starts_with("bar.") || text.starts_with("barrier.");
}

/// Says of inline PTX what the LLVM dialect cannot: that it must not be made
/// dependent on more conditions, and that a byte was loaded to a whole
/// register.
static void describeAssembly(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->isInlineAsm())
        continue;
      auto *assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
      llvm::StringRef text = assembly->getAsmString();
      if (isCollective(text))
        call->setConvergent();
      if (text.contains("ld.global.b8 ") && call->getType()->isIntegerTy(32))
        call->addRangeRetAttr(
            llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, 256)));
    }
}

llvm::Expected<std::unique_ptr<llvm::Module>>
tilec::translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                       const Target &target) {
  mlir::DialectRegistry translations;
  mlir::registerBuiltinDialectTranslation(translations);
  mlir::registerLLVMDialectTranslation(translations);
  mlir::registerNVVMDialectTranslation(translations);
  module.getContext()->appendDialectRegistry(translations);

  std::string messages;
  mlir::ScopedDiagnosticHandler collect(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream(messages)
            << diagnostic.getLocation() << ": " << diagnostic << "\n";
        return mlir::success();
      });

  std::unique_ptr<llvm::Module> translated;
  if (mlir::succeeded(addDebugScopes(module)))
    translated = mlir::translateModuleToLLVMIR(module, context, "tile");
  if (!translated)
    return llvm::createStringError(
        "internal error in the translation to LLVM IR:\n" + messages);
  if (llvm::Error error = setTargetLayout(*translated, target))
    return error;
  describeAssembly(*translated);
  return translated;
}
