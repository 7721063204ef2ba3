//===-- TableTest.cpp - Tables and command lines of tile-bench ------------===//

#include "tools/bench/Table.h"
#include "tools/bench/Options.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tilebench;
using Json = nlohmann::ordered_json;

namespace {

Json makeTable() {
  return Json::parse(R"json({
    "description": "two products",
    "artifacts": {"fast": {"source": "gemm.tile", "define": {"BM": 64}}},
    "rows": [{"name": "fp8", "a": "fp8_e4m3", "b": "fp8_e5m2", "c": "bf16",
              "layout": "TN", "scales": "block128", "fast_accum": true,
              "shapes": [[16, 32, 64], [1, 2, 3]], "checks": [[5, 6, 7]],
              "kernels": ["fast"], "required": {"both": 0.98, "best": 1},
              "flush_l2": true}]
  })json");
}

std::string errorOf(const Json &table) {
  try {
    parseTable("t.json", table.dump());
    return "parsed";
  } catch (const std::exception &error) {
    return error.what();
  }
}

TEST(Table, EveryShapeIsARow) {
  Table table = parseTable("t.json", makeTable().dump());
  EXPECT_EQ(table.artifacts, std::vector<std::string>{"fast"});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "fp8 16x32x64");
  const Row &row = table.rows[1];
  EXPECT_EQ(row.name, "fp8 1x2x3");
  EXPECT_EQ(row.shape.k, 3);
  EXPECT_EQ(row.shape.operations(), 12);
  EXPECT_EQ(row.work.a, tilec::NumberFormat::FP8E4M3);
  EXPECT_EQ(row.work.b, tilec::NumberFormat::FP8E5M2);
  EXPECT_EQ(row.work.c, tilec::NumberFormat::BF16);
  EXPECT_TRUE(row.work.isATransposed);
  EXPECT_FALSE(row.work.isBTransposed);
  EXPECT_EQ(row.work.scales, Scales::Block128);
  EXPECT_TRUE(row.work.isFastAccumulation);
  ASSERT_EQ(row.checks.size(), 1u);
  EXPECT_EQ(row.checks[0].text(), "5x6x7");
  EXPECT_EQ(row.kernels, std::vector<std::string>{"fast"});
  EXPECT_EQ(row.required.both, 0.98);
  EXPECT_EQ(row.required.best, 1);
  EXPECT_TRUE(row.flushesCache);
}

TEST(Table, MistakesAreNamedWithTheirPlace) {
  struct Mistake {
    const char *place;
    Json value;
    const char *message;
  } mistakes[] = {
      {"/rows/0/a", "bf17",
       "t.json: /rows/0/a: 'bf17' is no element type that this program knows"},
      {"/rows/0/a", "int4",
       "t.json: /rows/0/a: 'int4' is no element type that this program knows"},
      {"/rows/0/a", "int8",
       "t.json: /rows/0: a, b and c must all be floats or all be integers"},
      {"/rows/0/layout", "NM",
       "t.json: /rows/0/layout: 'NM' is none of 'NN', 'NT', 'TN', 'TT'"},
      {"/rows/0/shapes/0", Json{1, 2},
       "t.json: /rows/0/shapes/0: expected [M, N, K]"},
      {"/rows/0/shapes/0/1", 0,
       "t.json: /rows/0/shapes/0/1: 0 is not from 1 to 1048576"},
      {"/rows/0/shapes/1", Json{16, 32, 64},
       "t.json: /rows/0: a second row 'fp8 16x32x64'"},
      {"/rows/0/kernels/0", "slow",
       "t.json: /rows/0/kernels/0: there is no artifact 'slow'"},
      {"/rows/0/required/both", "1.0",
       "t.json: /rows/0/required/both: expected a ratio, a number above 0"},
      {"/rows/0/requird", 1,
       "t.json: /rows/0: there is no member 'requird' here"},
      {"/artifacts/fast/defines", 1,
       "t.json: /artifacts/fast: there is no member 'defines' here"},
      {"/artifacts", 1, "t.json: /artifacts: expected an object"},
      {"/rows", nullptr, "t.json: /rows: expected an array, found null"},
  };
  for (const Mistake &mistake : mistakes) {
    Json table = makeTable();
    table[Json::json_pointer(mistake.place)] = mistake.value;
    EXPECT_EQ(errorOf(table), mistake.message);
  }
  Json table = makeTable();
  table["rows"][0].erase("layout");
  EXPECT_EQ(errorOf(table), "t.json: /rows/0/layout: missing");
}

