//===- ClusterTest.cpp - Blocks that run together -------------------------===//

#include "AsyncKernel.h"

using namespace tilec;
using namespace tilec::test;

static const std::string prologue =
    "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "%rank = call i32 asm sideeffect \"mov.u32 $0, %cluster_ctarank;\", "
    "\"=r\"()\n"
    "%other = xor i32 %rank, 1\n" +
    sharedAddress("bar", 0) + sharedAddress("box", 1024);

static const std::string clusterArrive = ptx("barrier.cluster.arrive.aligned;");
static const std::string clusterWait = ptx("barrier.cluster.wait.aligned;");
static const std::string clusterBarrier = clusterArrive + clusterWait;

/// `%name` = the address in the other block.
static std::string mapToOther(const std::string &name,
                              const std::string &address) {
  return "%" + name +
         " = call i32 asm sideeffect \"mapa.shared::cluster.u32 $0, $1, $2;\", "
         "\"=r,r,r\"(i32 " +
         address + ", i32 %other)\n";
}

static TestKernel makeKernel(const std::string &body,
                             const std::string &parameters = "") {
  TestKernel kernel(parameters, prologue + body + "ret void", asyncGlobals);
  kernel.threads(128).grid(4).shared(8192);
  kernel.launchSpec().clusterSize = 2;
  return kernel;
}

// Each block loads half of a box and gives it to both.
TEST(Cluster, CopiesGoToSeveralBlocks) {
  std::vector<uint32_t> in(4 * 32 * 4);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint32_t>(i + 1);
  std::vector<uint32_t> out(4 * 256);
  TestKernel kernel = makeKernel(
      onlyIn(0, initBarrier("%bar", 1) + initFence) + clusterBarrier +
          R"(
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %cluster = lshr i32 %block, 1
    %half = mul i32 %rank, 512
    %to = add i32 %box, %half
    %row0 = mul i32 %cluster, 64
    %rowr = mul i32 %rank, 32
    %row = add i32 %row0, %rowr
    )" +
          onlyIn(0, expectBytes("%bar", 1024) +
                        ptx("cp.async.bulk.tensor.2d.shared::cluster.global."
                            "tile.mbarrier::complete_tx::bytes.multicast::"
                            "cluster [$0], [$1, {$2, $3}], [$4], $5;",
                            "i32 %to, ptr %map, i32 0, i32 %row, i32 %bar, i32 "
                            "3")) +
          waitFor("%bar", "0") + R"(
    %o = mul i32 %tid, 8
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 %o
    %x = load <2 x i32>, ptr addrspace(3) %s, align 8
    %base = mul i32 %block, 1024
    %at = add i32 %base, %o
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %at
    store <2 x i32> %x, ptr addrspace(1) %d, align 8
    )" + clusterBarrier,
      std::string(mapParameter) + ", ptr addrspace(1) %out");
  kernel.scalar(makeMap(in.data(), 4, {4, 128}, {4, 32}));
  kernel.launchSpec().buffers.push_back(
      {"A", in.data(), in.size() * 4, false, -1});
  kernel.buffer("C", out).run();
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned i = 0; i < 256; ++i)
      ASSERT_EQ(out[block * 256 + i], in[block / 2 * 256 + i]) << block;
}

/// Each block writes into the other one, tells it, and reads what it was given.
static TestKernel makeExchange(const std::string &tell,
                               const std::string &learn) {
  return makeKernel(onlyIn(0, initBarrier("%bar", 128) + initFence) +
                        clusterBarrier + mapToOther("remote", "%box") +
                        mapToOther("rbar", "%bar") + R"(
    %o = mul i32 %tid, 4
    %ra = add i32 %remote, %o
    %rp = inttoptr i32 %ra to ptr addrspace(7)
    %value = add i32 %o, %rank
    store i32 %value, ptr addrspace(7) %rp, align 4
    )" + tell + learn + R"(
    %sel = xor i32 %o, 4
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 %sel
    %x = load i32, ptr addrspace(3) %s, align 4
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %base = mul i32 %block, 512
    %at = add i32 %base, %o
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %at
    store i32 %x, ptr addrspace(1) %d, align 4
    )" + clusterBarrier,
                    "ptr addrspace(1) %out");
}

TEST(Cluster, RemoteArrivalsOrderRemoteWrites) {
  std::vector<uint32_t> out(4 * 128);
  std::string remoteArrive =
      ptx("mbarrier.arrive.shared::cluster.b64 _, [$0];", "i32 %rbar");
  TestKernel kernel = makeExchange(remoteArrive, waitFor("%bar", "0"));
  kernel.buffer("C", out).run();
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned t = 0; t < 128; ++t)
      ASSERT_EQ(out[block * 128 + t], 4 * (t ^ 1) + (block % 2 ^ 1));
  TestKernel byBarrier = makeExchange(clusterArrive, clusterWait);
  byBarrier.buffer("C", out).run();
  EXPECT_EQ(out[130], 4u * 3);
  // A barrier of the own block does not order the other one's writes.
  TestKernel wrong = makeExchange("", blockBarrier);
  wrong.options().checkUninitialised = false;
  EmulationReport report = wrong.buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  // Nor does an arrival that releases nothing.
  TestKernel relaxed =
      makeExchange(ptx("barrier.cluster.arrive.relaxed.aligned;"), clusterWait);
  report = relaxed.buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

