//===- OrderArrivalsTest.cpp - Arrivals behind the reads before them ------===//
#include "compiler/CodeGen/OrderArrivals.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <string>

using namespace tilec;

namespace {
class OrderArrivalsTest : public testing::Test {
protected:
  /// Runs the pass over a function with this body, which has %p, %q (shared
  /// memory), %bar and %c.
  void run(const std::string &body) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(
        "define void @f(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %bar, "
        "i1 %c) {\n" +
            body + "\n}\n",
        error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    function = module->getFunction("f");
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager sccs;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
    OrderArrivals().run(*function, functions);
    ASSERT_FALSE(llvm::verifyFunction(*function, &llvm::errs()));
  }

  static llvm::StringRef getText(const llvm::Value &value) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&value);
    auto *text = call
                     ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
                     : nullptr;
    return text ? llvm::StringRef(text->getAsmString()) : llvm::StringRef();
  }

  llvm::Instruction *find(llvm::StringRef name) {
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      if (instruction.getName() == name)
        return &instruction;
    return nullptr;
  }

  unsigned countFences(llvm::StringRef block) {
    unsigned count = 0;
    for (llvm::BasicBlock &candidate : *function)
      for (llvm::Instruction &instruction : candidate)
        count += candidate.getName() == block &&
                 getText(instruction).contains("fence.acq_rel.cta");
    return count;
  }

  /// Whether the address of the arrival, or its predicate, is computed from a
  /// value.
  bool dependsOn(llvm::StringRef name, unsigned operand = 0) {
    llvm::SmallPtrSet<llvm::Value *, 16> seen;
    llvm::SmallVector<llvm::Value *> open;
    for (llvm::Instruction &instruction : llvm::instructions(*function))
      if (getText(instruction).contains("mbarrier.arrive"))
        open.push_back(
            llvm::cast<llvm::CallInst>(instruction).getArgOperand(operand));
    while (!open.empty()) {
      auto *value = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
      if (value && seen.insert(value).second)
        llvm::append_range(open, value->operands());
    }
    return seen.contains(find(name));
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function *function = nullptr;
};

const std::string arrive =
    R"(call void asm sideeffect "mbarrier.arrive.shared::cta.b64 _, [$0];", "r"(i32 %bar))"
    "\n";
const std::string useX = R"(call void asm sideeffect "use $0;", "r"(i32 %x))"
                         "\n";
} // namespace

TEST_F(OrderArrivalsTest, DependsOnEachLoadBefore) {
  run("%x = load i32, ptr addrspace(3) %p\n"
      "%y = load <4 x float>, ptr addrspace(3) %q\n"
      "%z = fadd <4 x float> %y, %y\n" +
      useX + arrive + "%late = load i32, ptr addrspace(3) %q\nret void");
  EXPECT_TRUE(dependsOn("x"));
  EXPECT_TRUE(dependsOn("y"));
  EXPECT_FALSE(dependsOn("late"));
  EXPECT_EQ(countFences(""), 0u);
}

TEST_F(OrderArrivalsTest, LetsAPredicateDependInPlaceOfTheAddress) {
  run("%x = load float, ptr addrspace(3) %p\n"
      "%y = load float, ptr addrspace(3) %q\n"
      "%z = fmul float %x, %y\n"
      R"(call void asm sideeffect "use $0;", "f"(float %z))"
      "\n"
      R"(call void asm sideeffect "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b"(i32 %bar, i1 %c))"
      "\nret void");
  EXPECT_FALSE(dependsOn("x"));
  EXPECT_TRUE(dependsOn("x", /*operand=*/1));
  EXPECT_TRUE(dependsOn("y", /*operand=*/1));
}

TEST_F(OrderArrivalsTest, LeavesArrivalsWithoutLoads) {
  run("%g = ptrtoint ptr addrspace(3) %p to i32\n" + arrive + "ret void");
  for (llvm::Instruction &instruction : llvm::instructions(*function)) {
    if (getText(instruction).contains("mbarrier.arrive")) {
      EXPECT_EQ(llvm::cast<llvm::CallInst>(instruction).getArgOperand(0),
                function->getArg(2));
    }
  }
}

