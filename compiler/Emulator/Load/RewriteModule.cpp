//===- RewriteModule.cpp - From NVPTX IR to host IR -----------------------===//
//
// The order of the steps, and the helpers they share.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"

using namespace tilec;
using namespace tilec::emulator;

/// Local memory lies on the fiber's stack and must leave room for the frames
/// of the emulator.
static llvm::Error checkLocalMemory(const llvm::Function &function) {
  uint64_t bytes = 0;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable)
      continue;
    auto size = variable->getAllocationSize(layout);
    if (!size)
      return makeUnsupported(instruction, "the size of a local array is not "
                                          "known when the kernel is compiled");
    bytes += size->getFixedValue();
  }
  if (bytes <= FiberStacks::stackBytes / 2)
    return llvm::Error::success();
  return makeEmulationError(EmulationErrorKind::Unsupported,
                            "'" + function.getName() + "' has " +
                                llvm::Twine(bytes) +
                                " bytes of local memory per thread");
}

llvm::Error tilec::emulator::rewriteModule(llvm::Module &module,
                                           LoadedModule &loaded) {
  if (!module.getModuleInlineAsm().empty())
    return makeEmulationError(EmulationErrorKind::Unsupported,
                              "the module has assembly outside of functions");
  rewriteFunctions(module, loaded);
  if (llvm::Error error = rewriteSharedVariables(module, loaded))
    return error;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (llvm::Error error = checkLocalMemory(function))
      return error;
    contractProducts(function);
    // Checks are inserted before instructions are replaced, so that each site
    // still sees the instruction it stands for.
    for (auto step : {instrumentMemory, rewriteArithmetic, rewriteInstructions,
                      rewriteControlFlow})
      if (llvm::Error error = step(function, loaded))
        return error;
  }
  addKernelWrappers(module, loaded);
  llvm::StripDebugInfo(module);
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return llvm::createStringError("internal error in the emulator: the "
                                   "rewritten module is broken: " +
                                   problem);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

static EmulationLocation convertLocation(const llvm::DILocation &from) {
  EmulationLocation location;
  location.file = from.getFilename().str();
  location.line = from.getLine();
  location.column = from.getColumn();
  return location;
}

EmulationLocation
tilec::emulator::findLocation(const llvm::Instruction &instruction) {
  bool isExact = true;
  for (const llvm::Instruction *near = &instruction; near;
       near = near->getPrevNode()) {
    const llvm::DILocation *debug = near->getDebugLoc().get();
    if (debug && debug->getLine()) {
      EmulationLocation location = convertLocation(*debug);
      location.exact = isExact;
      while ((debug = debug->getInlinedAt()))
        location.callers.push_back(convertLocation(*debug));
      return location;
    }
    isExact = false;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

llvm::Constant *tilec::emulator::getAddress(llvm::LLVMContext &context,
                                            const void *object) {
  return llvm::ConstantExpr::getIntToPtr(
      llvm::ConstantInt::get(llvm::Type::getInt64Ty(context),
                             reinterpret_cast<uint64_t>(object)),
      llvm::PointerType::get(context, 0));
}

llvm::CallInst *
tilec::emulator::callEmulator(llvm::IRBuilderBase &builder, const void *callee,
                              llvm::Type *result,
                              llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  return builder.CreateCall(type, getAddress(builder.getContext(), callee),
                            arguments);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

int tilec::emulator::findOrigin(const llvm::Value *pointer) {
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr,
                             /*MaxLookup=*/0);
  int origin = -1;
  for (const llvm::Value *object : objects) {
    auto *argument = llvm::dyn_cast<llvm::Argument>(object);
    if (!argument)
      return -1;
    int number = static_cast<int>(argument->getArgNo());
    if (origin >= 0 && origin != number)
      return -1;
    origin = number;
  }
  return origin;
}

bool tilec::emulator::isLocalAddress(const llvm::Value *pointer) {
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr,
                             /*MaxLookup=*/0);
  return llvm::all_of(objects, llvm::IsaPred<llvm::AllocaInst>);
}

llvm::Error
tilec::emulator::makeUnsupported(const llvm::Instruction &instruction,
                                 const llvm::Twine &what) {
  return makeEmulationError(EmulationErrorKind::Unsupported, what,
                            findLocation(instruction));
}
