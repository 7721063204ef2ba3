//===- MemoryCheckTest.cpp - Bounds, alignment, initialisation ------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static const char *dynamicShared =
    "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n";

/// Each thread copies one float, `in[i + offset]` to `out[i]`.
static const char *copyParameters =
    "ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %offset";
static const char *copyBody = R"(
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %block, 5
  %i32 = add i32 %base, %tid
  %i = zext i32 %i32 to i64
  %j = add i64 %i, %offset
  %p = getelementptr float, ptr addrspace(1) %in, i64 %j
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %x, ptr addrspace(1) %q, align 4
  ret void
)";

TEST(Memory, CopiesWithinBoundsAndCountsBytes) {
  std::vector<float> in(128), out(128, -1.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(0).grid(4);
  EmulatorCounters counters = kernel.run();
  EXPECT_EQ(in, out);
  EXPECT_EQ(counters.globalBytesRead, 512u);
  EXPECT_EQ(counters.globalBytesWritten, 512u);
}

TEST(Memory, RunsBlocksOnSeveralHostThreads) {
  std::vector<float> in(32 * 64), out(32 * 64, -1.0f);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(0).grid(64);
  kernel.options().hostThreads = 2;
  EmulatorCounters counters = kernel.run();
  EXPECT_EQ(in, out);
  EXPECT_EQ(counters.globalBytesRead, in.size() * 4);
}

TEST(Memory, RunsOnlyTheChosenBlocks) {
  std::vector<float> in(128, 1.0f), out(128, 0.0f);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(0).grid(4);
  kernel.launchSpec().blocks = {2};
  kernel.run();
  EXPECT_EQ(out[63], 0.0f);
  EXPECT_EQ(out[64], 1.0f);
  EXPECT_EQ(out[96], 0.0f);
}

TEST(Memory, ReportsLoadBehindBuffer) {
  std::vector<float> in(64), out(64);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(8).grid(2);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_EQ(report.block, 1u);
  EXPECT_EQ(report.thread, 24u);
  EXPECT_EQ(print(report),
            "test.tile:8:1: error: load of 4 bytes at byte 256 of 'A' is out "
            "of bounds: the buffer has 256 bytes (block 1, thread 24)");
}

TEST(Memory, ReportsLoadBeforeBuffer) {
  std::vector<float> in(64), out(64);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(-1);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_NE(report.message.find("at byte -4 of 'A'"), std::string::npos)
      << report.message;
}

// The parameter decides which buffer an address belongs to: running from one
// buffer into its neighbour is an error although the bytes are registered.
TEST(Memory, ReportsLoadFromNeighbouringBuffer) {
  std::vector<float> both(64), out(64);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.scalar(both.data()).buffer("C", out).scalar<int64_t>(1);
  LaunchSpec &spec = kernel.launchSpec();
  spec.buffers.push_back({"A", both.data(), 128, false, 0});
  spec.buffers.push_back({"B", both.data() + 32, 128, false, -1});
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_NE(report.message.find("at byte 128 of 'A'"), std::string::npos)
      << report.message;
}

TEST(Memory, ReportsStoreIntoReadOnlyBuffer) {
  std::vector<float> in(32), out(32);
  TestKernel kernel(copyParameters, copyBody, dynamicShared);
  kernel.buffer("A", in, false).buffer("C", out, false).scalar<int64_t>(0);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::ReadOnlyWrite);
  EXPECT_EQ(report.location.line, 10u);
}

TEST(Memory, ReportsMisalignedVector) {
  std::vector<float> in(64), out(64);
  TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
    %p = getelementptr i8, ptr addrspace(1) %in, i64 8
    %x = load <4 x float>, ptr addrspace(1) %p, align 16
    store <4 x float> %x, ptr addrspace(1) %out, align 16
    ret void)");
  kernel.buffer("A", in).buffer("C", out).threads(1);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Misaligned);
  EXPECT_NE(report.message.find("not aligned to 16 bytes"), std::string::npos);
}

TEST(Memory, ChecksMemcpyBothWays) {
  std::vector<uint8_t> in(64), out(32);
  TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
    call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 48, i1 false)
    ret void)");
  kernel.buffer("A", in).buffer("C", out).threads(1);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_NE(report.message.find("'C'"), std::string::npos);
}

