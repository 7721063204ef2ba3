//===-- TuneRunnerTest.cpp - tile-tune-runner on the fake driver ----------===//

#include "compiler/Tune/ResultCheck.h"
#include "runtime/lib/Sha256.h"
#include "test/runtime/FakeCuda.h"
#include "test/runtime/TestManifest.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilec::tune;
using tilert::test::makeManifest;
using tilert::test::makeScaleKernel;
namespace fs = std::filesystem;

namespace {

class TuneRunner : public testing::Test {
protected:
  TuneRunner() {
    std::string pattern = testing::TempDir() + "tune-runner-XXXXXX";
    folder = mkdtemp(pattern.data());
    bundle.key = {
        "scale", "sha256:1",          "sm_90a", "", "tilec 0.1.0", "13.0.88",
        {},      {{"N", {257, 512}}}, {},       {}};
    bundle.tuneFile = "scale.tune.json";
    bundle.sizes = {{"N", 300}};
    bundle.arguments = {{"x", "f32", "in", {300}, -1, 5, 0},
                        {"y", "f32", "out", {300}, -1, 6, 0},
                        {"n", "int32", "scalar", {}, -1, 0, 3}};
    writeReference();
  }
  ~TuneRunner() override { fs::remove_all(folder); }

  /// What y should be: 3 x.
  void writeReference() {
    tilec::StoredArray array = describeArray(bundle.arguments[0]);
    std::vector<float> values(300);
    array.bytes = reinterpret_cast<uint8_t *>(values.data());
    fillRandomElements(array, bundle.seed, bundle.arguments[0].stream);
    for (float &value : values)
      value *= 3;
    bundle.references = {{"y", "want-y.bin", 1e-3, {{0, 100}, {140, 160}}}};
    ASSERT_EQ(writeReferenceFile(folder / "want-y.bin", array,
                                 bundle.references[0].ranges),
              "");
  }

  /// Adds a candidate whose function is "scale__run", or one that misbehaves.
  void add(const std::string &choice, int misdeed = 0) {
    auto kernel = makeScaleKernel();
    kernel["variants"][0]["symbol"] =
        "scale__" + (misdeed ? std::to_string(misdeed) : "run");
    auto manifest = makeManifest(kernel);
    Candidate candidate;
    candidate.name = "c" + std::to_string(bundle.candidates.size());
    candidate.manifest = candidate.name + ".json";
    if (!choice.empty())
      candidate.definitions["BM"] = choice;
    candidate.config = {{"BM", choice.empty() ? "1" : choice}};
    manifest["target"] = "sm_90a";
    manifest["module"] = candidate.name + ".cubin";
    manifest["hashes"]["cubin"] =
        "sha256:" + tilert::detail::hashSha256(candidate.name);
    std::ofstream(folder / candidate.manifest) << manifest.dump();
    std::ofstream(folder / (candidate.name + ".cubin")) << candidate.name;
    bundle.candidates.push_back(candidate);
  }

  std::string run(const std::string &arguments,
                  const std::string &library = TILE_FAKE_CUDA) {
    EXPECT_EQ(writeBundleIndex(folder, bundle), "");
    return runAsIs("'" + folder.string() + "' " + arguments, library);
  }

  std::string runAsIs(const std::string &arguments,
                      const std::string &library = TILE_FAKE_CUDA) {
    std::string command = "cd '" + folder.string() +
                          "' && TILE_LIBCUDA=" + library + " " +
                          TILE_TUNE_RUNNER + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, count);
    status = WEXITSTATUS(pclose(pipe));
    return text;
  }

  std::vector<TuneEntry> readEntries() {
    std::vector<TuneEntry> entries;
    EXPECT_EQ(readTuneFile(folder / "scale.tune.json", entries), "");
    return entries;
  }

  static void expectText(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }

  fs::path folder;
  Bundle bundle;
  int status = -1;
};

TEST_F(TuneRunner, MeasuresAndWritesAnEntry) {
  add("");
  add("2");
  std::string text = run("--rounds=2");
  EXPECT_EQ(status, 0) << text;
  expectText(text, "kernel scale for sm_90a on Fake GPU, N = 300\n");
  expectText(text, "2 candidates, 2 of them right\n");
  expectText(text, "timing 2 candidates: round 4 of 4\n");
  std::vector<TuneEntry> entries = readEntries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key.gpu, "Fake GPU");
  EXPECT_EQ(entries[0].key.kernel, "scale");
  EXPECT_GT(entries[0].measured["winner"]["sustained_us"], 0);
  EXPECT_EQ(entries[0].measured["sizes"]["N"], 300);
}

