//===- PtxasTest.cpp - Tests of finding and running ptxas -----------------===//
//
// Small shell scripts stand in for assemblers that are old, broken or slow.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/Ptxas.h"
#include "compiler/CodeGen/Assemble.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/PtxEmission.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace tilec;
using testing::HasSubstr;

namespace {
/// A folder with a script named ptxas in it.
class FakePtxas {
public:
  /// `assembleScript` runs when the script is called to assemble; $OUT is the
  /// cubin's path.
  FakePtxas(llvm::StringRef release, llvm::StringRef assembleScript)
      : folder(llvm::cantFail(TemporaryFolder::create())) {
    std::string text = "#!/bin/sh\n"
                       "if [ \"$1\" = --version ]; then\n"
                       "  echo 'Cuda compilation tools, release " +
                       release.str() +
                       "'\n  exit 0\nfi\n"
                       "for OUT in \"$@\"; do :; done\n" +
                       assembleScript.str() + "\n";
    llvm::cantFail(writeFileAtomically(getPath(), text));
    llvm::sys::fs::setPermissions(getPath(), llvm::sys::fs::all_all);
  }
  std::string getPath() const { return folder.getPath("ptxas"); }
  Ptxas find() const { return llvm::cantFail(findPtxas(getPath())); }

private:
  TemporaryFolder folder;
};

/// Sets a variable of the environment for the time of a test.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name(name) {
    if (const char *old = getenv(name))
      previous = old;
    setenv(name, value.c_str(), /*overwrite=*/1);
  }
  ~ScopedVariable() {
    if (previous)
      setenv(name, previous->c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::optional<std::string> previous;
};
} // namespace

static const Target &get(llvm::StringRef name) {
  return *llvm::cantFail(parseTarget(name));
}

static std::string getAssembleError(const Ptxas &ptxas) {
  llvm::Expected<Cubin> cubin = assemble("bad PTX", get("sm_90a"), ptxas);
  EXPECT_FALSE(static_cast<bool>(cubin));
  return cubin ? "" : llvm::toString(cubin.takeError());
}

TEST(Ptxas, TellsItsVersion) {
  FakePtxas fake("12.5, V12.5.82", "");
  Ptxas ptxas = fake.find();
  EXPECT_EQ(ptxas.getVersionText(), "12.5.82");
  EXPECT_EQ(ptxas.ptx.str(), "8.5");
}

TEST(Ptxas, IsTakenFromTheEnvironment) {
  FakePtxas named("12.9, V12.9.1", ""), home("12.3, V12.3.1", "");
  TemporaryFolder toolkit = llvm::cantFail(TemporaryFolder::create());
  ASSERT_FALSE(llvm::sys::fs::create_directory(toolkit.getPath("bin")));
  ASSERT_FALSE(
      llvm::sys::fs::create_link(home.getPath(), toolkit.getPath("bin/ptxas")));
  ScopedVariable cudaHome("CUDA_HOME", toolkit.getPath(""));
  ScopedVariable none("TILE_PTXAS", "");
  EXPECT_EQ(llvm::cantFail(findPtxas()).getVersionText(), "12.3.1");
  ScopedVariable tilePtxas("TILE_PTXAS", named.getPath());
  EXPECT_EQ(llvm::cantFail(findPtxas()).getVersionText(), "12.9.1");
}

TEST(Ptxas, IsNotReplacedWhenTheNamedOneIsMissing) {
  ScopedVariable variable("TILE_PTXAS", "/nonexistent/ptxas");
  EXPECT_THAT(
      llvm::toString(findPtxas().takeError()),
      HasSubstr("TILE_PTXAS names '/nonexistent/ptxas', which is not an "
                "executable file; install the CUDA toolkit"));
}

TEST(Ptxas, MustTellAVersion) {
  FakePtxas fake("unknown", "");
  EXPECT_THAT(llvm::toString(findPtxas(fake.getPath()).takeError()),
              HasSubstr("did not tell its version; exit code 0"));
}

TEST(Ptxas, TooOldIsAnErrorWithBothVersionsAndThePath) {
  FakePtxas fake("11.8, V11.8.89", "");
  Ptxas ptxas = fake.find();
  llvm::LLVMContext context;
  llvm::Module module("empty", context);
  std::string message =
      llvm::toString(emitPTX(module, get("sm_90a"), &ptxas).takeError());
  EXPECT_THAT(message, HasSubstr("'sm_90a' needs PTX 8.0 for target sm_90a, "
                                 "but ptxas 11.8.89 at '" +
                                 fake.getPath() + "' knows PTX up to 7.8"));
}

TEST(Ptxas, FailureTellsCommandExitCodeAndOutput) {
  FakePtxas fake("13.0, V13.0.88", "echo 'ptxas fatal: no' >&2; exit 3");
  std::string message = getAssembleError(fake.find());
  EXPECT_THAT(message, HasSubstr("the assembly of the PTX failed with exit "
                                 "code 3\n  command: " +
                                 fake.getPath() + " -v -O3 -arch=sm_90a "));
  EXPECT_THAT(message, HasSubstr("ptxas fatal: no"));
}

TEST(Ptxas, SignalIsAnError) {
  FakePtxas fake("13.0, V13.0.88", "kill -SEGV $$");
  EXPECT_THAT(getAssembleError(fake.find()),
              HasSubstr("was ended by a signal"));
}

TEST(Ptxas, SuccessWithoutACubinIsAnError) {
  FakePtxas silent("13.0, V13.0.88", "exit 0");
  EXPECT_THAT(getAssembleError(silent.find()), HasSubstr("left no cubin"));
  FakePtxas truncated("13.0, V13.0.88", ": > $OUT");
  EXPECT_THAT(getAssembleError(truncated.find()), HasSubstr("left no cubin"));
}

TEST(Ptxas, HangIsEndedAfterTheTimeLimit) {
  FakePtxas fake("13.0, V13.0.88", "exec sleep 100");
  ScopedVariable limit("TILE_PTXAS_TIMEOUT", "1");
  auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(getAssembleError(fake.find()),
              HasSubstr("did not end within 1 seconds and was stopped"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Ptxas, TimeLimitMustBeANumber) {
  ScopedVariable limit("TILE_PTXAS_TIMEOUT", "soon");
  EXPECT_EQ(llvm::toString(findPtxas().takeError()),
            "TILE_PTXAS_TIMEOUT is 'soon'; it takes a number of seconds, 1 or "
            "more");
}

TEST(Ptxas, LostPerformanceIsReported) {
  FakePtxas fake("13.0, V13.0.88",
                 "printf '\\177ELF' > $OUT\n"
                 "echo \"ptxas info : (C7514) Potential Performance Loss: "
                 "serialized in the function 'k'\" >&2");
  llvm::Expected<Cubin> cubin = assemble("", get("sm_90a"), fake.find());
  ASSERT_TRUE(static_cast<bool>(cubin));
  EXPECT_EQ(cubin->report.lostPerformance.size(), 1u);
}

TEST(Ptxas, UnwritableTemporaryFolderIsNamed) {
  FakePtxas fake("13.0, V13.0.88", "");
  Ptxas ptxas = fake.find();
  ScopedVariable temporary("TMPDIR", "/nonexistent-folder");
  EXPECT_THAT(getAssembleError(ptxas),
              HasSubstr("cannot create a temporary folder in "
                        "'/nonexistent-folder': No such file or directory"));
}
