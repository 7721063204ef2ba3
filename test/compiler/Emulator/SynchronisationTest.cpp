//===- SynchronisationTest.cpp - Barriers and races -----------------------===//

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

/// Each thread writes its number, waits as `middle` says, and reads the word
/// of the thread `distance` further on.
static TestKernel makeExchange(const std::string &middle) {
  return TestKernel("ptr addrspace(1) %out, i32 %distance, i32 %mask", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %tid
    store i32 %tid, ptr addrspace(3) %p, align 4
    )" + middle + R"(
    %next = add i32 %tid, %distance
    %other = and i32 %next, %mask
    %q = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %other
    %x = load i32, ptr addrspace(3) %q, align 4
    %r = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %x, ptr addrspace(1) %r, align 4
    ret void)",
                    globals);
}

static const char *blockBarrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
static const char *warpBarrier = "call void @llvm.nvvm.bar.warp.sync(i32 -1)";

TEST(Barrier, OrdersThreadsOfBlock) {
  std::vector<int32_t> out(128);
  TestKernel kernel = makeExchange(blockBarrier);
  EmulatorCounters counters = kernel.buffer("C", out)
                                  .scalar<int32_t>(40)
                                  .scalar<int32_t>(127)
                                  .threads(128)
                                  .shared(512)
                                  .run();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], (i + 40) % 128);
  EXPECT_EQ(counters.barriers, 1u);
}

TEST(Race, ReportsReadAfterWriteWithoutBarrier) {
  std::vector<int32_t> out(64);
  TestKernel kernel = makeExchange("");
  EmulationReport report = kernel.buffer("C", out)
                               .scalar<int32_t>(63)
                               .scalar<int32_t>(63)
                               .threads(64)
                               .shared(256)
                               .fail();
  // Thread 0 reads what thread 63 has not written yet; thread 1 would see the
  // race.
  EXPECT_EQ(report.kind, EmulationErrorKind::UninitialisedRead);
  kernel.options().checkUninitialised = false;
  report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(report.thread, 1u);
  EXPECT_EQ(print(report),
            "test.tile:7:1: error: race on shared memory: load of 4 bytes at "
            "offset 0 meets byte 0, written by thread 0 with no barrier in "
            "between (block 0, thread 1)\n"
            "test.tile:3:1: note: the byte is written here, by 'store of 4 "
            "bytes'");
  kernel.options().checkRaces = false;
  kernel.run();
}

TEST(Race, WarpBarrierOrdersLanesOnly) {
  std::vector<int32_t> out(64);
  auto launch = [&](int32_t distance, int32_t mask) -> TestKernel {
    TestKernel kernel = makeExchange(warpBarrier);
    kernel.buffer("C", out)
        .scalar<int32_t>(distance)
        .scalar<int32_t>(mask)
        .threads(64)
        .shared(256);
    return kernel;
  };
  launch(5, 31).threads(32).run();
  EXPECT_EQ(out[3], 8);
  // Warp 1 reads what warp 0 wrote.
  EmulationReport report = launch(32, 63).fail();
  EXPECT_TRUE(report.kind == EmulationErrorKind::Race ||
              report.kind == EmulationErrorKind::UninitialisedRead);
  TestKernel kernel = launch(32, 63);
  kernel.options().checkUninitialised = false;
  EXPECT_EQ(kernel.fail().kind, EmulationErrorKind::Race);
}

TEST(Race, CollectiveOrdersLanes) {
  std::vector<int32_t> out(32);
  TestKernel kernel = makeExchange(
      "%s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 0, i32 0, i32 "
      "31)");
  kernel.buffer("C", out)
      .scalar<int32_t>(5)
      .scalar<int32_t>(31)
      .shared(256)
      .run();
  EXPECT_EQ(out[30], 3);
}

