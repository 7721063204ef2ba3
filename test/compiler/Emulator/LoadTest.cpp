//===- LoadTest.cpp - What cannot be loaded or launched -------------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static EmulationReport failToLoad(const char *body, const char *globals = "") {
  TestKernel kernel("", body, globals);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Unsupported);
  return report;
}

TEST(Load, NamesUnknownIntrinsic) {
  EmulationReport report = failToLoad(R"(
    %x = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
    call void @llvm.nvvm.pm.event.mask(i16 1)
    ret void)",
                                      "declare i32 "
                                      "@llvm.nvvm.read.ptx.sreg.laneid()\n"
                                      "declare void "
                                      "@llvm.nvvm.pm.event.mask(i16 immarg)\n");
  EXPECT_EQ(print(report), "test.tile:2:1: error: the emulator does not "
                           "implement 'llvm.nvvm.pm.event.mask'");
}

TEST(Load, NamesUnknownAssembly) {
  EmulationReport report = failToLoad(
      "call void asm sideeffect \"frobnicate.b32 5;\", \"\"()\nret void");
  EXPECT_EQ(print(report),
            "test.tile:1:1: error: inline assembly: the emulator "
            "does not implement 'frobnicate.b32'");
  report = failToLoad("call void asm sideeffect \"mov.b32 x, 5;\", "
                      "\"\"()\nret void");
  EXPECT_NE(report.message.find("register 'x' is not declared"),
            std::string::npos)
      << report.message;
  report = failToLoad("call void asm sideeffect \"bra NOWHERE;\", "
                      "\"\"()\nret void");
  EXPECT_NE(report.message.find("label 'NOWHERE'"), std::string::npos);
}

// A form of a known instruction that is not implemented is no other.
TEST(Load, RefusesUnknownForms) {
  failToLoad("%a = call i32 asm \"add.sat.s32 $0, 1, 2;\", \"=r\"()\nret void");
  failToLoad("%a = call float asm \"add.rm.f32 $0, 0f00000000, 0f00000000;\", "
             "\"=f\"()\nret void");
  failToLoad("%a = call i32 asm \"mul.wide.s32 $0, $1;\", \"=r,r\"(i32 "
             "5)\nret void");
}

// Which lanes a masked access touches has to be known.
TEST(Load, RefusesMasksOfRunTime) {
  EmulationReport report = failToLoad(
      R"(
    %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %bit = icmp eq i32 %x, 0
    %mask = insertelement <4 x i1> zeroinitializer, i1 %bit, i32 0
    %v = call <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3) align 16 null,
             <4 x i1> %mask, <4 x i32> zeroinitializer)
    ret void)",
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "declare <4 x i32> @llvm.masked.load.v4i32.p3(ptr addrspace(3), <4 x i1>,"
      " <4 x i32>)\n");
  EXPECT_NE(
      report.message.find("'llvm.masked.load.v4i32.p3' with a mask of run "
                          "time"),
      std::string::npos)
      << report.message;
}

TEST(Load, NamesMissingFunction) {
  EmulationReport report = failToLoad("call void @elsewhere()\nret void",
                                      "declare void @elsewhere()");
  EXPECT_NE(report.message.find("'elsewhere'"), std::string::npos);
}

TEST(Load, RunsFunctionsOfTheModule) {
  std::vector<int32_t> out(32);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %x = call i32 @square(i32 %tid)
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %x, ptr addrspace(1) %p, align 4
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                    "define internal i32 @square(i32 %x) noinline {\n"
                    "  %y = mul i32 %x, %x\n  ret i32 %y\n}\n");
  kernel.buffer("C", out).run();
  EXPECT_EQ(out[9], 81);
}

TEST(Load, ReportsFailedAssertion) {
  TestKernel kernel("", R"(
    call void @__assertfail(ptr @text, ptr @text, i32 3, ptr @text, i64 1)
    ret void)",
                    "declare void @__assertfail(ptr, ptr, i32, ptr, i64)\n"
                    "@text = private constant [6 x i8] c\"k > 0\\00\"\n");
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Trap);
  EXPECT_EQ(report.message, "assertion failed: k > 0");
}

TEST(Launch, ChecksParameters) {
  std::vector<int32_t> out(1);
  const char *body = "ret void";
  TestKernel few("ptr addrspace(1) %out, i32 %n", body);
  EmulationReport report = few.buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BadLaunch);
  EXPECT_EQ(report.message,
            "kernel 'kernel' has 2 parameters, and the launch gives 1");
  TestKernel wide("ptr addrspace(1) %out, i32 %n", body);
  report = wide.buffer("C", out).scalar<int64_t>(1).fail();
  EXPECT_EQ(report.message, "parameter 1 of kernel 'kernel' has 4 bytes, and "
                            "the launch gives 8");
  TestKernel other("", body);
  other.launchSpec().symbol = "other";
  EXPECT_EQ(other.fail().message, "the module has no kernel 'other'");
}

