//===- AsyncCopyTest.cpp - cp.async ---------------------------------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static const char *globals =
    "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    "declare void @llvm.nvvm.cp.async.commit.group()\n"
    "declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)\n"
    "declare void @llvm.nvvm.cp.async.wait.all()\n";

static const char *parameters = "ptr addrspace(1) %in, ptr addrspace(1) %out";

/// Thread t copies 16 bytes from in + 16 t to shared + 16 t, waits as `wait`
/// says, and copies shared + 16 (t xor `partner`) to out + 16 t.
static TestKernel makeCopy(const std::string &wait, unsigned partner) {
  return TestKernel(parameters,
                    R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %o = mul i32 %tid, 16
    %s = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %o
    %g = getelementptr i8, ptr addrspace(1) %in, i32 %o
    call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
    )" + wait + R"(
    %other = xor i32 %tid, )" +
                        std::to_string(partner) +
                        R"(
    %oo = mul i32 %other, 16
    %r = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %oo
    %x = load <4 x i32>, ptr addrspace(3) %r, align 16
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %o
    store <4 x i32> %x, ptr addrspace(1) %d, align 16
    ret void)",
                    globals);
}

static const std::string commit =
    "call void @llvm.nvvm.cp.async.commit.group()\n";
static const std::string waitNone =
    "call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
static const std::string waitOne =
    "call void @llvm.nvvm.cp.async.wait.group(i32 1)\n";
static const std::string barrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";

static std::vector<int32_t> makeInput() {
  std::vector<int32_t> in(64 * 4);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int32_t>(i * 3 + 1);
  return in;
}

TEST(AsyncCopy, ArrivesAfterWaitAndBarrier) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  TestKernel kernel = makeCopy(commit + waitNone + barrier, 33);
  EmulatorCounters counters = kernel.buffer("A", in, false)
                                  .buffer("C", out)
                                  .threads(64)
                                  .shared(1024)
                                  .run();
  EXPECT_EQ(out[0], in[33 * 4]);
  EXPECT_EQ(out[63 * 4 + 3], in[30 * 4 + 3]);
  EXPECT_EQ(counters.asyncCopies16, 64u);
  EXPECT_EQ(counters.globalBytesRead, 1024u);
  EXPECT_EQ(counters.bankConflicts, 0u);
}

TEST(AsyncCopy, OwnWaitIsEnoughForOwnBytes) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  makeCopy("call void @llvm.nvvm.cp.async.wait.all()\n", 0)
      .buffer("A", in, false)
      .buffer("C", out)
      .threads(64)
      .shared(1024)
      .run();
  EXPECT_EQ(in, out);
}

TEST(AsyncCopy, ReportsMissingWait) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  for (const std::string &wait :
       {std::string(), commit, commit + barrier, commit + waitOne + barrier,
        // Nothing is committed, so there is no group to wait for.
        waitNone + barrier}) {
    TestKernel kernel = makeCopy(wait, 0);
    EmulationReport report = kernel.buffer("A", in, false)
                                 .buffer("C", out)
                                 .threads(64)
                                 .shared(1024)
                                 .fail();
    EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_EQ(report.notes[0].location.line, 5u);
    // Without the strict mode the copy is done at once.
    kernel.options().strictAsyncCopies = false;
    kernel.run();
    EXPECT_EQ(in, out);
  }
}

// After the wait the bytes are there, but only the barrier shows them to
// others.
TEST(AsyncCopy, ReportsMissingBarrier) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  TestKernel kernel = makeCopy(commit + waitNone, 32);
  kernel.options().checkUninitialised = false;
  EmulationReport report = kernel.buffer("A", in, false)
                               .buffer("C", out)
                               .threads(64)
                               .shared(1024)
                               .fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