// Half warps that synchronise among themselves are ordered inside, not across.
TEST(Race, PartialWarpBarrierOrdersItsLanes) {
  const char *halves = "%half = and i32 %tid, 16\n"
                       "%m = shl i32 65535, %half\n"
                       "call void @llvm.nvvm.bar.warp.sync(i32 %m)";
  std::vector<int32_t> out(32);
  TestKernel inside = makeExchange(std::string(halves) + "\n");
  inside.buffer("C", out).scalar<int32_t>(0).scalar<int32_t>(15).shared(256);
  // Lanes 16..31 read words of lanes 0..15.
  inside.options().checkUninitialised = false;
  EXPECT_EQ(inside.fail().kind, EmulationErrorKind::Race);
  TestKernel own("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %tid
    store i32 %tid, ptr addrspace(3) %p, align 4
    %half = and i32 %tid, 16
    %m = shl i32 65535, %half
    call void @llvm.nvvm.bar.warp.sync(i32 %m)
    %other = xor i32 %tid, 15
    %q = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %other
    %x = load i32, ptr addrspace(3) %q, align 4
    %r = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %x, ptr addrspace(1) %r, align 4
    ret void)",
                 globals);
  own.buffer("C", out).shared(256).run();
  EXPECT_EQ(out[17], 30);
}

/// Threads read a word each, then write that of their neighbour.
TEST(Race, ReportsWriteAfterRead) {
  TestKernel kernel("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %tid
    store i32 %tid, ptr addrspace(3) %p, align 4
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %x = load i32, ptr addrspace(3) %p, align 4
    %next = add i32 %tid, 1
    %other = and i32 %next, 63
    %q = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %other
    store i32 %x, ptr addrspace(3) %q, align 4
    ret void)",
                    globals);
  // Thread 0 writes word 1 before thread 1 reads it: its read meets the write.
  EmulationReport report = kernel.threads(64).shared(256).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(report.location.line, 5u);
  // The last thread writes word 0, which thread 0 has read.
  TestKernel back("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %tid
    store i32 %tid, ptr addrspace(3) %p, align 4
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %x = load i32, ptr addrspace(3) %p, align 4
    %isFirst = icmp eq i32 %tid, 0
    %before = sub i32 %tid, 1
    %other = select i1 %isFirst, i32 64, i32 %before
    %q = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %other
    store i32 %x, ptr addrspace(3) %q, align 4
    ret void)",
                  globals);
  report = back.threads(64).shared(260).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(report.location.line, 10u);
  EXPECT_EQ(report.thread, 1u);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].location.line, 5u);
  EXPECT_NE(report.message.find("read by thread 0"), std::string::npos);
}

TEST(Race, ReportsTwoWritesOfOneByte) {
  TestKernel kernel("i32 %shift", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %slot = lshr i32 %tid, %shift
    %p = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %slot
    store i8 1, ptr addrspace(3) %p, align 1
    ret void)",
                    globals);
  // Neighbouring bytes of one word are no conflict.
  kernel.scalar<int32_t>(0).shared(64).run();
  TestKernel same("i32 %shift", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %slot = lshr i32 %tid, %shift
    %p = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %slot
    store i8 1, ptr addrspace(3) %p, align 1
    ret void)",
                  globals);
  EmulationReport report = same.scalar<int32_t>(1).shared(64).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_EQ(report.thread, 1u);
}

TEST(Race, AllowsAtomicsOnOneWord) {
  std::vector<int32_t> out(1);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %first = icmp eq i32 %tid, 0
    br i1 %first, label %init, label %go
  init:
    store i32 0, ptr addrspace(3) @tile_shared, align 4
    br label %go
  go:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %old = atomicrmw add ptr addrspace(3) @tile_shared, i32 %tid monotonic
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    br i1 %first, label %write, label %done
  write:
    %sum = load i32, ptr addrspace(3) @tile_shared, align 4
    store i32 %sum, ptr addrspace(1) %out, align 4
    br label %done
  done:
    ret void)",
                    globals);
  kernel.buffer("C", out).threads(96).shared(4).run();
  EXPECT_EQ(out[0], 95 * 96 / 2);
}