TEST_F(OrderArrivalsTest, KnowsWhatWgmmaHasTaken) {
  run("%x = load i32, ptr addrspace(3) %p\n"
      "%a = add i32 %x, 1\n"
      R"(call void asm sideeffect "wgmma.mma_async $0;", "r"(i32 %a))"
      "\n"
      "%y = load i32, ptr addrspace(3) %q\n"
      "%b = add i32 %y, 1\n"
      R"(call void asm sideeffect "", "r"(i32 %b))"
      "\n" +
      arrive + "ret void");
  EXPECT_FALSE(dependsOn("x"));
  // An empty statement leaves nothing in PTX.
  EXPECT_TRUE(dependsOn("y"));
}

TEST_F(OrderArrivalsTest, WaitsForSumsInsteadOfWhatTheyAreMadeOf) {
  std::string product =
      R"( = call i32 asm "mma.sync.aligned.m16n8k16 $0, $1, $2;", "=r,r,r")";
  run("%x = load i32, ptr addrspace(3) %p\n"
      "%a = and i32 %x, 15\n"
      "%y = load i32, ptr addrspace(3) %q\n"
      "%z = load i32, ptr addrspace(3) %p\n"
      "%first" +
      product + "(i32 %a, i32 0)\n%last" + product +
      "(i32 %y, i32 %first)\n%other = add i32 %z, %last\n"
      R"(call void asm sideeffect "use $0;", "r"(i32 %other))"
      "\n" +
      arrive + "%late" + product + "(i32 %x, i32 %last)\n" +
      R"(call void asm sideeffect "use $0;", "r"(i32 %late))"
      "\nret void");
  EXPECT_TRUE(dependsOn("last"));
  EXPECT_TRUE(dependsOn("z"));
  EXPECT_FALSE(dependsOn("late"));
  // The sums stand for what they are made of.
  for (const char *name : {"x", "y"})
    EXPECT_TRUE(llvm::none_of(find(name)->users(), [](llvm::User *user) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      return instruction->getOpcode() == llvm::Instruction::Xor ||
             getText(*instruction).contains("min.u32");
    }));
}

TEST_F(OrderArrivalsTest, TakesWhatABranchLoadedAsItIsHandedOn) {
  run("br i1 %c, label %read, label %join\n"
      "read:\n%x = load i32, ptr addrspace(3) %p\nbr label %join\n"
      "join:\n%j = phi i32 [ 0, %0 ], [ %x, %read ]\n"
      R"(call void asm sideeffect "use $0;", "r"(i32 %j))"
      "\n" +
      arrive + "ret void");
  EXPECT_TRUE(dependsOn("j"));
  EXPECT_EQ(countFences("join"), 0u);
}

TEST_F(OrderArrivalsTest, WaitsInFrontOfALoopForWhatWasLoadedThere) {
  run("br label %before\n"
      "before:\n%x = load i32, ptr addrspace(3) %p\nbr label %loop\n"
      "loop:\n%i = phi i32 [ %x, %before ], [ %y, %loop ]\n"
      R"(call void asm sideeffect "use $0;", "r"(i32 %i))"
      "\n"
      "%y = load i32, ptr addrspace(3) %q\n" +
      arrive +
      "br i1 %c, label %loop, label %end\n"
      "end:\nret void");
  EXPECT_TRUE(dependsOn("y"));
  EXPECT_FALSE(dependsOn("x"));
  EXPECT_EQ(countFences("before"), 1u);
  EXPECT_EQ(countFences("loop"), 0u);
}

TEST_F(OrderArrivalsTest, WaitsByAFenceWhereNoValueIsAtHand) {
  run("br i1 %c, label %read, label %join\n"
      "read:\n%x = load i32, ptr addrspace(3) %p\n"
      "br i1 %c, label %use, label %join\n"
      "use:\n" +
      useX + "br label %join\njoin:\n" + arrive + "ret void");
  EXPECT_EQ(countFences("join"), 1u);
}
