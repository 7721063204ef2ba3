//===- TransactionBarrierTest.cpp - mbarrier ------------------------------===//

#include "AsyncKernel.h"

using namespace tilec;
using namespace tilec::test;

static const std::string prologue =
    "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
    sharedAddress("bar", 0) + sharedAddress("second", 8);

static TestKernel makeKernel(const std::string &body) {
  TestKernel kernel("ptr addrspace(1) %out", prologue + body + "ret void",
                    asyncGlobals);
  kernel.shared(1024);
  return kernel;
}

static EmulationReport failWith(const std::string &body, uint32_t threads) {
  std::vector<int32_t> out(64);
  TestKernel kernel = makeKernel(body);
  return kernel.buffer("C", out).threads(threads).fail();
}

static const std::string initialised =
    onlyIn(0, initBarrier("%bar", 32) + initFence) + blockBarrier;

// Warp 0 writes and arrives; warp 1 waits and reads.
TEST(TransactionBarrier, OrdersArrivalsBeforeWaits) {
  std::vector<int32_t> out(32);
  auto make = [](const std::string &wait) {
    return makeKernel(initialised + R"(
    %first = icmp ult i32 %tid, 32
    %lane = and i32 %tid, 31
    %slot = add i32 %lane, 4
    %w = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %slot
    br i1 %first, label %produce, label %consume
  produce:
    %value = mul i32 %tid, 3
    store i32 %value, ptr addrspace(3) %w, align 4
    )" + arrive("%bar") +
                      R"(
    br label %done
  consume:
    )" + wait + R"(
    %x = load i32, ptr addrspace(3) %w, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %lane
    store i32 %x, ptr addrspace(1) %q, align 4
    br label %done
  done:
    )");
  };
  make(waitFor("%bar", "0")).buffer("C", out).threads(64).run();
  EXPECT_EQ(out[31], 93);
  // The phase before the first one is over, so that this does not wait.
  TestKernel early = make(waitFor("%bar", "1"));
  early.options().checkUninitialised = false;
  EXPECT_EQ(early.buffer("C", out).threads(64).fail().kind,
            EmulationErrorKind::Race);
}

// One lane waits for the warp, and the warp barrier passes on what it knows.
TEST(TransactionBarrier, KnowledgeSpreadsFromOneLane) {
  std::vector<int32_t> out(32);
  auto make = [](const std::string &sync) {
    return makeKernel(initialised + R"(
    %first = icmp ult i32 %tid, 32
    %lane = and i32 %tid, 31
    %slot = add i32 %lane, 4
    %w = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %slot
    br i1 %first, label %produce, label %consume
  produce:
    store i32 %tid, ptr addrspace(3) %w, align 4
    )" + arrive("%bar") +
                      R"(
    br label %done
  consume:
    )" + onlyIn(32, waitFor("%bar", "0")) +
                      sync + R"(
    %x = load i32, ptr addrspace(3) %w, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %lane
    store i32 %x, ptr addrspace(1) %q, align 4
    br label %done
  done:
    )");
  };
  make("call void @llvm.nvvm.bar.warp.sync(i32 -1)\n")
      .buffer("C", out)
      .threads(64)
      .run();
  EXPECT_EQ(out[17], 17);
  TestKernel alone = make("");
  alone.options().checkUninitialised = false;
  EXPECT_EQ(alone.buffer("C", out).threads(64).fail().kind,
            EmulationErrorKind::Race);
}

