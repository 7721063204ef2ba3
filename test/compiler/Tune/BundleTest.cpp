//===-- BundleTest.cpp - Candidates, ready to be measured -----------------===//

#include "compiler/Tune/ResultCheck.h"
#include "compiler/Tune/WholeFile.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace tilec;
using namespace tilec::tune;
namespace fs = std::filesystem;

namespace {

class BundleTest : public testing::Test {
protected:
  BundleTest() {
    std::string pattern = testing::TempDir() + "bundle-XXXXXX";
    folder = mkdtemp(pattern.data());
    bundle.key = {"k",
                  "sha256:1",
                  "sm_90a",
                  "",
                  "tilec 0.1.0",
                  "13.0.88",
                  {{"N", 8}},
                  {{"M", {3, 4}}},
                  {{"BK", "32"}},
                  {{"swap", "0"}}};
    bundle.tuneFile = "k.tune.json";
    bundle.seed = UINT64_MAX;
    bundle.flushesCache = true;
    bundle.sizes = {{"M", 4}, {"N", 8}};
    bundle.arguments = {{"A", "int4", "inout", {4, 8}, 1, UINT64_MAX - 1, 0},
                        {"s", "f32", "scalar", {}, -1, 0, 0x3f800000}};
    bundle.references = {{"A", "want-A.bin", 0, {{0, 8}, {16, 4}}}};
    Candidate candidate;
    candidate.name = "c0";
    candidate.definitions = {{"BM", "64"}};
    candidate.settings = {{"raster", "4"}};
    candidate.config = {{"BK", "32"}, {"BM", "64"}};
    candidate.manifest = "c0.json";
    candidate.code = "c0.ll";
    candidate.estimate = 12.5;
    bundle.candidates = {candidate};
    bundle.refusals = {{"too large", 3, "BM = 512"}};
  }
  ~BundleTest() override { fs::remove_all(folder); }

  Bundle readBack() {
    Bundle result;
    EXPECT_EQ(writeBundleIndex(folder, bundle), "");
    EXPECT_EQ(readBundleIndex(folder, result), "");
    return result;
  }

  /// The error of the index in which `old` was replaced.
  std::string readChanged(const std::string &old, const std::string &by) {
    EXPECT_EQ(writeBundleIndex(folder, bundle), "");
    std::string text;
    bool isThere;
    readWholeFile(getIndexPath(folder), text, isThere);
    size_t place = text.find(old);
    EXPECT_NE(place, text.npos) << old;
    writeWholeFile(getIndexPath(folder), text.replace(place, old.size(), by));
    Bundle result;
    return readBundleIndex(folder, result);
  }
  void expectError(const std::string &old, const std::string &by,
                   const std::string &part) {
    std::string error = readChanged(old, by);
    EXPECT_NE(error.find(part), error.npos) << error;
  }

  fs::path folder;
  Bundle bundle;
};

TEST_F(BundleTest, IsReadAsItIsWritten) {
  Bundle back = readBack();
  EXPECT_EQ(back.key, bundle.key);
  EXPECT_FALSE(back.isForEmulator);
  EXPECT_EQ(back.tuneFile, "k.tune.json");
  EXPECT_EQ(back.seed, UINT64_MAX);
  EXPECT_TRUE(back.flushesCache);
  EXPECT_EQ(back.sizes, bundle.sizes);
  ASSERT_EQ(back.arguments.size(), 2u);
  EXPECT_EQ(back.arguments[0].sizes, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(back.arguments[0].pack, 1);
  EXPECT_EQ(back.arguments[0].stream, UINT64_MAX - 1);
  EXPECT_TRUE(back.arguments[0].isWritten());
  EXPECT_FALSE(back.arguments[1].isTensor());
  EXPECT_EQ(back.arguments[1].scalar, 0x3f800000u);
  ASSERT_EQ(back.references.size(), 1u);
  EXPECT_EQ(back.references[0].ranges[1].first, 16);
  EXPECT_EQ(back.references[0].ranges[1].count, 4);
  ASSERT_EQ(back.candidates.size(), 1u);
  EXPECT_EQ(back.candidates[0].describe(), "BM = 64, raster = 4");
  EXPECT_EQ(back.candidates[0].config, bundle.candidates[0].config);
  EXPECT_EQ(back.candidates[0].code, "c0.ll");
  EXPECT_EQ(back.candidates[0].estimate, 12.5);
  ASSERT_EQ(back.refusals.size(), 1u);
  EXPECT_EQ(back.refusals[0].count, 3);
  bundle.isForEmulator = true;
  EXPECT_TRUE(readBack().isForEmulator);
}

TEST_F(BundleTest, SaysWhereAnIndexIsWrong) {
  expectError("tile-tune-bundle", "cake", "/format: expected");
  expectError("\"version\": 1", "\"version\": 2", "/version");
  expectError(
      "want-A.bin", "../want-A.bin",
      "/references/0/file: expected the name of a file beside this one");
  expectError("\"int4\"", "\"int5\"",
              "/arguments/0/dtype: expected an element type");
  expectError("\"seed\": \"1", "\"seed\": \"x", "/seed: expected digits");
  expectError("\"tolerance\": 0.0", "\"tolerance\": \"0\"",
              "/references/0/tolerance: expected a number");
  expectError("\"bits\": 1065353216", "\"bits\": -1",
              "/arguments/1/bits: expected a whole number");
  expectError("\"pack\": 1", "\"pack\": 2", "/arguments/0/pack");
  expectError("\"launch_sizes\": {", "\"launch_size\": {", "launch_sizes");
}

TEST_F(BundleTest, ComparesWhatTheReferenceHas) {
  StoredArray array = describeArray(bundle.arguments[0]);
  std::vector<uint8_t> bytes(array.byteCount);
  array.bytes = bytes.data();
  fillRandomElements(array, 1, 2);
  const Reference &reference = bundle.references[0];
  ASSERT_EQ(
      writeReferenceFile(folder / reference.file, array, reference.ranges), "");
  EXPECT_EQ(compareWithReference(folder, reference, array), "");
  // Position 12 is not compared, 17 is.
  bytes[6] ^= 1;
  EXPECT_EQ(compareWithReference(folder, reference, array), "");
  bytes[8] ^= 0x10;
  EXPECT_EQ(compareWithReference(folder, reference, array),
            "'A' is wrong: 1 of 12 elements that were compared differ too "
            "much, the first at 17");

  Reference beyond = reference;
  beyond.ranges[1].first = 30;
  EXPECT_NE(compareWithReference(folder, beyond, array).find("larger array"),
            std::string::npos);
  Reference more = reference;
  more.ranges[1].count = 5;
  EXPECT_NE(compareWithReference(folder, more, array).find("is not whole"),
            std::string::npos);
}

TEST_F(BundleTest, AllowsForRoundingByTheScaleOfAll) {
  BundleArgument argument{"y", "f32", "out", {4}, -1, 0, 0};
  StoredArray array = describeArray(argument);
  float values[4] = {10, -10, 10, 0};
  array.bytes = reinterpret_cast<uint8_t *>(values);
  Reference reference{"y", "want-y.bin", 1e-3, {{0, 4}}};
  ASSERT_EQ(
      writeReferenceFile(folder / reference.file, array, reference.ranges), "");
  values[3] = 0.008f; // 1e-3 of the root mean square of 8.66
  EXPECT_EQ(compareWithReference(folder, reference, array), "");
  values[3] = 0.009f;
  EXPECT_NE(compareWithReference(folder, reference, array), "");
}

} // namespace