TEST(Memory, ChecksModuleConstants) {
  std::vector<int32_t> out(32);
  const char *globals =
      "@table = internal addrspace(4) constant [4 x i32] [i32 5, i32 6, i32 7, "
      "i32 8]\n";
  const char *body = R"(
    %p = getelementptr i32, ptr addrspace(4) @table, i64 %i
    %x = load i32, ptr addrspace(4) %p, align 4
    store i32 %x, ptr addrspace(1) %out, align 4
    ret void)";
  TestKernel good("ptr addrspace(1) %out, i64 %i", body, globals);
  good.buffer("C", out).scalar<int64_t>(2).threads(1).run();
  EXPECT_EQ(out[0], 7);
  TestKernel bad("ptr addrspace(1) %out, i64 %i", body, globals);
  EmulationReport report =
      bad.buffer("C", out).scalar<int64_t>(4).threads(1).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
}

TEST(Memory, AllowsLocalArrays) {
  std::vector<int32_t> out(32);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %local = alloca [8 x i32], align 4
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %slot = and i32 %tid, 7
    %p = getelementptr i32, ptr %local, i32 %slot
    store volatile i32 %tid, ptr %p, align 4
    %x = load volatile i32, ptr %p, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %x, ptr addrspace(1) %q, align 4
    ret void)",
                    dynamicShared);
  kernel.buffer("C", out).run();
  EXPECT_EQ(out[31], 31);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(Shared, ReportsAccessBehindDynamicPart) {
  TestKernel kernel("i64 %offset", R"(
    %p = getelementptr i8, ptr addrspace(3) @tile_shared, i64 %offset
    store i32 1, ptr addrspace(3) %p, align 4
    ret void)",
                    dynamicShared);
  kernel.scalar<int64_t>(1022 * 4).threads(1).shared(4084);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_EQ(print(report),
            "test.tile:2:1: error: store of 4 bytes at offset 4088 of shared "
            "memory is out of bounds: the block has 4084 bytes (block 0, "
            "thread 0)");
}

TEST(Shared, ReportsUninitialisedRead) {
  std::vector<int32_t> out(32);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    store i32 1, ptr addrspace(3) @tile_shared, align 4
    %p = getelementptr i8, ptr addrspace(3) @tile_shared, i64 2
    %x = load i16, ptr addrspace(3) %p, align 2
    %q = getelementptr i8, ptr addrspace(3) @tile_shared, i64 4
    %y = load i16, ptr addrspace(3) %q, align 2
    ret void)",
                    dynamicShared);
  kernel.buffer("C", out).threads(1).shared(64);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::UninitialisedRead);
  EXPECT_EQ(report.location.line, 5u);
  kernel.options().checkUninitialised = false;
  kernel.run();
}

TEST(Shared, LetsVolatileReadsMeetUnwrittenBytes) {
  std::vector<int32_t> out(1);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %x = load volatile i8, ptr addrspace(3) @tile_shared, align 1
    %y = and i8 %x, 240
    %z = or i8 %y, 5
    store i8 %z, ptr addrspace(3) @tile_shared, align 1
    %w = load i8, ptr addrspace(3) @tile_shared, align 1
    %v = and i8 %w, 15
    %r = zext i8 %v to i32
    store i32 %r, ptr addrspace(1) %out, align 4
    ret void)",
                    dynamicShared);
  kernel.buffer("C", out).threads(1).shared(64).run();
  EXPECT_EQ(out[0], 5);
}

TEST(Shared, PlacesStaticVariablesBeforeDynamicPart) {
  std::vector<int64_t> out(4);
  const char *globals =
      "@tile_shared = external addrspace(3) global [0 x i8], align 128\n"
      "@small = internal addrspace(3) global [3 x i8] undef, align 1\n"
      "@wide = internal addrspace(3) global [5 x i64] undef, align 16\n";
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %a = ptrtoint ptr addrspace(3) @tile_shared to i64
    %b = ptrtoint ptr addrspace(3) @small to i64
    %c = ptrtoint ptr addrspace(3) @wide to i64
    store i64 %a, ptr addrspace(1) %out, align 8
    %p = getelementptr i64, ptr addrspace(1) %out, i64 1
    store i64 %b, ptr addrspace(1) %p, align 8
    %q = getelementptr i64, ptr addrspace(1) %out, i64 2
    store i64 %c, ptr addrspace(1) %q, align 8
    ret void)",
                    globals);
  kernel.buffer("C", out).threads(1).shared(64).run();
  EXPECT_EQ(out[1] % (256 * 1024), 0);
  EXPECT_EQ(out[2] - out[1], 16);
  EXPECT_EQ(out[0] - out[1], 128);
  EXPECT_LT(out[0], int64_t(1) << 32);
}

