//===- PipelineTest.cpp - A warp-specialised product ----------------------===//
//
// One warpgroup loads stages by TMA, the other multiplies them by wgmma: the
// shape of the fast kernels, right and with each of its parts left out.
//
//===----------------------------------------------------------------------===//

#include "WgmmaKernel.h"

#include "compiler/Emulator/Instructions/NumberFormats.h"

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr unsigned tile = 64, stageBytes = tile * tile * 2;

struct Pipeline {
  // Parts that tests change.
  unsigned emptyCount = 1;
  unsigned bytes = 2 * stageBytes;
  std::string waitFull = waitFor("%c.full", "%c.parity");
  std::string waitEmpty = waitFor("%p.empty", "%p.parity");
  std::string beforeWait;
  std::string release = onlyIn(128, arrive("%c.empty"));
  std::string afterWait = release;

  unsigned rows = 60, columns = 50, depth = 300;
  std::vector<uint16_t> a, b;
  std::vector<float> out = std::vector<float>(tile * tile);

  Pipeline() {
    depth = 304;
    for (unsigned i = 0; i < rows * depth; ++i)
      a.push_back(emulator::encodeBF16(int(i * 7 % 9) - 4));
    for (unsigned i = 0; i < columns * depth; ++i)
      b.push_back(emulator::encodeBF16(int(i * 5 % 11) - 5));
  }

  TestKernel make() const;
  void launch(TestKernel &kernel);
  void check() const;
};

} // namespace

/// Stage %X.s and round of iteration %X.k, and the barriers of the stage.
static std::string stageOf(const std::string &x) {
  std::string text = R"(
    %X.s = and i32 %X.k, 1
    %X.round = lshr i32 %X.k, 1
    %X.odd = and i32 %X.round, 1
    %X.b = mul i32 %X.s, 8
    %X.full = add i32 %bars, %X.b
    %X.empty = add i32 %X.full, 16
    %X.o = mul i32 %X.s, 8192
    %X.a = add i32 %tileA, %X.o
    %X.bt = add i32 %tileB, %X.o
    )";
  for (size_t at; (at = text.find('X')) != std::string::npos;)
    text.replace(at, 1, x);
  return text;
}

TestKernel Pipeline::make() const {
  Wgmma kind;
  kind.columns = tile;
  kind.name = "m64n64k16.f32.bf16.bf16";
  std::string phis, products;
  for (unsigned r = 0; r < kind.registers(); ++r)
    phis += "%acc." + std::to_string(r) +
            " = phi float [ 0.0, %consume ], [ %w." + std::to_string(r) +
            ", %c.latch ]\n";
  std::vector<std::string> accumulators = kind.values("acc");
  for (unsigned step = 0; step < 4; ++step) {
    std::string n = std::to_string(step);
    products += "%da" + n + " = add i64 %da, " + std::to_string(2 * step) +
                "\n%db" + n + " = add i64 %db, " + std::to_string(2 * step) +
                "\n" +
                kind.product("d" + n, accumulators, {"%da" + n}, "%db" + n,
                             step ? "1" : "%later");
    accumulators = kind.values("d" + n);
  }
  std::string stores;
  for (unsigned r = 0; r < kind.registers(); ++r) {
    std::string n = std::to_string(r);
    // Row 16 w + g + 8 h, column 8 j + 2 q + i.
    unsigned offset = 4 * (r / 2 % 2 * 8 * tile + r / 4 * 8 + r % 2);
    stores += "%st" + n + " = getelementptr i8, ptr addrspace(1) %own, i32 " +
              std::to_string(offset) + "\nstore float %w." + n +
              ", ptr addrspace(1) %st" + n + ", align 4\n";
  }
  auto descriptor = [](const std::string &name, const std::string &address) {
    return "%" + name + ".sh = lshr i32 " + address + ", 4\n%" + name +
           ".14 = and i32 %" + name + ".sh, 16383\n%" + name +
           ".lo = or i32 %" + name + ".14, 65536\n%" + name +
           " = call i64 asm \"mov.b64 $0, {$1, 0x40000040};\", \"=l,r\"(i32 %" +
           name + ".lo)\n";
  };
  std::string body =
      "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
      sharedAddress("bars", 0) + sharedAddress("tileA", 1024) +
      sharedAddress("tileB", 1024 + 2 * stageBytes) +
      "%full1 = add i32 %bars, 8\n%empty0 = add i32 %bars, 16\n"
      "%empty1 = add i32 %bars, 24\n" +
      onlyIn(0, initBarrier("%bars", 1) + initBarrier("%full1", 1) +
                    initBarrier("%empty0", emptyCount) +
                    initBarrier("%empty1", emptyCount) + initFence) +
      blockBarrier + R"(
    %isProducer = icmp ult i32 %tid, 128
    br i1 %isProducer, label %team0, label %team1
  team0:
    )" +
      ptx("setmaxnreg.dec.sync.aligned.u32 40;") +
      R"(
    %isFirst = icmp eq i32 %tid, 0
    br i1 %isFirst, label %produce, label %done
  produce:
    br label %p.loop
  p.loop:
    %p.k = phi i32 [ 0, %produce ], [ %p.next, %p.loop ]
    )" +
      stageOf("p") + "%p.parity = xor i32 %p.odd, 1\n" + waitEmpty +
      expectBytes("%p.full", bytes) + "%p.x = mul i32 %p.k, 64\n" +
      loadBox("%p.a", {"%p.x", "0"}, "%p.full", "%mapA") +
      loadBox("%p.bt", {"%p.x", "0"}, "%p.full", "%mapB") + R"(
    %p.next = add i32 %p.k, 1
    %p.more = icmp ult i32 %p.next, %steps
    br i1 %p.more, label %p.loop, label %done
  team1:
    )" +
      ptx("setmaxnreg.inc.sync.aligned.u32 232;") +
      R"(
    br label %consume
  consume:
    br label %c.loop
  c.loop:
    %c.k = phi i32 [ 0, %consume ], [ %c.next, %c.latch ]
    )" +
      phis + stageOf("c") + "%c.parity = add i32 %c.odd, 0\n" + waitFull +
      descriptor("da", "%c.a") + descriptor("db", "%c.bt") +
      "%later = icmp ne i32 %c.k, 0\n" + wgmmaFence + products +
      commitProducts + beforeWait +
      kind.tie(waitProducts(0), "w", accumulators) + afterWait + R"(
    br label %c.latch
  c.latch:
    %c.next = add i32 %c.k, 1
    %c.more = icmp ult i32 %c.next, %steps
    br i1 %c.more, label %c.loop, label %epilogue
  epilogue:
    %m = and i32 %tid, 127
    %warp = lshr i32 %m, 5
    %lane = and i32 %m, 31
    %g = lshr i32 %lane, 2
    %q = and i32 %lane, 3
    %r16 = mul i32 %warp, 16
    %row = add i32 %r16, %g
    %rb = mul i32 %row, 256
    %cb = mul i32 %q, 8
    %ob = add i32 %rb, %cb
    %own = getelementptr i8, ptr addrspace(1) %out, i32 %ob
    )" +
      stores + "br label %done\ndone:\nret void";
  return TestKernel("ptr byval([128 x i8]) align 64 %mapA, ptr byval([128 x "
                    "i8]) align 64 %mapB, ptr addrspace(1) %out, i32 %steps",
                    body, asyncGlobals);
}

