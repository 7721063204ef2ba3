//===- CommonMemoryTest.cpp - Data that blocks hand to each other ---------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static const char *globals =
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    "declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)\n";

static const char *barrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
static const char *ordered = ".acq_rel.gpu";

/// Each of `blocks` blocks of 64 threads writes words of its own, waits as
/// `middle` says and counts itself, by an operation ordered as `ordering` says.
/// The last one adds what three blocks have written, and has `after` behind.
static TestKernel makeMeeting(const std::string &middle,
                              const std::string &ordering, int blocks = 3,
                              const std::string &after = "") {
  TestKernel kernel(
      "ptr addrspace(1) %w, ptr addrspace(1) %out",
      R"(
  entry:
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %row = mul i32 %block, 64
    %cell = add i32 %row, %tid
    %words = getelementptr i32, ptr addrspace(1) %w, i32 16
    %p = getelementptr i32, ptr addrspace(1) %words, i32 %cell
    %v = add i32 %block, %tid
    store i32 %v, ptr addrspace(1) %p, align 4
    )" + middle +
          R"(
    %first = icmp eq i32 %tid, 0
    br i1 %first, label %count, label %meet
  count:
    %old = call i32 asm sideeffect "atom)" +
          ordering +
          R"(.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr addrspace(1) %w, i32 1)
    %all = icmp eq i32 %old, )" +
          std::to_string(blocks - 1) + R"(
    br label %meet
  meet:
    %mine = phi i1 [ false, %entry ], [ %all, %count ]
    %last = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %mine)
    br i1 %last, label %sum, label %end
  sum:
    %other = xor i32 %tid, 33
    %q0 = getelementptr i32, ptr addrspace(1) %words, i32 %other
    %q1 = getelementptr i32, ptr addrspace(1) %q0, i32 64
    %q2 = getelementptr i32, ptr addrspace(1) %q0, i32 128
    %x0 = load i32, ptr addrspace(1) %q0, align 4
    %x1 = load i32, ptr addrspace(1) %q1, align 4
    %x2 = load i32, ptr addrspace(1) %q2, align 4
    %s1 = add i32 %x0, %x1
    %s2 = add i32 %s1, %x2
    %r = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %s2, ptr addrspace(1) %r, align 4
    br label %end
  end:
    )" + after +
          "ret void",
      globals);
  kernel.threads(64).grid(uint32_t(blocks));
  return kernel;
}

static TestKernel &lend(TestKernel &kernel, std::vector<int32_t> &words) {
  kernel.buffer("W", words);
  kernel.launchSpec().buffers.back().isCommon = true;
  kernel.launchSpec().buffers.back().writtenBytes = 4;
  return kernel;
}

static EmulationReport failMeeting(TestKernel kernel) {
  std::vector<int32_t> words(16 + 4 * 64), out(64);
  return lend(kernel, words).buffer("C", out).fail();
}

TEST(CommonMemory, IsHandedOnByReleaseAndAcquire) {
  for (unsigned hostThreads : {1u, 2u}) {
    std::vector<int32_t> words(16 + 3 * 64), out(64);
    TestKernel kernel = makeMeeting(barrier, ordered);
    kernel.options().hostThreads = hostThreads;
    lend(kernel, words).buffer("C", out).run();
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(out[i], 3 * (i ^ 33) + 3);
    EXPECT_EQ(words[0], 3);
  }
}

TEST(CommonMemory, NeedsTheBarrierInFrontOfARelease) {
  EmulationReport report = failMeeting(makeMeeting("", ordered));
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(print(report),
            "test.tile:21:1: error: race on 'W': load of 4 bytes meets byte "
            "184, written by thread 30 of block 0, with nothing that this "
            "thread has acquired in between (block 2, thread 63)\n"
            "test.tile:8:1: note: the byte is written here, by 'store of 4 "
            "bytes'");
}

TEST(CommonMemory, NeedsOrderBeyondTheBlock) {
  for (const char *ordering :
       {"", ".relaxed.gpu", ".release.gpu", ".acquire.gpu"})
    EXPECT_EQ(failMeeting(makeMeeting(barrier, ordering)).kind,
              EmulationErrorKind::Race)
        << ordering;
  EXPECT_EQ(failMeeting(makeMeeting(barrier, ".acq_rel.cta")).kind,
            EmulationErrorKind::Unsupported);
}

TEST(CommonMemory, IsWrittenBeforeItIsRead) {
  EmulationReport report = failMeeting(makeMeeting(barrier, ordered, 2));
  EXPECT_EQ(report.kind, EmulationErrorKind::UninitialisedRead);
  EXPECT_EQ(report.message,
            "load of 4 bytes of byte 700 of 'W', which no block has written");
}

// The last block writes over words of others, which it has acquired; the others
// write over the last one's, which nothing orders.
TEST(CommonMemory, IsNotWrittenOverUnordered) {
  const std::string writeNext = R"(
    %n = add i32 %cell, 64
    %o = getelementptr i32, ptr addrspace(1) %words, i32 %n
    store i32 7, ptr addrspace(1) %o, align 4
    )";
  EmulationReport report =
      failMeeting(makeMeeting(barrier, ordered, 3, writeNext));
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

TEST(CommonMemory, IsCheckedWhereItIsCommonOnly) {
  std::vector<int32_t> words(16 + 3 * 64), out(64);
  TestKernel kernel = makeMeeting("", ".relaxed.gpu");
  kernel.buffer("W", words).buffer("C", out).run();
}
