//===- WarpTest.cpp - Exchange between lanes ------------------------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

/// Runs `expression`, IR text that computes %r from %tid and %x (a value per
/// lane), on one warp, and returns %r of each lane.
static std::vector<uint32_t> runLanes(const std::string &code,
                                      std::vector<uint32_t> values,
                                      const std::string &declarations) {
  std::vector<uint32_t> out(32);
  TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %p = getelementptr i32, ptr addrspace(1) %in, i32 %tid
    %x = load i32, ptr addrspace(1) %p, align 4
    )" + code + R"(
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
    store i32 %r, ptr addrspace(1) %q, align 4
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
                        declarations);
  kernel.buffer("A", values).buffer("C", out).run();
  return out;
}

static std::vector<uint32_t> makeValues() {
  std::vector<uint32_t> values(32);
  for (uint32_t i = 0; i < 32; ++i)
    values[i] = 1000 + i * i;
  return values;
}

/// The source lane by the tables of the PTX manual, written down per mode.
static uint32_t expectShuffle(const std::string &mode, uint32_t lane,
                              uint32_t b, uint32_t width) {
  uint32_t first = lane / width * width, last = first + width - 1;
  if (mode == "idx")
    return first + b % width;
  if (mode == "up")
    return lane >= first + b ? lane - b : lane;
  if (mode == "down")
    return lane + b <= last ? lane + b : lane;
  return (lane ^ b) <= last ? lane ^ b : lane;
}

TEST(Warp, ShufflesInEveryMode) {
  std::vector<uint32_t> values = makeValues();
  for (std::string mode : {"idx", "up", "down", "bfly"})
    for (uint32_t width : {32u, 16u, 8u})
      for (uint32_t b : {0u, 1u, 3u, 7u, 17u}) {
        uint32_t c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        std::string name = "@llvm.nvvm.shfl.sync." + mode + ".i32";
        auto out =
            runLanes("%r = call i32 " + name + "(i32 -1, i32 %x, i32 " +
                         std::to_string(b) + ", i32 " + std::to_string(c) + ")",
                     values, "declare i32 " + name + "(i32, i32, i32, i32)\n");
        for (uint32_t lane = 0; lane < 32; ++lane)
          EXPECT_EQ(out[lane], values[expectShuffle(mode, lane, b, width)])
              << mode << " width " << width << " b " << b << " lane " << lane;
      }
}

TEST(Warp, ShuffleTellsWhetherSourceIsInside) {
  auto out = runLanes(
      R"(%s = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %x, i32 4, i32 31)
         %b = extractvalue {i32, i1} %s, 1
         %r = zext i1 %b to i32)",
      makeValues(),
      "declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)\n");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], lane < 28);
}

TEST(Warp, ShufflesFloats) {
  auto out = runLanes(
      R"(%f = uitofp i32 %x to float
         %s = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %f, i32 1, i32 31)
         %r = fptoui float %s to i32)",
      makeValues(),
      "declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)\n");
  EXPECT_EQ(out[4], makeValues()[5]);
}

TEST(Warp, ShufflesByAssembly) {
  auto out = runLanes(
      R"(%s = call {i32, i1} asm sideeffect "shfl.sync.bfly.b32 $0|$1, $2, 2, 0x1f, 0xffffffff;", "=r,=b,r"(i32 %x)
         %r = extractvalue {i32, i1} %s, 0)",
      makeValues(), "");
  EXPECT_EQ(out[1], makeValues()[3]);
}

TEST(Warp, ShuffleWithinMembers) {
  // Lanes 0..15 and 16..31 exchange in two groups, reached on two paths.
  auto out = runLanes(
      R"(%low = icmp ult i32 %tid, 16
         br i1 %low, label %a, label %b
       a:
         %ra = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %x, i32 3, i32 31)
         br label %end
       b:
         %rb = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -65536, i32 %x, i32 20, i32 31)
         br label %end
       end:
         %r = phi i32 [ %ra, %a ], [ %rb, %b ])",
      makeValues(),
      "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n");
  EXPECT_EQ(out[0], makeValues()[3]);
  EXPECT_EQ(out[31], makeValues()[20]);
}

TEST(Warp, ReportsShuffleFromAbsentLane) {
  std::vector<uint32_t> in(32), out(32);
  TestKernel kernel("", R"(
    %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 5, i32 16, i32 31)
    ret void)",
                    "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, "
                    "i32)\n");
  EmulationReport report = kernel.threads(16).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
  EXPECT_EQ(report.location.line, 1u);
}