/// Each thread sends a word to the other block, whose threads read it once
/// `learn` has let them.
static TestKernel makeSending(const std::string &learn,
                              const std::string &barrier = "%rbar") {
  return makeKernel(
      onlyIn(0, initBarrier("%bar", 1) + initFence) + clusterBarrier +
          onlyIn(1, expectBytes("%bar", 512)) + mapToOther("remote", "%box") +
          mapToOther("rbar", "%bar") + R"(
    %o = mul i32 %tid, 4
    %ra = add i32 %remote, %o
    %value = add i32 %o, %rank
    )" +
          ptx("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], "
              "$1, [$2];",
              "i32 %ra, i32 %value, i32 " + barrier) +
          learn + R"(
    %sel = xor i32 %o, 4
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 %sel
    %x = load i32, ptr addrspace(3) %s, align 4
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %base = mul i32 %block, 512
    %at = add i32 %base, %o
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %at
    store i32 %x, ptr addrspace(1) %d, align 4
    )",
      "ptr addrspace(1) %out");
}

TEST(Cluster, SentWordsComeWithTheirBytes) {
  std::vector<uint32_t> out(4 * 128);
  makeSending(waitFor("%bar", "0")).buffer("C", out).run();
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned t = 0; t < 128; ++t)
      ASSERT_EQ(out[block * 128 + t], 4 * (t ^ 1) + (block % 2 ^ 1));
  // Neither a barrier of the block nor one of the cluster waits for them.
  EmulationReport report = makeSending(clusterBarrier).buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  TestKernel wrong = makeSending(blockBarrier);
  wrong.options().checkUninitialised = false;
  report = wrong.buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  // Words are counted where they go.
  report = makeSending(waitFor("%bar", "0"), "%bar").buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
}

// Two words go to a multiple of 8 bytes.
TEST(Cluster, SendsPairs) {
  auto makePairs = [](const std::string &start) {
    return makeKernel(
        onlyIn(0, initBarrier("%bar", 1) + initFence) + clusterBarrier +
            onlyIn(1, expectBytes("%bar", 1024)) +
            mapToOther("remote", "%box") + mapToOther("rbar", "%bar") + R"(
    %o = mul i32 %tid, 8
    %from = add i32 %remote, )" +
            start + R"(
    %ra = add i32 %from, %o
    %first = add i32 %o, %rank
    %second = add i32 %first, 4
    )" +
            ptx("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
                "[$0], {$1, $2}, [$3];",
                "i32 %ra, i32 %first, i32 %second, i32 %rbar") +
            waitFor("%bar", "0") + R"(
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 %o
    %x = load <2 x i32>, ptr addrspace(3) %s, align 8
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %base = mul i32 %block, 1024
    %at = add i32 %base, %o
    %d = getelementptr i8, ptr addrspace(1) %out, i32 %at
    store <2 x i32> %x, ptr addrspace(1) %d, align 8
    )",
        "ptr addrspace(1) %out");
  };
  std::vector<uint32_t> out(4 * 256);
  makePairs("0").buffer("C", out).run();
  for (unsigned block = 0; block < 4; ++block)
    for (unsigned i = 0; i < 256; ++i)
      ASSERT_EQ(out[block * 256 + i], 4 * i + (block % 2 ^ 1));
  EmulationReport report = makePairs("4").buffer("C", out).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Misaligned);
}

// The words may arrive before what their sender stored in front of them.
TEST(Cluster, SentWordsBringNothingElse) {
  std::vector<uint32_t> out(4);
  EmulationReport report =
      makeKernel(
          onlyIn(0, initBarrier("%bar", 1) + initFence) + clusterBarrier +
              mapToOther("remote", "%box") + mapToOther("rbar", "%bar") +
              onlyIn(0, expectBytes("%bar", 4) + R"(
    %beside = add i32 %remote, 4
    )" + ptx("st.shared::cluster.b32 [$0], $1;", "i32 %beside, i32 7") +
                            ptx("st.async.shared::cluster.mbarrier::complete_"
                                "tx::bytes.b32 [$0], $1, [$2];",
                                "i32 %remote, i32 7, i32 %rbar")) +
              waitFor("%bar", "0") + R"(
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 4
    %x = load i32, ptr addrspace(3) %s, align 4
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %d = getelementptr i32, ptr addrspace(1) %out, i32 %block
    store i32 %x, ptr addrspace(1) %d, align 4
    )",
          "ptr addrspace(1) %out")
          .buffer("C", out)
          .fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