TEST(Table, ShippedTableIsRead) {
  std::string path = TILE_SOURCE_DIR "/tools/bench/gemm.json";
  Table table = parseTable(path, readFile(path));
  EXPECT_GE(table.rows.size(), 20u);
  // Each artifact is there for some row.
  for (const std::string &artifact : table.artifacts) {
    bool isUsed = false;
    for (const Row &row : table.rows)
      for (const std::string &kernel : row.kernels)
        isUsed |= kernel == artifact;
    EXPECT_TRUE(isUsed) << artifact;
  }
}

Options parse(std::vector<const char *> words) {
  words.insert(words.begin(), "tile-bench");
  return parseOptions(int(words.size()), words.data());
}

TEST(Options, AllAreUnderstood) {
  Options options = parse({"t.json", "--out=o", "folder", "--baseline=b.json",
                           "--quick", "--rounds=3", "--only=fp8", "--only=int8",
                           "--kernel=nt", "--flush-l2", "--cublaslt=lib",
                           "--seed=7", "--device=1", "--timeout=9"});
  EXPECT_EQ(options.table, "t.json");
  EXPECT_EQ(options.artifacts, "folder");
  EXPECT_EQ(options.output, "o");
  EXPECT_EQ(options.baseline, "b.json");
  EXPECT_TRUE(options.isQuick);
  EXPECT_EQ(options.rounds, 3);
  EXPECT_EQ(options.only, (std::vector<std::string>{"fp8", "int8"}));
  EXPECT_EQ(options.kernels, std::vector<std::string>{"nt"});
  EXPECT_TRUE(options.flushesCache);
  EXPECT_EQ(options.cublasLt, "lib");
  EXPECT_TRUE(options.hasPeers);
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.device, 1);
  EXPECT_EQ(options.timeoutSeconds, 9);
  EXPECT_FALSE(parse({"t.json", "f", "--no-cublaslt"}).hasPeers);
  EXPECT_TRUE(parse({"t.json", "--list"}).isList);
  EXPECT_TRUE(parse({"-h"}).isHelp);
}

TEST(Options, MistakesAreNamed) {
  std::pair<std::vector<const char *>, const char *> mistakes[] = {
      {{}, "no table: write tile-bench TABLE.json ARTIFACTS, or --help"},
      {{"t.json"}, "no folder of artifacts: write tile-bench t.json ARTIFACTS"},
      {{"t.json", "f", "g"}, "'g' is one argument too many"},
      {{"t.json", "f", "--fast"}, "unknown option '--fast'; --help lists them"},
      {{"t.json", "f", "--quick=1"}, "--quick takes no value"},
      {{"t.json", "f", "--out"}, "--out needs a value: --out=..."},
      {{"t.json", "f", "--rounds=x"},
       "'x' of --rounds is no integer from 1 to 1000"},
      {{"t.json", "f", "--rounds=0"},
       "'0' of --rounds is no integer from 1 to 1000"},
      {{"t.json", "f", "--cublaslt=x", "--no-cublaslt"},
       "--cublaslt and --no-cublaslt contradict each other"},
  };
  for (const auto &[words, message] : mistakes)
    try {
      parse(words);
      ADD_FAILURE() << message;
    } catch (const std::exception &error) {
      EXPECT_STREQ(error.what(), message);
    }
}

} // namespace