// An atomic meets a plain access with nothing in between.
TEST(Race, ReportsAtomicAgainstPlainStore) {
  TestKernel kernel("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %first = icmp eq i32 %tid, 0
    br i1 %first, label %init, label %go
  init:
    store i32 0, ptr addrspace(3) @tile_shared, align 4
    br label %go
  go:
    %old = atomicrmw add ptr addrspace(3) @tile_shared, i32 %tid monotonic
    ret void)",
                    globals);
  EXPECT_EQ(kernel.threads(64).shared(4).fail().kind, EmulationErrorKind::Race);
}

// A flag in shared memory hands data over when it is released and acquired.
static TestKernel makeFlagKernel(const char *storeOrder,
                                 const char *loadOrder) {
  return TestKernel("ptr addrspace(1) %out",
                    std::string(R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %flag = getelementptr i8, ptr addrspace(3) @tile_shared, i32 4
    %first = icmp eq i32 %tid, 0
    br i1 %first, label %init, label %start
  init:
    store i32 0, ptr addrspace(3) %flag, align 4
    br label %start
  start:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %last = icmp eq i32 %tid, 63
    br i1 %last, label %produce, label %other
  produce:
    store i32 42, ptr addrspace(3) @tile_shared, align 4
    store atomic i32 1, ptr addrspace(3) %flag )") +
                        storeOrder + R"(, align 4
    br label %done
  other:
    br i1 %first, label %spin, label %done
  spin:
    %seen = load atomic i32, ptr addrspace(3) %flag )" +
                        loadOrder + R"(, align 4
    %ready = icmp eq i32 %seen, 1
    br i1 %ready, label %consume, label %spin
  consume:
    %x = load i32, ptr addrspace(3) @tile_shared, align 4
    store i32 %x, ptr addrspace(1) %out, align 4
    br label %done
  done:
    ret void)",
                    globals);
}

TEST(Race, ReleaseAndAcquireOrder) {
  std::vector<int32_t> out(1);
  makeFlagKernel("release", "acquire")
      .buffer("C", out)
      .threads(64)
      .shared(8)
      .run();
  EXPECT_EQ(out[0], 42);
  EmulationReport report = makeFlagKernel("monotonic", "monotonic")
                               .buffer("C", out)
                               .threads(64)
                               .shared(8)
                               .fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

// Two warps produce (arrive), two consume (sync) on barrier 1 for 128 threads.
static TestKernel makeProducerConsumer(const char *producerBarrier) {
  return TestKernel("ptr addrspace(1) %out",
                    std::string(R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %slot = and i32 %tid, 63
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %slot
    %producer = icmp ult i32 %tid, 64
    br i1 %producer, label %produce, label %consume
  produce:
    store i32 %tid, ptr addrspace(3) %p, align 4
    )") + producerBarrier +
                        R"(
    br label %done
  consume:
    call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 128)
    %x = load i32, ptr addrspace(3) %p, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %slot
    store i32 %x, ptr addrspace(1) %q, align 4
    br label %done
  done:
    ret void)",
                    globals);
}

TEST(NamedBarrier, ArrivalIsSeenByThoseWhoWait) {
  std::vector<int32_t> out(64);
  TestKernel kernel = makeProducerConsumer(
      "call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 128)");
  kernel.buffer("C", out).threads(128).shared(256).run();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i);
}

// What a producer writes after it arrived is not ordered.
TEST(NamedBarrier, ReportsWriteAfterArrival) {
  std::vector<int32_t> out(64);
  TestKernel kernel = makeProducerConsumer(
      "call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 128)\n"
      "store i32 7, ptr addrspace(3) %p, align 4");
  EXPECT_EQ(kernel.buffer("C", out).threads(128).shared(256).fail().kind,
            EmulationErrorKind::Race);
}

