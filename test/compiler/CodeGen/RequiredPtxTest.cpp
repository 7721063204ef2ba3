//===- RequiredPtxTest.cpp - Tests of the PTX version tables --------------===//
#include "compiler/CodeGen/RequiredPtx.h"
#include "compiler/CodeGen/Ptxas.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tilec;

static const Target &get(llvm::StringRef name) {
  return *llvm::cantFail(parseTarget(name));
}

static std::string requiredByText(llvm::StringRef ptx, llvm::StringRef target) {
  return findRequiredPtx(ptx, get(target)).version.str();
}

static std::string requiredByIR(llvm::StringRef ir, llvm::StringRef target) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(ir, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module ? findRequiredPtx(*module, get(target)).version.str() : "";
}

TEST(RequiredPtx, IsTheTargetsOwnForPlainCode) {
  EXPECT_EQ(requiredByText("add.s32 %r1, %r2, %r3;", "sm_80"), "7.0");
  EXPECT_EQ(requiredByText("add.s32 %r1, %r2, %r3;", "sm_86"), "7.1");
  EXPECT_EQ(requiredByText("add.s32 %r1, %r2, %r3;", "sm_89"), "7.8");
  EXPECT_EQ(requiredByText("wgmma.fence.sync.aligned;", "sm_90a"), "8.0");
}

TEST(RequiredPtx, RisesWithTheInstruction) {
  EXPECT_EQ(requiredByText("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
                           " {%f1}, {%r1}, {%r2}, {%f2};",
                           "sm_89"),
            "8.4");
  EXPECT_EQ(requiredByText("\t@%p1 wgmma.mma_async.sync.aligned.m64n8k32.s32.u8"
                           ".s8 {%r1}, %rd1, %rd2, 1;",
                           "sm_90a"),
            "8.4");
  EXPECT_EQ(requiredByText("{ .reg .pred p; setp.ne.b32 p, 0, 1; "
                           "fence.proxy.tensormap::generic.release.gpu; }",
                           "sm_90a"),
            "8.3");
  EXPECT_EQ(
      requiredByText("cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "sm_89"),
      "8.1");
  EXPECT_EQ(
      requiredByText("cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "sm_90a"),
      "8.0");
}

TEST(RequiredPtx, NamesTheInstruction) {
  RequiredPtx required = findRequiredPtx(
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 x;", get("sm_89"));
  EXPECT_EQ(required.reason,
            "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32");
}

TEST(RequiredPtx, SeesIntrinsicsAndInlinePtx) {
  EXPECT_EQ(requiredByIR("declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned."
                         "u32(i32 immarg)",
                         "sm_90a"),
            "8.0");
  EXPECT_EQ(requiredByIR("define void @f(i32 %x) {\n"
                         "  call void asm sideeffect \"createpolicy.fractional"
                         ".L2::evict_first.b64 $0, 1.0;\", \"r\"(i32 %x)\n"
                         "  ret void\n}",
                         "sm_80"),
            "7.4");
  EXPECT_EQ(requiredByIR("define void @f() { ret void }", "sm_80"), "7.0");
}

TEST(RequiredPtx, KnowsTheToolkits) {
  EXPECT_EQ(getPtxOfToolkit(12, 3).str(), "8.3");
  EXPECT_EQ(getPtxOfToolkit(12, 5).str(), "8.5");
  EXPECT_EQ(getPtxOfToolkit(12, 6).str(), "8.5");
  EXPECT_EQ(getPtxOfToolkit(12, 9).str(), "8.8");
  EXPECT_EQ(getPtxOfToolkit(13, 0).str(), "9.0");
  // One that is newer than the table knows at least what 13.0 knows.
  EXPECT_EQ(getPtxOfToolkit(14, 2).str(), "9.0");
  EXPECT_EQ(getPtxOfToolkit(10, 2).str(), "0.0");
}