TEST(Launch, ChecksShape) {
  TestKernel kernel("", "ret void");
  EXPECT_EQ(kernel.threads(1025).fail().kind, EmulationErrorKind::BadLaunch);
  EXPECT_EQ(kernel.threads(0).fail().kind, EmulationErrorKind::BadLaunch);
  EXPECT_EQ(kernel.threads(32).shared(1 << 20).fail().kind,
            EmulationErrorKind::BadLaunch);
  kernel.launchSpec().sharedBytes = 0;
  kernel.launchSpec().blocks = {1};
  EXPECT_EQ(kernel.fail().kind, EmulationErrorKind::BadLaunch);
  kernel.launchSpec().blocks.clear();
  kernel.grid(0).run();
  kernel.grid(3).threads(1024).run();
}

TEST(Launch, PassesAggregatesByAddress) {
  std::vector<int32_t> out(1);
  TestKernel kernel("ptr addrspace(1) %out, ptr byval([4 x i32]) align 16 %m",
                    R"(
    %p = getelementptr i32, ptr %m, i32 2
    %x = load i32, ptr %p, align 4
    store i32 %x, ptr addrspace(1) %out, align 4
    ret void)");
  kernel.buffer("C", out)
      .scalar(std::array<int32_t, 4>{1, 2, 33, 4})
      .threads(1)
      .run();
  EXPECT_EQ(out[0], 33);
}

TEST(Launch, PassesEveryScalarType) {
  std::vector<double> out(6);
  TestKernel kernel("ptr addrspace(1) %out, i8 %a, i16 %b, half %c, bfloat %d, "
                    "double %e, i1 %f",
                    R"(
    %ad = sitofp i8 %a to double
    %bd = sitofp i16 %b to double
    %cd = fpext half %c to double
    %df = fpext bfloat %d to float
    %dd = fpext float %df to double
    %fd = uitofp i1 %f to double
    store double %ad, ptr addrspace(1) %out, align 8
    %p1 = getelementptr double, ptr addrspace(1) %out, i32 1
    store double %bd, ptr addrspace(1) %p1, align 8
    %p2 = getelementptr double, ptr addrspace(1) %out, i32 2
    store double %cd, ptr addrspace(1) %p2, align 8
    %p3 = getelementptr double, ptr addrspace(1) %out, i32 3
    store double %dd, ptr addrspace(1) %p3, align 8
    %p4 = getelementptr double, ptr addrspace(1) %out, i32 4
    store double %e, ptr addrspace(1) %p4, align 8
    %p5 = getelementptr double, ptr addrspace(1) %out, i32 5
    store double %fd, ptr addrspace(1) %p5, align 8
    ret void)");
  kernel.buffer("C", out)
      .scalar<int8_t>(-3)
      .scalar<int16_t>(-300)
      .scalar<uint16_t>(0x3E00)
      .scalar<uint16_t>(0x3FC0)
      .scalar(2.25)
      .scalar<uint8_t>(1)
      .threads(1)
      .run();
  EXPECT_EQ(out, (std::vector<double>{-3, -300, 1.5, 1.5, 2.25, 1}));
}

TEST(Load, RefusesLargeLocalMemory) {
  EmulationReport report = failToLoad(R"(
    %big = alloca [600000 x i8]
    store volatile i8 1, ptr %big
    ret void)");
  EXPECT_NE(report.message.find("600000 bytes of local memory"),
            std::string::npos)
      << report.message;
}

TEST(Load, NamesWhatTheHostLacks) {
  EmulationReport report = failToLoad(R"(
    %x = call double @llvm.exp10.f64(double 2.0)
    %a = alloca double
    store volatile double %x, ptr %a
    ret void)");
  EXPECT_NE(report.message.find("exp10"), std::string::npos) << report.message;
}

TEST(Load, RefusesModuleAssembly) {
  failToLoad("ret void", "module asm \"nonsense\"");
}

TEST(Launch, Prints) {
  TestKernel kernel("double %x", R"(
    %arguments = alloca [32 x i8], align 8
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    store i32 %tid, ptr %arguments, align 8
    %second = getelementptr i8, ptr %arguments, i32 8
    store double %x, ptr %second, align 8
    %third = getelementptr i8, ptr %arguments, i32 16
    store i64 -5, ptr %third, align 8
    %fourth = getelementptr i8, ptr %arguments, i32 24
    store ptr @name, ptr %fourth, align 8
    %n = call i32 @vprintf(ptr @format, ptr %arguments)
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                    "declare i32 @vprintf(ptr, ptr)\n"
                    "@name = private constant [4 x i8] c\"abc\\00\"\n"
                    "@format = private constant [30 x i8] c\"t=%d x=%6.2f "
                    "n=%lld s=%s 5%%\\0A\\00\"\n");
  std::string text;
  kernel.options().print = [&](llvm::StringRef part) { text += part; };
  kernel.scalar(1.5).threads(2).run();
  EXPECT_EQ(text, "t=0 x=  1.50 n=-5 s=abc 5%\nt=1 x=  1.50 n=-5 s=abc 5%\n");
}
