//===- KernelPartsTest.cpp - Kernels of a module in threads ---------------===//
#include "compiler/CodeGen/KernelParts.h"
#include "compiler/CodeGen/CodeGen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <mutex>

using namespace tilec;

/// Three kernels, the second the longest, that share a declaration.
static constexpr llvm::StringLiteral threeKernels = R"(
  @tile_shared = external addrspace(3) global [0 x i8], align 1024
  define ptx_kernel void @first(ptr addrspace(1) %p) {
    store i32 1, ptr addrspace(1) %p
    ret void
  }
  define ptx_kernel void @second(ptr addrspace(1) %p) {
    %v = load i32, ptr addrspace(3) @tile_shared
    %w = add i32 %v, %v
    store i32 %w, ptr addrspace(1) %p
    ret void
  }
  define ptx_kernel void @third(ptr addrspace(1) %p) {
    %v = load i32, ptr addrspace(3) @tile_shared
    store i32 %v, ptr addrspace(1) %p
    ret void
  }
)";

namespace {
class KernelPartsTest : public testing::Test {
protected:
  KernelPartsTest() {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(threeKernels, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    target = llvm::cantFail(parseTarget("sm_90a"));
    llvm::cantFail(setTargetLayout(*module, *target));
  }

  std::string print() const {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  const Target *target = nullptr;
};
} // namespace

TEST_F(KernelPartsTest, GivesEachKernelAlone) {
  std::mutex mutex;
  std::string before = print();
  KernelParts kernels(*module);
  std::vector<std::string> seen(kernels.size());
  llvm::cantFail(kernels.forEach([&](size_t index, llvm::Module &part) {
    std::lock_guard<std::mutex> lock(mutex);
    for (llvm::Function &function : part)
      seen[index] += function.getName().str() + ";";
    return llvm::Error::success();
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"first;", "second;", "third;"}));
  EXPECT_EQ(print(), before);
}

TEST_F(KernelPartsTest, PutsChangedKernelsBackInTheirOrder) {
  KernelParts kernels(*module);
  llvm::cantFail(kernels.forEach([](size_t, llvm::Module &part) {
    for (llvm::Function &function : part)
      function.addFnAttr("changed");
    return llvm::Error::success();
  }));
  llvm::cantFail(kernels.join(*module));
  std::string names;
  for (llvm::Function &function : *module) {
    EXPECT_FALSE(function.isDeclaration());
    EXPECT_TRUE(function.hasFnAttribute("changed"));
    names += function.getName().str() + " ";
  }
  EXPECT_EQ(names, "first second third ");
  EXPECT_EQ(std::distance(module->global_begin(), module->global_end()), 1);
}

TEST_F(KernelPartsTest, ReportsTheFirstKernelThatFails) {
  KernelParts kernels(*module);
  llvm::Error error =
      kernels.forEach([](size_t, llvm::Module &part) -> llvm::Error {
        llvm::StringRef name = part.begin()->getName();
        if (name == "first")
          return llvm::Error::success();
        return llvm::createStringError("no " + name);
      });
  EXPECT_EQ(llvm::toString(std::move(error)), "no second");
}

TEST_F(KernelPartsTest, BecomesOneTextOfPtx) {
  std::string ptx = llvm::cantFail(emitPTX(*module, *target));
  auto count = [&](llvm::StringRef text) {
    return llvm::StringRef(ptx).count(text);
  };
  EXPECT_EQ(count(".version"), 1u);
  EXPECT_EQ(count(".extern .shared"), 1u);
  EXPECT_EQ(count(".entry"), 3u);
  EXPECT_LT(ptx.find(".entry first("), ptx.find(".entry second("));
  EXPECT_LT(ptx.find(".entry second("), ptx.find(".entry third("));
}
