//===-- TuneFileTest.cpp - What tuning found, for later compilations ------===//

#include "compiler/Tune/TuneFile.h"
#include "compiler/Tune/WholeFile.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilec::tune;
namespace fs = std::filesystem;

namespace {

class TuneFile : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tune-XXXXXX";
    folder = mkdtemp(pattern.data());
    path = folder / "gemm.tune.json";
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string &text) { std::ofstream(path) << text; }
  std::vector<TuneEntry> read() {
    std::vector<TuneEntry> entries;
    EXPECT_EQ(readTuneFile(path, entries), "");
    return entries;
  }
  std::string readError() {
    std::vector<TuneEntry> entries;
    return readTuneFile(path, entries);
  }

  fs::path folder, path;
};

TuneEntry makeEntry() {
  TuneEntry entry;
  entry.key = {"gemm",
               "sha256:1",
               "sm_90a",
               "NVIDIA H200",
               "tilec 0.1.0",
               "13.0.88",
               {{"N", 4096}},
               {{"M", {9, 16}}},
               {},
               {}};
  entry.definitions = {{"BM", "64"}};
  entry.settings = {{"raster", "4"}};
  entry.config = {{"BK", "32"}, {"BM", "64"}};
  entry.measured = {{"us", 12.5}};
  return entry;
}

/// A compilation for which `makeEntry` is.
Wanted makeWanted() {
  Wanted wanted;
  wanted.kernel = "gemm";
  wanted.hash = "sha256:1";
  wanted.target = "sm_90a";
  wanted.compiler = "tilec 0.1.0";
  wanted.fixedSizes = {{"N", 4096}};
  return wanted;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

TEST_F(TuneFile, KeepsWhatIsAdded) {
  EXPECT_TRUE(read().empty());
  ASSERT_EQ(addToTuneFile(path, makeEntry()), "");
  std::vector<TuneEntry> entries = read();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key, makeEntry().key);
  EXPECT_EQ(entries[0].definitions, makeEntry().definitions);
  EXPECT_EQ(entries[0].settings, makeEntry().settings);
  EXPECT_EQ(entries[0].config, makeEntry().config);
  EXPECT_EQ(entries[0].measured["us"], 12.5);
}

TEST_F(TuneFile, ReplacesTheEntryOfTheSameKeyAndKeepsOthers) {
  TuneEntry one = makeEntry(), other = makeEntry();
  other.key.sizeClasses["M"] = {17, 32};
  ASSERT_EQ(addToTuneFile(path, one), "");
  ASSERT_EQ(addToTuneFile(path, other), "");
  one.definitions["BM"] = "128";
  ASSERT_EQ(addToTuneFile(path, one), "");
  std::vector<TuneEntry> entries = read();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, other.key);
  EXPECT_EQ(entries[1].definitions["BM"], "128");
}

TEST_F(TuneFile, DropsEntriesOfEarlierTexts) {
  TuneEntry old = makeEntry(), otherGpu = makeEntry(), now = makeEntry();
  old.key.sizeClasses["M"] = {17, 32};
  otherGpu.key.gpu = "NVIDIA A100";
  ASSERT_EQ(addToTuneFile(path, old), "");
  ASSERT_EQ(addToTuneFile(path, otherGpu), "");
  now.key.hash = "sha256:2";
  ASSERT_EQ(addToTuneFile(path, now), "");
  std::vector<TuneEntry> entries = read();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, otherGpu.key);
  EXPECT_EQ(entries[1].key, now.key);
}

TEST_F(TuneFile, SaysWhereAFileIsNotOne) {
  write("{\"format\": \"tile-tune\",\n \"version\": 1, \"entries\": [");
  EXPECT_NE(readError().find("line 2, column 28"), std::string::npos)
      << readError();
  write("[]");
  EXPECT_NE(readError().find(path.string()), std::string::npos);
  write(R"({"format": "cake", "version": 1, "entries": []})");
  EXPECT_NE(readError().find("/format: expected \"tile-tune\""),
            std::string::npos)
      << readError();
  write(R"({"format": "tile-tune", "version": 2, "entries": []})");
  EXPECT_NE(readError().find("/version"), std::string::npos) << readError();
  write(R"({"format": "tile-tune", "version": 1, "entries": [{"key": 3}]})");
  EXPECT_NE(readError().find("/entries/0/key"), std::string::npos)
      << readError();
}

TEST_F(TuneFile, LeavesAFileAloneThatIsNotOne) {
  write("not JSON");
  EXPECT_NE(addToTuneFile(path, makeEntry()), "");
  std::string text;
  bool isThere;
  readWholeFile(path, text, isThere);
  EXPECT_EQ(text, "not JSON");
}

TEST_F(TuneFile, SaysWhyItCannotBeWritten) {
  std::string error =
      addToTuneFile(folder / "nowhere" / "gemm.tune.json", makeEntry());
  EXPECT_NE(error.find("cannot write"), std::string::npos) << error;
  EXPECT_NE(error.find("No such file"), std::string::npos) << error;
}

