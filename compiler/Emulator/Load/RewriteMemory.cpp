//===- RewriteMemory.cpp - Checks in front of memory accesses -------------===//
//
// Every load, store and atomic operation outside of the thread's own stack is
// preceded by a call with its site and address.  The access itself stays: the
// host executes it.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Load/RewriteModule.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace tilec;
using namespace tilec::emulator;

static void checkAccess(const AccessSite *site, uint64_t address) {
  Thread &thread = currentThread();
  thread.block->checkAccess(thread, *site, address, site->bytes);
}

static void checkRange(const AccessSite *site, uint64_t address,
                       uint64_t bytes) {
  Thread &thread = currentThread();
  if (bytes)
    thread.block->checkAccess(thread, *site, address, bytes);
}

static std::string describe(AccessKind kind, uint64_t bytes) {
  const char *verb = kind == AccessKind::Load    ? "load"
                     : kind == AccessKind::Store ? "store"
                                                 : "atomic operation";
  return std::string(verb) + " of " + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes");
}

static void setOrdering(AccessSite &site, llvm::AtomicOrdering ordering) {
  site.acquires = llvm::isAcquireOrStronger(ordering);
  site.releases = llvm::isReleaseOrStronger(ordering);
}

static AccessSite &makeAccessSite(LoadedModule &loaded,
                                  const llvm::Instruction &instruction,
                                  AccessKind kind, uint64_t bytes,
                                  llvm::Align alignment,
                                  const llvm::Value *pointer) {
  AccessSite &site =
      makeSite<AccessSite>(loaded, instruction, describe(kind, bytes));
  site.kind = kind;
  site.bytes = static_cast<uint32_t>(bytes);
  site.alignment = static_cast<uint32_t>(alignment.value());
  site.parameter = findOrigin(pointer);
  return site;
}

static void insertCheck(llvm::Instruction &instruction, const AccessSite &site,
                        llvm::Value *pointer, llvm::Value *bytes = nullptr) {
  llvm::IRBuilder<> builder(&instruction);
  llvm::LLVMContext &context = builder.getContext();
  llvm::Value *address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
  if (!bytes) {
    callEmulator(builder, reinterpret_cast<const void *>(checkAccess),
                 builder.getVoidTy(), {getAddress(context, &site), address});
    return;
  }
  callEmulator(builder, reinterpret_cast<const void *>(checkRange),
               builder.getVoidTy(),
               {getAddress(context, &site), address,
                builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty())});
}

static llvm::Error instrumentLoad(llvm::LoadInst &load, LoadedModule &loaded) {
  uint64_t bytes =
      load.getModule()->getDataLayout().getTypeStoreSize(load.getType());
  AccessKind kind = load.isAtomic() ? AccessKind::Atomic : AccessKind::Load;
  AccessSite &site = makeAccessSite(loaded, load, kind, bytes, load.getAlign(),
                                    load.getPointerOperand());
  site.loads = true;
  site.polls = load.isAtomic() || load.isVolatile();
  site.readsUnwritten = load.isVolatile();
  if (load.isAtomic())
    setOrdering(site, load.getOrdering());
  insertCheck(load, site, load.getPointerOperand());
  return llvm::Error::success();
}

static llvm::Error instrumentStore(llvm::StoreInst &store,
                                   LoadedModule &loaded) {
  uint64_t bytes = store.getModule()->getDataLayout().getTypeStoreSize(
      store.getValueOperand()->getType());
  AccessKind kind = store.isAtomic() ? AccessKind::Atomic : AccessKind::Store;
  AccessSite &site = makeAccessSite(
      loaded, store, kind, bytes, store.getAlign(), store.getPointerOperand());
  site.stores = true;
  if (store.isAtomic())
    setOrdering(site, store.getOrdering());
  insertCheck(store, site, store.getPointerOperand());
  return llvm::Error::success();
}

static llvm::Error instrumentAtomic(llvm::Instruction &instruction,
                                    llvm::Value *pointer, llvm::Type *type,
                                    llvm::AtomicOrdering ordering, bool polls,
                                    LoadedModule &loaded) {
  uint64_t bytes =
      instruction.getModule()->getDataLayout().getTypeStoreSize(type);
  // The GPU wants atomics aligned to their size whatever the IR says.
  AccessSite &site =
      makeAccessSite(loaded, instruction, AccessKind::Atomic, bytes,
                     llvm::Align(llvm::PowerOf2Ceil(bytes)), pointer);
  site.loads = site.stores = true;
  site.polls = polls;
  setOrdering(site, ordering);
  insertCheck(instruction, site, pointer);
  return llvm::Error::success();
}

static void instrumentRange(llvm::MemIntrinsic &memory, AccessKind kind,
                            llvm::Value *pointer, llvm::MaybeAlign alignment,
                            LoadedModule &loaded) {
  if (isLocalAddress(pointer))
    return;
  AccessSite &site =
      makeAccessSite(loaded, memory, kind, 0, alignment.valueOrOne(), pointer);
  site.text = "copy by " + memory.getCalledFunction()->getName().str();
  insertCheck(memory, site, pointer, memory.getLength());
}

