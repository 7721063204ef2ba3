//===- RequiredPtxTest.cpp - Tests of the PTX version tables --------------===//
#include "compiler/CodeGen/RequiredPtx.h"
#include "compiler/CodeGen/Assemble.h"
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

/// One instruction in a kernel of that PTX version.
static std::string wrapInKernel(llvm::StringRef instruction,
                                const Target &target, PtxVersion version) {
  return ".version " + version.str() + "\n.target " + target.name.str() +
         "\n.address_size 64\n.visible .entry k() .reqntid 128 {\n"
         ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .f32 %f<16>;\n"
         ".reg .b16 %h<8>; .reg .pred %p<4>;\n" +
         instruction.str() + "\nret;\n}\n";
}

static bool isAccepted(llvm::StringRef instruction, const Target &target,
                       PtxVersion version, const Ptxas &ptxas) {
  llvm::Expected<Cubin> cubin =
      assemble(wrapInKernel(instruction, target, version), target, ptxas);
  if (cubin)
    return true;
  llvm::consumeError(cubin.takeError());
  return false;
}

/// The version before `version`, or none.
static std::optional<PtxVersion> getPrevious(PtxVersion version) {
  std::optional<PtxVersion> previous;
  for (unsigned major = 11; major <= 13; ++major)
    for (unsigned minor = 0; minor <= 9; ++minor)
      if (PtxVersion ptx = getPtxOfToolkit(major, minor); ptx < version)
        previous = std::max(previous.value_or(ptx), ptx);
  return previous;
}

// The assembler takes each instruction in the version found and, where that is
// above the target's own, in none below.
TEST(RequiredPtx, AgreesWithPtxas) {
  llvm::Expected<Ptxas> ptxas = findPtxas();
  if (!ptxas) {
    llvm::consumeError(ptxas.takeError());
    GTEST_SKIP() << "no ptxas";
  }
  struct Row {
    llvm::StringLiteral target, instruction;
  };
  static constexpr Row rows[] = {
      {"sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f0,%f1,"
                "%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};"},
      {"sm_89", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r6,%r7},"
                "{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7};"},
      {"sm_89", "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,"
                "%f2,%f3},{%r0,%r1},{%r4},{%f0,%f1,%f2,%f3};"},
      {"sm_80", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r6,%r7,%r8,"
                "%r9},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7,%r8,%r9};"},
      {"sm_90a", "wgmma.fence.sync.aligned;"},
      {"sm_90a", "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r0,%r1,%r2,"
                 "%r3},%rd1,%rd2,1;"},
      {"sm_90a", "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0,%r1,%r2,"
                 "%r3},%rd1,%rd2,1;"},
      {"sm_90a", "setmaxnreg.inc.sync.aligned.u32 240;"},
      {"sm_90a", "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%r0],[%rd1,{%r3,%r4}],[%r2];"},
      {"sm_90a", "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
                 " [%r0],[%rd1],16,[%r2];"},
      {"sm_90a", "mbarrier.try_wait.parity.shared::cta.b64 %p0,[%r0],%r1;"},
      {"sm_90a", "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1,[%r0],%r1;"},
      {"sm_90a", "mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd1,[%r0],%r1;"},
      {"sm_80", "mbarrier.test_wait.parity.shared.b64 %p0,[%r0],%r1;"},
      {"sm_80", "mbarrier.arrive.shared.b64 %rd1,[%r0];"},
      {"sm_80", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r0];"},
      {"sm_90a", "fence.proxy.async.shared::cta;"},
      {"sm_90a", "fence.proxy.tensormap::generic.release.gpu;"},
      {"sm_90a", "fence.acquire.sync_restrict::shared::cluster.cluster;"},
      {"sm_90a", "elect.sync %r0|%p0,%r1;"},
      {"sm_80", "barrier.cta.sync %r0,%r1;"},
      {"sm_80", "barrier.sync %r0,%r1;"},
      {"sm_100a", "redux.sync.max.f32 %f0,%f1,0xffffffff;"},
      {"sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h0,%f0,%f1;"},
      {"sm_89", "cvt.rn.f16x2.e5m2x2 %r0,%h0;"},
      {"sm_90a", "cvt.rn.f16x2.e5m2x2 %r0,%h0;"},
      {"sm_80", "cvt.rn.bf16x2.f32 %r0,%f0,%f1;"},
      {"sm_80", "cvt.f32.bf16 %f0,%h0;"},
      {"sm_80", "createpolicy.fractional.L2::evict_first.b64 %rd1,1.0;"},
      {"sm_80", "ld.global.L1::no_allocate.b32 %r0,[%rd1];"},
      {"sm_80", "cp.async.cg.shared.global.L2::128B [%r0],[%rd1],16;"},
      {"sm_80", "cp.async.cg.shared.global [%r0],[%rd1],16,%r1;"},
      {"sm_80", "prefetch.global.L2::evict_last [%rd1];"},
      {"sm_80", "discard.global.L2 [%rd1],128;"},
      {"sm_90a", "red.relaxed.gpu.global.add.v4.f32 [%rd1],{%f0,%f1,%f2,%f3};"},
      {"sm_100a", "add.rn.f32x2 %rd1,%rd2,%rd3;"},
      {"sm_80", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0},[%r4];"},
      {"sm_80", "ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%r0},[%r4];"},
  };
  for (const Row &row : rows) {
    const Target &target = get(row.target);
    PtxVersion version = findRequiredPtx(row.instruction, target).version;
    if (version > ptxas->ptx)
      continue;
    EXPECT_TRUE(isAccepted(row.instruction, target, version, *ptxas))
        << row.instruction.str() << " in PTX " << version.str();
    if (version > target.lowestPtx)
      EXPECT_FALSE(
          isAccepted(row.instruction, target, *getPrevious(version), *ptxas))
          << row.instruction.str() << " below PTX " << version.str();
  }
}
