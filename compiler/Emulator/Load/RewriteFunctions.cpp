//===- RewriteFunctions.cpp - Kernels and functions for the host ----------===//
//
// Calling conventions, attributes and parameters of the GPU mean nothing to
// host code generation, or worse: it would look for the processor "sm_90a".
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace tilec;
using namespace tilec::emulator;

/// Whether the function says when launches behind it may start, or waits for
/// those before.
static bool controlsLaunches(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction
                                                           &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call)
      return false;
    if (auto *text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
      return llvm::StringRef(text->getAsmString()).contains("griddepcontrol.");
    const llvm::Function *callee = call->getCalledFunction();
    return callee && callee->getName().starts_with("llvm.nvvm.griddepcontrol.");
  });
}

static void recordKernel(const llvm::Function &function, LoadedModule &loaded) {
  Kernel &kernel = loaded.kernels[function.getName().str()];
  kernel.wrapper = ("tile.launch." + function.getName()).str();
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  for (const llvm::Argument &argument : function.args()) {
    KernelParameter parameter;
    parameter.isByValue = argument.hasByValAttr();
    parameter.isPointer =
        argument.getType()->isPointerTy() && !parameter.isByValue;
    llvm::Type *type =
        parameter.isByValue ? argument.getParamByValType() : argument.getType();
    parameter.bytes = layout.getTypeStoreSize(type);
    kernel.parameters.push_back(parameter);
  }
  // Along the first axis only: the others of a launch are 1.
  llvm::StringRef cluster =
      function.getFnAttribute("nvvm.cluster_dim").getValueAsString();
  cluster.split(',').first.getAsInteger(10, kernel.clusterSize);
  kernel.overlaps = controlsLaunches(function);
  if (const llvm::DISubprogram *program = function.getSubprogram()) {
    kernel.location.file = program->getFilename().str();
    kernel.location.line = program->getLine();
    kernel.location.column = 1;
  }
}

void tilec::emulator::rewriteFunctions(llvm::Module &module,
                                       LoadedModule &loaded) {
  for (llvm::Function &function : module) {
    if (function.isIntrinsic())
      continue;
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
        !function.isDeclaration())
      recordKernel(function, loaded);
    function.setCallingConv(llvm::CallingConv::C);
    // What the optimiser proved about memory no longer holds once the code
    // calls the emulator.
    function.setAttributes(llvm::AttributeList());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setComdat(nullptr);
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
          auto *callee = call->getCalledFunction();
          if (callee && callee->isIntrinsic())
            continue;
          call->setCallingConv(llvm::CallingConv::C);
          call->setAttributes(llvm::AttributeList());
          call->setTailCall(false);
        }
  }
  for (llvm::GlobalVariable &variable :
       llvm::make_early_inc_range(module.globals())) {
    if (variable.getName().starts_with("llvm.")) {
      variable.eraseFromParent();
      continue;
    }
    if (variable.getAddressSpace() == 3 || variable.isDeclaration())
      continue;
    // Registered as a buffer once its address is known.
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setComdat(nullptr);
    if (!variable.hasName())
      variable.setName("tile.global");
    const llvm::DataLayout &layout = module.getDataLayout();
    loaded.globals.push_back({variable.getName().str(),
                              layout.getTypeAllocSize(variable.getValueType()),
                              variable.isConstant()});
  }
}

void tilec::emulator::addKernelWrappers(llvm::Module &module,
                                        LoadedModule &loaded) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  for (auto &[name, kernel] : loaded.kernels) {
    llvm::Function *function = module.getFunction(name);
    auto *wrapper = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer},
                                /*isVarArg=*/false),
        llvm::GlobalValue::ExternalLinkage, kernel.wrapper, module);
    llvm::IRBuilder<> builder(
        llvm::BasicBlock::Create(context, "entry", wrapper));
    llvm::SmallVector<llvm::Value *> arguments;
    for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
      llvm::Value *slot =
          builder.CreateConstGEP1_64(pointer, wrapper->getArg(0), index);
      llvm::Value *address = builder.CreateLoad(pointer, slot);
      llvm::Type *type =
          function->getArg(static_cast<unsigned>(index))->getType();
      if (parameter.isByValue)
        arguments.push_back(
            builder.CreatePointerBitCastOrAddrSpaceCast(address, type));
      else
        arguments.push_back(
            builder.CreateAlignedLoad(type, address, llvm::Align(1)));
    }
    builder.CreateCall(function, arguments);
    builder.CreateRetVoid();
  }
}
