//===- RewriteInstructions.cpp - Calls of GPU instructions ----------------===//
//
// A call of an llvm.nvvm.* intrinsic or of inline assembly stores its operands
// into slots, calls the emulator with the bound operation, and loads the
// results from the slots.  All calls of a function share one row of slots.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "compiler/Emulator/Load/PrintCalls.h"
#include "compiler/Emulator/Load/RewriteModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace tilec;
using namespace tilec::emulator;

namespace {

/// Rewrites the calls of one function.
class CallRewriter {
public:
  CallRewriter(llvm::Function &function, LoadedModule &loaded)
      : function(function), loaded(loaded) {}

  llvm::Error run();

private:
  llvm::Error rewriteIntrinsic(llvm::IntrinsicInst &call);
  llvm::Error rewriteAssembly(llvm::CallInst &call);
  llvm::Error rewriteExternalCall(llvm::CallInst &call);

  /// The types of the results: none, one, or those of a struct.
  static llvm::SmallVector<llvm::Type *> getResults(const llvm::CallInst &call);
  llvm::Error checkTypes(const llvm::CallInst &call);
  /// Replaces the call by one of the emulator that takes `object` and slots.
  void replaceCall(llvm::CallInst &call, const void *runner, const void *object,
                   unsigned slotCount);
  llvm::Value *getSlot(llvm::IRBuilder<> &builder, unsigned index);
  llvm::Value *toSlot(llvm::IRBuilder<> &builder, llvm::Value *value);

  llvm::Function &function;
  LoadedModule &loaded;
  llvm::AllocaInst *slots = nullptr;
  unsigned slotsNeeded = 0;
};

} // namespace