// A pointer kept in 32 bits must still find shared memory.
TEST(Shared, SurvivesThirtyTwoBitAddresses) {
  std::vector<int32_t> out(1);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %a = ptrtoint ptr addrspace(3) @tile_shared to i32
    %b = add i32 %a, 12
    %p = inttoptr i32 %b to ptr addrspace(3)
    store i32 77, ptr addrspace(3) %p, align 4
    %q = getelementptr i8, ptr addrspace(3) @tile_shared, i64 12
    %g = addrspacecast ptr addrspace(3) %q to ptr
    %x = load i32, ptr %g, align 4
    store i32 %x, ptr addrspace(1) %out, align 4
    ret void)",
                    dynamicShared);
  kernel.buffer("C", out).threads(1).shared(16).run();
  EXPECT_EQ(out[0], 77);
}

// Bank conflicts: stride 1 has none, stride 2 two-fold, stride 32 all lanes in
// one bank.
TEST(Shared, CountsBankConflicts) {
  auto count = [](int64_t strideBytes, const char *type) {
    std::string body = R"(
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %i = zext i32 %tid to i64
      %o = mul i64 %i, %stride
      %p = getelementptr i8, ptr addrspace(3) @tile_shared, i64 %o
      store )" + std::string(type) +
                       R"( zeroinitializer, ptr addrspace(3) %p, align 4
      ret void)";
    TestKernel kernel("i64 %stride", body, dynamicShared);
    kernel.scalar(strideBytes).shared(8192);
    return kernel.run();
  };
  EXPECT_EQ(count(4, "i32").bankConflicts, 0u);
  EXPECT_EQ(count(4, "i32").sharedWavefronts, 1u);
  EXPECT_EQ(count(8, "i32").bankConflicts, 1u);
  EmulatorCounters worst = count(128, "i32");
  EXPECT_EQ(worst.bankConflicts, 31u);
  ASSERT_EQ(worst.conflictSites.size(), 1u);
  EXPECT_EQ(worst.conflictSites[0].location.line, 5u);
  // Sixteen bytes per lane need four wavefronts at best.
  EXPECT_EQ(count(16, "<4 x i32>").bankConflicts, 0u);
  EXPECT_EQ(count(16, "<4 x i32>").sharedWavefronts, 4u);
  EXPECT_EQ(count(128, "<4 x i32>").bankConflicts, 28u);
}

/// Thread 0 loads lanes 0, 1 and 3 of four floats at `in[offset]`.
static const char *maskedParameters =
    "ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %offset";
static const char *maskedBody = R"(
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %work, label %end
work:
  %p = getelementptr float, ptr addrspace(1) %in, i64 %offset
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %p,
           <4 x i1> <i1 1, i1 1, i1 0, i1 1>, <4 x float> zeroinitializer)
  call void @llvm.masked.store.v4f32.p1(<4 x float> %v,
           ptr addrspace(1) align 4 %out, <4 x i1> <i1 1, i1 0, i1 0, i1 1>)
  br label %end
end:
  ret void
)";
static const char *maskedGlobals =
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1), <4 x i1>,"
    " <4 x float>)\n"
    "declare void @llvm.masked.store.v4f32.p1(<4 x float>, ptr addrspace(1), "
    "<4 x i1>)\n";

TEST(Memory, ChecksTheSetLanesOfMaskedAccesses) {
  std::vector<float> in = {1, 2, 3, 4, 5}, out(4, -1.0f);
  TestKernel kernel(maskedParameters, maskedBody, maskedGlobals);
  kernel.buffer("A", in, false).buffer("C", out).scalar<int64_t>(1);
  kernel.run();
  EXPECT_EQ(out, (std::vector<float>{2, -1, -1, 5}));
  TestKernel beyond(maskedParameters, maskedBody, maskedGlobals);
  beyond.buffer("A", in, false).buffer("C", out).scalar<int64_t>(2);
  EmulationReport report = beyond.fail();
  EXPECT_NE(report.message.find("load of 4 bytes"), std::string::npos)
      << print(report);
}