// F39: none of the entries that many processes add at once is lost, even while
// others are killed at any moment, and no reader ever sees a part of a file.
TEST_F(TuneFile, ManyProcessesAddAtOnce) {
  constexpr int writers = 16, rounds = 8;
  std::vector<pid_t> victims, children;
  for (int i = 0; i < 2 * writers; ++i) {
    pid_t child = fork();
    if (child == 0) {
      bool isVictim = i >= writers;
      int failures = 0;
      for (int round = 0; round < (isVictim ? 1000 : rounds); ++round) {
        TuneEntry entry = makeEntry();
        entry.key.kernel = (isVictim ? "victim" : "gemm") + std::to_string(i);
        entry.key.sizeClasses["M"] = classOf(1 << round % 20);
        failures += !addToTuneFile(path, entry).empty();
      }
      _exit(failures ? 1 : 0);
    }
    (i < writers ? children : victims).push_back(child);
  }
  for (pid_t victim : victims) {
    usleep(3000);
    EXPECT_EQ(readError(), "");
    kill(victim, SIGKILL);
  }
  for (pid_t victim : victims)
    waitpid(victim, nullptr, 0);
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int count = 0;
  for (const TuneEntry &entry : read())
    count += entry.key.kernel.starts_with("gemm");
  EXPECT_EQ(count, writers * rounds);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST(SizeClass, EndsAtAPowerOfTwo) {
  EXPECT_EQ(classOf(0), (SizeClass{0, 0}));
  EXPECT_EQ(classOf(1), (SizeClass{1, 1}));
  EXPECT_EQ(classOf(2), (SizeClass{2, 2}));
  EXPECT_EQ(classOf(3), (SizeClass{3, 4}));
  EXPECT_EQ(classOf(16), (SizeClass{9, 16}));
  EXPECT_EQ(classOf(17), (SizeClass{17, 32}));
  EXPECT_EQ(classOf(4096), (SizeClass{2049, 4096}));
  EXPECT_TRUE(classOf(INT64_MAX).contains(INT64_MAX));
}

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

TEST(FindEntry, TakesTheEntryForTheCompilation) {
  std::vector<TuneEntry> entries = {makeEntry()};
  EXPECT_EQ(findEntry(entries, makeWanted()).entry, &entries[0]);
  Wanted wanted = makeWanted();
  wanted.gpu = "NVIDIA H200";
  wanted.assembler = "13.0.88";
  wanted.launchSizes = {{"M", 10}};
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[0]);
}

// F38: whatever the speed depends on makes another key.
TEST(FindEntry, TakesNoEntryOfAnotherKey) {
  std::vector<TuneEntry> entries = {makeEntry()};
  auto refuse = [&](auto change, const char *reason, bool isStale) {
    Wanted wanted = makeWanted();
    change(wanted);
    Match match = findEntry(entries, wanted);
    EXPECT_EQ(match.entry, nullptr);
    EXPECT_EQ(match.reason, reason);
    EXPECT_EQ(match.isStale, isStale);
  };
  refuse([](Wanted &wanted) { wanted.kernel = "other"; }, "", false);
  refuse([](Wanted &wanted) { wanted.target = "sm_80"; }, "", false);
  refuse([](Wanted &wanted) { wanted.gpu = "NVIDIA H100"; }, "", false);
  refuse([](Wanted &wanted) { wanted.gpu = emulatorName; }, "", false);
  refuse([](Wanted &wanted) { wanted.hash = "sha256:2"; },
         "it was tuned for another text of the kernel", true);
  refuse([](Wanted &wanted) { wanted.compiler = "tilec 0.2.0"; },
         "it was tuned with tilec 0.1.0", true);
  refuse([](Wanted &wanted) { wanted.assembler = "12.9.86"; },
         "it was tuned with ptxas 13.0.88", true);
  refuse([](Wanted &wanted) { wanted.fixedSizes = {}; },
         "it was tuned for other sizes", false);
  refuse([](Wanted &wanted) { wanted.fixedSizes["K"] = 64; },
         "it was tuned for other sizes", false);
  refuse([](Wanted &wanted) { wanted.launchSizes["M"] = 17; },
         "it was tuned for other sizes", false);
  refuse([](Wanted &wanted) { wanted.definitions["BM"] = "128"; },
         "-D BM=128 is given", false);
  refuse([](Wanted &wanted) { wanted.settings["warps"] = "2x4"; },
         "--set warps=2x4 is given", false);
}

TEST(FindEntry, TakesValuesThatAreGivenAsTheyWereFound) {
  std::vector<TuneEntry> entries = {makeEntry()};
  Wanted wanted = makeWanted();
  wanted.definitions = {{"BM", "64"}, {"BK", "32"}};
  wanted.settings = {{"raster", "4"}};
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[0]);
}

TEST(FindEntry, NeedsWhatWasGivenWhileTuning) {
  std::vector<TuneEntry> entries = {makeEntry()};
  entries[0].key.givenDefinitions = {{"BK", "32"}};
  Match match = findEntry(entries, makeWanted());
  EXPECT_EQ(match.entry, nullptr);
  EXPECT_EQ(match.reason, "it was tuned with -D BK=32");
  Wanted wanted = makeWanted();
  wanted.definitions = {{"BK", "32"}};
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[0]);
  // One that was tuned without fits too, and is less to the point.
  entries.push_back(makeEntry());
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[0]);
  EXPECT_EQ(findEntry(entries, makeWanted()).entry, &entries[1]);
}

TEST(FindEntry, TakesNoneOfSeveralThatFit) {
  std::vector<TuneEntry> entries = {makeEntry(), makeEntry()};
  entries[1].key.sizeClasses["M"] = {17, 32};
  Match match = findEntry(entries, makeWanted());
  EXPECT_EQ(match.entry, nullptr);
  EXPECT_FALSE(match.isStale);
  EXPECT_NE(match.reason.find("several entries fit"), std::string::npos);
  Wanted wanted = makeWanted();
  wanted.launchSizes = {{"M", 20}};
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[1]);
}

TEST(FindEntry, WithoutGpuTakesNothingOfTheEmulator) {
  std::vector<TuneEntry> entries = {makeEntry()};
  entries[0].key.gpu = emulatorName;
  EXPECT_EQ(findEntry(entries, makeWanted()).entry, nullptr);
  Wanted wanted = makeWanted();
  wanted.gpu = emulatorName;
  EXPECT_EQ(findEntry(entries, wanted).entry, &entries[0]);
}

} // namespace
