//===- DeadlockTest.cpp - Deadlocks and loops without end -----------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static const char *globals =
    "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)\n"
    "declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)\n"
    "declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)\n"
    "declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32, i1)\n"
    "declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)\n"
    "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
    "declare void @llvm.nvvm.nanosleep(i32)\n"
    "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n";

TEST(Deadlock, ReportsBarrierThatSomeLeftOut) {
  TestKernel kernel("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %most = icmp ult i32 %tid, 64
    br i1 %most, label %wait, label %done
  wait:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    br label %done
  done:
    ret void)",
                    globals);
  EmulationReport report = kernel.threads(96).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_EQ(print(report),
            "test.tile:4:1: error: deadlock: 64 threads wait, but 32 of the "
            "block have exited (block 0, thread 0)\n"
            "test.tile:4:1: note: threads 0-63 at barrier 0, to which 64 of 96 "
            "threads have come\n"
            "note: threads 64-95 have exited");
}

TEST(Deadlock, ReportsTwoBarriersThatCross) {
  TestKernel kernel("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %id = lshr i32 %tid, 5
    call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %id, i32 64)
    ret void)",
                    globals);
  EmulationReport report = kernel.threads(64).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_EQ(report.notes.size(), 2u);
}

TEST(Deadlock, ReportsWarpInstructionThatLanesMiss) {
  TestKernel kernel("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %most = icmp ne i32 %tid, 7
    br i1 %most, label %wait, label %other
  wait:
    %x = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %tid, i32 0, i32 31)
    br label %done
  other:
    call void @llvm.nvvm.bar.warp.sync(i32 -1)
    br label %done
  done:
    ret void)",
                    globals);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find("threads 8-31 at 'llvm.nvvm.shfl.sync.idx.i32' "
                               "for the lanes 0xffffffff"),
            std::string::npos)
      << print(report);
}

TEST(Deadlock, ReportsFlagThatNobodySets) {
  std::vector<int32_t> flag(1);
  TestKernel kernel("ptr addrspace(1) %flag", R"(
    br label %spin
  spin:
    %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
    %ready = icmp eq i32 %seen, 1
    br i1 %ready, label %done, label %spin
  done:
    ret void)",
                    globals);
  EmulationReport report = kernel.buffer("F", flag).threads(64).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_EQ(report.location.line, 2u);
}

// Reading volatile memory over and over is not waiting for it.
TEST(Deadlock, AllowsManyVolatileLoads) {
  std::vector<int32_t> data(1, 3), out(1);
  TestKernel kernel("ptr addrspace(1) %p, ptr addrspace(1) %out", R"(
    br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %next, %loop ]
    %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
    %x = load volatile i32, ptr addrspace(1) %p, align 4
    %more = add i32 %sum, %x
    %next = add i32 %i, 1
    %ends = icmp eq i32 %next, 5000
    br i1 %ends, label %done, label %loop
  done:
    store i32 %more, ptr addrspace(1) %out, align 4
    ret void)",
                    globals);
  kernel.buffer("A", data).buffer("C", out).threads(1).run();
  EXPECT_EQ(out[0], 15000);
}

TEST(Deadlock, SleepsUntilOthersHaveWorked) {
  std::vector<int32_t> flag(1);
  TestKernel kernel("ptr addrspace(1) %flag", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %last = icmp eq i32 %tid, 63
    br i1 %last, label %set, label %spin
  set:
    store volatile i32 1, ptr addrspace(1) %flag, align 4
    br label %done
  spin:
    call void @llvm.nvvm.nanosleep(i32 20)
    %seen = load i32, ptr addrspace(1) %flag, align 4
    %ready = icmp eq i32 %seen, 1
    br i1 %ready, label %done, label %spin
  done:
    ret void)",
                    globals);
  kernel.buffer("F", flag).threads(64).run();
}

TEST(Deadlock, StopsLoopWithoutEndByBudget) {
  TestKernel kernel("i64 %step", R"(
    br label %loop
  loop:
    %i = phi i64 [ 0, %0 ], [ %next, %loop ]
    %next = add i64 %i, %step
    %ends = icmp eq i64 %next, 1000
    br i1 %ends, label %done, label %loop
  done:
    ret void)",
                    globals);
  kernel.scalar<int64_t>(1).run();
  kernel.options().stepBudget = 100000;
  kernel.run();
  TestKernel endless("i64 %step", R"(
    br label %loop
  loop:
    %i = phi i64 [ 0, %0 ], [ %next, %loop ]
    %next = add i64 %i, %step
    %ends = icmp eq i64 %next, 1000
    br i1 %ends, label %done, label %loop
  done:
    ret void)",
                     globals);
  endless.scalar<int64_t>(0).options().stepBudget = 100000;
  EmulationReport report = endless.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BudgetExceeded);
  EXPECT_EQ(report.location.line, 5u);
}
