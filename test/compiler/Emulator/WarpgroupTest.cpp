//===- WarpgroupTest.cpp - setmaxnreg and named barriers ------------------===//

#include "AsyncKernel.h"

using namespace tilec;
using namespace tilec::test;

static TestKernel makeKernel(const std::string &body) {
  return TestKernel("",
                    "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
                        body + "ret void",
                    asyncGlobals);
}

static std::string setRegisters(const char *direction, unsigned count) {
  return ptx("setmaxnreg." + std::string(direction) + ".sync.aligned.u32 " +
             std::to_string(count) + ";");
}

TEST(SetMaxRegisters, TakesWholeWarpgroups) {
  makeKernel(R"(
    %group = lshr i32 %tid, 7
    %first = icmp eq i32 %group, 0
    br i1 %first, label %producer, label %consumer
  producer:
    )" + setRegisters("dec", 40) +
             R"(
    br label %done
  consumer:
    )" + setRegisters("inc", 232) +
             R"(
    br label %done
  done:
    )")
      .threads(384)
      .run();
  EmulationReport report =
      makeKernel(setRegisters("dec", 40)).threads(64).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
  EXPECT_NE(report.message.find("wants the four warps from warp 0 on"),
            std::string::npos)
      << report.message;
}

TEST(SetMaxRegisters, ReportsWrongUse) {
  for (unsigned count : {20u, 36u, 264u})
    EXPECT_EQ(makeKernel(setRegisters("inc", count)).threads(128).fail().kind,
              EmulationErrorKind::BarrierMisuse);
  // One warp stays away.
  std::string body = R"(
    %most = icmp ult i32 %tid, 96
    br i1 %most, label %set, label %done
  set:
    )" + setRegisters("dec", 40) +
                     R"(
    br label %done
  done:
    )";
  EmulationReport report = makeKernel(body).threads(128).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find("with 3 of the 4 warps of the warpgroup"),
            std::string::npos)
      << print(report);
  // Warps of one warpgroup at different instructions.
  std::string split = R"(
    %most = icmp ult i32 %tid, 96
    br i1 %most, label %set, label %other
  set:
    )" + setRegisters("dec", 40) +
                      R"(
    br label %done
  other:
    )" + setRegisters("inc", 232) +
                      R"(
    br label %done
  done:
    )";
  report = makeKernel(split).threads(128).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
}

// Named barriers with their numbers in registers: warp 0 only comes by.
TEST(NamedBarrier, OrdersProducerBeforeConsumer) {
  TestKernel kernel = makeKernel(R"(
    %first = icmp ult i32 %tid, 32
    %id = add i32 %tid, 0
    %lane = and i32 %tid, 31
    %p = getelementptr i32, ptr addrspace(3) @tile_shared, i32 %lane
    br i1 %first, label %produce, label %consume
  produce:
    store i32 %tid, ptr addrspace(3) %p, align 4
    )" + ptx("bar.arrive $0, $1;", "i32 3, i32 64") +
                                 R"(
    br label %done
  consume:
    )" + ptx("bar.sync $0, $1;", "i32 3, i32 64") +
                                 R"(
    %x = load i32, ptr addrspace(3) %p, align 4
    br label %done
  done:
    )");
  kernel.threads(64).shared(128).run();
}

TEST(Elect, PicksOneLaneInPtx) {
  std::vector<int32_t> out(1);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %e = call i32 asm sideeffect "{\0A.reg .pred p;\0Aelect.sync _|p, $1;\0Aselp.b32 $0, 1, 0, p;\0A}", "=r,r"(i32 -1)
    %old = atomicrmw add ptr addrspace(1) %out, i32 %e monotonic
    ret void)",
                    asyncGlobals);
  kernel.buffer("C", out).run();
  EXPECT_EQ(out[0], 1);
}