// Barrier 1 joins warps 0 and 1 only: warp 2 has not waited.
TEST(NamedBarrier, OrdersItsThreadsOnly) {
  std::vector<int32_t> out(96);
  auto make = [&](const char *reader) {
    return TestKernel("ptr addrspace(1) %out",
                      std::string(R"(
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %warp = lshr i32 %tid, 5
      %lane = and i32 %tid, 31
      %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %lane
      %writes = icmp eq i32 %warp, 0
      br i1 %writes, label %write, label %meet
    write:
      store i32 %tid, ptr addrspace(3) %p, align 4
      br label %meet
    meet:
      %joins = icmp ult i32 %warp, 2
      br i1 %joins, label %join, label %read
    join:
      call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
      br label %read
    read:
      %reads = icmp eq i32 %warp, )") +
                          reader +
                          R"(
      br i1 %reads, label %load, label %done
    load:
      %x = load i32, ptr addrspace(3) %p, align 4
      %q = getelementptr i32, ptr addrspace(1) %out, i32 %lane
      store i32 %x, ptr addrspace(1) %q, align 4
      br label %done
    done:
      ret void)",
                      globals);
  };
  make("1").buffer("C", out).threads(96).shared(256).run();
  EXPECT_EQ(out[31], 31);
  EXPECT_EQ(make("2").buffer("C", out).threads(96).shared(256).fail().kind,
            EmulationErrorKind::Race);
}

TEST(NamedBarrier, ReportsWrongUse) {
  TestKernel mixed("", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %first = icmp ult i32 %tid, 32
    %count = select i1 %first, i32 64, i32 96
    call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 %count)
    ret void)",
                   globals);
  EmulationReport report = mixed.threads(96).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_EQ(report.location.line, 4u);
  TestKernel odd("", R"(
    call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 40)
    ret void)",
                 globals);
  EXPECT_EQ(odd.threads(64).fail().kind, EmulationErrorKind::BarrierMisuse);
  TestKernel many("", R"(
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 16)
    ret void)",
                  globals);
  EXPECT_EQ(many.fail().kind, EmulationErrorKind::BarrierMisuse);
}

TEST(NamedBarrier, CountsVotes) {
  std::vector<int32_t> out(3);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = icmp ult i32 %tid, 40
    %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)
    %a = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %p)
    %o = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %p)
    %ai = zext i1 %a to i32
    %oi = zext i1 %o to i32
    %last = icmp eq i32 %tid, 63
    br i1 %last, label %write, label %done
  write:
    store i32 %n, ptr addrspace(1) %out, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 1
    store i32 %ai, ptr addrspace(1) %q, align 4
    %r = getelementptr i32, ptr addrspace(1) %out, i32 2
    store i32 %oi, ptr addrspace(1) %r, align 4
    br label %done
  done:
    ret void)",
                    globals);
  kernel.buffer("C", out).threads(64).run();
  EXPECT_EQ(out, (std::vector<int32_t>{40, 0, 1}));
}

// A lane that has exited is not waited for, whether it left before the others
// came or while they wait.
TEST(Barrier, WarpInstructionGoesOnWithoutExitedLanes) {
  for (const char *leaver : {"0", "31"}) {
    std::vector<int32_t> out(32, -1);
    TestKernel kernel("ptr addrspace(1) %out",
                      std::string(R"(
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %leaves = icmp eq i32 %tid, )") +
                          leaver +
                          R"(
      br i1 %leaves, label %done, label %stay
    stay:
      %x = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %tid, i32 5, i32 31)
      call void @llvm.nvvm.bar.warp.sync(i32 -1)
      %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
      store i32 %x, ptr addrspace(1) %q, align 4
      br label %done
    done:
      ret void)",
                      globals);
    kernel.buffer("C", out).run();
    EXPECT_EQ(out[1], 5);
    EXPECT_EQ(out[std::stoi(leaver)], -1);
  }
}

// A failed block leaves nothing behind that disturbs the next launch.
TEST(Barrier, FailureLeavesTheEmulatorUsable) {
  std::vector<int32_t> out(128);
  TestKernel kernel = makeExchange(blockBarrier);
  kernel.buffer("C", out)
      .scalar<int32_t>(40)
      .scalar<int32_t>(127)
      .threads(128)
      .shared(508);
  EXPECT_EQ(kernel.fail().kind, EmulationErrorKind::OutOfBounds);
  kernel.shared(512).run();
  EXPECT_EQ(out[100], 12);
}
