//===- PtxasReportTest.cpp - Tests of the parser of ptxas's report --------===//
#include "compiler/CodeGen/PtxasReport.h"
#include "gtest/gtest.h"

using namespace tilec;

TEST(PtxasReport, HoldsTheResourcesOfEachKernel) {
  PtxasReport report = parsePtxasReport(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'gemm__general' for 'sm_90a'\n"
      "ptxas info    : Function properties for gemm__general\n"
      "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 3 barriers, 16 bytes stack, "
      "1024 bytes smem, 400 bytes cmem[0]\n"
      "ptxas info    : Compile time = 31.9 ms\n"
      "ptxas info    : Compiling entry function 'gemm__aligned' for 'sm_90a'\n"
      "ptxas info    : Function properties for gemm__aligned\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 90 registers, used 1 barriers\n");
  ASSERT_EQ(report.kernels.size(), 2u);
  const KernelResources *general = report.find("gemm__general");
  ASSERT_NE(general, nullptr);
  EXPECT_EQ(general->registers, 168u);
  EXPECT_EQ(general->stackBytes, 16u);
  EXPECT_EQ(general->spillStoreBytes, 12u);
  EXPECT_EQ(general->spillLoadBytes, 20u);
  EXPECT_EQ(general->sharedBytes, 1024u);
  EXPECT_EQ(general->barriers, 3u);
  EXPECT_EQ(report.find("gemm__aligned")->registers, 90u);
  EXPECT_EQ(report.find("other"), nullptr);
}

TEST(PtxasReport, KeepsTheBytesOfAnotherFunctionApart) {
  PtxasReport report = parsePtxasReport(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for helper\n"
      "    64 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 40 registers\n");
  EXPECT_EQ(report.find("k")->spillStoreBytes, 0u);
  EXPECT_EQ(report.find("k")->stackBytes, 0u);
}

TEST(PtxasReport, CollectsLostPerformance) {
  PtxasReport report = parsePtxasReport(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to wgmma pipeline crossing function "
      "boundary at a function call in the function 'k'\n"
      "ptxas warning : Registers are spilled to local memory in function "
      "'k'\n");
  ASSERT_EQ(report.lostPerformance.size(), 1u);
  EXPECT_NE(report.lostPerformance[0].find("C7510"), std::string::npos);
  ASSERT_EQ(report.warnings.size(), 1u);
}