/// A load or store of some lanes of a vector: one check for each run of lanes
/// that follow one another.  The vectoriser makes them where it joins accesses
/// around a gap; their masks are constants.
static llvm::Error instrumentMasked(llvm::IntrinsicInst &call,
                                    LoadedModule &loaded) {
  bool isLoad = call.getIntrinsicID() == llvm::Intrinsic::masked_load;
  unsigned pointerIndex = isLoad ? 0 : 1;
  llvm::Value *pointer = call.getArgOperand(pointerIndex);
  if (isLocalAddress(pointer))
    return llvm::Error::success();
  auto *mask =
      llvm::dyn_cast<llvm::Constant>(call.getArgOperand(pointerIndex + 1));
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(
      isLoad ? call.getType() : call.getArgOperand(0)->getType());
  if (!mask || !type)
    return makeUnsupported(call, "the emulator does not implement '" +
                                     call.getCalledFunction()->getName() +
                                     "' with a mask of run time");
  uint64_t laneBytes = call.getModule()->getDataLayout().getTypeStoreSize(
      type->getElementType());
  llvm::Align alignment = call.getParamAlign(pointerIndex).valueOrOne();
  auto isSet = [&](unsigned lane) {
    llvm::Constant *bit = lane < type->getNumElements()
                              ? mask->getAggregateElement(lane)
                              : nullptr;
    return bit && bit->isOneValue();
  };
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    unsigned first = lane;
    while (isSet(lane))
      ++lane;
    if (lane == first)
      continue;
    uint64_t offset = first * laneBytes;
    AccessSite &site = makeAccessSite(
        loaded, call, isLoad ? AccessKind::Load : AccessKind::Store,
        (lane - first) * laneBytes, llvm::commonAlignment(alignment, offset),
        pointer);
    site.loads = isLoad;
    site.stores = !isLoad;
    llvm::IRBuilder<> builder(&call);
    insertCheck(call, site,
                builder.CreatePtrAdd(pointer, builder.getInt64(offset)));
  }
  return llvm::Error::success();
}

/// Intrinsics other than those of the target that may touch memory.
static llvm::Error instrumentIntrinsic(llvm::IntrinsicInst &call,
                                       LoadedModule &loaded) {
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    instrumentRange(*memory, AccessKind::Store, memory->getRawDest(),
                    memory->getDestAlign(), loaded);
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call))
      instrumentRange(*memory, AccessKind::Load, transfer->getRawSource(),
                      transfer->getSourceAlign(), loaded);
    return llvm::Error::success();
  }
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_store:
    return instrumentMasked(call, loaded);
  case llvm::Intrinsic::assume:
  case llvm::Intrinsic::lifetime_start:
  case llvm::Intrinsic::lifetime_end:
  case llvm::Intrinsic::invariant_start:
  case llvm::Intrinsic::invariant_end:
  case llvm::Intrinsic::experimental_noalias_scope_decl:
  case llvm::Intrinsic::sideeffect:
  case llvm::Intrinsic::trap:
  case llvm::Intrinsic::debugtrap:
  case llvm::Intrinsic::ubsantrap:
  case llvm::Intrinsic::prefetch:
  case llvm::Intrinsic::stacksave:
  case llvm::Intrinsic::stackrestore:
  case llvm::Intrinsic::fake_use:
    return llvm::Error::success();
  default:
    if (!call.mayReadOrWriteMemory() || call.isDebugOrPseudoInst())
      return llvm::Error::success();
    return makeUnsupported(call, "the emulator does not implement '" +
                                     call.getCalledFunction()->getName() + "'");
  }
}

static llvm::Error instrument(llvm::Instruction &instruction,
                              LoadedModule &loaded) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    if (call->getCalledFunction()->getName().starts_with("llvm.nvvm."))
      return llvm::Error::success();
    return instrumentIntrinsic(*call, loaded);
  }
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (pointer && isLocalAddress(pointer))
    return llvm::Error::success();
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return instrumentLoad(*load, loaded);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return instrumentStore(*store, loaded);
  if (auto *rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return instrumentAtomic(
        *rmw, rmw->getPointerOperand(), rmw->getType(), rmw->getOrdering(),
        rmw->getOperation() == llvm::AtomicRMWInst::Xchg, loaded);
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return instrumentAtomic(*exchange, exchange->getPointerOperand(),
                            exchange->getCompareOperand()->getType(),
                            exchange->getSuccessOrdering(), /*polls=*/true,
                            loaded);
  return llvm::Error::success();
}

llvm::Error tilec::emulator::instrumentMemory(llvm::Function &function,
                                              LoadedModule &loaded) {
  llvm::SmallVector<llvm::Instruction *> instructions;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    instructions.push_back(&instruction);
  for (llvm::Instruction *instruction : instructions)
    if (llvm::Error error = instrument(*instruction, loaded))
      return error;
  return llvm::Error::success();
}