// A ring of one slot: full and empty barriers, eight rounds with both
// parities.
TEST(TransactionBarrier, PhasesAlternate) {
  std::vector<int32_t> out(8);
  TestKernel kernel =
      makeKernel(onlyIn(0, initBarrier("%bar", 1) + initBarrier("%second", 1) +
                               initFence) +
                 blockBarrier + R"(
    %slot = getelementptr i32, ptr addrspace(3) @tile_shared, i32 8
    %lane = and i32 %tid, 31
    %works = icmp eq i32 %lane, 0
    br i1 %works, label %start, label %done
  start:
    %first = icmp eq i32 %tid, 0
    br label %loop
  loop:
    %i = phi i32 [ 0, %start ], [ %next, %latch ]
    %parity = and i32 %i, 1
    %other = xor i32 %parity, 1
    br i1 %first, label %produce, label %consume
  produce:
    )" + waitFor("%second", "%other") +
                 R"(
    %value = mul i32 %i, 5
    store i32 %value, ptr addrspace(3) %slot, align 4
    )" + arrive("%bar") +
                 R"(
    br label %latch
  consume:
    )" + waitFor("%bar", "%parity") +
                 R"(
    %x = load i32, ptr addrspace(3) %slot, align 4
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %i
    store i32 %x, ptr addrspace(1) %q, align 4
    )" + arrive("%second") +
                 R"(
    br label %latch
  latch:
    %next = add i32 %i, 1
    %ends = icmp eq i32 %next, 8
    br i1 %ends, label %done, label %loop
  done:
    )");
  kernel.buffer("C", out).threads(64).run();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], 5 * i);
}

TEST(TransactionBarrier, IntrinsicsDoTheSame) {
  std::vector<int32_t> out(32);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %first = icmp eq i32 %tid, 0
    br i1 %first, label %init, label %go
  init:
    call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @tile_shared, i32 33)
    call void @llvm.nvvm.fence.proxy.async.shared_cta()
    br label %go
  go:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %state = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @tile_shared)
    br i1 %first, label %more, label %wait
  more:
    %s = call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) @tile_shared, i32 1)
    br label %wait
  wait:
    %ok = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) @tile_shared, i32 0)
    %too = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @tile_shared, i64 %state)
    %both = and i1 %ok, %too
    %x = zext i1 %both to i32
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %x, ptr addrspace(1) %q, align 4
    ret void)",
                    std::string(asyncGlobals) + R"(
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.fence.proxy.async.shared_cta()
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
)");
  kernel.buffer("C", out).shared(64).run();
  EXPECT_EQ(out, std::vector<int32_t>(32, 1));
}

// cp.async signals the barrier once its bytes are there.
TEST(TransactionBarrier, WaitsForAsyncCopies) {
  std::vector<int32_t> in(128), out(128);
  for (int i = 0; i < 128; ++i)
    in[i] = 7 * i;
  auto make = [](const std::string &wait) {
    return TestKernel("ptr addrspace(1) %in, ptr addrspace(1) %out",
                      prologue + initialised + R"(
    %o = mul i32 %tid, 16
    %at = add i32 %o, 512
    %s = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %at
    %g = getelementptr i8, ptr addrspace(1) %in, i32 %o
    %sa = ptrtoint ptr addrspace(3) %s to i32
    )" +
                          ptx("cp.async.cg.shared.global [$0], [$1], 16;",
                              "i32 %sa, ptr addrspace(1) %g") +
                          ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 "
                              "[$0];",
                              "i32 %bar") +
                          wait + R"(
    %other = xor i32 %at, 16
    %r = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %other
    %x = load <4 x i32>, ptr addrspace(3) %r, align 16
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %o
    store <4 x i32> %x, ptr addrspace(1) %d, align 16
    ret void)",
                      asyncGlobals);
  };
  make(waitFor("%bar", "0"))
      .buffer("A", in, false)
      .buffer("C", out)
      .shared(1024)
      .run();
  EXPECT_EQ(out[0], 7 * 4);
  EXPECT_EQ(
      make("").buffer("A", in, false).buffer("C", out).shared(1024).fail().kind,
      EmulationErrorKind::UninitialisedRead);
}

//===----------------------------------------------------------------------===//
// Misuse
//===----------------------------------------------------------------------===//

