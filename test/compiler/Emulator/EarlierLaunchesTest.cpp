//===- EarlierLaunchesTest.cpp - Kernels that start early -----------------===//

#include "AsyncKernel.h"

using namespace tilec;
using namespace tilec::test;

static const std::string prologue =
    "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "%at = getelementptr i32, ptr addrspace(1) %in, i32 %tid\n"
    "%to = getelementptr i32, ptr addrspace(1) %out, i32 %tid\n";
static const std::string awaitLaunches = ptx("griddepcontrol.wait;");
static const std::string loadIn =
    "%x = load i32, ptr addrspace(1) %at, align 4\n";
static const std::string storeOut =
    "store i32 %x, ptr addrspace(1) %to, align 4\n";

namespace {
/// Copies a tensor to another.
class EarlierLaunches : public testing::Test {
protected:
  TestKernel makeKernel(const std::string &body) {
    TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out",
                      prologue + body + "ret void", asyncGlobals);
    kernel.buffer("A", in, /*writable=*/false).buffer("C", out);
    kernel.threads(64);
    return kernel;
  }

  std::vector<uint32_t> in = std::vector<uint32_t>(64, 7);
  std::vector<uint32_t> out = std::vector<uint32_t>(64);
};
} // namespace

TEST_F(EarlierLaunches, AccessesBehindTheWaitAreWell) {
  makeKernel(awaitLaunches + loadIn + storeOut).run();
  EXPECT_EQ(out, in);
  // So are those behind the wait of another thread.
  makeKernel(onlyIn(40, awaitLaunches) + blockBarrier + loadIn + storeOut)
      .run();
}

TEST_F(EarlierLaunches, KernelsThatDoNotOverlapNeedNoWait) {
  makeKernel(loadIn + storeOut).run();
  EXPECT_EQ(out, in);
}

TEST_F(EarlierLaunches, ReportsReadInFrontOfTheWait) {
  EmulationReport report = makeKernel(loadIn + awaitLaunches + storeOut).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_NE(report.message.find("reads 'A', which launches before this one may "
                                "still write"),
            std::string::npos)
      << report.message;
  // One thread's wait is no other's.
  report = makeKernel(onlyIn(40, awaitLaunches) + loadIn + storeOut).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

TEST_F(EarlierLaunches, ReportsWriteInFrontOfTheWait) {
  std::string body = "%x = add i32 %tid, 0\n" + storeOut + awaitLaunches;
  EmulationReport report = makeKernel(body).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_NE(report.message.find("may still use"), std::string::npos)
      << report.message;
}

TEST_F(EarlierLaunches, SettledTensorsMayBeReadBefore) {
  TestKernel kernel = makeKernel(loadIn + awaitLaunches + storeOut);
  kernel.launchSpec().buffers[0].isSettled = true;
  kernel.run();
  EXPECT_EQ(out, in);
}

TEST_F(EarlierLaunches, ReportsBlockThatNeverWaits) {
  TestKernel kernel = makeKernel(ptx("griddepcontrol.launch_dependents;") + R"(
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %works = icmp eq i32 %block, 0
    br i1 %works, label %work, label %done
    work:
    )" + awaitLaunches + loadIn + storeOut +
                                 "br label %done\ndone:\n");
  kernel.run();
  EmulationReport report = kernel.grid(2).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(report.block, 1u);
  EXPECT_NE(report.message.find("without griddepcontrol.wait"),
            std::string::npos);
}