static const Operation *bindIntrinsic(llvm::IntrinsicInst &call,
                                      unsigned results, LoadedModule &loaded) {
  InstructionForm form;
  llvm::StringRef full = call.getCalledFunction()->getName();
  llvm::StringRef base = llvm::Intrinsic::getBaseName(call.getIntrinsicID());
  llvm::StringRef overload = full.drop_front(base.size());
  overload.consume_front(".");
  if (parseScalarType(overload))
    form.overload = overload;
  base.consume_front("llvm.nvvm.");
  base.split(form.words, '.');
  form.results = results;
  form.arguments = call.arg_size();
  const InstructionTable::Entry *entry =
      InstructionTable::get().find(form.words);
  std::optional<Operation> operation;
  if (entry)
    operation = entry->binder(form);
  if (!operation)
    return nullptr;
  operation->results = form.results;
  operation->arguments = form.arguments;
  for (unsigned i = 0;
       i < std::min<size_t>(call.arg_size(), operation->origins.size()); ++i)
    if (call.getArgOperand(i)->getType()->isPointerTy())
      operation->origins[i] =
          static_cast<int16_t>(findOrigin(call.getArgOperand(i)));
  operation->site = &makeSite<Site>(loaded, call, full);
  return &loaded.operations.emplace_back(*operation);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

llvm::SmallVector<llvm::Type *>
CallRewriter::getResults(const llvm::CallInst &call) {
  llvm::Type *type = call.getType();
  if (type->isVoidTy())
    return {};
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::to_vector(structure->elements());
  return {type};
}

/// Every operand must fit a slot.
llvm::Error CallRewriter::checkTypes(const llvm::CallInst &call) {
  llvm::SmallVector<llvm::Type *> types = getResults(call);
  for (const llvm::Value *argument : call.args())
    types.push_back(argument->getType());
  for (llvm::Type *type : types) {
    bool fits = type->isPointerTy();
    if (!fits && (type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()))
      fits = type->getPrimitiveSizeInBits().getFixedValue() <= 64;
    if (!fits)
      return makeUnsupported(
          call, "an operand of '" +
                    llvm::Twine(call.isInlineAsm()
                                    ? "inline assembly"
                                    : call.getCalledOperand()->getName()) +
                    "' has more than 64 bits");
  }
  return llvm::Error::success();
}

llvm::Value *CallRewriter::getSlot(llvm::IRBuilder<> &builder, unsigned index) {
  return builder.CreateConstGEP1_64(builder.getInt64Ty(), slots, index);
}

llvm::Value *CallRewriter::toSlot(llvm::IRBuilder<> &builder,
                                  llvm::Value *value) {
  llvm::Type *type = value->getType();
  if (type->isPointerTy())
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  unsigned bits = type->getPrimitiveSizeInBits();
  value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  return builder.CreateZExt(value, builder.getInt64Ty());
}

void CallRewriter::replaceCall(llvm::CallInst &call, const void *runner,
                               const void *object, unsigned slotCount) {
  llvm::IRBuilder<> builder(&call);
  slotsNeeded = std::max(slotsNeeded, slotCount);
  llvm::SmallVector<llvm::Type *> results = getResults(call);
  for (auto [index, argument] : llvm::enumerate(call.args()))
    builder.CreateStore(
        toSlot(builder, argument),
        getSlot(builder, static_cast<unsigned>(results.size() + index)));
  callEmulator(builder, runner, builder.getVoidTy(),
               {getAddress(builder.getContext(), object), slots});
  auto load = [&](unsigned index) -> llvm::Value * {
    llvm::Type *type = results[index];
    llvm::Value *slot = getSlot(builder, index);
    if (type->isPointerTy())
      return builder.CreateIntToPtr(
          builder.CreateLoad(builder.getInt64Ty(), slot), type);
    unsigned bits = type->getPrimitiveSizeInBits();
    llvm::Value *value =
        builder.CreateTrunc(builder.CreateLoad(builder.getInt64Ty(), slot),
                            builder.getIntNTy(bits));
    return builder.CreateBitCast(value, type);
  };
  if (call.getType()->isStructTy()) {
    llvm::SmallVector<llvm::Value *> elements;
    for (unsigned i = 0; i < results.size(); ++i)
      elements.push_back(load(i));
    // Most users take the struct apart: give them the elements.
    for (llvm::User *user : llvm::make_early_inc_range(call.users()))
      if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(user)) {
        extract->replaceAllUsesWith(elements[extract->getIndices()[0]]);
        extract->eraseFromParent();
      }
    if (!call.use_empty()) {
      llvm::Value *all = llvm::PoisonValue::get(call.getType());
      for (auto [index, element] : llvm::enumerate(elements))
        all = builder.CreateInsertValue(all, element,
                                        static_cast<unsigned>(index));
      call.replaceAllUsesWith(all);
    }
  } else if (!results.empty()) {
    call.replaceAllUsesWith(load(0));
  }
  call.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Error CallRewriter::rewriteIntrinsic(llvm::IntrinsicInst &call) {
  if (llvm::Error error = checkTypes(call))
    return error;
  auto results = static_cast<unsigned>(getResults(call).size());
  const Operation *operation = bindIntrinsic(call, results, loaded);
  if (!operation)
    return makeUnsupported(call, "the emulator does not implement '" +
                                     call.getCalledFunction()->getName() + "'");
  replaceCall(call, reinterpret_cast<const void *>(runOperation), operation,
              results + call.arg_size());
  return llvm::Error::success();
}

llvm::Error CallRewriter::rewriteAssembly(llvm::CallInst &call) {
  if (llvm::Error error = checkTypes(call))
    return error;
  auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  auto results = static_cast<unsigned>(getResults(call).size());
  Site &site =
      makeSite<Site>(loaded, call, "asm \"" + assembly->getAsmString() + "\"");
  auto program = buildPtxProgram(assembly->getAsmString(), results,
                                 call.arg_size(), site, loaded.sites);
  if (!program)
    return makeUnsupported(call, "inline assembly: " +
                                     llvm::toString(program.takeError()));
  llvm::SmallVector<llvm::Type *> types = getResults(call);
  bool hasFloats = llvm::any_of(
      types, [](llvm::Type *type) { return type->isFloatingPointTy(); });
  for (unsigned i = 0; i < results; ++i)
    if (types[i]->isFloatingPointTy() == hasFloats)
      (*program)->sumSlots.push_back(i);
  unsigned operand = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint :
       assembly->ParseConstraints()) {
    if (constraint.isIndirect)
      return makeUnsupported(call, "inline assembly with a memory operand");
    if (constraint.Type == llvm::InlineAsm::isInput &&
        constraint.hasMatchingInput())
      return makeUnsupported(call, "inline assembly with two-way ties");
    if (constraint.Type == llvm::InlineAsm::isInput &&
        !constraint.Codes.empty()) {
      unsigned tied = 0;
      if (!llvm::StringRef(constraint.Codes[0]).getAsInteger(10, tied))
        (*program)->tiedInputs.push_back({tied, operand});
    }
    if (constraint.Type == llvm::InlineAsm::isInput ||
        constraint.Type == llvm::InlineAsm::isOutput)
      ++operand;
  }
  unsigned frame = (*program)->frameSlots;
  loaded.programs.push_back(std::move(*program));
  replaceCall(call, reinterpret_cast<const void *>(runPtxProgram),
              loaded.programs.back().get(), frame);
  return llvm::Error::success();
}

