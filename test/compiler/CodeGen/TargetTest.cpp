//===- TargetTest.cpp - Tests of the target table -------------------------===//
#include "compiler/CodeGen/Target.h"
#include "gtest/gtest.h"

using namespace tilec;

static const Target *parse(llvm::StringRef name) {
  llvm::Expected<const Target *> target = parseTarget(name);
  EXPECT_TRUE(static_cast<bool>(target)) << name.str();
  if (!target) {
    llvm::consumeError(target.takeError());
    return nullptr;
  }
  return *target;
}

static std::string getParseError(llvm::StringRef name) {
  llvm::Expected<const Target *> target = parseTarget(name);
  if (target)
    return "";
  return llvm::toString(target.takeError());
}

TEST(Target, KnowsTheSharedMemoryLimits) {
  EXPECT_EQ(parse("sm_80")->sharedBytesPerBlock, 166912u);
  EXPECT_EQ(parse("sm_86")->sharedBytesPerBlock, 101376u);
  EXPECT_EQ(parse("sm_89")->sharedBytesPerBlock, 101376u);
  EXPECT_EQ(parse("sm_90a")->sharedBytesPerBlock, 232448u);
  EXPECT_EQ(parse("sm_100a")->sharedBytesPerBlock, 232448u);
  EXPECT_EQ(parse("sm_120a")->sharedBytesPerBlock, 101376u);
}

TEST(Target, NamesTheSuffixWhenItIsMissing) {
  EXPECT_EQ(getParseError("sm_90"),
            "target 'sm_90' is unknown; did you mean 'sm_90a'? its "
            "instructions are those of that architecture alone; the choices "
            "are sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a");
}

TEST(Target, ListsTheChoicesForAnUnknownName) {
  EXPECT_EQ(getParseError("gfx942"),
            "target 'gfx942' is unknown; the choices are sm_80, sm_86, sm_89, "
            "sm_90a, sm_100a, sm_120a");
  EXPECT_EQ(getParseError(""), "target '' is unknown; the choices are sm_80, "
                               "sm_86, sm_89, sm_90a, sm_100a, sm_120a");
}

TEST(Target, IsFoundForADevice) {
  EXPECT_EQ(findTargetForDevice(90), parse("sm_90a"));
  EXPECT_EQ(findTargetForDevice(86), parse("sm_86"));
  // sm_86 code runs on 8.7; sm_100a code does not run on 10.3.
  EXPECT_EQ(findTargetForDevice(87), parse("sm_86"));
  EXPECT_EQ(findTargetForDevice(103), nullptr);
  EXPECT_EQ(findTargetForDevice(75), nullptr);
}