// A barrier before the wait is the wrong way round.
TEST(AsyncCopy, ReportsBarrierBeforeWait) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  TestKernel kernel = makeCopy(commit + barrier + waitNone, 32);
  EmulationReport report = kernel.buffer("A", in, false)
                               .buffer("C", out)
                               .threads(64)
                               .shared(1024)
                               .fail();
  EXPECT_TRUE(report.kind == EmulationErrorKind::Race ||
              report.kind == EmulationErrorKind::InFlightAccess);
}

TEST(AsyncCopy, WaitsForOlderGroupsOnly) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  // Two groups into two halves; the wait leaves one in flight.
  auto make = [&](const char *readOffset, const std::string &last) {
    return TestKernel(parameters,
                      R"(
      %s = getelementptr i8, ptr addrspace(3) @tile_shared, i32 16
      %g = getelementptr i8, ptr addrspace(1) %in, i32 16
      call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @tile_shared, ptr addrspace(1) %in)
      call void @llvm.nvvm.cp.async.commit.group()
      call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
      call void @llvm.nvvm.cp.async.commit.group()
      )" + last + R"(
      %r = getelementptr i8, ptr addrspace(3) @tile_shared, i32 )" +
                          readOffset + R"(
      %x = load i32, ptr addrspace(3) %r, align 4
      store i32 %x, ptr addrspace(1) %out, align 4
      ret void)",
                      globals);
  };
  make("4", waitOne)
      .buffer("A", in, false)
      .buffer("C", out)
      .threads(1)
      .shared(32)
      .run();
  EXPECT_EQ(out[0], in[1]);
  EXPECT_EQ(make("16", waitOne)
                .buffer("A", in, false)
                .buffer("C", out)
                .threads(1)
                .shared(32)
                .fail()
                .kind,
            EmulationErrorKind::InFlightAccess);
  // An empty group counts as one.
  make("16", commit + waitOne)
      .buffer("A", in, false)
      .buffer("C", out)
      .threads(1)
      .shared(32)
      .run();
  EXPECT_EQ(out[0], in[4]);
}

TEST(AsyncCopy, FillsRestWithZeros) {
  std::vector<int32_t> in = makeInput(), out(8, -1);
  for (int32_t bytes : {0, 4, 7, 16}) {
    TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n", R"(
      call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) @tile_shared, ptr addrspace(1) %in, i32 %n)
      call void @llvm.nvvm.cp.async.wait.all()
      %x = load <4 x i32>, ptr addrspace(3) @tile_shared, align 16
      store <4 x i32> %x, ptr addrspace(1) %out, align 16
      ret void)",
                      globals);
    kernel.buffer("A", in, false)
        .buffer("C", out)
        .scalar(bytes)
        .threads(1)
        .shared(16)
        .run();
    std::vector<int32_t> want(4, 0);
    std::memcpy(want.data(), in.data(), static_cast<size_t>(bytes));
    EXPECT_EQ(std::vector<int32_t>(out.begin(), out.begin() + 4), want);
  }
}

TEST(AsyncCopy, CopiesByAssemblyInEverySize) {
  std::vector<int32_t> in = makeInput(), out(4, -1);
  auto run = [&](const std::string &text, const char *operands) {
    out.assign(4, -1);
    TestKernel kernel(parameters,
                      R"(
      %s = ptrtoint ptr addrspace(3) @tile_shared to i32
      store <4 x i32> zeroinitializer, ptr addrspace(3) @tile_shared, align 16
      call void asm sideeffect ")" +
                          text + "\", \"" + operands +
                          R"("(i32 %s, ptr addrspace(1) %in)
      call void asm sideeffect "cp.async.commit_group;", "~{memory}"()
      call void asm sideeffect "cp.async.wait_group 0;", "~{memory}"()
      %x = load <4 x i32>, ptr addrspace(3) @tile_shared, align 16
      store <4 x i32> %x, ptr addrspace(1) %out, align 16
      ret void)",
                      globals);
    return kernel.buffer("A", in, false)
        .buffer("C", out)
        .threads(1)
        .shared(16)
        .run();
  };
  EXPECT_EQ(run("cp.async.ca.shared.global [$0], [$1], 4;", "r,l,~{memory}")
                .asyncCopies4,
            1u);
  EXPECT_EQ(out, (std::vector<int32_t>{in[0], 0, 0, 0}));
  EXPECT_EQ(
      run("cp.async.ca.shared.global [$0+8], [$1+16], 8;", "r,l").asyncCopies8,
      1u);
  EXPECT_EQ(out, (std::vector<int32_t>{0, 0, in[4], in[5]}));
  EXPECT_EQ(run("cp.async.cg.shared.global.L2::128B [$0], [$1], 16, 12;", "r,l")
                .asyncCopies16,
            1u);
  EXPECT_EQ(out, (std::vector<int32_t>{in[0], in[1], in[2], 0}));
}

