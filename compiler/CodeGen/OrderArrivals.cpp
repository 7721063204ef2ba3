//===- OrderArrivals.cpp - Arrivals behind the reads before them ----------===//
#include "compiler/CodeGen/OrderArrivals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tilec;

/// The window of a block's own shared memory, and that of its cluster.
static constexpr unsigned sharedSpace = 3, clusterSpace = 7;

static StringRef getAsmText(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text ? StringRef(text->getAsmString()) : StringRef();
}

/// An arrival that follows what its thread did.  One that announces bytes
/// begins the writing of a buffer, and those of cp.async come by themselves.
static bool isArrival(const Instruction &instruction) {
  StringRef text = getAsmText(instruction);
  return text.contains("mbarrier.arrive") && !text.contains("expect_tx") &&
         !text.contains("cp.async");
}

static bool isSharedLoad(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getPointerAddressSpace() == sharedSpace ||
           load->getPointerAddressSpace() == clusterSpace;
  if (instruction.getType()->isVoidTy())
    return false;
  if (auto *call = dyn_cast<CallInst>(&instruction))
    if (const Function *callee = call->getCalledFunction())
      return callee->getName().starts_with("llvm.nvvm.ldmatrix");
  StringRef text = getAsmText(instruction);
  return text.contains("ldmatrix") || text.contains("ld.shared");
}

static bool isWarpProduct(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return (callee && callee->getName().starts_with("llvm.nvvm.mma.")) ||
         getAsmText(instruction).contains("mma.sync.aligned.m");
}

/// The loads on the ways to `arrival` that no other arrival stands behind.
static SmallVector<Instruction *> findLoadsBefore(Instruction *arrival) {
  SmallVector<Instruction *> loads;
  SmallPtrSet<BasicBlock *, 8> seen;
  SmallVector<BasicBlock *> open;
  auto scan = [&](BasicBlock *block, BasicBlock::reverse_iterator from) {
    for (Instruction &instruction : make_range(from, block->rend())) {
      if (isArrival(instruction))
        return;
      if (isSharedLoad(instruction))
        loads.push_back(&instruction);
    }
    for (BasicBlock *before : predecessors(block))
      if (seen.insert(before).second)
        open.push_back(before);
  };
  scan(arrival->getParent(), std::next(arrival->getReverseIterator()));
  while (!open.empty()) {
    BasicBlock *block = open.pop_back_val();
    scan(block, block->rbegin());
  }
  return loads;
}

/// Whether `user` only hands on what it is given, or a part of it.
static bool handsOn(const User *user) {
  return isa<PHINode, ExtractValueInst, ExtractElementInst, CastInst,
             InsertElementInst, InsertValueInst, ShuffleVectorInst>(user);
}

/// What to wait for so that `load` is complete at `arrival`: its value, or one
/// that it is handed on as.  Null where there is none.
static Instruction *findArrived(Instruction *load, Instruction *arrival,
                                const DominatorTree &dominators) {
  SmallSetVector<Instruction *, 8> values;
  values.insert(load);
  for (unsigned i = 0; i != values.size(); ++i) {
    Instruction *value = values[i];
    if (value != arrival && dominators.dominates(value, arrival))
      return value;
    for (User *user : value->users())
      if (handsOn(user))
        values.insert(cast<Instruction>(user));
  }
  return nullptr;
}

/// Whether the block of `load` computes with it: issued in order, that waited.
static bool isUsedInItsBlock(Instruction *load) {
  SmallSetVector<Instruction *, 8> values;
  values.insert(load);
  for (unsigned i = 0; i != values.size(); ++i)
    for (User *user : values[i]->users()) {
      auto *instruction = cast<Instruction>(user);
      if (instruction->getParent() != load->getParent() ||
          isa<PHINode>(instruction))
        continue;
      if (!handsOn(instruction))
        return true;
      values.insert(instruction);
    }
  return false;
}

/// Whether a wgmma in front of `arrival` takes what `value` became: these keep
/// their order with arrivals, and are issued when their operands are there.
static bool isTakenBefore(Instruction *arrival, Instruction *value,
                          const DominatorTree &dominators) {
  constexpr unsigned mostSteps = 1024;
  SmallSetVector<Instruction *, 32> values;
  values.insert(value);
  for (unsigned i = 0; i != values.size() && i != mostSteps; ++i)
    for (User *user : values[i]->users()) {
      auto *instruction = cast<Instruction>(user);
      // Behind a back edge stands another value of that name.
      if (isa<PHINode>(instruction) &&
          !dominators.properlyDominates(value->getParent(),
                                        instruction->getParent()))
        continue;
      if (getAsmText(*instruction).contains("wgmma.mma_async") &&
          dominators.dominates(instruction, arrival))
        return true;
      values.insert(instruction);
    }
  return false;
}

/// The last mma.sync in front of `arrival`, in its block, that takes what
/// `value` became: issued when its operands are there, so that who waits for
/// its sums waits for them.  Null where there is none.
static Instruction *findProduct(Instruction *value, Instruction *arrival) {
  constexpr unsigned mostSteps = 4096;
  Instruction *last = nullptr;
  SmallSetVector<Instruction *, 32> values;
  values.insert(value);
  for (unsigned i = 0; i != values.size() && i != mostSteps; ++i) {
    if (isWarpProduct(*values[i]) && (!last || last->comesBefore(values[i])))
      last = values[i];
    for (User *user : values[i]->users()) {
      auto *instruction = cast<Instruction>(user);
      if (!isa<PHINode>(instruction) &&
          instruction->getParent() == arrival->getParent() &&
          instruction->comesBefore(arrival))
        values.insert(instruction);
    }
  }
  return last;
}

