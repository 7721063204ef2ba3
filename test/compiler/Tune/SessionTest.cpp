//===-- SessionTest.cpp - Finds the fastest candidate of a bundle ---------===//

#include "compiler/Tune/Session.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <unistd.h>

using namespace tilec;
using namespace tilec::tune;
namespace fs = std::filesystem;

namespace {

/// A device that takes a given time for each candidate, and fails where told.
class FakeTrials : public Trials {
public:
  std::map<std::string, double> us;
  /// Fails in its first run, while it is timed, in its last run.
  std::string failsChecked, endsTimed, hangsTimed, throwsTimed, failsAgain;
  /// A file that says that a candidate ran before.
  fs::path ranBefore;
  bool timesMore = true;

  const char *getUnit() const override { return timesMore ? "us" : "steps"; }
  bool isTimed() const override { return timesMore; }

  Outcome check(const Candidate &candidate) override {
    if (candidate.name == failsChecked)
      throw std::runtime_error("it is wrong\nin two lines");
    if (candidate.name == failsAgain) {
      if (fs::exists(ranBefore))
        return {"it is wrong now", 0};
      fs::create_directory(ranBefore);
    }
    return {"", us.at(candidate.name)};
  }

  void time(const std::vector<const Candidate *> &candidates, int rounds,
            const std::function<void(size_t)> &begin,
            const std::function<void(const TimedSample &)> &tell) override {
    for (int state = 0; state < gpu::stateCount; ++state)
      for (int round = 0; round < rounds; ++round)
        for (size_t i = 0; i < candidates.size(); ++i) {
          begin(i);
          const std::string &name = candidates[i]->name;
          if (name == endsTimed)
            raise(SIGKILL);
          if (name == throwsTimed)
            throw std::runtime_error("the device is lost");
          if (name == hangsTimed)
            sleep(100);
          // Sustained takes twice as long.
          tell({i, gpu::State(state), us.at(name) * (1 + state)});
        }
  }
};

class SessionTest : public testing::Test {
protected:
  SessionTest() {
    std::string pattern = testing::TempDir() + "session-XXXXXX";
    folder = mkdtemp(pattern.data());
    options.path = folder / "k.tune.json";
    options.rounds = 3;
    options.trialSeconds = 10;
    options.output = std::tmpfile();
    trials.ranBefore = folder / "ran";
    bundle.key.kernel = bundle.key.hash = bundle.key.target =
        bundle.key.compiler = "k";
  }
  ~SessionTest() override {
    fs::remove_all(folder);
    std::fclose(options.output);
  }

  void add(const std::string &name, double us) {
    Candidate candidate;
    candidate.name = name;
    if (name != "default")
      candidate.settings["way"] = name;
    bundle.candidates.push_back(candidate);
    trials.us[name] = us;
  }

  /// The way that the tune file has after a session; "default" for none.
  std::string run() {
    EXPECT_EQ(runSession(bundle, "GPU", trials, options), "");
    std::vector<TuneEntry> entries;
    EXPECT_EQ(readTuneFile(options.path, entries), "");
    if (entries.size() != 1)
      return "no entry";
    entry = entries[0];
    return entry.settings.count("way") ? entry.settings["way"] : "default";
  }

  std::string readOutput() {
    std::string text;
    std::rewind(options.output);
    for (int c; (c = std::fgetc(options.output)) != EOF;)
      text += char(c);
    return text;
  }
  void expectOutput(const std::string &part) {
    std::string text = readOutput();
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }

  fs::path folder;
  Bundle bundle;
  FakeTrials trials;
  SessionOptions options;
  TuneEntry entry;
};

TEST_F(SessionTest, TakesTheFastest) {
  add("default", 10);
  add("slow", 30);
  add("fast", 8);
  add("medium", 9);
  EXPECT_EQ(run(), "fast");
  EXPECT_EQ(entry.measured["winner"]["burst_us"], 8);
  EXPECT_EQ(entry.measured["winner"]["sustained_us"], 16);
  EXPECT_EQ(entry.measured["default"]["burst_us"], 10);
  expectOutput("fastest: way = fast, 1.250 times as fast as the default");
  // What is hopeless is not timed.
  expectOutput("about 30.00 us");
}

TEST_F(SessionTest, KeepsTheDefaultWhereNothingIsGained) {
  add("other", 99.5);
  add("default", 100);
  EXPECT_EQ(run(), "default");
  bundle.candidates[0].name = "better";
  trials.us["better"] = 98;
  EXPECT_EQ(run(), "other"); // its setting
}

TEST_F(SessionTest, RanksByFiguresWhereNothingIsTimed) {
  trials.timesMore = false;
  add("default", 7000);
  add("fewer", 6000);
  EXPECT_EQ(run(), "fewer");
  EXPECT_EQ(entry.measured["winner"]["steps"], 6000);
  expectOutput("fastest: way = fewer; the default takes 1.167 times as many\n");
}

TEST_F(SessionTest, LosesWhatFailsInItsFirstRun) {
  add("fast", 5);
  add("default", 10);
  trials.failsChecked = "fast";
  EXPECT_EQ(run(), "default");
  expectOutput("failed: way = fast: it is wrong in two lines\n");
}

TEST_F(SessionTest, LosesWhatEndsTheProcessThatTimes) {
  add("default", 10);
  add("fast", 5);
  add("faster", 4);
  trials.endsTimed = "faster";
  EXPECT_EQ(run(), "fast");
  EXPECT_EQ(entry.measured["winner"]["burst_us"], 5);
  expectOutput("failed: way = faster: timed, it ended with a signal: Killed\n");
}

TEST_F(SessionTest, LosesWhatHangsWhileItIsTimed) {
  add("default", 10);
  add("fast", 5);
  trials.hangsTimed = "fast";
  options.trialSeconds = 0.5;
  EXPECT_EQ(run(), "default");
  expectOutput("failed: way = fast: timed, it did not end within");
}

TEST_F(SessionTest, LosesWhatFailsWhileItIsTimed) {
  add("default", 10);
  add("fast", 5);
  trials.throwsTimed = "fast";
  EXPECT_EQ(run(), "default");
  expectOutput("failed: way = fast: the device is lost\n");
}

TEST_F(SessionTest, ChecksTheWinnerOnceMore) {
  add("default", 10);
  add("fast", 5);
  add("second", 6);
  trials.failsAgain = "fast";
  EXPECT_EQ(run(), "second");
  expectOutput("failed: way = fast: run again, it is wrong now\n");
}

TEST_F(SessionTest, SaysWhatWasRefused) {
  add("default", 10);
  bundle.refusals = {{"it is too large", 3, "BM = 512"}};
  EXPECT_EQ(run(), "default");
  expectOutput("refused: 3 of them, as BM = 512: it is too large\n");
}

} // namespace