TEST(AsyncCopy, ChecksItsAddresses) {
  std::vector<int32_t> in(16), out(16);
  auto fail = [&](int32_t sharedOffset, int32_t globalOffset, int32_t bytes) {
    TestKernel kernel("ptr addrspace(1) %in, i32 %s, i32 %g, i32 %n", R"(
      %sp = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %s
      %gp = getelementptr i8, ptr addrspace(1) %in, i32 %g
      call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %sp, ptr addrspace(1) %gp, i32 %n)
      ret void)",
                      globals);
    EmulationReport report = kernel.buffer("A", in, false)
                                 .scalar(sharedOffset)
                                 .scalar(globalOffset)
                                 .scalar(bytes)
                                 .threads(1)
                                 .shared(64)
                                 .fail();
    EXPECT_EQ(report.location.line, 3u);
    return report.kind;
  };
  EXPECT_EQ(fail(64, 0, 8), EmulationErrorKind::OutOfBounds);
  EXPECT_EQ(fail(4, 0, 8), EmulationErrorKind::Misaligned);
  EXPECT_EQ(fail(0, 64, 8), EmulationErrorKind::OutOfBounds);
  EXPECT_EQ(fail(0, 4, 8), EmulationErrorKind::Misaligned);
  EXPECT_EQ(fail(0, 0, 9), EmulationErrorKind::OutOfBounds);
  // A copy of nothing may start anywhere.
  TestKernel kernel("ptr addrspace(1) %in", R"(
    %gp = getelementptr i8, ptr addrspace(1) %in, i32 4000
    call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) @tile_shared, ptr addrspace(1) %gp, i32 0)
    ret void)",
                    globals);
  kernel.buffer("A", in, false).threads(1).shared(64).run();
}

// The stage that is refilled must have been read by everybody.
TEST(AsyncCopy, ReportsRefillOfUnreadStage) {
  std::vector<int32_t> in = makeInput(), out(in.size());
  auto make = [&](const std::string &between) {
    return TestKernel(parameters, R"(
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %o = mul i32 %tid, 16
      %s = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %o
      %g = getelementptr i8, ptr addrspace(1) %in, i32 %o
      call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
      call void @llvm.nvvm.cp.async.wait.all()
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      %other = xor i32 %tid, 32
      %oo = mul i32 %other, 16
      %r = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %oo
      %x = load <4 x i32>, ptr addrspace(3) %r, align 16
      )" + between + R"(
      call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
      call void @llvm.nvvm.cp.async.wait.all()
      %d = getelementptr i8, ptr addrspace(1) %out, i32 %o
      store <4 x i32> %x, ptr addrspace(1) %d, align 16
      ret void)",
                      globals);
  };
  make(barrier)
      .buffer("A", in, false)
      .buffer("C", out)
      .threads(64)
      .shared(1024)
      .run();
  EXPECT_EQ(make("")
                .buffer("A", in, false)
                .buffer("C", out)
                .threads(64)
                .shared(1024)
                .fail()
                .kind,
            EmulationErrorKind::Race);
}