/// One word of `value`, which comes with the rest.
static Value *getWord(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (type->isAggregateType())
    return getWord(builder, builder.CreateExtractValue(value, 0));
  if (type->isVectorTy())
    return getWord(builder, builder.CreateExtractElement(value, uint64_t(0)));
  if (type->isPointerTy())
    value = builder.CreatePtrToInt(value, builder.getInt32Ty());
  else if (type->isFloatingPointTy())
    value = builder.CreateBitCast(
        value, builder.getIntNTy(type->getPrimitiveSizeInBits()));
  return builder.CreateZExtOrTrunc(value, builder.getInt32Ty());
}

/// Waits for all that was read, in front of `place`.
static void insertFence(Instruction *place) {
  IRBuilder<> builder(place);
  builder.CreateCall(InlineAsm::get(
      FunctionType::get(builder.getVoidTy(), false), "fence.acq_rel.cta;",
      "~{memory}", /*hasSideEffects=*/true));
}

/// Words of the values together, where the last of them has come.
static Value *combineWords(CallInst *arrival, ArrayRef<Instruction *> values) {
  Instruction *place = arrival;
  BasicBlock *block = values.front()->getParent();
  if (all_of(values, [&](Instruction *value) {
        return value->getParent() == block && !isa<PHINode>(value);
      })) {
    place = values.front();
    for (Instruction *value : values)
      if (place->comesBefore(value))
        place = value;
    place = place->getNextNode();
  }
  IRBuilder<> builder(place);
  Value *words = nullptr;
  for (Instruction *value : values) {
    Value *word = getWord(builder, value);
    words = words ? builder.CreateXor(words, word) : word;
  }
  return words;
}

/// Lets the address depend on words: max(a, min(a, x)) is a, which ptxas is not
/// known to see.
static void tieAddress(CallInst *arrival, Value *words) {
  IRBuilder<> builder(arrival);
  Type *word = builder.getInt32Ty();
  InlineAsm *keep = InlineAsm::get(
      FunctionType::get(word, {word, word}, false),
      "{\n.reg .b32 low;\nmin.u32 low, $1, $2;\nmax.u32 $0, $1, low;\n}",
      "=r,r,r", /*hasSideEffects=*/false);
  arrival->setArgOperand(
      0, builder.CreateCall(keep, {arrival->getArgOperand(0), words}));
}

/// A negative number, once a function: launches have one dimension, which
/// neither LLVM nor ptxas knows.  That a bit is set ptxas would see.
static Value *getNegative(Function &function) {
  constexpr StringLiteral name = "negative";
  for (Instruction &instruction : function.getEntryBlock())
    if (instruction.getName() == name)
      return &instruction;
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  InlineAsm *make = InlineAsm::get(
      FunctionType::get(builder.getInt32Ty(), false),
      "{\n.reg .b32 one;\nmov.u32 one, %nctaid.z;\nsub.u32 $0, one, 2;\n}",
      "=r", /*hasSideEffects=*/false);
  return builder.CreateCall(make, {}, name);
}

/// Lets the predicate depend on words: without its sign a number is not a
/// negative one.  The address stays in a uniform register, and the predicate
/// in one of its own: 5 % of a product with scales of blocks.
static void tiePredicate(CallInst *arrival, Value *words) {
  Value *negative = getNegative(*arrival->getFunction());
  IRBuilder<> builder(arrival);
  Value *unsignedWords = builder.CreateAnd(words, builder.getInt32(INT32_MAX));
  Value *isOther = builder.CreateICmpNE(unsignedWords, negative);
  arrival->setArgOperand(1,
                         builder.CreateAnd(isOther, arrival->getArgOperand(1)));
}

static void order(CallInst *arrival, ArrayRef<Instruction *> loads,
                  const DominatorTree &dominators) {
  SmallSetVector<Instruction *, 16> values;
  bool isFenced = false, hasSums = false;
  for (Instruction *load : loads) {
    Instruction *value = findArrived(load, arrival, dominators);
    if (!value)
      isFenced |= !isUsedInItsBlock(load);
    else if (!isTakenBefore(arrival, value, dominators)) {
      // Sums take no more registers; what was loaded would stay in its own.
      Instruction *product = findProduct(value, arrival);
      values.insert(product ? product : value);
      hasSums |= product != nullptr;
    }
  }
  if (isFenced)
    return insertFence(arrival);
  if (values.empty())
    return;

  Value *words = combineWords(arrival, values.getArrayRef());
  // With sums of mma.sync registers are scarce.
  if (getAsmText(*arrival).starts_with("@$1 ") && !hasSums)
    tiePredicate(arrival, words);
  else
    tieAddress(arrival, words);
}

PreservedAnalyses OrderArrivals::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  SmallVector<std::pair<CallInst *, SmallVector<Instruction *>>> arrivals;
  for (Instruction &instruction : instructions(function))
    if (isArrival(instruction))
      arrivals.push_back(
          {cast<CallInst>(&instruction), findLoadsBefore(&instruction)});
  if (arrivals.empty())
    return PreservedAnalyses::all();

  // What a loop found loaded would stay in registers for its arrivals: it is
  // waited for once, where it was loaded.
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallSetVector<BasicBlock *, 8> fenced;
  for (auto &[arrival, loads] : arrivals)
    if (const Loop *loop = loops.getLoopFor(arrival->getParent()))
      for (Instruction *load : loads)
        if (!loop->contains(load) && !load->use_empty())
          fenced.insert(load->getParent());
  for (BasicBlock *block : fenced)
    insertFence(block->getTerminator());

  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  for (auto &[arrival, loads] : arrivals) {
    erase_if(loads, [&, arrival = arrival](Instruction *load) {
      return load->use_empty() || (fenced.contains(load->getParent()) &&
                                   load->getParent() != arrival->getParent());
    });
    order(arrival, loads, dominators);
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
