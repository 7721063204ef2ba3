//===- MatrixMemoryTest.cpp - ldmatrix and stmatrix -----------------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

static const char *sharedGlobals =
    "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n";

/// Fills shared memory with 16-bit words 0, 1, 2, ... and loads `count`
/// matrices whose rows are `pitch` bytes apart.
static std::vector<uint32_t>
loadMatrices(unsigned count, bool transposes, int32_t pitch,
             EmulatorCounters *counters = nullptr) {
  std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" +
                     std::to_string(count) + (transposes ? ".trans" : "") +
                     ".b16.p3";
  std::string type = "i32";
  if (count > 1)
    type = count == 2 ? "{i32, i32}" : "{i32, i32, i32, i32}";
  std::string body = R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    br label %fill
  fill:
    %i = phi i32 [ %tid, %0 ], [ %next, %fill ]
    %p = getelementptr i16, ptr addrspace(3) @tile_shared, i32 %i
    %w = trunc i32 %i to i16
    store i16 %w, ptr addrspace(3) %p, align 2
    %next = add i32 %i, 32
    %more = icmp ult i32 %next, 2048
    br i1 %more, label %fill, label %go
  go:
    call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
    %o = mul i32 %tid, %pitch
    %row = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %o
    %m = call )" + type +
                     " @" + name +
                     "(ptr addrspace(3) %row)\n"
                     "%oo = mul i32 %tid, 4\n"
                     "%out0 = getelementptr i32, ptr addrspace(1) %out, i32 "
                     "%oo\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    if (count == 1)
      body += "store i32 %m, ptr addrspace(1) %out0, align 4\n";
    else
      body += "%e" + n + " = extractvalue " + type + " %m, " + n + "\n%q" + n +
              " = getelementptr i32, ptr addrspace(1) %out0, i32 " + n +
              "\nstore i32 %e" + n + ", ptr addrspace(1) %q" + n +
              ", align 4\n";
  }
  std::vector<uint32_t> out(128);
  TestKernel kernel("ptr addrspace(1) %out, i32 %pitch", body + "ret void",
                    sharedGlobals);
  EmulatorCounters result =
      kernel.buffer("C", out).scalar(pitch).shared(4096).run();
  if (counters)
    *counters = result;
  return out;
}

TEST(LoadMatrix, GivesEachLaneItsPair) {
  for (unsigned count : {1u, 2u, 4u})
    for (int32_t pitch : {16, 48}) {
      auto out = loadMatrices(count, false, pitch);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned m = 0; m < count; ++m) {
          uint32_t first = (m * 8 + lane / 4) * pitch / 2 + 2 * (lane % 4);
          EXPECT_EQ(out[4 * lane + m], first | (first + 1) << 16);
        }
    }
}

TEST(LoadMatrix, Transposes) {
  for (unsigned count : {1u, 2u, 4u}) {
    auto out = loadMatrices(count, true, 16);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned m = 0; m < count; ++m) {
        // Elements (2q, g) and (2q + 1, g).
        uint32_t low = (m * 8 + 2 * (lane % 4)) * 8 + lane / 4;
        EXPECT_EQ(out[4 * lane + m], low | (low + 8) << 16);
      }
  }
}

TEST(LoadMatrix, CountsConflictsPerMatrix) {
  EmulatorCounters dense, strided;
  loadMatrices(4, false, 16, &dense);
  loadMatrices(4, false, 128, &strided);
  // The stores that fill the memory have none; every matrix whose rows are 128
  // bytes apart takes eight wavefronts.
  EXPECT_EQ(dense.bankConflicts, 0u);
  EXPECT_EQ(strided.bankConflicts, 4 * 7u);
  EXPECT_EQ(dense.sharedBytesRead, 512u);
}

TEST(LoadMatrix, ReportsMisalignedRow) {
  std::vector<uint32_t> out(128);
  TestKernel kernel("", R"(
    %p = getelementptr i8, ptr addrspace(3) @tile_shared, i32 8
    store i128 0, ptr addrspace(3) %p, align 8
    %m = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %p)
    ret void)",
                    sharedGlobals);
  kernel.options().checkRaces = false;
  EmulationReport report = kernel.shared(64).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Misaligned);
  EXPECT_EQ(report.location.line, 3u);
}

// What stmatrix writes, plain loads must find.
TEST(StoreMatrix, PlacesEachPair) {
  for (bool transposes : {false, true}) {
    std::string name = std::string("llvm.nvvm.stmatrix.sync.aligned.m8n8.x2") +
                       (transposes ? ".trans" : "") + ".b16.p3";
    std::vector<uint16_t> out(128);
    TestKernel kernel("ptr addrspace(1) %out",
                      R"(
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %o = mul i32 %tid, 16
      %row = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %o
      %low = mul i32 %tid, 2
      %high = add i32 %low, 1
      %shifted = shl i32 %high, 16
      %pair = or i32 %low, %shifted
      %other = add i32 %pair, 6553700
      call void @)" + name +
                          R"((ptr addrspace(3) %row, i32 %pair, i32 %other)
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      %so = mul i32 %tid, 4
      %s = getelementptr i16, ptr addrspace(3) @tile_shared, i32 %so
      %x = load <4 x i16>, ptr addrspace(3) %s, align 8
      %d = getelementptr i16, ptr addrspace(1) %out, i32 %so
      store <4 x i16> %x, ptr addrspace(1) %d, align 8
      ret void)",
                      sharedGlobals);
    kernel.buffer("C", out).shared(512).run();
    for (unsigned m = 0; m < 2; ++m)
      for (unsigned row = 0; row < 8; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          unsigned major = transposes ? column : row;
          unsigned minor = transposes ? row : column;
          unsigned lane = 4 * major + minor / 2;
          EXPECT_EQ(out[m * 64 + row * 8 + column],
                    2 * lane + minor % 2 + 100 * m);
        }
  }
}
