//===- CommandLineTest.cpp - Tests of the command line --------------------===//
#include "compiler/Driver/CommandLine.h"

#include "compiler/Driver/Failure.h"
#include "gtest/gtest.h"

using namespace tilec;

static llvm::Expected<Invocation>
parse(std::initializer_list<llvm::StringRef> arguments) {
  return parseCommandLine(llvm::ArrayRef(arguments));
}

/// The text of the usage error, with its hint on a second line.
static std::string
parseError(std::initializer_list<llvm::StringRef> arguments) {
  llvm::Expected<Invocation> invocation = parse(arguments);
  if (invocation)
    return "no error";
  std::string text;
  llvm::handleAllErrors(invocation.takeError(), [&](const Failure &failure) {
    EXPECT_EQ(failure.exitStatus, exitUsage);
    text = failure.message + "\n" + failure.help;
  });
  return text;
}

TEST(CommandLine, CompilesWithoutACommand) {
  auto invocation = parse({"gemm.tile", "-o", "gemm.cubin", "--target=sm_80",
                           "-D", "BM=128", "-DBN=64", "--set", "swap=1"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->command, Command::Compile);
  EXPECT_EQ(invocation->emit, Stage::Cubin);
  EXPECT_EQ(invocation->compile.inputFile, "gemm.tile");
  EXPECT_EQ(invocation->outputFile, "gemm.cubin");
  EXPECT_EQ(invocation->compile.target, "sm_80");
  ASSERT_EQ(invocation->compile.definitions.size(), 2u);
  EXPECT_EQ(invocation->compile.definitions[0].name, "BM");
  EXPECT_EQ(invocation->compile.definitions[0].text, "128");
  EXPECT_EQ(invocation->compile.definitions[1].name, "BN");
  EXPECT_EQ(invocation->compile.definitions[1].text, "64");
  ASSERT_EQ(invocation->compile.settings.size(), 1u);
  EXPECT_EQ(invocation->compile.settings[0].text, "1");
}

TEST(CommandLine, ReadsTheOptionsOfRun) {
  auto invocation =
      parse({"run", "--device", "emulator", "--check=full", "gemm.tile",
             "--size=M=37", "--size", "N=0", "--in", "scale=0.125",
             "--tol=1e-2,1e-5", "--seed=7", "--counters"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->command, Command::Run);
  const RunOptions &run = invocation->run;
  EXPECT_EQ(run.device, Device::Emulator);
  EXPECT_EQ(run.check, CheckExtent::Full);
  ASSERT_EQ(run.sizes.size(), 2u);
  EXPECT_EQ(run.sizes[0].value, 37);
  EXPECT_EQ(run.sizes[1].value, 0);
  EXPECT_EQ(run.inputs[0].text, "0.125");
  EXPECT_EQ(run.tolerance->relative, 1e-2);
  EXPECT_EQ(run.tolerance->absolute, 1e-5);
  EXPECT_EQ(run.seed, 7u);
  EXPECT_TRUE(run.counters);
}

TEST(CommandLine, KeepsEqualsSignsInValues) {
  auto invocation = parse({"run", "k.tile", "--in", "A=dir=1/a.npy"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->run.inputs[0].name, "A");
  EXPECT_EQ(invocation->run.inputs[0].text, "dir=1/a.npy");
}

TEST(CommandLine, TakesANegativeNumberAsTheValueOfAnOption) {
  auto invocation = parse({"run", "k.tile", "--in", "x=-1", "-D", "Y=-2"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->compile.definitions[0].text, "-2");
}

TEST(CommandLine, EndsOptionsAtTwoDashes) {
  auto invocation = parse({"check", "--", "-odd-.tile"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->compile.inputFile, "-odd-.tile");
}

TEST(CommandLine, ExplainsTheCommandInFrontOfHelp) {
  auto invocation = parse({"run", "k.tile", "--help"});
  ASSERT_TRUE(static_cast<bool>(invocation));
  EXPECT_EQ(invocation->command, Command::Help);
  EXPECT_EQ(invocation->helpTopic, Command::Run);
}

// The messages themselves are in test/tools/tilec; these are the cases that a
// shell cannot write down well.
TEST(CommandLine, RefusesEmptyWords) {
  EXPECT_EQ(parseError({""}), "the name of the source file is empty\n");
  EXPECT_EQ(parseError({"k.tile", "--target="}), "'--target' needs a value\n");
  EXPECT_EQ(parseError({"k.tile", "-o", ""}),
            "'-o' needs the name of a file\n"
            "write -o FILE, or -o - for the standard output");
}

TEST(CommandLine, FindsTheClosestWord) {
  EXPECT_EQ(findClosest("--targt", {"--target", "--time"}), "--target");
  EXPECT_EQ(findClosest("--TIME", {"--target", "--time"}), "--time");
  EXPECT_EQ(findClosest("zzz", {"--target", "--time"}), "");
}