static void failAssertion(const Site *site, const char *message) {
  Thread &thread = currentThread();
  std::string text = message ? message : "";
  EmulationReport report;
  report.kind = EmulationErrorKind::Trap;
  report.message = "assertion failed: " + text;
  report.location = site->location;
  report.thread = thread.index;
  text = std::string();
  thread.block->fail(std::move(report));
}

llvm::Error CallRewriter::rewriteExternalCall(llvm::CallInst &call) {
  llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return makeUnsupported(call, "the emulator does not follow calls through "
                                 "pointers");
  if (callee->getName() == "__assertfail" && call.arg_size() >= 1) {
    Site &site = makeSite<Site>(loaded, call, "assert");
    llvm::IRBuilder<> builder(&call);
    llvm::Value *message = builder.CreatePointerBitCastOrAddrSpaceCast(
        call.getArgOperand(0), builder.getPtrTy());
    callEmulator(builder, reinterpret_cast<const void *>(failAssertion),
                 builder.getVoidTy(),
                 {getAddress(builder.getContext(), &site), message});
    call.eraseFromParent();
    return llvm::Error::success();
  }
  if (callee->getName() == "vprintf" && call.arg_size() == 2 &&
      call.getType()->isIntegerTy(32)) {
    Site &site = makeSite<Site>(loaded, call, "vprintf");
    llvm::IRBuilder<> builder(&call);
    auto address = [&](unsigned index) {
      return builder.CreatePtrToInt(call.getArgOperand(index),
                                    builder.getInt64Ty());
    };
    call.replaceAllUsesWith(callEmulator(
        builder, reinterpret_cast<const void *>(printDeviceText),
        call.getType(),
        {getAddress(builder.getContext(), &site), address(0), address(1)}));
    call.eraseFromParent();
    return llvm::Error::success();
  }
  return makeUnsupported(call, "the kernel calls '" + callee->getName() +
                                   "', which the module does not define");
}

llvm::Error CallRewriter::run() {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::InvokeInst, llvm::CallBrInst>(instruction))
      return makeUnsupported(instruction, "the emulator knows calls only");
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      calls.push_back(call);
  }
  llvm::BasicBlock &entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  slots = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "slots");
  slots->setAlignment(llvm::Align(16));
  for (llvm::CallInst *call : calls) {
    llvm::Function *callee = call->getCalledFunction();
    llvm::Error error = llvm::Error::success();
    if (call->isInlineAsm())
      error = rewriteAssembly(*call);
    else if (callee && callee->getName().starts_with("llvm.nvvm."))
      error = rewriteIntrinsic(*llvm::cast<llvm::IntrinsicInst>(call));
    else if (callee && (callee->isIntrinsic() || !callee->isDeclaration()))
      continue;
    // Calls that earlier steps made go to addresses.
    else if (llvm::isa<llvm::ConstantExpr>(call->getCalledOperand()))
      continue;
    else
      error = rewriteExternalCall(*call);
    if (error)
      return error;
  }
  slots->setAllocatedType(
      llvm::ArrayType::get(builder.getInt64Ty(), std::max(slotsNeeded, 1u)));
  return llvm::Error::success();
}

llvm::Error tilec::emulator::rewriteInstructions(llvm::Function &function,
                                                 LoadedModule &loaded) {
  return CallRewriter(function, loaded).run();
}