// F37: a fault, a hang, a crash, a stray write and a wrong result cost only the
// candidate that has them, even if they come first.
TEST_F(TuneRunner, LosesOnlyCandidatesThatFail) {
  add("", fakecuda::faults);
  add("2", fakecuda::neverEnds);
  add("3", fakecuda::endsTheProcess);
  add("4", fakecuda::writesPastTheEnd);
  add("5", fakecuda::givesWrongResults);
  add("6");
  std::string text = run("--rounds=1 --timeout=1");
  EXPECT_EQ(status, 0) << text;
  expectText(text, "6 candidates, 1 of them right\n");
  expectText(text, "failed: the default: ");
  expectText(text, "failed: BM = 2: it did not end within 1 s\n");
  expectText(text, "failed: BM = 3: it ended with a signal: Aborted");
  expectText(text, "failed: BM = 4: it wrote outside of 'y'\n");
  expectText(text, "failed: BM = 5: 'y' is wrong: 1 of 260 elements that were "
                   "compared differ too much, the first at 150\n");
  expectText(text, "fastest: BM = 6\n");
  std::vector<TuneEntry> entries = readEntries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].definitions, (Values{{"BM", "6"}}));
}

TEST_F(TuneRunner, WritesNothingIfNoCandidateIsRight) {
  add("", fakecuda::givesWrongResults);
  std::string text = run("");
  EXPECT_EQ(status, 1);
  expectText(text,
             "tile-tune-runner: error: no candidate gave right results\n");
  EXPECT_FALSE(fs::exists(folder / "scale.tune.json"));
}

TEST_F(TuneRunner, SaysWhatABundleLacks) {
  add("");
  fs::remove(folder / "c0.cubin");
  std::string text = run("");
  EXPECT_EQ(status, 1);
  expectText(text, "failed: the default: ");
  expectText(text, "c0.cubin");
  fs::remove(folder / "want-y.bin");
  add("2");
  text = run("");
  expectText(text, "want-y.bin' is not whole");
}

TEST_F(TuneRunner, NeedsAGpu) {
  add("");
  std::string text = run("", "/nowhere/libcuda.so");
  EXPECT_EQ(status, 1);
  expectText(text, "tile-tune-runner: error: there is no GPU to measure on: ");
}

TEST_F(TuneRunner, NeedsAGpuForTheCandidates) {
  add("");
  bundle.key.target = "sm_80";
  std::string text = run("");
  EXPECT_EQ(status, 1);
  expectText(text, "tile-tune-runner: error: the candidates are built for "
                   "sm_80, device is sm_90");
  bundle.key.target = "gfx90a";
  expectText(run(""), "error: the candidates are for an unknown target");
  bundle.key.target = "sm_90a";
  bundle.isForEmulator = true;
  expectText(run(""), "' are for the emulator");
}

TEST_F(TuneRunner, LeavesAFileAloneThatIsNoTuneFile) {
  add("");
  std::ofstream(folder / "mine") << "cake";
  std::string text = run("-o mine");
  EXPECT_EQ(status, 1);
  expectText(text, "'mine': line 1, column 1: ");
}

TEST_F(TuneRunner, ExplainsItsCommandLine) {
  auto fail = [&](const std::string &arguments, const std::string &message) {
    EXPECT_EQ(runAsIs(arguments), "tile-tune-runner: error: " + message + "\n");
    EXPECT_EQ(status, 2);
  };
  fail("", "the folder of candidates is missing");
  fail("a b", "one folder at a time");
  fail("a --fast", "there is no option '--fast'");
  fail("a -o", "'-o' needs the name of a file");
  fail("a --rounds=0", "'--rounds=0' does not give a whole number from 1");
  fail("a --timeout=x", "'--timeout=x' does not give a whole number from 1");
  EXPECT_EQ(runAsIs("nowhere"),
            "tile-tune-runner: error: 'nowhere' holds no candidates: there is "
            "no 'nowhere/index.json'\n");
  EXPECT_EQ(status, 1);
  expectText(runAsIs("--help"), "usage: tile-tune-runner DIR");
  EXPECT_EQ(status, 0);
}

} // namespace
