//===- PtxLintTest.cpp - Tests of the order of wgmma's registers ----------===//
#include "compiler/CodeGen/PtxLint.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tilec;
using testing::ElementsAre;
using testing::HasSubstr;

/// A kernel with this body, whose first line is line 2.
static std::string makeKernel(llvm::StringRef body) {
  return (".visible .entry k(.param .u32 p0) .reqntid 128 {\n" + body + "\n}\n")
      .str();
}

/// A product of fragments %r1, %r2 and a descriptor, or of descriptors alone.
static const std::string product =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2}, "
    "{%r1, %r2}, %rd1, 1, 1, 1, 0;\n";
static const std::string sharedProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2}, "
    "%rd2, %rd1, 1, 1, 1, 0, 0;\n";
static const std::string fence = "wgmma.fence.sync.aligned;\n";
static const std::string commit = "wgmma.commit_group.sync.aligned;\n";

static std::string waitFor(unsigned count) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(count) + ";\n";
}

static std::vector<std::string> getHazards(llvm::StringRef body) {
  std::vector<std::string> texts;
  for (const PtxFinding &finding : lintPtx(makeKernel(body)).hazards)
    texts.push_back(finding.str());
  return texts;
}

TEST(PtxLint, PassesKernelsWithoutWgmma) {
  PtxLintReport report = lintPtx(makeKernel("mov.b32 %r1, %r2;\nret;"));
  EXPECT_TRUE(report.kernels.empty());
  EXPECT_TRUE(report.hazards.empty());
}

TEST(PtxLint, PassesALoopThatWaitsBeforeItConverts) {
  std::string body = fence + "$L__BB0_1:\n" + fence + product + commit +
                     waitFor(1) + "setp.ne.s32 %p1, %r9, 0;\n" +
                     "@%p1 bra $L__BB0_1;\n" + waitFor(0) +
                     "st.global.v2.b32 [%rd3], {%f1, %f2};\nret;";
  PtxLintReport report = lintPtx(makeKernel(body));
  EXPECT_THAT(report.kernels, ElementsAre("k"));
  EXPECT_TRUE(report.holdsWgmma("k"));
  EXPECT_FALSE(report.holdsWgmma("other"));
  EXPECT_TRUE(report.hazards.empty());
  EXPECT_TRUE(report.drift.empty());
}

TEST(PtxLint, FindsAFragmentThatIsOverwritten) {
  EXPECT_THAT(
      getHazards(fence + product + commit + "mov.b32 %r2, %r5;\n" + waitFor(0)),
      ElementsAre("line 5 of kernel 'k': 'mov.b32 %r2, %r5' writes %r2, which "
                  "a wgmma in flight reads"));
  // Of the open group too.
  EXPECT_EQ(getHazards(fence + product + "mov.b32 %r2, %r5;\n" + commit).size(),
            1u);
  // A read is harmless, and so is all of it after the wait.
  EXPECT_TRUE(getHazards(fence + product + commit + "mov.b32 %r5, %r2;\n" +
                         waitFor(0) + "mov.b32 %r2, %r5;\n")
                  .empty());
}

TEST(PtxLint, FindsAnAccumulatorThatIsReadOrWrittenEarly) {
  EXPECT_THAT(getHazards(fence + sharedProduct + commit +
                         "st.global.b32 [%rd3], %f2;\n" + waitFor(0)),
              ElementsAre(HasSubstr("'st.global.b32 [%rd3], %f2' reads %f2, "
                                    "which a wgmma in flight writes")));
  EXPECT_THAT(
      getHazards(fence + sharedProduct + commit + "ld.b32 %f1, [%rd3];\n"),
      ElementsAre(HasSubstr("writes %f1, which a wgmma in flight writes")));
}

TEST(PtxLint, FindsAFragmentThatAProductInFlightWrites) {
  std::string second =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f3, %f4}, "
      "{%f1, %f2}, %rd1, 1, 1, 1, 0;\n";
  EXPECT_THAT(
      getHazards(fence + product + commit + second + commit + waitFor(0)),
      ElementsAre("line 5 of kernel 'k': "
                  "'wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16' reads "
                  "%f1, which a wgmma in flight writes"));
  EXPECT_TRUE(getHazards(fence + product + commit + waitFor(0) + second +
                         commit + waitFor(0))
                  .empty());
}

TEST(PtxLint, CountsGroupsInFlight) {
  std::string other =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f3, %f4}, "
      "{%r3, %r4}, %rd1, 1, 1, 1, 0;\n";
  std::string start = fence + product + commit + other + commit + waitFor(1);
  EXPECT_TRUE(getHazards(start + "mov.b32 %r1, %r9;\n").empty());
  EXPECT_EQ(getHazards(start + "mov.b32 %r3, %r9;\n").size(), 1u);
}