TEST(TransactionBarrier, ReportsUseBeforeInit) {
  EmulationReport report = failWith(arrive("%bar"), 32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_EQ(print(report),
            "test.tile:6:1: error: 'mbarrier.arrive.shared::cta.b64 _, [$0];': "
            "there is no mbarrier at offset 0 of shared memory; it has not "
            "been initialised (block 0, thread 0)");
}

TEST(TransactionBarrier, ReportsInitNotMadeVisible) {
  EmulationReport report =
      failWith(onlyIn(0, initBarrier("%bar", 32)) + arrive("%bar"), 32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_EQ(report.thread, 1u);
  EXPECT_NE(report.message.find("is used without a barrier after its "
                                "initialisation by thread 0"),
            std::string::npos)
      << report.message;
}

TEST(TransactionBarrier, ReportsBadCounts) {
  EmulationReport report = failWith(onlyIn(0, initBarrier("%bar", 0)), 32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("wants 0 arrivals a phase"), std::string::npos);
  report =
      failWith(onlyIn(0, initBarrier("%bar", 1) + initBarrier("%bar", 1)), 32);
  EXPECT_NE(report.message.find("is initialised again without"),
            std::string::npos);
  // Two arrivals where one is missing, as bytes hold the phase open.
  report = failWith(onlyIn(0, initBarrier("%bar", 1) + initFence +
                                  expectBytes("%bar", 16) + arrive("%bar")),
                    32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("gets 1 arrival more, but phase 0 misses only "
                                "0 of its 1"),
            std::string::npos)
      << report.message;
  report = failWith(onlyIn(0, initBarrier("%bar", 1) + initFence +
                                  expectBytes("%bar", 1 << 20)),
                    32);
  EXPECT_NE(report.message.find("would expect 1048576 bytes in phase 0"),
            std::string::npos)
      << report.message;
}

TEST(TransactionBarrier, ReportsArrivalOfNobody) {
  EmulationReport report =
      failWith(onlyIn(0, initBarrier("%bar", 1) +
                             ptx("mbarrier.arrive.shared::cta.b64 _, [$0], 0;",
                                 "i32 %bar")),
               32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("counts an arrival of 0 threads"),
            std::string::npos);
}

TEST(TransactionBarrier, ReportsInvalidationWhileThreadsWait) {
  EmulationReport report =
      failWith(initialised +
                   "%is = icmp eq i32 %tid, 0\n"
                   "br i1 %is, label %drop, label %wait\nwait:\n" +
                   waitFor("%bar", "0") + "br label %done\ndrop:\n" +
                   "call void @llvm.nvvm.nanosleep(i32 20)\n" +
                   ptx("mbarrier.inval.shared::cta.b64 [$0];", "i32 %bar") +
                   "br label %done\ndone:\n",
               32);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("is invalidated while threads wait"),
            std::string::npos)
      << report.message;
}

// The ordering of accesses keeps a slot for each.
TEST(TransactionBarrier, RefusesTooMany) {
  std::string all;
  for (unsigned i = 0; i < 193; ++i) {
    std::string name = "b" + std::to_string(i);
    all += sharedAddress(name, 8 * i) + initBarrier("%" + name, 1);
  }
  std::vector<int32_t> out(64);
  TestKernel kernel = makeKernel(onlyIn(0, all));
  EmulationReport report = kernel.buffer("C", out).shared(2048).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Unsupported);
  EXPECT_NE(report.message.find("follows 192 mbarriers"), std::string::npos)
      << report.message;
}

TEST(TransactionBarrier, ReportsAccessToIts64Bits) {
  for (const char *access :
       {"store i32 %tid, ptr addrspace(3) %bar.p, align 4\n",
        "%x = load i32, ptr addrspace(3) %bar.p, align 4\n"}) {
    EmulationReport report = failWith(initialised + access, 32);
    EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
    EXPECT_NE(report.message.find("touches byte 0, which belongs to an "
                                  "mbarrier"),
              std::string::npos)
        << report.message;
  }
  // Behind an invalidation the bytes are ordinary again.
  std::vector<int32_t> out(64);
  makeKernel(
      onlyIn(0, initBarrier("%bar", 1) +
                    ptx("mbarrier.inval.shared::cta.b64 [$0];", "i32 %bar") +
                    "store i32 %tid, ptr addrspace(3) %bar.p, align 4\n" +
                    initBarrier("%second", 2)))
      .buffer("C", out)
      .run();
}

TEST(TransactionBarrier, ReportsDeadlockWithWhatIsMissing) {
  EmulationReport report =
      failWith(onlyIn(0, initBarrier("%bar", 2) + initFence) + blockBarrier +
                   onlyIn(0, expectBytes("%bar", 4096)) + waitFor("%bar", "0"),
               64);
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find(
                "note: threads 0-63 at the mbarrier at offset 0 of shared "
                "memory for phase 0 (parity 0), which misses 1 of 2 arrivals "
                "and 4096 bytes"),
            std::string::npos)
      << print(report);
}
