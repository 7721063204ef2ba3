//===- OutputFileTest.cpp - Tests of whole-or-nothing file output ---------===//
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/CodeGen/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>

using namespace tilec;

static std::string read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "(no file)";
}

static unsigned countEntries(llvm::StringRef folder) {
  unsigned count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end;
       entry != end; entry.increment(error))
    ++count;
  return count;
}

TEST(OutputFile, ReplacesAFileAsAWhole) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string path = folder.getPath("out.json");
  llvm::cantFail(writeFileAtomically(path, "first"));
  llvm::cantFail(writeFileAtomically(path, "second"));
  EXPECT_EQ(read(path), "second");
  EXPECT_EQ(countEntries(folder.getPath("")), 1u);
}

TEST(OutputFile, NamesThePathAndReasonWhenTheFolderIsMissing) {
  std::string message =
      llvm::toString(writeFileAtomically("/nonexistent-folder/out.cubin", "x"));
  EXPECT_EQ(message, "cannot write '/nonexistent-folder/out.cubin': No such "
                     "file or directory");
}

TEST(OutputFile, RefusesAFolderAsFile) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string path = folder.getPath("");
  EXPECT_EQ(llvm::toString(writeFileAtomically(path, "x")),
            "cannot write '" + path + "': Is a directory");
}

TEST(OutputFile, ReportsAFullDevice) {
  EXPECT_EQ(llvm::toString(writeFileAtomically("/dev/full", "x")),
            "cannot write '/dev/full': No space left on device");
}

TEST(OutputFile, KeepsTheOldFileWhenTheDiskFillsUp) {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string path = folder.getPath("out.cubin");
  llvm::cantFail(writeFileAtomically(path, "old"));

  // A limit on the file size fails a write half-way, as a full disk does.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = {4096, before.rlim_max};
  auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message =
      llvm::toString(writeFileAtomically(path, std::string(1 << 20, 'x')));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, oldHandler);

  EXPECT_EQ(message, "cannot write '" + path + "': File too large");
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(countEntries(folder.getPath("")), 1u);
}

TEST(OutputFile, HashesAsSha256) {
  EXPECT_EQ(hashSha256("abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a3"
                               "96177a9cb410ff61f20015ad");
}