// The buffer that the loop converts into is still read by the group of the
// iteration before; a branch keeps ptxas from seeing it.
TEST(PtxLint, FindsTheHazardAcrossABackEdgeBehindABranch) {
  std::string loop = fence + product + commit +
                     "@%p2 bra $L__BB0_2;\n"
                     "mbarrier.arrive.shared.b64 _, [%r8];\n"
                     "$L__BB0_2:\n"
                     "lop3.b32 %r1, %r7, 15, %r6, 234;\n" +
                     waitFor(1) + "@%p1 bra $L__BB0_1;\n" + waitFor(0) + "ret;";
  EXPECT_THAT(getHazards("$L__BB0_1:\n" + loop),
              ElementsAre(HasSubstr("line 9 of kernel 'k': 'lop3.b32 %r1")));
  // The write stands before the wait in the text and after it in time.
  std::string rotated = "$L__BB0_1:\nmov.b32 %r1, %r9;\n" + fence + product +
                        commit + waitFor(1) + "@%p1 bra $L__BB0_1;\n" +
                        waitFor(0);
  EXPECT_THAT(getHazards(rotated),
              ElementsAre(HasSubstr("line 3 of kernel 'k': 'mov.b32 %r1")));
}

TEST(PtxLint, FollowsBothWaysOfABranch) {
  // One way waits, the other does not.
  std::string body = fence + product + commit + "@%p1 bra $L__BB0_2;\n" +
                     waitFor(0) + "$L__BB0_2:\nmov.b32 %f1, 0;\n";
  EXPECT_EQ(getHazards(body).size(), 1u);
  // The code behind a plain branch is not reached from above it.
  EXPECT_TRUE(getHazards(fence + product + commit + "bra.uni $L__BB0_2;\n" +
                         "$L__BB0_1:\nmov.b32 %f1, 0;\nbra $L__BB0_3;\n" +
                         "$L__BB0_2:\n" + waitFor(0) + "$L__BB0_3:\nret;")
                  .empty());
}

TEST(PtxLint, WantsAFenceBehindOtherAccesses) {
  EXPECT_THAT(getHazards("mov.b32 %r1, %r9;\n" + product + commit + waitFor(0)),
              ElementsAre(HasSubstr(
                  "reads %r1, which was written since the last wgmma.fence")));
  EXPECT_THAT(
      getHazards(fence + "mov.b32 %f1, 0f00000000;\n" + sharedProduct + commit),
      ElementsAre(HasSubstr("accumulates in %f1, which another instruction "
                            "touched since the last wgmma.fence")));
}

TEST(PtxLint, ReadsScopesVectorsAndComments) {
  EXPECT_TRUE(getHazards(fence + "{ .reg .pred p; setp.ne.b32 p, %r9, 0; " +
                         sharedProduct + "}\n// mov.b32 %f1, 0;\n" + commit +
                         "{\n.reg .pred q;\nwait_7:\n"
                         "mbarrier.try_wait.parity.shared::cta.b64 q, [%r8], "
                         "%r9;\n@!q bra wait_7;\n}\n" +
                         waitFor(0))
                  .empty());
  EXPECT_EQ(getHazards(fence + product + commit +
                       "ld.shared.v4.b32 {%r5, %r6, %r2, %r7}, [%r8];\n")
                .size(),
            1u);
}

TEST(PtxLint, TellsSourceLines) {
  std::string ptx =
      ".file 1 \"dir/k.tile\"\n" +
      makeKernel(fence + product + commit + ".loc 1 12 5\nmov.b32 %r1, %r5;\n");
  PtxLintReport report = lintPtx(ptx);
  ASSERT_EQ(report.hazards.size(), 1u);
  EXPECT_EQ(report.hazards[0].source, "dir/k.tile:12");
  EXPECT_EQ(report.hazards[0].line, 7u);
  EXPECT_EQ(llvm::toString(makeHazardError(report.hazards)),
            "internal error: the PTX uses registers that a wgmma in flight "
            "owns\n  line 7 of kernel 'k' (dir/k.tile:12): 'mov.b32 %r1, %r5' "
            "writes %r1, which a wgmma in flight reads\n  this is a bug of "
            "tilec; please report it with the source file and the command");
}

TEST(PtxLint, CountsWhatDriftsBetweenTheProductsOfAGroup) {
  auto getDrift = [](llvm::StringRef body) {
    std::vector<std::string> texts;
    for (const PtxFinding &finding : lintPtx(makeKernel(body)).drift)
      texts.push_back(finding.str());
    return texts;
  };
  EXPECT_TRUE(getDrift(fence + sharedProduct + "add.s64 %rd2, %rd2, 2;\n" +
                       "mov.b64 %rd1, {%r7, %r8};\nor.b32 %r7, %r7, 1;\n" +
                       "selp.b32 %r6, 1, 0, %p1;\n" + sharedProduct + commit)
                  .empty());
  EXPECT_THAT(getDrift(fence + sharedProduct + "cvt.rn.f32.s32 %f9, %r9;\n" +
                       "mul.f32 %f9, %f9, %f9;\n" + sharedProduct + commit),
              ElementsAre("line 4 of kernel 'k': 2 instructions, "
                          "'cvt.rn.f32.s32 %f9, %r9' the first, stand between "
                          "the wgmmas of a group"));
  EXPECT_THAT(getDrift(fence + sharedProduct + "@%p1 bra $L__BB0_1;\n" +
                       sharedProduct + "$L__BB0_1:\n" + commit),
              testing::Contains(HasSubstr("a branch stands between")));
}