TEST(Warp, ReportsLaneOutsideOfItsMask) {
  TestKernel kernel("", R"(
    %x = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 1, i32 5, i32 0, i32 31)
    ret void)",
                    "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, "
                    "i32)\n");
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
  EXPECT_EQ(report.thread, 1u);
}

TEST(Warp, Votes) {
  std::string predicate = "%low = icmp ult i32 %tid, 5\n";
  auto vote = [&](const std::string &mode) {
    std::string name = "@llvm.nvvm.vote." + mode + ".sync";
    return runLanes(predicate + "%b = call i1 " + name +
                        "(i32 -1, i1 %low)\n%r = zext i1 %b to i32",
                    makeValues(), "declare i1 " + name + "(i32, i1)\n");
  };
  EXPECT_EQ(vote("all")[0], 0u);
  EXPECT_EQ(vote("any")[31], 1u);
  EXPECT_EQ(vote("uni")[0], 0u);
  auto ballot = runLanes(
      predicate + "%r = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %low)",
      makeValues(), "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n");
  EXPECT_EQ(ballot[17], 31u);
}

TEST(Warp, Reduces) {
  std::vector<uint32_t> values = makeValues();
  values[9] = 0xFFFFFFF0;
  auto reduce = [&](const std::string &kind) {
    std::string name = "@llvm.nvvm.redux.sync." + kind;
    return runLanes("%r = call i32 " + name + "(i32 %x, i32 -1)", values,
                    "declare i32 " + name + "(i32, i32)\n")[11];
  };
  uint32_t sum = 0, all = ~0u, any = 0, odd = 0;
  for (uint32_t value : values) {
    sum += value;
    all &= value;
    any |= value;
    odd ^= value;
  }
  EXPECT_EQ(reduce("add"), sum);
  EXPECT_EQ(reduce("and"), all);
  EXPECT_EQ(reduce("or"), any);
  EXPECT_EQ(reduce("xor"), odd);
  EXPECT_EQ(reduce("min"), 0xFFFFFFF0);
  EXPECT_EQ(reduce("max"), 1000u + 31 * 31);
  EXPECT_EQ(reduce("umin"), 1000u);
  EXPECT_EQ(reduce("umax"), 0xFFFFFFF0);
}

TEST(Warp, MatchesAndElects) {
  std::vector<uint32_t> values(32, 7);
  values[3] = values[30] = 8;
  auto any =
      runLanes("%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %x)",
               values, "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)\n");
  EXPECT_EQ(any[3], 1u << 3 | 1u << 30);
  EXPECT_EQ(any[0], ~(1u << 3 | 1u << 30));
  auto elected = runLanes(
      R"(%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 -1)
         %b = extractvalue {i32, i1} %e, 1
         %r = zext i1 %b to i32)",
      values, "declare {i32, i1} @llvm.nvvm.elect.sync(i32)\n");
  EXPECT_EQ(elected[0], 1u);
  EXPECT_EQ(elected[1], 0u);
}

TEST(Warp, ReadsSpecialRegisters) {
  std::vector<uint32_t> out(64 * 5);
  TestKernel kernel("ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
    %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
    %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
    %warp = call i32 asm "mov.u32 $0, %warpid;", "=r"()
    %first = icmp eq i32 %block, 2
    br i1 %first, label %write, label %done
  write:
    %o = mul i32 %tid, 5
    %p = getelementptr i32, ptr addrspace(1) %out, i32 %o
    store i32 %lane, ptr addrspace(1) %p, align 4
    %p1 = getelementptr i32, ptr addrspace(1) %p, i32 1
    store i32 %threads, ptr addrspace(1) %p1, align 4
    %p2 = getelementptr i32, ptr addrspace(1) %p, i32 2
    store i32 %blocks, ptr addrspace(1) %p2, align 4
    %p3 = getelementptr i32, ptr addrspace(1) %p, i32 3
    store i32 %y, ptr addrspace(1) %p3, align 4
    %p4 = getelementptr i32, ptr addrspace(1) %p, i32 4
    store i32 %warp, ptr addrspace(1) %p4, align 4
    br label %done
  done:
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
                    "declare i32 @llvm.nvvm.read.ptx.sreg.laneid()\n"
                    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                    "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                    "declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n");
  kernel.buffer("C", out).threads(64).grid(3).run();
  EXPECT_EQ(std::vector<uint32_t>(out.begin() + 40 * 5, out.begin() + 41 * 5),
            (std::vector<uint32_t>{8, 64, 3, 0, 1}));
}