void Pipeline::launch(TestKernel &kernel) {
  kernel.scalar(makeMap(a.data(), 2, {depth, rows}, {tile, tile}, 128))
      .scalar(makeMap(b.data(), 2, {depth, columns}, {tile, tile}, 128))
      .buffer("C", out)
      .scalar<int32_t>((depth + tile - 1) / tile)
      .threads(256)
      .shared(1024 + 4 * stageBytes);
  for (auto *matrix : {&a, &b})
    kernel.launchSpec().buffers.push_back(
        {"operand", matrix->data(), matrix->size() * 2, false, -1});
}

void Pipeline::check() const {
  for (unsigned row = 0; row < tile; ++row)
    for (unsigned column = 0; column < tile; ++column) {
      float sum = 0;
      for (unsigned k = 0; k < depth && row < rows && column < columns; ++k)
        sum += emulator::decodeBF16(a[row * depth + k]) *
               emulator::decodeBF16(b[column * depth + k]);
      ASSERT_EQ(out[row * tile + column], sum) << row << ", " << column;
    }
}

static EmulationReport failWith(Pipeline &pipeline) {
  TestKernel kernel = pipeline.make();
  pipeline.launch(kernel);
  return kernel.fail();
}

TEST(Pipeline, MultipliesWithTails) {
  for (bool strict : {true, false}) {
    Pipeline pipeline;
    TestKernel kernel = pipeline.make();
    pipeline.launch(kernel);
    kernel.options().strictAsyncCopies = strict;
    kernel.run();
    pipeline.check();
  }
}

TEST(Pipeline, ReportsMissingWaits) {
  Pipeline noFull;
  noFull.waitFull = "";
  EmulationReport report = failWith(noFull);
  EXPECT_TRUE(report.kind == EmulationErrorKind::InFlightAccess ||
              report.kind == EmulationErrorKind::UninitialisedRead)
      << print(report);
  Pipeline noEmpty;
  noEmpty.waitEmpty = "";
  report = failWith(noEmpty);
  EXPECT_TRUE(report.kind == EmulationErrorKind::InFlightAccess ||
              report.kind == EmulationErrorKind::BarrierMisuse ||
              report.kind == EmulationErrorKind::Race)
      << print(report);
}

// The stage is free before the products that read it are done.
TEST(Pipeline, ReportsReleaseBeforeWait) {
  Pipeline pipeline;
  pipeline.afterWait = "";
  pipeline.beforeWait = pipeline.release;
  // The loads must come while the products are under way.
  pipeline.beforeWait += ptx("bar.sync $0, $1;", "i32 5, i32 128") +
                         "call void @llvm.nvvm.nanosleep(i32 20)\n";
  EmulationReport report = failWith(pipeline);
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess) << print(report);
  EXPECT_NE(report.message.find("which a wgmma of warpgroup 1 may still read"),
            std::string::npos)
      << report.message;
}

TEST(Pipeline, ReportsWrongCounts) {
  Pipeline never;
  never.emptyCount = 2;
  EmulationReport report = failWith(never);
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find("thread 0 at the mbarrier at offset 16 of "
                               "shared memory for phase 0 (parity 0), which "
                               "misses 1 of 2 arrivals and 0 bytes"),
            std::string::npos)
      << print(report);
  EXPECT_NE(print(report).find("threads 128-255 at the mbarrier at offset 0 of "
                               "shared memory for phase 1 (parity 1), which "
                               "misses 1 of 1 arrivals and 0 bytes"),
            std::string::npos)
      << print(report);
  Pipeline less;
  less.bytes -= 16;
  EXPECT_EQ(failWith(less).kind, EmulationErrorKind::BarrierMisuse);
}