// A word that nobody waits for may arrive in memory that is no more.
TEST(Cluster, ReportsSentWordsNobodyWaitedFor) {
  EmulationReport report =
      makeKernel(onlyIn(0, initBarrier("%bar", 1) + initFence) +
                 clusterBarrier + mapToOther("remote", "%box") +
                 mapToOther("rbar", "%bar") +
                 onlyIn(0, expectBytes("%bar", 4) +
                               ptx("st.async.shared::cluster.mbarrier::"
                                   "complete_tx::bytes.b32 [$0], $1, [$2];",
                                   "i32 %remote, i32 7, i32 %rbar")) +
                 clusterBarrier)
          .fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("nobody waited for"), std::string::npos);
}

TEST(Cluster, ReportsMissingBarrierAfterInit) {
  TestKernel kernel = makeKernel(
      onlyIn(0, initBarrier("%bar", 128) + initFence) + blockBarrier +
      mapToOther("rbar", "%bar") +
      ptx("mbarrier.arrive.shared::cluster.b64 _, [$0];", "i32 %rbar") +
      clusterBarrier);
  EmulationReport report = kernel.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
}

// Block 1 ends, and block 0 comes to its mbarrier later.
TEST(Cluster, ReportsArrivalAtBlockThatHasEnded) {
  EmulationReport report =
      makeKernel(
          onlyIn(0, initBarrier("%bar", 256) + initFence) + clusterBarrier +
          mapToOther("rbar", "%bar") +
          ptx("mbarrier.arrive.shared::cluster.b64 _, [$0];", "i32 %rbar") +
          "%is = icmp eq i32 %rank, 0\nbr i1 %is, label %late, label "
          "%done\nlate:\n" +
          waitFor("%bar", "1") +
          ptx("mbarrier.arrive.shared::cluster.b64 _, [$0];", "i32 %rbar") +
          "br label %done\ndone:\n")
          .fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("a block which has ended"), std::string::npos)
      << report.message;
}

TEST(Cluster, ReportsWrongUse) {
  EXPECT_EQ(makeKernel(clusterWait).fail().kind,
            EmulationErrorKind::BarrierMisuse);
  EXPECT_EQ(makeKernel(clusterArrive + clusterArrive).fail().kind,
            EmulationErrorKind::BarrierMisuse);
  EXPECT_EQ(makeKernel("%far = call i32 asm sideeffect "
                       "\"mapa.shared::cluster.u32 $0, $1, 2;\", \"=r,r\"(i32 "
                       "%bar)\n")
                .fail()
                .kind,
            EmulationErrorKind::OutOfBounds);
  // Block 1 comes, and block 0 waits for its mbarrier.
  TestKernel stuck = makeKernel(
      onlyIn(0, initBarrier("%bar", 1)) + blockBarrier +
      "%is = icmp eq i32 %rank, 0\nbr i1 %is, label %wait, label %go\nwait:\n" +
      waitFor("%bar", "0") + "br label %go\ngo:\n" + clusterBarrier);
  EmulationReport report = stuck.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find("threads 0-127 of block 0 at the mbarrier at "
                               "offset 0 of block 0"),
            std::string::npos)
      << print(report);
  EXPECT_NE(print(report).find("threads 0-127 of block 1 at the barrier of the "
                               "cluster, to which 128 threads have not come"),
            std::string::npos)
      << print(report);
}

TEST(Cluster, ChecksLaunch) {
  EXPECT_EQ(makeKernel("").grid(3).fail().kind, EmulationErrorKind::BadLaunch);
  EXPECT_EQ(makeKernel("").threads(96).fail().kind,
            EmulationErrorKind::BadLaunch);
  EXPECT_EQ(makeKernel("").threads(1152).fail().kind,
            EmulationErrorKind::BadLaunch);
  TestKernel large = makeKernel("");
  large.grid(8).threads(512);
  large.launchSpec().clusterSize = 8;
  EXPECT_EQ(large.fail().kind, EmulationErrorKind::BadLaunch);
}

// Blocks, warps and threads are counted as in a launch without clusters.
TEST(Cluster, NumbersThreadsByBlock) {
  std::vector<uint32_t> out(4);
  TestKernel kernel = makeKernel(R"(
    %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
    %sum0 = add i32 %tid, %warp
    %is = icmp eq i32 %sum0, 130
    br i1 %is, label %write, label %done
  write:
    %size = call i32 asm "mov.u32 $0, %cluster_nctarank;", "=r"()
    %ten = mul i32 %rank, 10
    %value = add i32 %ten, %size
    %q = getelementptr i32, ptr addrspace(1) %out, i32 %block
    store i32 %value, ptr addrspace(1) %q, align 4
    br label %done
  done:
    )",
                                 "ptr addrspace(1) %out");
  kernel.buffer("C", out).run();
  EXPECT_EQ(out, (std::vector<uint32_t>{2, 12, 2, 12}));
  // One block brings the other one with it.
  out.assign(4, 0);
  kernel.launchSpec().blocks = {3};
  kernel.run();
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0, 2, 12}));
}
